"""An environment and the policy that acts in it, set up so that only the caller gives commands and pushes."""

from __future__ import annotations

import importlib.metadata
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, redirect_stderr, redirect_stdout
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import torch

from surefoot.engines import Physics, native_log
from surefoot.playing.actor import load_actor
from surefoot.playing.recovery import stands
from surefoot.playing.run_files import TrainedPolicy
from surefoot.randomization.presets import sensor_noise
from surefoot.task_config import leave_to_caller, opened, resolve_task, velocity_command
from surefoot_bridge.errors import SurefootError
from surefoot_robots import RobotSpec, get_robot

if TYPE_CHECKING:
    from rsl_rl.models import MLPModel

    from surefoot.envs.env import SurefootEnv

FALL_TILT_COSINE = 0.5
"""A base whose z axis is more than 60 degrees off the vertical has fallen."""


@dataclass
class PlaySession:
    """A policy in its environment.

    Attributes:
        env: The environment; it never ends an episode, pushes or draws a command by itself.
        policy: The actor, deterministic.
        agent_cfg: The rsl_rl runner's configuration that the actor was built from.
    """

    env: SurefootEnv
    policy: MLPModel
    agent_cfg: dict[str, Any]

    @property
    def robot(self) -> RobotSpec:
        """The robot in the environment."""
        return get_robot(self.env.cfg.robot_name)

    @property
    def is_commanded(self) -> bool:
        """Whether the task has a velocity command; without one, what is commanded is not shown to anybody."""
        return velocity_command(self.env.cfg) is not None

    @property
    def begins_fallen(self) -> bool:
        """Whether episodes begin with a robot that lies."""
        return self.env.fallen_poses is not None

    def reset(self, command: torch.Tensor) -> None:
        """Begin new episodes in all environments under the given commands, shape (num_envs, 3)."""
        self.env.reset()
        self.policy.reset()
        self.show(command)

    def show(self, command: torch.Tensor) -> None:
        """Let the observation show another command than when it was made, shape (num_envs, 3)."""
        self._set_command(command)
        self.env.obs_buf = self.env.observation_manager.compute(update_history=False)

    def step(self, next_command: torch.Tensor, *, applied: torch.Tensor | None = None) -> torch.Tensor:
        """Let the policy act for one control step; the observation after it shows the next command.

        Args:
            next_command: vx, vy [m/s] and yaw rate [rad/s] in the base frame, shape (num_envs, 3).
            applied: Action that the robot gets instead of the policy's, shape (num_envs, num_joints).

        Returns:
            The policy's output, shape (num_envs, num_joints).
        """
        self._set_command(next_command)
        action = self.policy(observations(self.env))
        self.env.step(action if applied is None else applied)
        return action

    def push(self, velocity_change: torch.Tensor) -> None:
        """Add to the base's horizontal world velocity [m/s], shape (num_envs, 2), in the live state of the engine."""
        velocity = self.env.robot.data.root_com_vel_w.torch.clone()  # (num_envs, 6)
        velocity[:, :2] += velocity_change
        self.env.robot.write_root_com_velocity_to_sim_index(root_velocity=velocity)

    def fell(self) -> torch.Tensor:
        """Return whether a body that must not touches the ground or the base is tilted too far, (num_envs,)."""
        from surefoot.envs.kernels import CONTACT_FORCE_N

        state = self.env.locomotion
        tilted = state.projected_gravity_b[:, 2] > -FALL_TILT_COSINE
        return tilted | (state.fall_force_n > CONTACT_FORCE_N)

    def stands(self) -> torch.Tensor:
        """Return whether each robot stands at rest, (num_envs,); see :func:`~surefoot.playing.recovery.stands`."""
        from surefoot.envs.kernels import CONTACT_FORCE_N

        state = self.env.locomotion
        return stands(
            projected_gravity_b=state.projected_gravity_b,
            base_height_m=state.base_height_m,
            base_lin_vel_b=state.base_lin_vel_b,
            base_ang_vel_b=state.base_ang_vel_b,
            foot_contact=state.foot_contact,
            lies=state.fall_force_n > CONTACT_FORCE_N,
            standing_height_m=self.robot.base_height_m,
        )

    def _set_command(self, command: torch.Tensor) -> None:
        if self.is_commanded:
            self.env.command.copy_(command)


@contextmanager
def open_session(
    trained: TrainedPolicy,
    *,
    physics: Physics,
    device: str,
    num_envs: int,
    seed: int,
    noise: bool,
    randomization: str,
    log: Path,
    foot_patch_radii_m: tuple[float, ...] = (),
    commanded: bool = False,
) -> Iterator[PlaySession]:
    """Start an engine with the task's environment and load the policy.

    Args:
        trained: What to play.
        physics: The engine, checked.
        device: The device, checked.
        num_envs: Number of environments.
        seed: Seed of the environment's own draws: initial states and sensor noise.
        noise: Whether the sensors are noisy.
        randomization: Preset that each environment's robot and world are drawn from, at its full ranges.
        log: File for what the engine and the set-up print.
        foot_patch_radii_m: Radius of PhysX's contact patches, by which feet resist turning; none for points [m].
        commanded: Whether the caller was asked for a command, which a task without one refuses.

    Yields:
        The session.

    Raises:
        SurefootError: If a command was asked for and the task has none.
    """
    with native_log(log) as chatter, ExitStack() as stack:
        with redirect_stdout(chatter), redirect_stderr(chatter):
            env_cfg, agent_cfg = resolve(trained, physics)
            if commanded and velocity_command(env_cfg) is None:
                raise SurefootError(
                    f"{trained.settings.task} has no velocity command: leave out --command and --preset."
                )
            leave_to_caller(env_cfg)
            env_cfg.scene.num_envs = num_envs
            env_cfg.seed = seed
            env_cfg.randomization = _randomization(randomization, noise)
            env_cfg.randomization.foot_patch_radii_m = foot_patch_radii_m
            env = stack.enter_context(opened(trained.settings.task, env_cfg, device=device))
            num_actions = env.action_manager.total_action_dim
            policy = load_actor(trained.checkpoint, agent_cfg, observations(env), num_actions, device)
        with torch.inference_mode():
            yield PlaySession(env, policy, agent_cfg)


def resolve(trained: TrainedPolicy, physics: Physics) -> tuple[Any, dict[str, Any]]:
    """Return the configurations of the environment, in play mode, and of the rsl_rl runner, as trained."""
    from isaaclab_rl.rsl_rl import handle_deprecated_rsl_rl_cfg

    env_cfg, agent_cfg = resolve_task(trained.settings.task, physics, trained.settings.overrides, play_mode=True)
    agent_cfg = handle_deprecated_rsl_rl_cfg(agent_cfg, importlib.metadata.version("rsl-rl-lib"))
    return env_cfg, agent_cfg.to_dict()  # pyright: ignore[reportAttributeAccessIssue] - added by Isaac Lab's decorator


def _randomization(preset: str, noise: bool) -> Any:
    """Return a preset's ranges with the sensors noisy as in it, or as in training where it has no noise, or not."""
    from surefoot.randomization.randomization_cfg import RandomizationCfg

    if not noise:
        return RandomizationCfg(preset=preset, ranges=dict.fromkeys(sensor_noise()))
    return RandomizationCfg(preset=preset, ranges=dict(sensor_noise()) if preset == "none" else {})


def observations(env: SurefootEnv) -> Any:
    """Return what the environment's robots see now, by group."""
    from tensordict import TensorDict

    return TensorDict(env.obs_buf, batch_size=[env.num_envs])
