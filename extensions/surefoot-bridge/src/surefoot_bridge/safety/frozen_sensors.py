"""Finds sensors that measure the same over and over while the reports that carry them go on counting.

One report does not show it: each by itself is perfect. So the reports of many control periods are compared here, and
the safety rule ``sensor_frozen`` acts on what is found. A walking robot's IMU never measures ten numbers alike for
long, for they are noisy; a joint whose target moves never stays exactly where it was, at exactly the speed that it had.
"""

from typing import NamedTuple, Tuple

import numpy as np

from surefoot_bridge.contract import Contract
from surefoot_bridge.state import RobotState
from surefoot_bridge.state.batch import some

IMU_S = 0.05
"""How long all numbers of the IMU may stay the same [s]: 25 reports at 500 Hz. Assumption: its last digit is noise."""

TRAVEL_RAD = 0.1
"""How far a joint's target may have moved while its encoder measured the same [rad]. Assumption: several hundred steps
of an encoder, and more torque than friction (0.2 N m) takes at any stiffness that walks."""

JOINT_S = 0.05
"""How long an encoder must have measured the same besides [s]; a joint takes that long to follow. Assumption."""


def sensors_of(contract: Contract) -> Tuple[str, ...]:
    """Return the names of the sensors that may be frozen: the IMU, and each joint's in the order of the interface."""
    return ("IMU", *contract.robot.sdk_joint_names)


class FrozenState(NamedTuple):
    """What is remembered of the sensors.

    Attributes:
        measured: What IMU and encoders measured last, (..., 10 + 2 num_joints).
        target_rad: What the joints were told then [rad], (..., num_joints).
        same_s: For how long the IMU (first) and each joint have measured the same [s], (..., 1 + num_joints).
        travel_rad: How far each joint's target has moved since [rad], (..., num_joints).
        frozen: Which are frozen: the IMU, and each joint in the order of the robot's interface, (..., 1 + num_joints).
    """

    measured: np.ndarray
    target_rad: np.ndarray
    same_s: np.ndarray
    travel_rad: np.ndarray
    frozen: np.ndarray


class FrozenSensors:
    """Watches the sensors of a contract's robot, for any batch shape. It holds no state of its own.

    Args:
        contract: The contract.
    """

    def __init__(self, contract: Contract) -> None:
        self._n = len(contract.robot.sdk_joint_names)
        self.control_s = contract.timing.control_period_s
        """Control period [s]."""
        self.least_s = np.array([IMU_S, *[JOINT_S] * self._n])
        """How long IMU and joints may measure the same [s], (1 + num_joints,)."""

    def initial(self, batch_shape: Tuple[int, ...]) -> FrozenState:
        """Return the state before the first report.

        Args:
            batch_shape: Shape of the batch; ``()`` for one robot.
        """
        n = self._n
        return FrozenState(
            measured=np.full((*batch_shape, 10 + 2 * n), np.nan),
            target_rad=np.zeros((*batch_shape, n)),
            same_s=np.zeros((*batch_shape, 1 + n)),
            travel_rad=np.zeros((*batch_shape, n)),
            frozen=np.zeros((*batch_shape, 1 + n), dtype=bool),
        )

    def step(self, state: FrozenState, report: RobotState, target_rad: np.ndarray, walking: np.ndarray) -> FrozenState:
        """Return the state after a control period. A robot that does not walk says nothing.

        Args:
            state: The state after the last control period.
            report: The robot's report.
            target_rad: What the joints are told [rad], (..., num_joints).
            walking: Whether the policy's command reaches the robot, (...,), bool.
        """
        n = self._n
        imu = (report.imu_quat_wxyz, report.imu_ang_vel_rad_s, report.imu_lin_acc_m_s2)
        measured = np.concatenate((*imu, report.joint_pos_rad, report.joint_vel_rad_s), axis=-1)
        same = measured == state.measured
        if not some(same):  # not one number of any sensor
            none = np.zeros(state.same_s.shape)
            return FrozenState(measured, np.array(target_rad), none, none[..., 1:].copy(), none > 0.0)
        imu_alike = np.logical_and.reduce(same[..., :10], axis=-1, keepdims=True)
        alike = np.concatenate((imu_alike, same[..., 10 : 10 + n] & same[..., 10 + n :]), axis=-1)
        alike = alike & np.asarray(walking, dtype=bool)[..., None]
        same_s = np.where(alike, state.same_s + self.control_s, 0.0)
        moved_rad = np.abs(target_rad - state.target_rad)
        travel_rad = np.where(alike[..., 1:], state.travel_rad + moved_rad, 0.0)
        frozen = same_s >= self.least_s
        frozen[..., 1:] &= travel_rad >= TRAVEL_RAD
        return FrozenState(measured, np.array(target_rad), same_s, travel_rad, frozen)
