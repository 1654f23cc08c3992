"""Reward terms and weights of velocity tasks, with the failure that each surprising weight prevents."""

# Isaac Lab's term configurations take classes too, which their types do not say.
# pyright: reportArgumentType=false

from __future__ import annotations

from isaaclab.managers import RewardTermCfg
from isaaclab.utils import configclass

from surefoot.envs.mdp import rewards
from surefoot_bridge.errors import unknown_name
from surefoot_robots import RobotSpec, mjcf


@configclass
class RewardsCfg:
    """Reward terms; a weight of zero switches a term off and costs nothing."""

    track_lin_vel_xy = RewardTermCfg(func=rewards.track_lin_vel_xy_exp, weight=3.0, params={"std": 0.5})
    track_yaw_rate = RewardTermCfg(func=rewards.track_yaw_rate_exp, weight=1.5, params={"std": 0.5})
    # The wide ones above pull from afar and alone leave a dead zone: at 0.3 m/s standing still earns 70 % of them.
    # These two are for policies that walk already: off until a training from nothing is proven with them.
    track_lin_vel_xy_closely = RewardTermCfg(
        func=rewards.track_lin_vel_xy_closely,
        weight=0.0,
        params={"share": 0.5, "lowest_std": 0.1, "highest_std": 0.25},
    )
    track_yaw_rate_closely = RewardTermCfg(
        func=rewards.track_yaw_rate_closely,
        weight=0.0,
        params={"share": 0.5, "lowest_std": 0.1, "highest_std": 0.25},
    )
    lin_vel_z = RewardTermCfg(func=rewards.lin_vel_z_l2, weight=-1.0)
    ang_vel_xy = RewardTermCfg(func=rewards.ang_vel_xy_l2, weight=-0.05)
    flat_orientation = RewardTermCfg(func=rewards.flat_orientation_l2, weight=-1.0)
    base_height = RewardTermCfg(func=rewards.base_height_l2, weight=-10.0, params={"target_m": 0.0})
    mechanical_power = RewardTermCfg(func=rewards.mechanical_power, weight=-5e-4)
    torque = RewardTermCfg(func=rewards.torque_l2, weight=-1e-4)
    action_rate = RewardTermCfg(func=rewards.action_rate_l2, weight=-0.01)
    action_second_difference = RewardTermCfg(func=rewards.action_second_difference_l2, weight=-0.0025)
    joint_acceleration = RewardTermCfg(func=rewards.joint_acc_l2, weight=-1e-7)
    joint_limits = RewardTermCfg(func=rewards.joint_limits, weight=-1.0, params={"soft_ratio": 0.9})
    # A threshold above the usual swing would make every step cost, and a planted foot the cheapest. It pays only in the
    # one control step in six that has a touchdown, hence the weight.
    feet_air_time = RewardTermCfg(func=rewards.feet_air_time, weight=10.0, params={"threshold_s": 0.1, "max_s": 0.3})
    foot_clearance = RewardTermCfg(func=rewards.foot_clearance_swing_peak, weight=-2.0, params={"target_m": 0.07})
    foot_slip = RewardTermCfg(func=rewards.foot_slip, weight=-0.1)
    foot_impact = RewardTermCfg(
        func=rewards.foot_impact, weight=-1e-3, params={"threshold_n": 0.0, "max_excess_n": 400.0}
    )
    gait_symmetry = RewardTermCfg(func=rewards.gait_symmetry, weight=-0.5, params={"max_s": 0.5})
    periodic_gait = RewardTermCfg(
        func=rewards.periodic_gait, weight=0.0, params={"frequency_hz": 2.0, "duty_factor": 0.6, "sharpness": 5.0}
    )
    # Without it a policy that tracks well drags one foot at low speed, or pronks: nothing else asks each foot to step.
    trot: RewardTermCfg | None = RewardTermCfg(func=rewards.trot_contacts, weight=1.0)
    pose_deviation = RewardTermCfg(
        func=rewards.joint_deviation_l1, weight=-0.3, params={"joint_pattern": ".*", "num_joints": 0}
    )
    # As it is it teaches to stand, not to stand still: a weight of -1.0 and a motion of 0.02 s^2 do that. With an
    # effort of 4 a policy stands tall and tilted, where it is cool, and falls when it walks off.
    stand_still = RewardTermCfg(
        func=rewards.stand_still,
        weight=-0.3,
        params={"motion_s2": 0.0, "deviation_per_rad": 1.0, "effort": 0.0},
    )
    termination = RewardTermCfg(func=rewards.termination, weight=0.0)


_GRAVITY_M_S2 = 9.81


def make_rewards_cfg(spec: RobotSpec) -> RewardsCfg:
    """Reward terms with the targets of a robot: its height, its weight, its joints that should stay at rest.

    Raises:
        SurefootError: If the robot has a weight for a term that does not exist.
    """
    cfg = RewardsCfg()
    cfg.base_height.params["target_m"] = spec.base_height_m
    cfg.foot_clearance.params["target_m"] = spec.tuning.swing_height_m
    # Impacts count above twice the load of a stance foot: half the weight in a trot, the whole weight of a biped.
    stance_feet = len(spec.foot_bodies) // 2
    cfg.foot_impact.params["threshold_n"] = 2.0 * mjcf.total_mass(spec.mjcf_path) * _GRAVITY_M_S2 / stance_feet
    rest = spec.joint_groups[spec.tuning.rest_group]
    cfg.pose_deviation.params.update(joint_pattern=rest.pattern, num_joints=rest.num_joints)
    if len(spec.foot_bodies) == 2:
        cfg.trot = None
    terms = {name: term for name, term in vars(cfg).items() if isinstance(term, RewardTermCfg)}
    for name, weight in spec.tuning.reward_weights.items():
        if name not in terms:
            raise unknown_name(f"reward term in reward_weights of {spec.name}", name, terms)
        terms[name].weight = weight
    return cfg
