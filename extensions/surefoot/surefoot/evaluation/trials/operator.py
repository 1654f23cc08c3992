"""Who says where robots go: a schedule of velocities, or somebody who steers each of them to a place."""

from __future__ import annotations

from typing import Protocol

import numpy as np

from surefoot.evaluation.scenarios.grading import Target
from surefoot_bridge.state import heading

from .batch import TrialBatch
from .command_schedule import command_schedule
from .engine import Truth

_AHEAD_RAD = np.pi / 4
"""A place within this angle is ahead: the robot walks there. RoboGauge's number."""


class Operator(Protocol):
    """Commands robots, once a control period."""

    def command(self, step: int, truth: Truth) -> np.ndarray:
        """Return forward and sideways velocity [m/s] and yaw rate [rad/s] for each robot, (N, 3).

        Args:
            step: Number of the control period.
            truth: What is true as it begins.
        """
        ...

    def arrived(self, truth: Truth) -> np.ndarray | None:
        """Return which robots are where they were to go, (N,), bool; None where there is no such place."""
        ...


class Schedule:
    """Commands by the clock, the same whatever the robot does.

    Args:
        commands: What is asked in each control period, (num_steps, N, 3), or (num_steps, 1, 3) of all alike.
        num_trials: N.
    """

    def __init__(self, commands: np.ndarray, num_trials: int) -> None:
        self._commands = np.broadcast_to(commands, (len(commands), num_trials, 3))

    def command(self, step: int, truth: Truth) -> np.ndarray:
        """See :class:`Operator`."""
        del truth
        return self._commands[step].copy()

    def arrived(self, truth: Truth) -> np.ndarray | None:
        """See :class:`Operator`."""
        del truth
        return None


class Steering:
    """Steers each robot to a place ahead of where it began.

    Args:
        target: The place, and how fast to go there.
    """

    def __init__(self, target: Target) -> None:
        self._target = target

    def command(self, step: int, truth: Truth) -> np.ndarray:
        """See :class:`Operator`; the law is that of :class:`~surefoot.evaluation.scenarios.grading.Target`."""
        del step
        target, (along, aside) = self._target, self._way(truth)
        angle, backward = np.arctan2(aside, along), target.way == "backward"
        off = np.pi - np.abs(angle) if backward else np.abs(angle)  # from where it goes if it goes straight
        turn = np.sign(angle) * np.minimum(2.0 * off, target.yaw_rate_rad_s)
        speed = np.where(off < _AHEAD_RAD, target.speed_m_s, 0.0)
        # Who walks backward has its place beyond 45 degrees, and is steered sideways as well, as by RoboGauge.
        beside = np.where(
            np.abs(angle) >= _AHEAD_RAD, np.clip(aside, -target.side_speed_m_s, target.side_speed_m_s), 0.0
        )
        sign = -1.0 if backward else 1.0
        command = np.stack([sign * speed, beside, sign * turn], axis=1)  # (N, 3)
        return np.nan_to_num(command)  # of a robot whose state is not finite any more

    def arrived(self, truth: Truth) -> np.ndarray:
        """See :class:`Operator`."""
        return np.hypot(*self._way(truth)) < self._target.within_m

    def _way(self, truth: Truth) -> tuple[np.ndarray, np.ndarray]:
        """Return how far the place is along and aside of each robot's heading [m], (N,) each."""
        yaw = heading(truth.base_quat_wxyz)
        x, y = self._target.ahead_m - truth.base_pos_w[:, 0], -truth.base_pos_w[:, 1]
        return np.cos(yaw) * x + np.sin(yaw) * y, np.cos(yaw) * y - np.sin(yaw) * x


def operator_of(batch: TrialBatch, control_period_s: float) -> Operator:
    """Return who commands the robots of a batch."""
    if batch.commands is not None:
        return Schedule(batch.commands, batch.num_trials)
    if batch.scenario.target is not None:
        return Steering(batch.scenario.target)
    return Schedule(command_schedule(batch.scenario, control_period_s)[:, None], batch.num_trials)
