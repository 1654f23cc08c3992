"""What moving costs robots: torque, heat, work, and how close they come to their limits."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from surefoot.evaluation.measure_catalogue import MOVING_SPEED, SOFT_LIMIT_SHARE
from surefoot_bridge.actuators.parameters import MotorConstants
from surefoot_bridge.contract import Contract
from surefoot_robots import RobotSpec


@dataclass(frozen=True, kw_only=True)
class JointLoads:
    """Loads of single joints over a trial, (N, num_joints) each, joints in the order of the robot's interface.

    Attributes:
        torque_peak_nm: Largest absolute torque [N m].
        torque_rms_nm: Root of the mean squared torque [N m]; not a number for a trial that ended at once.
        motor_heat_max: Largest heat, extrapolated as the measure is.
    """

    torque_peak_nm: np.ndarray
    torque_rms_nm: np.ndarray
    motor_heat_max: np.ndarray


class EffortMeasures:
    """Torques, heat and work of N robots: sums over ticks.

    Args:
        contract: The contract.
        spec: The robot.
        motor_strength: Torque delivered per torque asked for, (N, num_joints).
        weight_n: Weights of the robots with their payload [N], (N,).
        tick_s: Time between two ticks [s].
        period_s: Time between two control steps [s].
    """

    def __init__(
        self,
        contract: Contract,
        spec: RobotSpec,
        motor_strength: np.ndarray,
        weight_n: np.ndarray,
        *,
        tick_s: float,
        period_s: float,
    ) -> None:
        order = list(contract.sdk_order)
        motors = MotorConstants.from_spec(spec)
        self._tick_s, self._period_s, self._weight_n = tick_s, period_s, weight_n
        self._torque_limit = np.array(contract.safety.torque_limit_nm)[order]
        self._delivered = motor_strength * motors.continuous_torque[order].astype(np.float64)
        self._time_constant_s = motors.thermal_time_constant_s[order].astype(np.float64)
        limits = [contract.safety.joint_pos_limit_rad[i] for i in order]
        middle = np.array([(limit.low + limit.high) / 2.0 for limit in limits])
        reach = SOFT_LIMIT_SHARE * np.array([(limit.high - limit.low) / 2.0 for limit in limits])
        self._soft_low, self._soft_high = middle - reach, middle + reach

        shape = motor_strength.shape
        num_trials = shape[0]
        self._peak, self._squared, self._heat_max = np.zeros(shape), np.zeros(shape), np.zeros(shape)
        self._heat = np.zeros(shape)
        self._ticks, self._steps = np.zeros(num_trials), np.zeros(num_trials)
        self._cut, self._at_limit = np.zeros(num_trials), np.zeros(num_trials)
        self._work_since, self._work, self._path = np.zeros(num_trials), np.zeros(num_trials), np.zeros(num_trials)

    def tick(self, torque: np.ndarray, velocity: np.ndarray, torque_cut: np.ndarray, running: np.ndarray) -> None:
        """Take in a tick.

        Args:
            torque: Torques that the motors delivered [N m], (N, num_joints).
            velocity: Joint velocities [rad/s], (N, num_joints).
            torque_cut: Whether a motor delivered less than it was asked for, (N, num_joints), bool.
            running: Which trials count, (N,), bool.
        """
        wide = running[:, None]
        np.maximum(self._peak, np.abs(torque), out=self._peak, where=wide)
        np.add(self._squared, torque * torque, out=self._squared, where=wide)
        power = np.maximum(torque * velocity, 0.0).sum(axis=1)  # (N,) [W]
        np.add(self._work_since, power * self._tick_s, out=self._work_since, where=running)
        np.add(self._cut, torque_cut.sum(axis=1), out=self._cut, where=running)
        self._ticks += running

    def step(
        self, joint_pos: np.ndarray, heat: np.ndarray, speed: np.ndarray, asked_speed: np.ndarray, running: np.ndarray
    ) -> None:
        """Take in a control step.

        Args:
            joint_pos: Joint positions [rad], (N, num_joints).
            heat: Heat of the motors, (N, num_joints).
            speed: Horizontal speeds of the base [m/s], (N,).
            asked_speed: Horizontal speeds that the command asks for [m/s], (N,).
            running: Which trials count, (N,), bool.
        """
        wide = running[:, None]
        np.maximum(self._heat_max, heat, out=self._heat_max, where=wide)
        np.copyto(self._heat, heat, where=wide)
        at_limit = (joint_pos < self._soft_low) | (joint_pos > self._soft_high)
        np.add(self._at_limit, at_limit.sum(axis=1), out=self._at_limit, where=running)
        moving = running & (asked_speed > MOVING_SPEED)
        np.add(self._work, self._work_since, out=self._work, where=moving)
        np.add(self._path, speed * self._period_s, out=self._path, where=moving)
        self._work_since[:] = 0.0
        self._steps += running

    def loads(self, rest_s: np.ndarray) -> JointLoads:
        """Return the loads of single joints.

        Args:
            rest_s: For how long each robot would have gone on as it did [s], (N,); its heat is extrapolated.
        """
        with np.errstate(invalid="ignore", divide="ignore"):
            mean_square = self._squared / self._ticks[:, None]
            settled = mean_square / np.square(self._delivered)
            heat = settled + (self._heat - settled) * np.exp(-rest_s[:, None] / self._time_constant_s)
        heat_max = np.where(rest_s[:, None] > 0.0, np.fmax(self._heat_max, heat), self._heat_max)
        return JointLoads(torque_peak_nm=self._peak.copy(), torque_rms_nm=np.sqrt(mean_square), motor_heat_max=heat_max)

    def measures(self, rest_s: np.ndarray) -> dict[str, np.ndarray]:
        """Return the measures, (N,) each; not a number where there is nothing to measure.

        Args:
            rest_s: As for :meth:`loads`.
        """
        loads, num_joints = self.loads(rest_s), self._peak.shape[1]
        with np.errstate(invalid="ignore", divide="ignore"):
            return {
                "cost_of_transport": self._work / (self._weight_n * self._path),
                "torque_peak_nm": loads.torque_peak_nm.max(axis=1),
                "torque_peak_share": (loads.torque_peak_nm / self._torque_limit).max(axis=1),
                "torque_rms_nm": np.sqrt(np.square(loads.torque_rms_nm).mean(axis=1)),
                "motor_heat_max": loads.motor_heat_max.max(axis=1),
                "saturation_share": self._cut / (self._ticks * num_joints),
                "joint_limit_share": self._at_limit / (self._steps * num_joints),
            }


class ActionMeasures:
    """How the policies of N robots change their minds."""

    def __init__(self, contract: Contract, num_trials: int) -> None:
        self._scale, self._clip_at = np.array(contract.action.scale_rad), contract.action.clip_at
        self._period_s = contract.timing.control_period_s
        shape = (num_trials, len(self._scale))
        self._last, self._before = np.full(shape, np.nan), np.full(shape, np.nan)
        self._squares, self._steps = np.zeros((num_trials, 2)), np.zeros((num_trials, 2))

    def step(self, action: np.ndarray, running: np.ndarray) -> None:
        """Take in a control step; an answer that is not finite counts as the one before, to which the robot is held.

        Args:
            action: The policies' answers, not clipped, joints in the policy's order, (N, num_joints).
            running: Which trials count, (N,), bool.
        """
        finite = np.isfinite(action).all(axis=1)[:, None]
        target = np.where(finite, self._scale * np.clip(action, -self._clip_at, self._clip_at), self._last)
        first = target - self._last
        squares = np.stack([first * first, np.square(first - (self._last - self._before))], axis=1).mean(axis=2)
        counts = running[:, None] & np.isfinite(squares)  # (N, 2)
        self._squares += np.where(counts, squares, 0.0)
        self._steps += counts
        self._last, self._before = target, self._last

    def measures(self) -> dict[str, np.ndarray]:
        """Return the measures, (N,) each; not a number where there is nothing to measure."""
        with np.errstate(invalid="ignore", divide="ignore"):
            rms = np.sqrt(self._squares / self._steps)
        return {"action_rate": rms[:, 0] / self._period_s, "action_jerk": rms[:, 1] / self._period_s**2}
