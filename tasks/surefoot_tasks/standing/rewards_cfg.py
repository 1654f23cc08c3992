"""Reward terms and weights of getting up and of standing still.

They are of no robot's size: torques count as shares of their limits, deviations as means over joints.
"""

# Isaac Lab's term configurations take classes too, which their types do not say.
# pyright: reportArgumentType=false

from __future__ import annotations

from isaaclab.managers import RewardTermCfg
from isaaclab.utils import configclass

from surefoot.envs.mdp import rewards
from surefoot_robots import RobotSpec

HEIGHT_TOLERANCE = 0.2
"""Share of the standing height by which a robot that stands may miss it; a crouch misses it by more."""


def _standing(weight: float, *, target_m: float) -> RewardTermCfg:
    """What both tasks are about."""
    params = {
        "target_m": target_m,
        "tilt_std": 0.3,
        "height_std_m": HEIGHT_TOLERANCE * target_m,
        "pose_std_rad": 0.4,
        "rest_std_rad_s": 2.0,
    }
    return RewardTermCfg(func=rewards.standing, weight=weight, params=params)


@configclass
class RecoveryRewardsCfg:
    """First the base turns up, then it rises, then the robot stands.

    What smooths costs a fifth of what it does in walking or less: with weights of walking, an untrained policy on its
    back, where it ends, loses more by moving than it can see to gain, and learns to lie still.
    """

    uprightness = RewardTermCfg(func=rewards.uprightness, weight=1.0)
    risen: RewardTermCfg | None = None
    standing: RewardTermCfg | None = None
    effort = RewardTermCfg(func=rewards.stand_still_effort, weight=-0.005)
    action_rate = RewardTermCfg(func=rewards.action_rate_l2, weight=-0.001)
    action_second_difference = RewardTermCfg(func=rewards.action_second_difference_l2, weight=-0.0002)
    joint_acceleration = RewardTermCfg(func=rewards.joint_acc_l2, weight=-2.5e-9)
    joint_limits = RewardTermCfg(func=rewards.joint_limits, weight=-0.02, params={"soft_ratio": 0.95})


@configclass
class StandRewardsCfg:
    """Standing, and what disturbs it: a base that sways, feet that slide, actions that jerk."""

    standing: RewardTermCfg | None = None
    lin_vel_z = RewardTermCfg(func=rewards.lin_vel_z_l2, weight=-1.0)
    ang_vel_xy = RewardTermCfg(func=rewards.ang_vel_xy_l2, weight=-0.05)
    flat_orientation = RewardTermCfg(func=rewards.flat_orientation_l2, weight=-1.0)
    stand_still = RewardTermCfg(
        func=rewards.stand_still, weight=-0.3, params={"motion_s2": 0.02, "deviation_per_rad": 1.0, "effort": 0.5}
    )
    foot_slip = RewardTermCfg(func=rewards.foot_slip, weight=-0.1)
    action_rate = RewardTermCfg(func=rewards.action_rate_l2, weight=-0.01)
    action_second_difference = RewardTermCfg(func=rewards.action_second_difference_l2, weight=-0.0025)
    joint_acceleration = RewardTermCfg(func=rewards.joint_acc_l2, weight=-1e-7)
    joint_limits = RewardTermCfg(func=rewards.joint_limits, weight=-1.0, params={"soft_ratio": 0.9})


def make_recovery_rewards_cfg(spec: RobotSpec) -> RecoveryRewardsCfg:
    """Reward terms of getting up, with the robot's height."""
    height = spec.base_height_m
    return RecoveryRewardsCfg(
        risen=RewardTermCfg(func=rewards.risen, weight=1.0, params={"target_m": height}),
        standing=_standing(3.0, target_m=height),
    )


def make_stand_rewards_cfg(spec: RobotSpec) -> StandRewardsCfg:
    """Reward terms of standing still, with the robot's height."""
    return StandRewardsCfg(standing=_standing(3.0, target_m=spec.base_height_m))
