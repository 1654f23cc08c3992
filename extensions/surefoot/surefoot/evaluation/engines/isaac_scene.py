"""The environment of a policy's task as the place of trials: nothing happens in it but physics."""

# Modules of the simulator are imported where they are needed: choosing an engine must be quick.

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from surefoot import task_config
from surefoot.engines import Physics, install_shims
from surefoot.engines.physics import ROWS_WITH_TURNING_FEET
from surefoot.task_registry import check_task
from surefoot_bridge.contract import Contract
from surefoot_bridge.errors import SurefootError

if TYPE_CHECKING:
    from surefoot.envs.env import SurefootEnv
    from surefoot.terrains.isaac_ground import IsaacGround


@contextmanager
def opened(
    physics: Physics,
    contract: Contract,
    *,
    num_trials: int,
    ground: IsaacGround | None,
    device: str,
    turning_friction: bool = False,
) -> Iterator[SurefootEnv]:
    """Start an engine with the environment of a contract's task.

    A control step of it is a physics step of training, and its action a joint command
    (:class:`~surefoot.evaluation.engines.isaac_action.JointCommandAction`).

    Args:
        physics: The engine, checked.
        contract: What the policy was trained with.
        num_trials: Number of robots.
        ground: Terrains of the trials; None for the task's own flat ground.
        device: The device, checked.
        turning_friction: Whether feet are to have torsional or rolling friction in some trials.

    Yields:
        The environment, reset.

    Raises:
        SurefootError: If the task is not there, or is one of another robot or with another control period.
    """
    install_shims()
    task = check_task(contract.training.task)
    env_cfg = task_config.resolve_task(task, physics, play_mode=True)[0]
    _check(env_cfg, contract)
    _leave_only_physics(env_cfg)
    env_cfg.scene.num_envs = num_trials
    env_cfg.seed = 0  # nothing is drawn
    env_cfg.randomization = _open_to_writing(physics, turning_friction=turning_friction)
    if turning_friction:
        env_cfg.sim.physics.solver_cfg.njmax = ROWS_WITH_TURNING_FEET
    if ground is not None:
        ground.put_into(env_cfg)
    with task_config.opened(task, env_cfg, device=device) as env:
        yield env


def _check(env_cfg: Any, contract: Contract) -> None:
    if env_cfg.robot_name != contract.robot.name:
        raise SurefootError(
            f"Task {contract.training.task!r} is one of robot {env_cfg.robot_name!r}, the bundle is for "
            f"{contract.robot.name!r}. Export the policy again from the task that it was trained in."
        )
    period_s = env_cfg.sim.dt * env_cfg.decimation
    if abs(period_s - contract.timing.control_period_s) > 1e-9:
        raise SurefootError(
            f"Task {contract.training.task!r} has a control period of {period_s:g} s, the contract one of "
            f"{contract.timing.control_period_s:g} s. Export the policy again from the task that it was trained in."
        )


def _leave_only_physics(env_cfg: Any) -> None:
    """Take away all that would end an episode, judge it, change a command or disturb a robot."""
    from .isaac_action import JointCommandAction

    env_cfg.decimation = 1
    env_cfg.sim.render_interval = 1
    env_cfg.actions.joint_target.class_type = JointCommandAction
    env_cfg.initial_state = {}
    env_cfg.field = None  # the ground is the trials'
    env_cfg.fall = None  # trials place their robots
    task_config.leave_to_caller(env_cfg)
    task_config.take_away(env_cfg.rewards)
    task_config.take_away(env_cfg.curriculum)


def _open_to_writing(physics: Physics, *, turning_friction: bool) -> Any:
    """Ranges of what trials vary inside the engine, without which nobody writes it there; the values are the trials'.

    PhysX takes bodies at start-up whatever their range, and a range would have it start with drawn ones.
    """
    from surefoot.randomization.foot_contacts import TURNING_FRICTION
    from surefoot.randomization.parameter import absolute
    from surefoot.randomization.presets import sensor_noise
    from surefoot.randomization.randomization_cfg import RandomizationCfg
    from surefoot.randomization.support import DRAWN_ONCE

    written = {"foot_friction": absolute(0.5, 1.0), "payload_mass": absolute(0.0, 1.0)}
    if turning_friction:
        written |= {name: absolute(0.0, 0.1) for name in TURNING_FRICTION}
    ranges = {name: given for name, given in written.items() if name not in DRAWN_ONCE[physics]}
    return RandomizationCfg(preset="none", ranges={**dict.fromkeys(sensor_noise()), **ranges})
