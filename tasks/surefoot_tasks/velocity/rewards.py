"""Reward terms of velocity tasks: the functions of :mod:`surefoot_rewards` on the environment's shared state."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

import torch
from isaaclab.managers import ManagerTermBase

import surefoot_rewards as rewards
from surefoot_rewards.kernel import proportional_std
from surefoot_robots.gait_pairs import alternating_phases, diagonal_feet, mirror_feet

if TYPE_CHECKING:
    from isaaclab.managers import RewardTermCfg

    from surefoot.envs.env import SurefootEnv


def track_lin_vel_xy(env: SurefootEnv, std: float) -> torch.Tensor:
    """Reward horizontal velocity as commanded; ``std`` [m/s]."""
    return rewards.track_lin_vel_xy_exp(env.locomotion.base_lin_vel_b, env.command, std=std)


def track_yaw_rate(env: SurefootEnv, std: float) -> torch.Tensor:
    """Reward yaw rate as commanded; ``std`` [rad/s]."""
    return rewards.track_yaw_rate_exp(env.locomotion.base_ang_vel_b, env.command, std=std)


def track_lin_vel_xy_closely(env: SurefootEnv, share: float, lowest_std: float, highest_std: float) -> torch.Tensor:
    """Reward horizontal velocity within a share of the commanded speed, which tells a slow walk from standing."""
    std = proportional_std(env.command, share=share, lowest=lowest_std, highest=highest_std)
    return rewards.track_lin_vel_xy_exp(env.locomotion.base_lin_vel_b, env.command, std=std)


def track_yaw_rate_closely(env: SurefootEnv, share: float, lowest_std: float, highest_std: float) -> torch.Tensor:
    """Reward yaw rate within a share of the commanded speed, which tells a slow turn from standing."""
    std = proportional_std(env.command, share=share, lowest=lowest_std, highest=highest_std)
    return rewards.track_yaw_rate_exp(env.locomotion.base_ang_vel_b, env.command, std=std)


def lin_vel_z(env: SurefootEnv) -> torch.Tensor:
    """Penalise vertical velocity."""
    return rewards.lin_vel_z_l2(env.locomotion.base_lin_vel_b)


def ang_vel_xy(env: SurefootEnv) -> torch.Tensor:
    """Penalise roll and pitch rates."""
    return rewards.ang_vel_xy_l2(env.locomotion.base_ang_vel_b)


def flat_orientation(env: SurefootEnv) -> torch.Tensor:
    """Penalise tilt."""
    return rewards.flat_orientation_l2(env.locomotion.projected_gravity_b)


def base_height(env: SurefootEnv, target_m: float) -> torch.Tensor:
    """Penalise a base height other than the target."""
    return rewards.base_height_l2(env.locomotion.base_height_m, target_m=target_m)


def mechanical_power(env: SurefootEnv) -> torch.Tensor:
    """Penalise the mechanical power of the motors."""
    return rewards.mechanical_power(env.locomotion.motor_torque_nm, env.locomotion.joint_vel)


def torque(env: SurefootEnv) -> torch.Tensor:
    """Penalise motor torques, which is what heats them."""
    return rewards.torque_l2(env.locomotion.motor_torque_nm)


def action_rate(env: SurefootEnv) -> torch.Tensor:
    """Penalise changes of the action."""
    action = env.joint_target
    return rewards.action_rate_l2(action.raw_actions, action.previous_actions)


def action_second_difference(env: SurefootEnv) -> torch.Tensor:
    """Penalise changes of the action's change."""
    action = env.joint_target
    return rewards.action_second_difference_l2(
        action.raw_actions, action.previous_actions, action.second_previous_actions
    )


def joint_acceleration(env: SurefootEnv) -> torch.Tensor:
    """Penalise joint accelerations."""
    return rewards.joint_acc_l2(env.locomotion.joint_acc)


class JointLimits(ManagerTermBase):
    """Penalise joints outside a share of their range, speeds near the no-load speed, and saturated motors.

    The three violations are in rad, rad/s and a share of the joints; ``soft_ratio`` is the share of each limit that is
    free of charge.
    """

    def __init__(self, cfg: RewardTermCfg, env: SurefootEnv) -> None:
        super().__init__(cfg, env)
        spec = env.robot_spec
        ratio: float = cast("float", cfg.params["soft_ratio"])
        lower = torch.tensor(spec.joint_values("lower_limit_rad"), device=env.device)
        upper = torch.tensor(spec.joint_values("upper_limit_rad"), device=env.device)
        middle, half_range = 0.5 * (lower + upper), 0.5 * ratio * (upper - lower)
        self._lower, self._upper = middle - half_range, middle + half_range  # (num_joints,)
        self._velocity_limit = torch.tensor(spec.joint_values("velocity_limit_rad_s"), device=env.device)
        self._effort_limit = torch.tensor(spec.joint_values("effort_limit_nm"), device=env.device)

    def __call__(self, env: SurefootEnv, soft_ratio: float) -> torch.Tensor:
        """Sum of the three violations, (num_envs,)."""
        state = env.locomotion
        penalty = rewards.joint_position_limit(state.joint_pos, self._lower, self._upper)
        penalty += rewards.joint_velocity_limit(state.joint_vel, self._velocity_limit, soft_ratio=soft_ratio)
        penalty += rewards.torque_limit(state.motor_torque_nm, self._effort_limit, soft_ratio=soft_ratio)
        return penalty


def feet_air_time(env: SurefootEnv, threshold_s: float, max_s: float) -> torch.Tensor:
    """Reward swings that last."""
    state = env.locomotion
    return rewards.feet_air_time(
        state.last_air_time_s, state.touchdown, env.moving, threshold_s=threshold_s, max_s=max_s
    )


def foot_clearance(env: SurefootEnv, target_m: float) -> torch.Tensor:
    """Penalise swings whose highest point stayed below the target."""
    state = env.locomotion
    return rewards.foot_clearance_swing_peak(state.swing_peak_m, state.touchdown, env.moving, target_m=target_m)


def foot_slip(env: SurefootEnv) -> torch.Tensor:
    """Penalise feet that slide while they carry."""
    return rewards.foot_slip(env.locomotion.foot_vel_w, env.locomotion.foot_contact)


def foot_impact(env: SurefootEnv, threshold_n: float, max_excess_n: float) -> torch.Tensor:
    """Penalise contact forces far above what carries the robot."""
    return rewards.foot_impact(env.locomotion.foot_force_n, threshold_n=threshold_n, max_excess_n=max_excess_n)


class GaitSymmetry(ManagerTermBase):
    """Penalise left and right feet that swing or stand for different times."""

    def __init__(self, cfg: RewardTermCfg, env: SurefootEnv) -> None:
        super().__init__(cfg, env)
        self._mirror_foot = torch.tensor(mirror_feet(env.robot_spec), device=env.device)

    def __call__(self, env: SurefootEnv, max_s: float) -> torch.Tensor:
        """Penalty [s^2], (num_envs,)."""
        state = env.locomotion
        return rewards.gait_symmetry(
            state.last_air_time_s, state.last_contact_time_s, env.moving, mirror_foot=self._mirror_foot, max_s=max_s
        )


class Trot(ManagerTermBase):
    """Reward diagonal feet of a quadruped that swing and stand together, and feet across that do the opposite."""

    def __init__(self, cfg: RewardTermCfg, env: SurefootEnv) -> None:
        super().__init__(cfg, env)
        self._diagonal_foot = torch.tensor(diagonal_feet(env.robot_spec), device=env.device)
        self._mirror_foot = torch.tensor(mirror_feet(env.robot_spec), device=env.device)

    def __call__(self, env: SurefootEnv) -> torch.Tensor:
        """Reward in [0, 1], (num_envs,)."""
        return rewards.trot_contacts(
            env.locomotion.foot_contact,
            env.moving,
            diagonal_foot=self._diagonal_foot,
            mirror_foot=self._mirror_foot,
        )


class PeriodicGait(ManagerTermBase):
    """Reward feet that follow a clock: diagonal pairs of a quadruped, alternate feet of a biped.

    Off by default: a clock that the policy cannot see contradicts the left-right augmentation, which shifts it by half
    a cycle. A task that weighs it adds the sine and cosine of the phase to its observations.
    """

    def __init__(self, cfg: RewardTermCfg, env: SurefootEnv) -> None:
        super().__init__(cfg, env)
        self._offsets = torch.tensor(alternating_phases(env.robot_spec), device=env.device)  # (num_feet,)

    def __call__(self, env: SurefootEnv, frequency_hz: float, duty_factor: float, sharpness: float) -> torch.Tensor:
        """Reward in [0, 1], (num_envs,)."""
        phase = torch.frac(torch.mul(env.episode_length_buf, env.step_dt * frequency_hz))
        return rewards.periodic_gait(
            env.locomotion.foot_contact,
            phase,
            env.moving,
            foot_offset=self._offsets,
            duty_factor=duty_factor,
            sharpness=sharpness,
        )


class PoseDeviation(ManagerTermBase):
    """Penalise joints away from the default pose, more where the command asks to stand still."""

    def __init__(self, cfg: RewardTermCfg, env: SurefootEnv) -> None:
        super().__init__(cfg, env)
        self._default = torch.tensor(env.robot_spec.joint_values("default_joint_pos"), device=env.device)
        pattern, count = cast("str", cfg.params["joint_pattern"]), cast("int", cfg.params["num_joints"])
        names = env.robot_spec.resolve(pattern, count)
        self._joints = torch.tensor([env.robot_spec.joint_names.index(name) for name in names], device=env.device)

    def __call__(self, env: SurefootEnv, joint_pattern: str, num_joints: int) -> torch.Tensor:  # noqa: ARG002
        """Sum of absolute deviations of the chosen joints [rad], (num_envs,)."""
        return rewards.joint_deviation_l1(env.locomotion.joint_pos[:, self._joints], self._default[self._joints])


class StandStill(ManagerTermBase):
    """Penalise, where the command asks to stand, whatever is not standing at ease.

    Joints that move, feet in the air, joints away from the default pose, and heat: a stance whose legs push against
    each other or reach far out costs torque for nothing.
    """

    def __init__(self, cfg: RewardTermCfg, env: SurefootEnv) -> None:
        super().__init__(cfg, env)
        spec = env.robot_spec
        self._default = torch.tensor(spec.joint_values("default_joint_pos"), device=env.device)
        self._effort_limit = torch.tensor(spec.joint_values("effort_limit_nm"), device=env.device)

    def __call__(self, env: SurefootEnv, motion_s2: float, deviation_per_rad: float, effort: float) -> torch.Tensor:
        """Feet in the air, plus the squared joint speeds, deviations and torques at these rates, (num_envs,).

        A rate of zero costs nothing to compute.
        """
        state, moving = env.locomotion, env.moving
        penalty = rewards.stand_still_feet_in_air(state.foot_contact, moving)
        if motion_s2:
            penalty.add_(rewards.stand_still_joint_motion(state.joint_vel, moving), alpha=motion_s2)
        if deviation_per_rad:
            deviation = rewards.stand_still_joint_deviation(state.joint_pos, self._default, moving)
            penalty.add_(deviation, alpha=deviation_per_rad)
        if effort:
            load = rewards.stand_still_effort(state.motor_torque_nm, self._effort_limit, moving)
            penalty.add_(load, alpha=effort)
        return penalty


def termination(env: SurefootEnv) -> torch.Tensor:
    """Penalise a fall once."""
    return rewards.termination(env.termination_manager.terminated)
