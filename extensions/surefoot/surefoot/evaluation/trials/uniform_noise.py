"""Uniform noise that a scenario names itself, on what a policy is shown; what its safety layer sees is without it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from surefoot.evaluation.scenarios.grading import UniformNoise
from surefoot.random_numbers.philox_numpy import philox, unit_interval
from surefoot_bridge.state import RobotState

_KEY = (0x554E4946, 0x4E4F4953)  # tells these numbers from what else is drawn for a trial


class UniformNoiseLayer:
    """Adds uniform noise to gyro and encoders of N robots, drawn anew each control period.

    Args:
        noise: Its ends.
        seeds: Seeds of the trials, (N,), uint64.
        num_joints: Joints of a robot.
    """

    def __init__(self, noise: UniformNoise, seeds: np.ndarray, num_joints: int) -> None:
        sizes = (3, num_joints, num_joints)
        self._ends = np.repeat((noise.gyro_rad_s, noise.joint_pos_rad, noise.joint_vel_rad_s), sizes)
        self._cuts = np.cumsum(sizes)[:-1]
        self._seeds = np.asarray(seeds, dtype=np.uint64)
        self._steps = 0

    def __call__(self, report: RobotState) -> RobotState:
        """Return what a policy is shown of a report, once a control period."""
        words = -(-len(self._ends) // 4)
        counter = np.empty((len(self._seeds), words, 4), dtype=np.uint64)
        counter[..., 0] = (self._seeds & np.uint64(0xFFFFFFFF))[:, None]
        counter[..., 1] = (self._seeds >> np.uint64(32))[:, None]
        counter[..., 2], counter[..., 3] = self._steps, np.arange(words)
        self._steps += 1
        unit = unit_interval(philox(counter, _KEY)).reshape(len(self._seeds), -1)[:, : len(self._ends)]
        noise = self._ends * (2.0 * unit.astype(np.float64) - 1.0)
        gyro, position, velocity = np.split(noise, self._cuts, axis=1)
        return replace(
            report,
            imu_ang_vel_rad_s=report.imu_ang_vel_rad_s + gyro,
            joint_pos_rad=report.joint_pos_rad + position,
            joint_vel_rad_s=report.joint_vel_rad_s + velocity,
        )
