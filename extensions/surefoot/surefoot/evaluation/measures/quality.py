"""Quality of walking by RoboGauge's formula, sample by sample, so that figures compare with those published by it.

The source is github.com/wty-yy/RoboGauge at 2aaa7ad (version 1.1.3): ``metrics/*.py``, ``goals/base_goal.py``,
``base_gauge.py``, ``stress_pipeline.py``; weights and constants: ``base_gauge_config.py``, ``custom/go2/*.py``.
"""

from __future__ import annotations

import re

import numpy as np

from surefoot.evaluation.trials.engine import Truth
from surefoot.evaluation.trials.rotations import into_base
from surefoot_bridge.contract import Contract
from surefoot_robots import RobotSpec

SAMPLE_S = 0.1
"""Between two samples [s]."""

WEIGHTS = {
    "lin_vel_err": 2,
    "ang_vel_err": 2,
    "dof_limits": 1,
    "dof_power": 1,
    "orientation_stability": 1,
    "torque_smoothness": 1,
}
"""Exponents of the geometric mean."""

FREE_RANGE = 0.4
"""Middle share of a joint's range within which it counts as off its limits."""

POWER_W, TORQUE_STEP_NM = 100.0, 30.0
"""What takes the metric of power, and of the change of torque between two samples, to 0."""

LEVEL_SHARE, QUALITY_SHARE = 0.81, 0.19
"""Of a figure: what the levels below the one that is mastered give together, and what the quality there does."""

_LEAST = 1e-9


class QualityMeasures:
    """Quality of N robots in samples of 0.1 s; of one that has ended it is 0, where RoboGauge leaves the rest out.

    Joints at their limits are those that are no knees (RoboGauge's ``hip`` and ``thigh``).

    Args:
        contract: The contract.
        spec: The robot.
        full_speed: Full speed forward and sideways [m/s], and of turning [rad/s]; errors are shares of it.
    """

    def __init__(self, contract: Contract, spec: RobotSpec, full_speed: tuple[float, float, float]) -> None:
        self._lin_norm, self._ang_norm = float(np.hypot(*full_speed[:2])), full_speed[2]
        self._every = max(1, round(SAMPLE_S / contract.timing.control_period_s))
        names = contract.robot.sdk_joint_names
        knee = spec.joint_groups.get("knee")
        self._joints = np.array([knee is None or re.fullmatch(knee.pattern, name) is None for name in names])
        low, high = np.array([spec.joint_limits_rad[name] for name in names])[self._joints].T
        self._range, room = high - low, 0.5 * (1.0 - FREE_RANGE) * (high - low)
        self._soft_low, self._soft_high = low + room, high - room
        self._torque: np.ndarray | None = None
        self._samples: list[np.ndarray] = []
        self._steps = 0

    @property
    def samples(self) -> np.ndarray:
        """Quality in each sample, (num_samples, N)."""
        return np.stack(self._samples)

    @np.errstate(invalid="ignore", over="ignore")
    def step(self, truth: Truth, command: np.ndarray, running: np.ndarray) -> None:
        """Take in a control step.

        Args:
            truth: What is true after it.
            command: What was asked in it, (N, 3).
            running: Which robots have not ended, (N,), bool.
        """
        self._steps += 1
        if self._steps % self._every:
            return
        linear = np.concatenate([command[:, :2], np.zeros((len(command), 1))], axis=1)
        angular = np.concatenate([np.zeros((len(command), 2)), command[:, 2:]], axis=1)
        velocity_b = into_base(truth.base_quat_wxyz, truth.base_lin_vel_w)
        down_b = into_base(truth.base_quat_wxyz, np.array([0.0, 0.0, -1.0]))
        position, torque = truth.joint_pos_rad[:, self._joints], truth.motor_torque_nm
        beyond = np.maximum(np.maximum(self._soft_low - position, position - self._soft_high), 0.0) / self._range
        change = np.zeros_like(torque) if self._torque is None else torque - self._torque
        self._torque = torque.copy()
        metrics = {
            "lin_vel_err": 1.0 - np.linalg.norm(velocity_b - linear, axis=1) / self._lin_norm,
            "ang_vel_err": 1.0 - np.linalg.norm(truth.base_ang_vel_b - angular, axis=1) / self._ang_norm,
            "dof_limits": 1.0 - _rms(beyond),
            "dof_power": 1.0 - _rms(torque * truth.joint_vel_rad_s) / POWER_W,
            "orientation_stability": 1.0 - np.abs(down_b[:, 1]),
            "torque_smoothness": 1.0 - _rms(change) / TORQUE_STEP_NM,
        }
        logs = sum(weight * np.log(np.clip(metrics[name], _LEAST, 1.0)) for name, weight in WEIGHTS.items())
        quality = np.exp(logs / sum(WEIGHTS.values()))  # (N,)
        self._samples.append(np.where(running, quality, 0.0))


def worst_half(samples: np.ndarray) -> float:
    """Return the mean of the worse half of some samples, RoboGauge's ``mean@50``."""
    ordered = np.sort(samples, axis=None)
    return float(ordered[: max(1, ordered.size // 2)].mean())


def figure(level: int | None, num_levels: int, quality: float) -> float:
    """Return the figure of a terrain, from 0 to 1: RoboGauge's ``terrain_quality_score``.

    Args:
        level: Highest level that is mastered, 0 for none; None of ground without levels, where quality is all.
        num_levels: How many levels there are.
        quality: Quality there.
    """
    if level is None:
        return quality
    if level == 0:
        return 0.0
    return LEVEL_SHARE * (level - 1) / (num_levels - 1) + QUALITY_SHARE * quality


def _rms(values: np.ndarray) -> np.ndarray:
    return np.sqrt(np.square(values).mean(axis=1))
