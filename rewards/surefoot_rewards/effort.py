"""What moving costs: power, torque, jerky actions, and closeness to the limits of the joints and motors."""

from __future__ import annotations

import torch
from torch import Tensor


def mechanical_power(torque_nm: Tensor, joint_vel: Tensor) -> Tensor:
    """Penalise the mechanical power of the joints, braking counted like driving.

    Equation: ``sum_j |tau_j qd_j|``.
    Units: W.
    Zero: when each joint is at rest or without torque.
    Source: Fu et al., "Minimizing Energy Consumption Leads to the Emergence of Gaits in Legged Robots", CoRL 2021,
    with the absolute value per joint, because these motors dissipate what they brake.

    Args:
        torque_nm: Applied joint torque [N m], (num_envs, num_joints).
        joint_vel: Joint velocity [rad/s], (num_envs, num_joints).

    Returns:
        Penalty, (num_envs,).
    """
    return (torque_nm * joint_vel).abs_().sum(dim=-1)


def positive_mechanical_power(torque_nm: Tensor, joint_vel: Tensor) -> Tensor:
    """Penalise the mechanical power that the joints put in; braking is free and gives nothing back.

    Equation: ``sum_j max(tau_j qd_j, 0)``.
    Units: W.
    Zero: when no joint drives its motion.
    Source: the battery draw of a drive without regeneration or copper loss; derived, not taken.

    Args:
        torque_nm: Applied joint torque [N m], (num_envs, num_joints).
        joint_vel: Joint velocity [rad/s], (num_envs, num_joints).

    Returns:
        Penalty, (num_envs,).
    """
    return (torque_nm * joint_vel).clamp_(min=0.0).sum(dim=-1)


def torque_l2(torque_nm: Tensor) -> Tensor:
    """Penalise joint torque, a stand-in for the heat in the windings.

    Equation: ``sum_j tau_j^2``.
    Units: N^2 m^2.
    Zero: when no joint has torque.
    Source: Hwangbo et al., "Learning agile and dynamic motor skills for legged robots", Science Robotics 2019.

    Args:
        torque_nm: Applied joint torque [N m], (num_envs, num_joints).

    Returns:
        Penalty, (num_envs,).
    """
    return torque_nm.square().sum(dim=-1)


def joint_acc_l2(joint_acc: Tensor) -> Tensor:
    """Penalise joint acceleration.

    Equation: ``sum_j qdd_j^2``.
    Units: rad^2/s^4.
    Zero: when each joint moves at constant velocity.
    Source: Rudin et al., CoRL 2021, table of rewards.

    Args:
        joint_acc: Joint acceleration [rad/s^2], (num_envs, num_joints).

    Returns:
        Penalty, (num_envs,).
    """
    return joint_acc.square().sum(dim=-1)


def action_rate_l2(action: Tensor, prev_action: Tensor) -> Tensor:
    """Penalise the change of the action from one step to the next.

    Equation: ``sum_j (a_t - a_{t-1})_j^2``.
    Units: action units squared.
    Zero: when the action repeats.
    Source: Rudin et al., CoRL 2021, table of rewards.

    Args:
        action: Action of this step, (num_envs, num_actions).
        prev_action: Action of the step before, (num_envs, num_actions).

    Returns:
        Penalty, (num_envs,).
    """
    return (action - prev_action).square_().sum(dim=-1)


def action_second_difference_l2(action: Tensor, prev_action: Tensor, prev_prev_action: Tensor) -> Tensor:
    """Penalise the change of the action's change, which damps chatter but lets a steady ramp pass.

    Equation: ``sum_j (a_t - 2 a_{t-1} + a_{t-2})_j^2``.
    Units: action units squared.
    Zero: when the action is constant or a straight ramp.
    Source: Margolis and Agrawal, "Walk These Ways", CoRL 2022, second action smoothness term.

    Args:
        action: Action of this step, (num_envs, num_actions).
        prev_action: Action of the step before, (num_envs, num_actions).
        prev_prev_action: Action two steps before, (num_envs, num_actions).

    Returns:
        Penalty, (num_envs,).
    """
    return torch.sub(action + prev_prev_action, prev_action, alpha=2.0).square_().sum(dim=-1)


def joint_position_limit(joint_pos: Tensor, lower_limit_rad: Tensor, upper_limit_rad: Tensor) -> Tensor:
    """Penalise joints beyond their soft position limits.

    Equation: ``sum_j max(lower_j - q_j, q_j - upper_j, 0)``.
    Units: rad.
    Zero: when each joint is inside its limits.
    Source: Rudin et al., CoRL 2021, ``legged_gym`` term ``dof_pos_limits``.

    Args:
        joint_pos: Joint position [rad], (num_envs, num_joints).
        lower_limit_rad: Soft lower limit [rad], (num_joints,) or (num_envs, num_joints).
        upper_limit_rad: Soft upper limit [rad], as ``lower_limit_rad``.

    Returns:
        Penalty, (num_envs,).
    """
    return (joint_pos - joint_pos.clamp(lower_limit_rad, upper_limit_rad)).abs_().sum(dim=-1)


def joint_velocity_limit(joint_vel: Tensor, velocity_limit_rad_s: Tensor, *, soft_ratio: float) -> Tensor:
    """Penalise joints faster than a share of their velocity limit.

    Equation: ``sum_j max(|qd_j| - soft_ratio * limit_j, 0)``.
    Units: rad/s.
    Zero: when each joint is slower than ``soft_ratio`` of its limit.
    Source: Rudin et al., CoRL 2021, ``legged_gym`` term ``dof_vel_limits``.

    Args:
        joint_vel: Joint velocity [rad/s], (num_envs, num_joints).
        velocity_limit_rad_s: Velocity limit [rad/s], (num_joints,) or (num_envs, num_joints).
        soft_ratio: Share of the limit above which the penalty starts.

    Returns:
        Penalty, (num_envs,).
    """
    return torch.sub(joint_vel.abs(), velocity_limit_rad_s, alpha=soft_ratio).clamp_(min=0.0).sum(dim=-1)


def torque_limit(torque_nm: Tensor, effort_limit_nm: Tensor, *, soft_ratio: float) -> Tensor:
    """Penalise the share of the motors that saturates, rising from the soft limit to the hard one.

    A saturated motor no longer does what the policy asks, and a policy that lives there does not transfer.

    Equation: ``mean_j clip((|tau_j| - s L_j) / (L_j - s L_j), 0, 1)`` with ``s`` = ``soft_ratio``, ``L`` the limit.
    Units: dimensionless, in [0, 1]; torques in N m.
    Zero: when each torque is below ``soft_ratio`` of its limit; a joint without a motor (limit 0, torque 0) adds none.
    Source: derived; ``legged_gym`` penalises the excess in N m instead, which weighs large motors more.

    Args:
        torque_nm: Applied or demanded joint torque [N m], (num_envs, num_joints).
        effort_limit_nm: Torque limit [N m], (num_joints,) or (num_envs, num_joints).
        soft_ratio: Share of the limit above which the penalty starts, in [0, 1).

    Returns:
        Penalty, (num_envs,).

    Raises:
        ValueError: If ``soft_ratio`` is not in [0, 1).
    """
    if not 0.0 <= soft_ratio < 1.0:
        raise ValueError(f"soft_ratio must be in [0, 1), got {soft_ratio}: it is a share of the torque limit.")
    soft_limit_nm = effort_limit_nm * soft_ratio
    margin_nm = (effort_limit_nm - soft_limit_nm).clamp_(min=torch.finfo(effort_limit_nm.dtype).tiny)
    return (torque_nm.abs() - soft_limit_nm).div_(margin_nm).clamp_(0.0, 1.0).mean(dim=-1)
