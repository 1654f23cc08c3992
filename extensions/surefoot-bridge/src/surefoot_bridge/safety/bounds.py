"""Limits of one robot in one stage, as arrays in the order of the robot's interface."""

from dataclasses import dataclass

import numpy as np

from surefoot_bridge.contract import Contract
from surefoot_bridge.errors import SurefootError

from .limits import StageLimits


@dataclass(frozen=True)
class Bounds:
    """Limits of one robot in one stage, joints in the order of the robot's interface.

    A command's parts stand side by side: targets, velocities, stiffness, damping and torques, a number of each a joint.

    Attributes:
        command_low: Least allowed numbers of a command, (5 num_joints,).
        command_high: Largest allowed ones, (5 num_joints,).
        rate_rad_s: Largest rate of each joint's target, counted over a control period [rad/s], (num_joints,).
        torque_nm: Torque that a command may ask of each joint [N m], (num_joints,).
        damped_nms_per_rad: Velocity gains while the robot is damped [N m s/rad], (num_joints,).
        velocity_low: Least allowed number of each component of the velocity command, (num_components,).
        velocity_high: Largest allowed ones, (num_components,).
        quaternion_tolerance: How far the length of the IMU's quaternion may be from 1.
        report_age_s: Age from which a report is too old [s].
        low_level_period_s: Time between two commands to the motors [s].
        control_period_s: Time between two actions [s].
        policy_place: Place of each joint in the policy's order, (num_joints,).
    """

    command_low: np.ndarray
    command_high: np.ndarray
    rate_rad_s: np.ndarray
    torque_nm: np.ndarray
    damped_nms_per_rad: np.ndarray
    velocity_low: np.ndarray
    velocity_high: np.ndarray
    quaternion_tolerance: float
    report_age_s: float
    low_level_period_s: float
    control_period_s: float
    policy_place: np.ndarray

    @property
    def num_joints(self) -> int:
        """Number of joints."""
        return len(self.policy_place)


def bounds_of(contract: Contract, limits: StageLimits) -> Bounds:
    """Return the limits of a contract's robot in a stage.

    Raises:
        SurefootError: If the stage does not fit the contract.
    """
    names, trained = contract.command.names, contract.command.trained
    if len(limits.largest_command) != len(names):
        raise SurefootError(
            f"largest_command has {len(limits.largest_command)} numbers; the contract's command has "
            f"{len(names)}: {', '.join(names)}. Give one for each."
        )
    for name, largest, interval in zip(names, limits.largest_command, trained):
        if interval.low > largest or interval.high < -largest:
            raise SurefootError(
                f"The stage allows {name} from {-largest} to {largest}, and the policy was trained from {interval.low} "
                f"to {interval.high}: nothing is left. Choose a stage that allows more, or a policy trained for less."
            )
    place, safety = np.array(contract.sdk_order, dtype=np.intp), contract.safety
    torque = np.array(safety.torque_limit_nm)[place]
    speed = np.array(safety.joint_vel_limit_rad_s)[place]
    stiffness = np.array(contract.gains.stiffness_nm_per_rad)[place]
    damping = np.array(contract.gains.damping_nms_per_rad)[place]
    low = np.array([interval.low for interval in safety.joint_pos_limit_rad])[place]
    high = np.array([interval.high for interval in safety.joint_pos_limit_rad])[place]
    allowed, zeros = limits.torque_share * torque, np.zeros(torque.shape)
    damped = np.full(torque.shape, limits.damped_nms_per_rad)
    largest_stiffness = np.maximum(stiffness, torque / limits.stiffness_full_torque_rad)
    largest_damping = np.maximum(np.maximum(damping, damped), torque / limits.damping_full_torque_rad_s)
    return Bounds(
        command_low=np.concatenate([low, -speed, zeros, zeros, -allowed]),
        command_high=np.concatenate([high, speed, largest_stiffness, largest_damping, allowed]),
        rate_rad_s=np.array(safety.target_rate_limit_rad_s)[place],
        torque_nm=allowed,
        damped_nms_per_rad=damped,
        velocity_low=np.array([max(i.low, -largest) for i, largest in zip(trained, limits.largest_command)]),
        velocity_high=np.array([min(i.high, largest) for i, largest in zip(trained, limits.largest_command)]),
        quaternion_tolerance=limits.quaternion_tolerance,
        report_age_s=limits.report_age_s,
        low_level_period_s=1.0 / contract.timing.low_level_hz,
        control_period_s=contract.timing.control_period_s,
        policy_place=place,
    )
