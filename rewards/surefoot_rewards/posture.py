"""Where the base and the joints should be: level, at height, near the default pose, and quiet when asked to stand."""

from __future__ import annotations

import torch
from torch import Tensor


def flat_orientation_l2(projected_gravity_b: Tensor) -> Tensor:
    """Penalise a tilted base.

    Equation: ``gx^2 + gy^2``, the squared sine of the angle between the base's z axis and the vertical.
    Units: dimensionless, in [0, 1].
    Zero: when the base is level (also upside down, which terminations must catch).
    Source: Rudin et al., CoRL 2021, ``legged_gym`` term ``orientation``.

    Args:
        projected_gravity_b: Unit vector of gravity in the base frame, (num_envs, 3).

    Returns:
        Penalty, (num_envs,).
    """
    return projected_gravity_b[:, :2].square().sum(dim=-1)


def base_height_l2(base_height_m: Tensor, *, target_m: float) -> Tensor:
    """Penalise a base above or below its target height.

    Equation: ``(h - target)^2``.
    Units: m^2.
    Zero: when the base is at the target height.
    Source: Rudin et al., CoRL 2021, ``legged_gym`` term ``base_height``.

    Args:
        base_height_m: Height of the base frame above the ground beneath it, (num_envs,).
        target_m: Target height [m].

    Returns:
        Penalty, (num_envs,).
    """
    return (base_height_m - target_m).square_()


def joint_deviation_l1(joint_pos: Tensor, default_joint_pos: Tensor) -> Tensor:
    """Penalise joints away from the default pose; pass only the joints that should stay there, such as the hips.

    Equation: ``sum_j |q_j - q0_j|``.
    Units: rad.
    Zero: when the joints are in the default pose.
    Source: Isaac Lab, stock humanoid velocity tasks.

    Args:
        joint_pos: Joint position [rad], (num_envs, num_joints).
        default_joint_pos: Default pose [rad], (num_joints,) or (num_envs, num_joints).

    Returns:
        Penalty, (num_envs,).
    """
    return (joint_pos - default_joint_pos).abs_().sum(dim=-1)


def pose_l2(joint_pos: Tensor, default_joint_pos: Tensor) -> Tensor:
    """Penalise the squared distance from the default pose, lenient to small and strict to large deviations.

    Equation: ``sum_j (q_j - q0_j)^2``.
    Units: rad^2.
    Zero: when the joints are in the default pose.
    Source: Zakka et al., "MuJoCo Playground", 2025, locomotion term ``pose``.

    Args:
        joint_pos: Joint position [rad], (num_envs, num_joints).
        default_joint_pos: Default pose [rad], (num_joints,) or (num_envs, num_joints).

    Returns:
        Penalty, (num_envs,).
    """
    return (joint_pos - default_joint_pos).square_().sum(dim=-1)


def pose_exp(
    joint_pos: Tensor, default_joint_pos: Tensor, moving: Tensor, *, std_standing: Tensor, std_moving: Tensor
) -> Tensor:
    """Reward the default pose, each joint within its own tolerance: tight when standing, loose when moving.

    Equation: ``exp(-mean_j ((q_j - q0_j) / std_j)^2)``.
    Units: dimensionless, in (0, 1]; angles and tolerances in rad.
    Zero: approached as the joints leave their tolerances; 1 in the default pose.
    Source: the variable posture reward of ``mjlab``, with two tolerances chosen by the command.

    Args:
        joint_pos: Joint position [rad], (num_envs, num_joints).
        default_joint_pos: Default pose [rad], (num_joints,) or (num_envs, num_joints).
        moving: True where the command asks for motion, (num_envs,).
        std_standing: Tolerance of each joint [rad] at a stand, (num_joints,), positive.
        std_moving: Tolerance of each joint [rad] in motion, (num_joints,), positive.

    Returns:
        Reward, (num_envs,).
    """
    std = torch.where(moving.unsqueeze(-1), std_moving, std_standing)  # (num_envs, num_joints)
    # The floor keeps a tolerance of zero from making 0/0 in the default pose.
    std.clamp_(min=torch.finfo(std.dtype).eps)
    return (joint_pos - default_joint_pos).div_(std).square_().mean(dim=-1).neg_().exp_()


def stand_still_joint_deviation(joint_pos: Tensor, default_joint_pos: Tensor, moving: Tensor) -> Tensor:
    """Penalise joints away from the default pose when the robot is asked to stand.

    Equation: ``[not moving] sum_j |q_j - q0_j|``.
    Units: rad.
    Zero: when the command asks for motion, or the joints are in the default pose.
    Source: Rudin et al., CoRL 2021, ``legged_gym`` term ``stand_still``.

    Args:
        joint_pos: Joint position [rad], (num_envs, num_joints).
        default_joint_pos: Default pose [rad], (num_joints,) or (num_envs, num_joints).
        moving: True where the command asks for motion, (num_envs,).

    Returns:
        Penalty, (num_envs,).
    """
    return joint_deviation_l1(joint_pos, default_joint_pos) * ~moving


def stand_still_feet_in_air(foot_contact: Tensor, moving: Tensor) -> Tensor:
    """Penalise lifted feet when the robot is asked to stand.

    Equation: ``[not moving] sum_f [foot f not in contact]``.
    Units: number of feet.
    Zero: when the command asks for motion, or all feet are on the ground.
    Source: derived; it stops the marching on the spot that an air-time reward teaches.

    Args:
        foot_contact: True where a foot touches the ground, (num_envs, num_feet).
        moving: True where the command asks for motion, (num_envs,).

    Returns:
        Penalty, (num_envs,).
    """
    return (~(foot_contact | moving.unsqueeze(-1))).sum(dim=-1, dtype=torch.float32)


def stand_still_joint_motion(joint_vel: Tensor, moving: Tensor) -> Tensor:
    """Penalise joints that move when the robot is asked to stand.

    Equation: ``[not moving] sum_j qd_j^2``.
    Units: rad^2/s^2.
    Zero: when the command asks for motion, or each joint is at rest.
    Source: derived; it tells standing from stepping on the spot around the default pose.

    Args:
        joint_vel: Joint velocity [rad/s], (num_envs, num_joints).
        moving: True where the command asks for motion, (num_envs,).

    Returns:
        Penalty, (num_envs,).
    """
    return joint_vel.square().sum(dim=-1) * ~moving


def stand_still_effort(torque_nm: Tensor, effort_limit_nm: Tensor, moving: Tensor) -> Tensor:
    """Penalise, when the robot is asked to stand, torques as what they heat the motors by.

    Equation: ``[not moving] sum_j (tau_j / limit_j)^2``.
    Units: dimensionless; torques in N m.
    Zero: when the command asks for motion, or no motor has torque.
    Source: derived; heat goes with the square of the current, and a robot stands longest of all that it does.

    Args:
        torque_nm: Motor torque [N m], (num_envs, num_joints).
        effort_limit_nm: Torque limit [N m], positive, (num_joints,) or (num_envs, num_joints).
        moving: True where the command asks for motion, (num_envs,).

    Returns:
        Penalty, (num_envs,).
    """
    return (torque_nm / effort_limit_nm).square_().sum(dim=-1) * ~moving
