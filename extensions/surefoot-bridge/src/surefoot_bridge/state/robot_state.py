"""What a robot reports and what it is told, as arrays whose leading dimensions are free.

One robot has the batch shape ``()``, a thousand simulated ones have ``(1000,)``; every function of this package works
on both. Joints are in the order of the robot's own interface, in which reports come and commands go; the contract says
where the policy has each.
"""

from dataclasses import dataclass, fields
from typing import Callable, Tuple, TypeVar

import numpy as np

A = TypeVar("A", "RobotState", "JointCommand")


@dataclass(frozen=True)
class RobotState:
    """One report of the robot.

    Attributes:
        time_s: When it was measured, on the robot's monotonic clock [s], (...,).
        sequence: Number of the report, which counts up by one, (...,), int64.
        joint_pos_rad: Joint positions [rad], (..., num_joints).
        joint_vel_rad_s: Joint velocities [rad/s], (..., num_joints).
        joint_torque_nm: Estimated joint torques [N m], (..., num_joints).
        motor_temperature_c: Temperatures of the motors [degrees Celsius], (..., num_joints).
        imu_quat_wxyz: Rotation from the IMU's frame to the world, unit quaternion, scalar first, (..., 4).
        imu_ang_vel_rad_s: Angular velocity in the IMU's frame [rad/s], (..., 3).
        imu_lin_acc_m_s2: Specific force in the IMU's frame [m/s^2], (..., 3).
        foot_force_n: Forces of the foot sensors [N], in the order of the contract's feet, (..., num_feet); of width 0
            for a robot without any.
        battery_share: Charge of the battery, in [0, 1], (...,).
    """

    time_s: np.ndarray
    sequence: np.ndarray
    joint_pos_rad: np.ndarray
    joint_vel_rad_s: np.ndarray
    joint_torque_nm: np.ndarray
    motor_temperature_c: np.ndarray
    imu_quat_wxyz: np.ndarray
    imu_ang_vel_rad_s: np.ndarray
    imu_lin_acc_m_s2: np.ndarray
    foot_force_n: np.ndarray
    battery_share: np.ndarray


@dataclass(frozen=True)
class JointCommand:
    """What the joints are told: ``torque = stiffness (position - q) + damping (velocity - dq) + torque``.

    Attributes:
        joint_pos_rad: Position targets [rad], (..., num_joints).
        joint_vel_rad_s: Velocity targets [rad/s], (..., num_joints).
        stiffness_nm_per_rad: Position gains [N m/rad], (..., num_joints).
        damping_nms_per_rad: Velocity gains [N m s/rad], (..., num_joints).
        torque_nm: Feed-forward torques [N m], (..., num_joints).
    """

    joint_pos_rad: np.ndarray
    joint_vel_rad_s: np.ndarray
    stiffness_nm_per_rad: np.ndarray
    damping_nms_per_rad: np.ndarray
    torque_nm: np.ndarray


def each(value: A, function: Callable[[np.ndarray], np.ndarray]) -> A:
    """Apply a function to every array: ``each(state, lambda array: array[3])`` is the fourth robot's."""
    return type(value)(**{item.name: function(getattr(value, item.name)) for item in fields(value)})


def stack(values: Tuple[A, ...]) -> A:
    """Put single robots side by side: the new leading dimension counts them."""
    kind = type(values[0])
    return kind(**{item.name: np.stack([getattr(value, item.name) for value in values]) for item in fields(kind)})
