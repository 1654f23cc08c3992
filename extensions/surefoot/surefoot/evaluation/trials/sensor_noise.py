"""Errors of the sensors on top of an engine's perfect reports, as large as the contract says that training had them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from surefoot.random_numbers.philox_numpy import philox, standard_normals, unit_interval
from surefoot_bridge.contract import Contract, Interval, SensorError
from surefoot_bridge.state import RobotState, product

from .batch import TrialBatch
from .rotations import from_rotation_vector, into_base

_KEY = (0x53454E53, 0x4556414C)  # tells these numbers from what else is drawn for a trial
_ONCE = 0xFFFFFFFF  # stands for the control step where something is drawn for the whole trial
_LARGEST_SHARE = 0.5  # of contacts that a sensor gets wrong: one that errs more often knows more than a coin
_SIZES = {
    "gyro_noise": 1,
    "gyro_bias": 3,
    "gyro_drift": 1,
    "imu_mounting": 3,
    "gravity_noise": 1,
    "attitude_drift": 1,
    "encoder_noise": 1,
    "encoder_velocity_noise": 1,
    "contact_miss": 1,
    "contact_false": 1,
}
"""Errors that are added, with how many numbers each trial draws of each."""


class SensorLayer:
    """Adds noise, bias, drift and mounting errors to the reports of N robots.

    Each error is as training had it (:mod:`surefoot.sensors`): its range is the one that the contract names for the
    term of the observation which shows the sensor, times the trial's factor. Noise is drawn anew each control period
    and stays for its ticks; biases and mounting are drawn once; drifts walk at random from 0. An error of attitude
    turns the IMU's quaternion. Latency, repeated and lost reports are no noise and are not added; encoder offsets are
    in the engine's reports already.

    Numbers depend on the trial's seed and the control step only, whatever else runs beside it.
    """

    def __init__(self, contract: Contract, batch: TrialBatch) -> None:
        self._factor = np.asarray(batch.variation.sensor_noise, dtype=np.float64)
        self._on = bool(self._factor.any())
        self._root_s = np.sqrt(contract.timing.control_period_s)
        self._threshold_n = contract.observation.foot_contact_force_n
        self._joints, self._feet = len(contract.robot.joint_names), len(contract.robot.foot_names)
        self._seeds = np.asarray(batch.seeds, dtype=np.uint64)
        self._steps = 0
        self._error = self._drawn(_declared(contract)) if self._on else {}
        n = batch.num_trials
        self._mounting = from_rotation_vector(self._error["imu_mounting"]) if self._on else np.zeros((n, 4))
        self._gyro_walk, self._attitude_walk = np.zeros((n, 3)), np.zeros((n, 3))

    def __call__(self, report: RobotState, *, new_step: bool) -> RobotState:
        """Return what the sensors measure of a robot.

        Args:
            report: What perfect ones would, (N, ...).
            new_step: Whether a control period begins; the first call of all must begin one.
        """
        if not self._on:
            return report
        if new_step:
            self._draw()
        ang_vel, lin_acc = report.imu_ang_vel_rad_s, report.imu_lin_acc_m_s2
        return replace(
            report,
            joint_pos_rad=report.joint_pos_rad + self._position,
            joint_vel_rad_s=report.joint_vel_rad_s + self._velocity,
            imu_quat_wxyz=product(report.imu_quat_wxyz, self._attitude),
            imu_ang_vel_rad_s=into_base(self._mounting, ang_vel) + self._gyro,
            imu_lin_acc_m_s2=into_base(self._mounting, lin_acc),
            foot_force_n=self._felt(report.foot_force_n),
        )

    def _draw(self) -> None:
        """Draw what is new in a control period."""
        error, joints = self._error, self._joints
        normal = self._normals(self._steps, 11 + 2 * joints)
        gyro, gravity, gyro_walk, attitude_walk, position, velocity = np.split(
            normal, np.cumsum([3, 3, 3, 2, joints]), axis=1
        )
        if self._steps:
            self._gyro_walk += self._root_s * error["gyro_drift"] * gyro_walk
            self._attitude_walk[:, :2] += self._root_s * error["attitude_drift"] * attitude_walk
        self._gyro = error["gyro_bias"] + self._gyro_walk + error["gyro_noise"] * gyro
        turned = self._attitude_walk + error["gravity_noise"] * gravity
        self._attitude = product(self._mounting, from_rotation_vector(turned))
        self._position = error["encoder_noise"] * position
        self._velocity = error["encoder_velocity_noise"] * velocity
        if error["contact_miss"].any() or error["contact_false"].any():
            self._chance = self._uniforms(self._steps, self._feet, first=1 << 16)
        self._steps += 1

    def _felt(self, force_n: np.ndarray) -> np.ndarray:
        miss, false = (np.minimum(self._error[name], _LARGEST_SHARE) for name in ("contact_miss", "contact_false"))
        if not force_n.shape[-1] or not (miss.any() or false.any()):
            return force_n
        touches = force_n > self._threshold_n
        wrong = self._chance < np.where(touches, miss, false)
        return np.where(wrong, np.where(touches, 0.0, 2.0 * self._threshold_n), force_n)

    def _drawn(self, ranges: Mapping[str, SensorError]) -> dict[str, np.ndarray]:
        """Return each error of each trial, (N, size), 0 for what the contract does not name."""
        uniform = self._uniforms(_ONCE, sum(_SIZES.values()))
        shares = np.split(uniform, np.cumsum(list(_SIZES.values()))[:-1], axis=1)
        none = Interval(0.0, 0.0)
        drawn = {}
        for name, share in zip(_SIZES, shares, strict=True):
            interval = ranges.get(name, none)
            value = interval.low + share.astype(np.float64) * (interval.high - interval.low)
            drawn[name] = self._factor[:, None] * value
        return drawn

    def _words(self, step: int, count: int, first: int = 0) -> np.ndarray:
        """Return random words of a control step, (N, count, 4)."""
        counter = np.empty((len(self._seeds), count, 4), dtype=np.uint64)
        counter[..., 0] = (self._seeds & np.uint64(0xFFFFFFFF))[:, None]
        counter[..., 1] = (self._seeds >> np.uint64(32))[:, None]
        counter[..., 2], counter[..., 3] = step, first + np.arange(count)
        return philox(counter, _KEY)

    def _uniforms(self, step: int, count: int, first: int = 0) -> np.ndarray:
        """Return numbers in (0, 1), (N, count)."""
        words = self._words(step, -(-count // 4), first)
        return unit_interval(words.reshape(len(words), -1)[:, :count])

    def _normals(self, step: int, count: int) -> np.ndarray:
        """Return standard normal numbers, (N, count)."""
        words = self._words(step, -(-count // 4))
        pairs = standard_normals(words[..., 0::2], words[..., 1::2])  # (N, counters, 2) each
        return np.stack(pairs, axis=-1).reshape(len(words), -1)[:, :count].astype(np.float64)


def _declared(contract: Contract) -> dict[str, SensorError]:
    """Return every error that a term of the observation was trained with."""
    declared: dict[str, SensorError] = {}
    for term in contract.observation.terms:
        for name, error in term.trained_noise.items():
            declared.setdefault(name, error)
    return declared
