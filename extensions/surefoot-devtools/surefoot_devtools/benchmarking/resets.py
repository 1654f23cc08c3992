"""How each side randomizes environments that are reset: ours by its table, stock by Isaac Lab's event terms."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import TYPE_CHECKING, Any, NamedTuple

import torch
import warp as wp

from surefoot.envs.env import ENGINES
from surefoot.randomization.randomization import Randomization, make_layout
from surefoot.randomization.randomization_cfg import RandomizationCfg
from surefoot.replaced import replaced

from .stock_terms import matched_ranges, stock_event_terms

if TYPE_CHECKING:
    from surefoot_robots import RobotSpec


class Resets(NamedTuple):
    """How one set of parameters is randomized in some environments, int32, (count,)."""

    draw: Callable[[torch.Tensor], object]
    """Samples; writes nothing into the engine within :attr:`sampling_alone`."""
    reset: Callable[[torch.Tensor], object]
    """Samples and writes, with everything that the solver derives."""
    sampling_alone: Callable[[], AbstractContextManager[None]]


def our_resets(randomization: Randomization) -> Resets:
    """Return the resets of a randomization of ours."""
    return Resets(randomization.table.draw, randomization.reset, nullcontext)


def matched_randomization(base: Any, *, seed: int) -> Randomization:
    """Make a randomization of what stock event terms can randomize too, beside that of one of our environments."""
    physics = ENGINES[base.robot.data.__backend_name__]
    cfg = RandomizationCfg(ranges=dict(matched_ranges(base.robot_spec, physics)))
    return Randomization(
        make_layout(cfg, base.robot_spec, physics),
        base.robot,
        base.robot_spec,
        adaptive=cfg.adaptive,
        step_dt=base.step_dt,
        seed=seed,
        rank=0,
    )


def stock_resets(base: Any, spec: RobotSpec) -> Resets:
    """Return the resets by stock event terms of an environment with a robot of ours and stock actuators.

    A term for explicit actuators changes gains of actuator models that Isaac Lab ships, and of no others.
    """
    from isaaclab.managers import EventManager

    robot = base.scene["robot"]
    physics = ENGINES[robot.data.__backend_name__]
    events = EventManager(stock_event_terms(spec, physics), base)

    def sample(env_ids: torch.Tensor) -> None:
        events.apply("reset", env_ids=env_ids, global_env_step_count=0)

    def reset(env_ids: torch.Tensor) -> None:
        sample(env_ids)
        if physics == "newton_mjwarp":
            _recompute(robot.device)

    return Resets(sample, reset, lambda: _without_setters(robot))


_SETTERS = (
    "set_masses_index",
    "set_coms_index",
    "set_inertias_index",
    "write_joint_armature_to_sim",
    "write_joint_friction_coefficient_to_sim_index",
)
"""The articulation's setters that :func:`~surefoot_devtools.benchmarking.stock_terms.stock_event_terms` call."""


@contextmanager
def _without_setters(robot: Any) -> Iterator[None]:
    """Make what stock terms call to write into the engine, or to read PhysX's materials, cost nothing.

    In Newton the terms of friction and gravity put their samples into Newton's arrays by themselves, and note that the
    model has changed; both stay, as ours put theirs into the table.
    """
    import isaaclab.actuators.newton as newton_actuators

    replacements = [(robot, name, _do_nothing) for name in _SETTERS]
    replacements.append((newton_actuators, "write_group_parameter", _do_nothing))
    if robot.data.__backend_name__ == "ovphysx":
        from isaaclab_ov.sim.views import OvPhysxView

        read, known = OvPhysxView.get_attribute, {}

        def get_attribute(self: Any, name: Any, *args: Any, **kwargs: Any) -> Any:
            if (self, name) not in known:
                known[self, name] = read(self, name, *args, **kwargs)
            return known[self, name]

        replacements += [(OvPhysxView, "set_attribute", _do_nothing), (OvPhysxView, "get_attribute", get_attribute)]
    with replaced(*replacements):
        yield


def _do_nothing(*_: Any, **__: Any) -> None:
    """In place of a setter."""


def _recompute(device: str) -> None:
    """Let Newton's solver recompute what it derives, as Isaac Lab's next physics step begins with.

    Isaac Lab 3.0.0 keeps the queue of changes and the solver under names that are not for the public.
    """
    from isaaclab_newton.physics import NewtonManager

    solver: Any = NewtonManager._solver
    with wp.ScopedDevice(device):
        for change in NewtonManager._model_changes:
            solver.notify_model_changed(change)
    NewtonManager._model_changes = set()
