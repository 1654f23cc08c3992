"""Velocity commands and the curriculum that widens them from standing to the full range."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, cast

import torch
from isaaclab.envs.mdp.commands.velocity_command import UniformVelocityCommand
from isaaclab.managers import ManagerTermBase

from surefoot.envs.env import STANDING_COMMAND

if TYPE_CHECKING:
    from isaaclab.managers import CurriculumTermCfg

    from surefoot.envs.env import SurefootEnv

    from .commands_cfg import VelocityCommandCfg


def slower_and_single(command: torch.Tensor, *, slow_share: float, single_share: float) -> torch.Tensor:
    """Make some commands slower than they are, and take all components but one from some.

    Args:
        command: Velocity commands, (N, 3).
        slow_share: Share of the commands that are multiplied by a factor drawn from 0 to 1.
        single_share: Share of the commands that keep one component.

    Returns:
        Commands, (N, 3).
    """
    if slow_share > 0.0:
        draw = torch.rand_like(command[:, :1]) / slow_share  # below 1 it is the factor of a slow command
        command = command * draw.clamp_(max=1.0)
    if single_share > 0.0:
        kept = torch.rand_like(command).argmax(dim=1, keepdim=True)
        single = torch.zeros_like(command).scatter_(1, kept, 1.0)
        command = command * torch.where(torch.rand_like(command[:, :1]) < single_share, single, 1.0)
    return command


class VelocityCommand(UniformVelocityCommand):
    """Isaac Lab's uniform velocity command, drawn from a share of the full range that the curriculum sets."""

    cfg: VelocityCommandCfg

    def __init__(self, cfg: VelocityCommandCfg, env: SurefootEnv) -> None:
        super().__init__(cfg, env)
        self.range_share = torch.tensor(float(cfg.initial_range_share), device=self.device)
        """Share of the full command range that commands are drawn from, in [0, 1], (); less where a phase asks it."""

    def _update_metrics(self) -> None:
        """Sum the errors as the base class does, with the velocity of the base's origin, which is at hand."""
        state = cast("SurefootEnv", self._env).locomotion
        command = self.vel_command_b  # (num_envs, 3)
        self._error_xy_sum += torch.linalg.vector_norm(command[:, :2] - state.base_lin_vel_b[:, :2], dim=-1)
        self._error_yaw_sum += (command[:, 2] - state.base_ang_vel_b[:, 2]).abs_()
        self._step_count += 1.0

    def _resample_command(self, env_ids: Sequence[int]) -> None:
        super()._resample_command(env_ids)
        command = self.vel_command_b[env_ids] * self.range_share  # (num_resampled, 3)
        levels = cast("SurefootEnv", self._env).terrain_levels
        if levels is not None:
            command *= levels.command_share[env_ids, None]
        command = slower_and_single(command, slow_share=self.cfg.slow_share, single_share=self.cfg.single_share)
        # A command that asks for standing says so exactly, so that standing is one command and not many.
        command *= command.norm(dim=1, keepdim=True) > STANDING_COMMAND
        self.vel_command_b[env_ids] = command


class CommandRange(ManagerTermBase):
    """Widens the command range while the robot tracks what it is asked, judged over all that are asked to move.

    Every ``interval_steps`` control steps the mean of the linear tracking reward, in (0, 1], is compared with
    ``threshold``; above it the range grows by ``increment`` of the full range. It never shrinks: what is learnt at a
    wide range includes the narrow one. Environments of a phase that asks them to stand say nothing of it.
    """

    def __init__(self, cfg: CurriculumTermCfg, env: SurefootEnv) -> None:
        super().__init__(cfg, env)
        self._last_step = 0

    def __call__(
        self,
        env: SurefootEnv,
        env_ids: Sequence[int],  # noqa: ARG002 - all environments are judged
        std: float,
        threshold: float,
        increment: float,
        interval_steps: int,
    ) -> torch.Tensor:
        """Widen the range when it is due; returns the share for the log, ()."""
        command = cast("VelocityCommand", env.command_manager.get_term("base_velocity"))
        if env.common_step_counter - self._last_step >= interval_steps:
            self._last_step = env.common_step_counter
            error = env.locomotion.base_lin_vel_b[:, :2] - env.command[:, :2]
            tracking = torch.exp(-error.square().sum(dim=1) / std**2)
            levels = env.terrain_levels
            judged = torch.ones_like(tracking) if levels is None else levels.command_share.sign()
            mean = (tracking * judged).sum() / judged.sum().clamp_(min=1.0)
            command.range_share.add_((mean > threshold) * increment).clamp_(max=1.0)
        return command.range_share

    def state_dict(self) -> dict[str, int]:
        """What a resumed run needs."""
        return {"last_step": self._last_step}

    def load_state_dict(self, state: dict[str, int]) -> None:
        """Restore what :meth:`state_dict` returned."""
        self._last_step = int(state["last_step"])
