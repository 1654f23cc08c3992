"""The rewards in torch, on batches, as they were written first: what the Warp functions are compared with."""

from __future__ import annotations

import math

import torch
from torch import Tensor


def exp_kernel(error_squared: Tensor, *, std: float | Tensor) -> Tensor:
    """Map a squared error to (0, 1]: ``exp(-error_squared / std**2)``."""
    if isinstance(std, Tensor):  # its values are on the device, and are not waited for
        return torch.exp(-error_squared / std.square())
    if not std > 0.0:
        raise ValueError(f"std must be positive, got {std}: it is the error at which the reward has fallen to 1/e.")
    return torch.exp(error_squared * (-1.0 / std**2))


def proportional_std(command: Tensor, *, share: float, lowest: float, highest: float) -> Tensor:
    """Tolerance of a tracking reward that is a share of what is asked for."""
    if not 0.0 < lowest <= highest:
        raise ValueError(f"lowest must be positive and at most highest, got {lowest} and {highest}.")
    return torch.linalg.vector_norm(command, dim=-1).mul_(share).clamp_(lowest, highest)


def track_lin_vel_xy_exp(lin_vel_b: Tensor, command: Tensor, *, std: float | Tensor) -> Tensor:
    """Reward the horizontal velocity for following its command."""
    return exp_kernel((lin_vel_b[:, :2] - command[:, :2]).square().sum(dim=-1), std=std)


def track_lin_vel_xy_closely(
    lin_vel_b: Tensor, command: Tensor, *, share: float, lowest_std: float, highest_std: float
) -> Tensor:
    """Reward the horizontal velocity within a share of the commanded speed, which tells a slow walk from standing."""
    std = proportional_std(command, share=share, lowest=lowest_std, highest=highest_std)
    return track_lin_vel_xy_exp(lin_vel_b, command, std=std)


def track_yaw_rate_exp(ang_vel_b: Tensor, command: Tensor, *, std: float | Tensor) -> Tensor:
    """Reward the yaw rate for following its command."""
    return exp_kernel((ang_vel_b[:, 2] - command[:, 2]).square(), std=std)


def track_yaw_rate_closely(
    ang_vel_b: Tensor, command: Tensor, *, share: float, lowest_std: float, highest_std: float
) -> Tensor:
    """Reward the yaw rate within a share of the commanded speed, which tells a slow turn from standing."""
    std = proportional_std(command, share=share, lowest=lowest_std, highest=highest_std)
    return track_yaw_rate_exp(ang_vel_b, command, std=std)


def lin_vel_z_l2(lin_vel_b: Tensor) -> Tensor:
    """Penalise the base for bouncing up and down."""
    return lin_vel_b[:, 2].square()


def ang_vel_xy_l2(ang_vel_b: Tensor) -> Tensor:
    """Penalise the base for rolling and pitching."""
    return ang_vel_b[:, :2].square().sum(dim=-1)


def flat_orientation_l2(projected_gravity_b: Tensor) -> Tensor:
    """Penalise a tilted base."""
    return projected_gravity_b[:, :2].square().sum(dim=-1)


def base_height_l2(base_height_m: Tensor, *, target_m: float) -> Tensor:
    """Penalise a base above or below its target height."""
    return (base_height_m - target_m).square_()


def pose_l2(joint_pos: Tensor, default_joint_pos: Tensor) -> Tensor:
    """Penalise the squared distance from the default pose, lenient to small and strict to large deviations."""
    return (joint_pos - default_joint_pos).square_().sum(dim=-1)


def stand_still_feet_in_air(foot_contact: Tensor, moving: Tensor) -> Tensor:
    """Penalise lifted feet when the robot is asked to stand."""
    return (~(foot_contact | moving.unsqueeze(-1))).sum(dim=-1, dtype=torch.float32)


def stand_still_joint_motion(joint_vel: Tensor, moving: Tensor) -> Tensor:
    """Penalise joints that move when the robot is asked to stand."""
    return joint_vel.square().sum(dim=-1) * ~moving


def stand_still_effort(torque_nm: Tensor, effort_limit_nm: Tensor, moving: Tensor) -> Tensor:
    """Penalise, when the robot is asked to stand, torques as what they heat the motors by."""
    return (torque_nm / effort_limit_nm).square_().sum(dim=-1) * ~moving


def mechanical_power(torque_nm: Tensor, joint_vel: Tensor) -> Tensor:
    """Penalise the mechanical power of the joints, braking counted like driving."""
    return (torque_nm * joint_vel).abs_().sum(dim=-1)


def positive_mechanical_power(torque_nm: Tensor, joint_vel: Tensor) -> Tensor:
    """Penalise the mechanical power that the joints put in; braking is free and gives nothing back."""
    return (torque_nm * joint_vel).clamp_(min=0.0).sum(dim=-1)


def torque_l2(torque_nm: Tensor) -> Tensor:
    """Penalise joint torque, a stand-in for the heat in the windings."""
    return torque_nm.square().sum(dim=-1)


def joint_acc_l2(joint_acc: Tensor) -> Tensor:
    """Penalise joint acceleration."""
    return joint_acc.square().sum(dim=-1)


def action_rate_l2(action: Tensor, prev_action: Tensor) -> Tensor:
    """Penalise the change of the action from one step to the next."""
    return (action - prev_action).square_().sum(dim=-1)


def action_second_difference_l2(action: Tensor, prev_action: Tensor, prev_prev_action: Tensor) -> Tensor:
    """Penalise the change of the action's change, which damps chatter but lets a steady ramp pass."""
    return torch.sub(action + prev_prev_action, prev_action, alpha=2.0).square_().sum(dim=-1)


def joint_velocity_limit(joint_vel: Tensor, velocity_limit_rad_s: Tensor, *, soft_ratio: float) -> Tensor:
    """Penalise joints faster than a share of their velocity limit."""
    return torch.sub(joint_vel.abs(), velocity_limit_rad_s, alpha=soft_ratio).clamp_(min=0.0).sum(dim=-1)


def torque_limit(torque_nm: Tensor, effort_limit_nm: Tensor, *, soft_ratio: float) -> Tensor:
    """Penalise the share of the motors that saturates, rising from the soft limit to the hard one."""
    if not 0.0 <= soft_ratio < 1.0:
        raise ValueError(f"soft_ratio must be in [0, 1), got {soft_ratio}: it is a share of the torque limit.")
    soft_limit_nm = effort_limit_nm * soft_ratio
    margin_nm = (effort_limit_nm - soft_limit_nm).clamp_(min=torch.finfo(effort_limit_nm.dtype).tiny)
    return (torque_nm.abs() - soft_limit_nm).div_(margin_nm).clamp_(0.0, 1.0).mean(dim=-1)


def foot_clearance(sole_height_m: Tensor, foot_vel_w: Tensor, moving: Tensor, *, target_m: float) -> Tensor:
    """Penalise feet that travel at another height than the target."""
    speed = torch.linalg.vector_norm(foot_vel_w[..., :2], dim=-1)  # (num_envs, num_feet)
    return (sole_height_m - target_m).square_().mul_(speed).sum(dim=-1) * moving


def foot_clearance_swing_peak(swing_peak_m: Tensor, touchdown: Tensor, moving: Tensor, *, target_m: float) -> Tensor:
    """Penalise, at touchdown, a swing whose highest point stayed below the target."""
    if not target_m > 0.0:
        raise ValueError(f"target_m must be positive, got {target_m}: it is the height that a swing should reach.")
    shortfall = (1.0 - swing_peak_m / target_m).clamp_(min=0.0)  # (num_envs, num_feet)
    return shortfall.square_().mul_(touchdown).sum(dim=-1) * moving


def foot_slip(foot_vel_w: Tensor, foot_contact: Tensor) -> Tensor:
    """Penalise feet that slide while they touch the ground, whatever the command."""
    return foot_vel_w[..., :2].square().sum(dim=-1).mul_(foot_contact).sum(dim=-1)


def foot_impact(foot_force_n: Tensor, *, threshold_n: float, max_excess_n: float) -> Tensor:
    """Penalise feet that hit the ground harder than walking needs."""
    return (foot_force_n - threshold_n).clamp_(0.0, max_excess_n).sum(dim=-1)


def feet_air_time(
    last_air_time_s: Tensor, touchdown: Tensor, moving: Tensor, *, threshold_s: float, max_s: float
) -> Tensor:
    """Reward, at touchdown, swings that lasted longer than a threshold, and penalise shorter ones."""
    return (last_air_time_s.clamp(max=max_s) - threshold_s).mul_(touchdown).sum(dim=-1) * moving


def gait_symmetry(
    last_air_time_s: Tensor, last_contact_time_s: Tensor, moving: Tensor, *, mirror_foot: Tensor, max_s: float
) -> Tensor:
    """Penalise a limp: left and right feet with different swing or stance durations."""
    air = last_air_time_s.clamp(max=max_s)
    contact = last_contact_time_s.clamp(max=max_s)
    air_difference = air - air.index_select(-1, mirror_foot)
    contact_difference = contact - contact.index_select(-1, mirror_foot)
    return 0.5 * (air_difference.square_() + contact_difference.square_()).sum(dim=-1) * moving


def diagonal_pairs_sync(
    air_time_s: Tensor,
    contact_time_s: Tensor,
    moving: Tensor,
    *,
    diagonal_foot: Tensor,
    mirror_foot: Tensor,
    std_s: float,
    max_error_s: float,
) -> Tensor:
    """Reward a trot: diagonal feet swing and stand together while the feet across do the opposite."""
    air, contact = air_time_s, contact_time_s
    bound = max_error_s**2
    error = (air - air.index_select(-1, diagonal_foot)).square_().clamp_(max=bound)  # (num_envs, num_feet)
    error += (contact - contact.index_select(-1, diagonal_foot)).square_().clamp_(max=bound)
    error += (air - contact.index_select(-1, mirror_foot)).square_().clamp_(max=bound)
    return exp_kernel(error.mean(dim=-1), std=std_s) * moving


def trot_contacts(foot_contact: Tensor, moving: Tensor, *, diagonal_foot: Tensor, mirror_foot: Tensor) -> Tensor:
    """Reward the contact pattern of a trot: diagonal feet alike, feet across unlike."""
    alike = foot_contact == foot_contact.index_select(-1, diagonal_foot)  # (num_envs, num_feet)
    unlike = foot_contact != foot_contact.index_select(-1, mirror_foot)
    return 0.5 * (alike.float() + unlike.float()).mean(dim=-1) * moving


def alive(terminated: Tensor) -> Tensor:
    """Reward each step that does not end in a failure."""
    return (~terminated).to(torch.float32)


def termination(terminated: Tensor) -> Tensor:
    """Penalise the step that ends in a failure."""
    return terminated.to(torch.float32)


def joint_deviation_l1(joint_pos: Tensor, default_joint_pos: Tensor, selected_joints: Tensor) -> Tensor:
    """Penalise the selected joints away from the default pose."""
    return (joint_pos - default_joint_pos)[:, selected_joints].abs().sum(dim=-1)


def stand_still_joint_deviation(joint_pos: Tensor, default_joint_pos: Tensor, moving: Tensor) -> Tensor:
    """Penalise joints away from the default pose when the robot is asked to stand."""
    return (joint_pos - default_joint_pos).abs().sum(dim=-1) * ~moving


def stand_still(
    joint_pos: Tensor,
    joint_vel: Tensor,
    torque_nm: Tensor,
    foot_contact: Tensor,
    default_joint_pos: Tensor,
    effort_limit_nm: Tensor,
    moving: Tensor,
    *,
    motion_s2: float,
    deviation_per_rad: float,
    effort: float,
) -> Tensor:
    """Penalise, where the command asks to stand, whatever is not standing at ease."""
    penalty = stand_still_feet_in_air(foot_contact, moving)
    penalty += motion_s2 * stand_still_joint_motion(joint_vel, moving)
    penalty += deviation_per_rad * stand_still_joint_deviation(joint_pos, default_joint_pos, moving)
    return penalty + effort * stand_still_effort(torque_nm, effort_limit_nm, moving)


def joint_position_limit(
    joint_pos: Tensor, lower_limit_rad: Tensor, upper_limit_rad: Tensor, *, soft_ratio: float
) -> Tensor:
    """Penalise joints beyond a share of their range about its middle."""
    middle = 0.5 * (lower_limit_rad + upper_limit_rad)
    half_range = 0.5 * soft_ratio * (upper_limit_rad - lower_limit_rad)
    return (joint_pos - joint_pos.clamp(middle - half_range, middle + half_range)).abs().sum(dim=-1)


def joint_limits(
    joint_pos: Tensor,
    joint_vel: Tensor,
    torque_nm: Tensor,
    lower_limit_rad: Tensor,
    upper_limit_rad: Tensor,
    velocity_limit_rad_s: Tensor,
    effort_limit_nm: Tensor,
    *,
    soft_ratio: float,
) -> Tensor:
    """Penalise joints outside a share of their range, speeds near the no-load speed, and saturated motors."""
    penalty = joint_position_limit(joint_pos, lower_limit_rad, upper_limit_rad, soft_ratio=soft_ratio)
    penalty += joint_velocity_limit(joint_vel, velocity_limit_rad_s, soft_ratio=soft_ratio)
    return penalty + torque_limit(torque_nm, effort_limit_nm, soft_ratio=soft_ratio)


def periodic_gait(
    foot_contact: Tensor,
    episode_steps: Tensor,
    moving: Tensor,
    *,
    foot_offset: Tensor,
    step_dt: float,
    frequency_hz: float,
    duty_factor: float,
    sharpness: float,
) -> Tensor:
    """Reward feet that touch the ground when a clock expects stance and leave it when it expects swing."""
    phase = torch.frac(torch.mul(episode_steps, step_dt * frequency_hz))
    foot_phase = phase.unsqueeze(-1) + foot_offset  # (num_envs, num_feet)
    distance = torch.cos((foot_phase - 0.5 * duty_factor).mul_(2.0 * math.pi)).sub_(math.cos(math.pi * duty_factor))
    expected_stance = torch.sigmoid(distance.mul_(sharpness))
    return torch.where(foot_contact, expected_stance, 1.0 - expected_stance).mean(dim=-1) * moving


def uprightness(projected_gravity_b: Tensor) -> Tensor:
    """Reward a base the more upright it is, each degree alike."""
    return 1.0 - torch.atan2(projected_gravity_b[:, :2].norm(dim=-1), -projected_gravity_b[:, 2]) / math.pi


def risen(projected_gravity_b: Tensor, base_height_m: Tensor, *, target_m: float) -> Tensor:
    """Reward a base for its height as far as it is upright."""
    return uprightness(projected_gravity_b).square() * (base_height_m / target_m).clamp(0.0, 1.0)


def standing(
    projected_gravity_b: Tensor,
    base_height_m: Tensor,
    joint_pos: Tensor,
    joint_vel: Tensor,
    foot_contact: Tensor,
    default_joint_pos: Tensor,
    *,
    target_m: float,
    tilt_std: float,
    height_std_m: float,
    pose_std_rad: float,
    rest_std_rad_s: float,
) -> Tensor:
    """Reward a robot for standing: level, at its height, in its default pose, at rest and on its feet, all at once."""
    errors = (
        projected_gravity_b[:, :2].norm(dim=-1) / tilt_std,
        (base_height_m - target_m) / height_std_m,
        (joint_pos - default_joint_pos).square().mean(dim=-1).sqrt() / pose_std_rad,
        joint_vel.square().mean(dim=-1).sqrt() / rest_std_rad_s,
    )
    share = foot_contact.float().mean(dim=-1) * (projected_gravity_b[:, 2] < 0.0)
    return torch.exp(-torch.stack(errors).square().sum(dim=0)) * share
