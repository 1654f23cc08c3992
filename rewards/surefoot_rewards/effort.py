"""What moving costs: power, torque, jerky actions, and closeness to the limits of the joints and motors."""

# Warp compiles the functions, whose types do what their Python classes do not declare.
# pyright: reportArgumentType=false, reportReturnType=false, reportIndexIssue=false, reportOperatorIssue=false
# pyright: reportCallIssue=false

import warp as wp

from surefoot_rewards.kernel import at_least, at_most

_LEAST_MARGIN_NM = wp.constant(1.0e-30)
"""Keeps a joint without a motor, whose limit is zero, from making 0/0 [N m]."""


@wp.func
def mechanical_power(torque_nm: wp.array(dtype=float), joint_vel: wp.array(dtype=float)) -> float:
    """Penalise the mechanical power of the joints, braking counted like driving.

    Equation: ``sum_j |tau_j qd_j|``.
    Units: W.
    Zero: when each joint is at rest or without torque.
    Source: Fu et al., "Minimizing Energy Consumption Leads to the Emergence of Gaits in Legged Robots", CoRL 2021,
    with the absolute value per joint, because these motors dissipate what they brake.

    Args:
        torque_nm: Applied joint torque [N m], (num_joints,).
        joint_vel: Joint velocity [rad/s], (num_joints,).
    """
    total = wp.float32(0.0)
    for joint in range(joint_vel.shape[0]):
        total += wp.abs(torque_nm[joint] * joint_vel[joint])
    return total


@wp.func
def positive_mechanical_power(torque_nm: wp.array(dtype=float), joint_vel: wp.array(dtype=float)) -> float:
    """Penalise the mechanical power that the joints put in; braking is free and gives nothing back.

    Equation: ``sum_j max(tau_j qd_j, 0)``.
    Units: W.
    Zero: when no joint drives its motion.
    Source: the battery draw of a drive without regeneration or copper loss; derived, not taken.

    Args:
        torque_nm: Applied joint torque [N m], (num_joints,).
        joint_vel: Joint velocity [rad/s], (num_joints,).
    """
    total = wp.float32(0.0)
    for joint in range(joint_vel.shape[0]):
        total += at_least(torque_nm[joint] * joint_vel[joint], 0.0)
    return total


@wp.func
def torque_l2(torque_nm: wp.array(dtype=float)) -> float:
    """Penalise joint torque, a stand-in for the heat in the windings.

    Equation: ``sum_j tau_j^2``.
    Units: N^2 m^2.
    Zero: when no joint has torque.
    Source: Hwangbo et al., "Learning agile and dynamic motor skills for legged robots", Science Robotics 2019.

    Args:
        torque_nm: Applied joint torque [N m], (num_joints,).
    """
    total = wp.float32(0.0)
    for joint in range(torque_nm.shape[0]):
        total += torque_nm[joint] * torque_nm[joint]
    return total


@wp.func
def joint_acc_l2(joint_acc: wp.array(dtype=float)) -> float:
    """Penalise joint acceleration.

    Equation: ``sum_j qdd_j^2``.
    Units: rad^2/s^4.
    Zero: when each joint moves at constant velocity.
    Source: Rudin et al., CoRL 2021, table of rewards.

    Args:
        joint_acc: Joint acceleration [rad/s^2], (num_joints,).
    """
    total = wp.float32(0.0)
    for joint in range(joint_acc.shape[0]):
        total += joint_acc[joint] * joint_acc[joint]
    return total


@wp.func
def action_rate_l2(action: wp.array(dtype=float), prev_action: wp.array(dtype=float)) -> float:
    """Penalise the change of the action from one step to the next.

    Equation: ``sum_j (a_t - a_{t-1})_j^2``.
    Units: action units squared.
    Zero: when the action repeats.
    Source: Rudin et al., CoRL 2021, table of rewards.

    Args:
        action: Action of this step, (num_actions,).
        prev_action: Action of the step before, (num_actions,).
    """
    total = wp.float32(0.0)
    for joint in range(action.shape[0]):
        change = action[joint] - prev_action[joint]
        total += change * change
    return total


@wp.func
def action_second_difference_l2(
    action: wp.array(dtype=float), prev_action: wp.array(dtype=float), prev_prev_action: wp.array(dtype=float)
) -> float:
    """Penalise the change of the action's change, which damps chatter but lets a steady ramp pass.

    Equation: ``sum_j (a_t - 2 a_{t-1} + a_{t-2})_j^2``.
    Units: action units squared.
    Zero: when the action is constant or a straight ramp.
    Source: Margolis and Agrawal, "Walk These Ways", CoRL 2022, second action smoothness term.

    Args:
        action: Action of this step, (num_actions,).
        prev_action: Action of the step before, (num_actions,).
        prev_prev_action: Action two steps before, (num_actions,).
    """
    total = wp.float32(0.0)
    for joint in range(action.shape[0]):
        change = action[joint] + prev_prev_action[joint] - 2.0 * prev_action[joint]
        total += change * change
    return total


@wp.func
def joint_position_limit(
    joint_pos: wp.array(dtype=float),
    lower_limit_rad: wp.array(dtype=float),
    upper_limit_rad: wp.array(dtype=float),
    soft_ratio: float,
) -> float:
    """Penalise joints beyond a share of their range about its middle.

    Equation: ``sum_j max(|q_j - middle_j| - soft_ratio * half_range_j, 0)``.
    Units: rad.
    Zero: when each joint is inside that share of its range.
    Source: Rudin et al., CoRL 2021, ``legged_gym`` term ``dof_pos_limits``.

    Args:
        joint_pos: Joint position [rad], (num_joints,).
        lower_limit_rad: Lower limit [rad], (num_joints,).
        upper_limit_rad: Upper limit [rad], (num_joints,).
        soft_ratio: Share of the range that is free of charge.
    """
    total = wp.float32(0.0)
    for joint in range(joint_pos.shape[0]):
        middle = 0.5 * (lower_limit_rad[joint] + upper_limit_rad[joint])
        half_range = 0.5 * (upper_limit_rad[joint] - lower_limit_rad[joint])
        total += at_least(wp.abs(joint_pos[joint] - middle) - soft_ratio * half_range, 0.0)
    return total


@wp.func
def joint_velocity_limit(
    joint_vel: wp.array(dtype=float), velocity_limit_rad_s: wp.array(dtype=float), soft_ratio: float
) -> float:
    """Penalise joints faster than a share of their velocity limit.

    Equation: ``sum_j max(|qd_j| - soft_ratio * limit_j, 0)``.
    Units: rad/s.
    Zero: when each joint is slower than ``soft_ratio`` of its limit.
    Source: Rudin et al., CoRL 2021, ``legged_gym`` term ``dof_vel_limits``.

    Args:
        joint_vel: Joint velocity [rad/s], (num_joints,).
        velocity_limit_rad_s: Velocity limit [rad/s], (num_joints,).
        soft_ratio: Share of the limit above which the penalty starts.
    """
    total = wp.float32(0.0)
    for joint in range(joint_vel.shape[0]):
        total += at_least(wp.abs(joint_vel[joint]) - soft_ratio * velocity_limit_rad_s[joint], 0.0)
    return total


@wp.func
def torque_limit(torque_nm: wp.array(dtype=float), effort_limit_nm: wp.array(dtype=float), soft_ratio: float) -> float:
    """Penalise the share of the motors that saturates, rising from the soft limit to the hard one.

    A saturated motor no longer does what the policy asks, and a policy that lives there does not transfer.

    Equation: ``mean_j clip((|tau_j| - s L_j) / (L_j - s L_j), 0, 1)`` with ``s`` = ``soft_ratio``, ``L`` the limit.
    Units: dimensionless, in [0, 1]; torques in N m.
    Zero: when each torque is below ``soft_ratio`` of its limit; a joint without a motor (limit 0, torque 0) adds none.
    Source: derived; ``legged_gym`` penalises the excess in N m instead, which weighs large motors more.

    Args:
        torque_nm: Applied or demanded joint torque [N m], (num_joints,).
        effort_limit_nm: Torque limit [N m], (num_joints,).
        soft_ratio: Share of the limit above which the penalty starts, in [0, 1).
    """
    total = wp.float32(0.0)
    for joint in range(torque_nm.shape[0]):
        limit = effort_limit_nm[joint]
        excess = wp.abs(torque_nm[joint]) - soft_ratio * limit
        total += at_most(at_least(excess / at_least(limit - soft_ratio * limit, _LEAST_MARGIN_NM), 0.0), 1.0)
    return total / float(torque_nm.shape[0])


@wp.func
def joint_limits(
    joint_pos: wp.array(dtype=float),
    joint_vel: wp.array(dtype=float),
    torque_nm: wp.array(dtype=float),
    lower_limit_rad: wp.array(dtype=float),
    upper_limit_rad: wp.array(dtype=float),
    velocity_limit_rad_s: wp.array(dtype=float),
    effort_limit_nm: wp.array(dtype=float),
    soft_ratio: float,
) -> float:
    """Penalise joints outside a share of their range, speeds near the no-load speed, and saturated motors.

    Equation: the sum of :func:`joint_position_limit`, :func:`joint_velocity_limit` and :func:`torque_limit`.
    Units: that of numbers: rad, rad/s and a share of the joints are added as they are.
    Zero: when no joint exceeds ``soft_ratio`` of any of its limits.
    Source: those of its parts.

    Args:
        joint_pos: Joint position [rad], (num_joints,).
        joint_vel: Joint velocity [rad/s], (num_joints,).
        torque_nm: Applied joint torque [N m], (num_joints,).
        lower_limit_rad: Lower limit [rad], (num_joints,).
        upper_limit_rad: Upper limit [rad], (num_joints,).
        velocity_limit_rad_s: Velocity limit [rad/s], (num_joints,).
        effort_limit_nm: Torque limit [N m], (num_joints,).
        soft_ratio: Share of each limit that is free of charge, in [0, 1).
    """
    penalty = joint_position_limit(joint_pos, lower_limit_rad, upper_limit_rad, soft_ratio)
    penalty += joint_velocity_limit(joint_vel, velocity_limit_rad_s, soft_ratio)
    return penalty + torque_limit(torque_nm, effort_limit_nm, soft_ratio)
