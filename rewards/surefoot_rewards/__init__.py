"""Reward terms for legged locomotion: pure functions on batched tensors, without a simulator.

Each term returns its unweighted value for each environment, (num_envs,), as float. Rewards are to be maximised,
penalties (``*_l1``, ``*_l2``, limits, costs) are non-negative and take a negative weight. Inputs are never changed.
NaN in the input stays NaN in the output, for a fault guard to see; no term makes one of finite input. Parameters that
would are a ``ValueError``. In equations, ``[condition]`` is 1 where the condition holds and 0 elsewhere.

A gait matters only to a robot that is asked to move: such terms take ``moving``, a mask that the environment forms
once a step from the norm of the command.
"""

from surefoot_rewards.contact import foot_clearance, foot_clearance_swing_peak, foot_impact, foot_slip
from surefoot_rewards.effort import (
    action_rate_l2,
    action_second_difference_l2,
    joint_acc_l2,
    joint_position_limit,
    joint_velocity_limit,
    mechanical_power,
    positive_mechanical_power,
    torque_l2,
    torque_limit,
)
from surefoot_rewards.episode import alive, termination
from surefoot_rewards.gait import diagonal_pairs_sync, feet_air_time, gait_symmetry, periodic_gait, trot_contacts
from surefoot_rewards.posture import (
    base_height_l2,
    flat_orientation_l2,
    joint_deviation_l1,
    pose_exp,
    pose_l2,
    stand_still_effort,
    stand_still_feet_in_air,
    stand_still_joint_deviation,
    stand_still_joint_motion,
)
from surefoot_rewards.tracking import (
    ang_vel_xy_l2,
    lin_vel_z_l2,
    track_lin_vel_xy_exp,
    track_yaw_rate_exp,
)

__all__ = [
    "action_rate_l2",
    "action_second_difference_l2",
    "alive",
    "ang_vel_xy_l2",
    "base_height_l2",
    "diagonal_pairs_sync",
    "feet_air_time",
    "flat_orientation_l2",
    "foot_clearance",
    "foot_clearance_swing_peak",
    "foot_impact",
    "foot_slip",
    "gait_symmetry",
    "joint_acc_l2",
    "joint_deviation_l1",
    "joint_position_limit",
    "joint_velocity_limit",
    "lin_vel_z_l2",
    "mechanical_power",
    "periodic_gait",
    "pose_exp",
    "pose_l2",
    "positive_mechanical_power",
    "stand_still_effort",
    "stand_still_feet_in_air",
    "stand_still_joint_deviation",
    "stand_still_joint_motion",
    "termination",
    "torque_l2",
    "torque_limit",
    "track_lin_vel_xy_exp",
    "track_yaw_rate_exp",
    "trot_contacts",
]
