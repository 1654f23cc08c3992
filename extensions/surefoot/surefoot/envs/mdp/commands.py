"""Velocity commands and the curriculum that widens them from standing to the full range."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

import numpy as np
import torch
import warp as wp
from isaaclab.envs.mdp.commands.velocity_command import UniformVelocityCommand
from isaaclab.managers import ManagerTermBase

from surefoot.env_mask import EnvIds, EnvMask
from surefoot.envs import command_kernels
from surefoot_bridge.errors import SurefootError

if TYPE_CHECKING:
    from isaaclab.managers import CurriculumTermCfg

    from surefoot.envs.env import SurefootEnv

    from .commands_cfg import VelocityCommandCfg


class VelocityCommand(UniformVelocityCommand):
    """Isaac Lab's uniform velocity command, drawn from a share of the full range that the curriculum sets.

    Commands are pure functions of (seed, rank, environment, how many were drawn in it before); see
    :mod:`surefoot.envs.command_kernels`. One launch takes an environment's episode to its end and draws the
    command of the next, another one follows in each control step; the host waits for nothing.

    Raises:
        SurefootError: If the configuration asks for a heading instead of a yaw rate.
    """

    cfg: VelocityCommandCfg

    takes_mask = True
    """Whether environments may be named by a mask; see :mod:`surefoot.envs.masked_reset`."""

    def __init__(self, cfg: VelocityCommandCfg, env: SurefootEnv) -> None:
        super().__init__(cfg, env)
        if cfg.heading_command:
            raise SurefootError("The velocity command commands yaw rates; set heading_command to False.")
        self._share = torch.full((1,), cfg.initial_range_share, device=self.device)
        self._draws = torch.zeros(self.num_envs, dtype=torch.int32, device=self.device)
        columns = torch.zeros(self.num_envs, len(self.metrics), device=self.device)
        self.metrics = dict(zip(self.metrics, columns.unbind(dim=1), strict=True))
        self._masks = EnvMask(self.num_envs, self.device)
        self._key = [wp.uint32(env.random_key[name] & 0xFFFFFFFF) for name in ("seed", "rank")]
        self._settings = command_kernels.Settings()
        self._settings.values = wp.zeros(command_kernels.NUM_SETTINGS, dtype=float, device=self.device)
        self._settings.share = wp.from_torch(self._share)
        thresholds: Any = (cfg.vel_xy_success_threshold, cfg.vel_yaw_success_threshold)
        self._settings.success_thresholds = wp.vec2f(*thresholds)
        self._uploaded = b""
        self._commands = command_kernels.Commands()
        self._commands.command = wp.from_torch(self.vel_command_b, dtype=wp.vec3f)
        self._commands.metrics = wp.from_torch(columns)
        levels = env.terrain_levels
        share = torch.ones(self.num_envs, device=self.device) if levels is None else levels.command_share
        self._commands.share = wp.from_torch(share)
        for name, tensor in {
            "time_left_s": self.time_left,
            "count": self.command_counter,
            "draws": self._draws,
            "is_standing": self.is_standing_env,
            "error_xy_sum": self._error_xy_sum,
            "error_yaw_sum": self._error_yaw_sum,
            "steps": self._step_count,
        }.items():
            setattr(self._commands, name, wp.from_torch(tensor))

    @property
    def range_share(self) -> torch.Tensor:
        """Share of the full range that commands are drawn from, in [0, 1], on the device; a phase may ask for less."""
        return self._share[0]

    @property
    def metric_columns(self) -> wp.array:
        """What :attr:`metrics` holds of the episodes that ended last, in its order, (num_envs, 3)."""
        return self._commands.metrics

    def begin(self, env_mask: wp.array) -> None:
        """Close the metrics of the episodes that ended in the environments of a mask, and draw new commands there."""
        self._launch(command_kernels.begin_commands, [env_mask])

    def reset(self, env_ids: EnvIds = None) -> dict[str, torch.Tensor]:
        """Begin an episode in some environments, and return the mean metrics of those that ended there."""
        self.begin(self._masks.of(env_ids))
        rows: Any = slice(None) if env_ids is None else env_ids
        means = {name: values[rows].mean() for name, values in self.metrics.items()}
        self._env.extras.setdefault("log", {})["Metrics/success_rate"] = means.pop("success_rate")
        return means

    def compute(self, dt: float) -> None:
        """Add a control step of ``dt`` seconds to the metrics, and draw the commands whose successors are due.

        The error of the velocity is that of the base's origin.
        """
        state = cast("SurefootEnv", self._env).locomotion
        velocities = [wp.from_torch(each, dtype=wp.vec3f) for each in (state.base_lin_vel_b, state.base_ang_vel_b)]
        self._launch(command_kernels.advance_commands, [*velocities, dt])

    def upload(self) -> bool:
        """Upload ranges and shares, which curricula may change, if they have; returns whether they have."""
        cfg, ranges = self.cfg, self.cfg.ranges
        spans = (ranges.lin_vel_x, ranges.lin_vel_y, ranges.ang_vel_z, cfg.resampling_time_range)
        values = [*(end for span in spans for end in span), cfg.rel_standing_envs, cfg.slow_share, cfg.single_share]
        packed = np.array(values, dtype=np.float32)
        if packed.tobytes() == self._uploaded:
            return False
        self._settings.values.assign(packed)
        self._uploaded = packed.tobytes()
        return True

    def _launch(self, kernel: Any, inputs: list[Any]) -> None:
        self.upload()
        wp.launch(
            kernel,
            dim=self.num_envs,
            inputs=[*inputs, self._settings, *self._key],
            outputs=[self._commands],
            device=self.device,
        )


class CommandRange(ManagerTermBase):
    """Widens the command range while the robot tracks what it is asked, judged over all environments.

    Every ``interval_steps`` control steps the mean of the linear tracking reward, in (0, 1], is compared with
    ``threshold``; above it the range grows by ``increment`` of the full range. It never shrinks: what is learnt at a
    wide range includes the narrow one. Environments of a phase that asks them to stand say nothing of it. The host does
    not learn of it.
    """

    takes_mask = True
    """Whether environments may be named by a mask; see :mod:`surefoot.envs.masked_reset`."""

    def __init__(self, cfg: CurriculumTermCfg, env: SurefootEnv) -> None:
        super().__init__(cfg, env)
        self._last_step = 0

    def is_due(self, env: SurefootEnv, *, interval_steps: int, **params: float) -> bool:
        """Return whether a call would judge now: in other steps it does nothing."""
        del params
        return env.common_step_counter - self._last_step >= interval_steps

    def __call__(
        self,
        env: SurefootEnv,
        env_ids: EnvIds,  # noqa: ARG002 - all environments are judged
        std: float,
        threshold: float,
        increment: float,
        interval_steps: int,
    ) -> torch.Tensor:
        """Widen the range when it is due; returns the share for the log."""
        command = cast("VelocityCommand", env.command_manager.get_term("base_velocity"))
        if self.is_due(env, interval_steps=interval_steps):
            self._last_step = env.common_step_counter
            error = env.locomotion.base_lin_vel_b[:, :2] - env.command[:, :2]
            tracking = torch.exp(-error.square().sum(dim=1) / std**2)
            levels = env.terrain_levels
            judged = torch.ones_like(tracking) if levels is None else levels.command_share.sign()
            mean = (tracking * judged).sum() / judged.sum().clamp_(min=1.0)
            command.range_share.add_(increment * (mean > threshold)).clamp_(max=1.0)
        return command.range_share

    def state_dict(self) -> dict[str, int]:
        """What a resumed run needs."""
        return {"last_step": self._last_step}

    def load_state_dict(self, state: dict[str, int]) -> None:
        """Restore what :meth:`state_dict` returned."""
        self._last_step = int(state["last_step"])
