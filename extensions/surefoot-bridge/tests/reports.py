"""Reports of the robot of `small_contract`: one with numbers to work with by hand, and random ones."""

import math

import numpy as np

from surefoot_bridge.state import RobotState

# The policy has the joints a, b, c, the robot's interface c, a, b; the default pose is 0.1, 0.2, 0.3.
REPORT = RobotState(
    time_s=np.array(0.0),
    sequence=np.array(0),
    joint_pos_rad=np.array([3.3, 1.1, 2.2]),
    joint_vel_rad_s=np.array([30.0, 10.0, 20.0]),
    joint_torque_nm=np.zeros(3),
    motor_temperature_c=np.full(3, 30.0),
    imu_quat_wxyz=np.array([math.sqrt(0.5), math.sqrt(0.5), 0.0, 0.0]),  # rolled by 90 degrees: y points up
    imu_ang_vel_rad_s=np.array([1.0, 2.0, 3.0]),
    imu_lin_acc_m_s2=np.array([0.0, 9.81, 0.0]),
    foot_force_n=np.array([5.5, 4.5]),  # contact is above 5 N
    battery_share=np.array(1.0),
)
COMMAND = np.array([0.5, 0.0, -0.2])
ACTION = np.array([7.0, -8.0, 9.0])


def random_report(rng, batch_shape, num_joints, dtype="float64"):
    """Robots in any attitude, with two feet."""

    def normal(*shape):
        return np.asarray(rng.normal(size=(*batch_shape, *shape)), dtype)

    quat = normal(4)
    return RobotState(
        time_s=normal(),
        sequence=np.zeros(batch_shape, dtype=np.int64),
        joint_pos_rad=normal(num_joints),
        joint_vel_rad_s=10.0 * normal(num_joints),
        joint_torque_nm=normal(num_joints),
        motor_temperature_c=normal(num_joints),
        imu_quat_wxyz=quat / np.linalg.norm(quat, axis=-1, keepdims=True),
        imu_ang_vel_rad_s=normal(3),
        imu_lin_acc_m_s2=normal(3),
        foot_force_n=abs(10.0 * normal(2)),
        battery_share=normal(),
    )
