"""How well the base velocity follows the command, on the commanded axes and on those that should stay at rest.

A velocity command is (vx [m/s], vy [m/s], yaw rate [rad/s]) in the base frame.
"""

# Warp compiles the functions, whose types do what their Python classes do not declare.
# pyright: reportArgumentType=false, reportReturnType=false, reportIndexIssue=false, reportOperatorIssue=false
# pyright: reportCallIssue=false

import warp as wp

from surefoot_rewards.kernel import exp_kernel, proportional_std


@wp.func
def track_lin_vel_xy_exp(lin_vel_b: wp.vec3f, command: wp.vec3f, std: float) -> float:
    """Reward the horizontal velocity for following its command.

    Equation: ``exp(-((vx - cx)^2 + (vy - cy)^2) / std^2)``.
    Units: dimensionless, in (0, 1]; velocities and ``std`` in m/s.
    Zero: approached as the error grows past ``std``; 1 at no error.
    Source: Rudin et al., "Learning to Walk in Minutes Using Massively Parallel Deep RL", CoRL 2021, table of rewards.

    Args:
        lin_vel_b: Linear velocity of the base in the base frame.
        command: Velocity command.
        std: Error at which the reward is 1/e, positive.
    """
    error_x = lin_vel_b[0] - command[0]
    error_y = lin_vel_b[1] - command[1]
    return exp_kernel(error_x * error_x + error_y * error_y, std)


@wp.func
def track_lin_vel_xy_closely(
    lin_vel_b: wp.vec3f, command: wp.vec3f, share: float, lowest_std: float, highest_std: float
) -> float:
    """Reward the horizontal velocity within a share of the commanded speed, which tells a slow walk from standing.

    Equation: that of :func:`track_lin_vel_xy_exp` with ``std = clip(share |command|, lowest_std, highest_std)``.
    Units: dimensionless, in (0, 1]; velocities and tolerances in m/s.
    Zero: approached as the error grows past the tolerance; 1 at no error.
    Source: derived, see :func:`~surefoot_rewards.kernel.proportional_std`.

    Args:
        lin_vel_b: Linear velocity of the base in the base frame.
        command: Velocity command.
        share: Tolerance for a command of norm 1.
        lowest_std: Least tolerance, positive.
        highest_std: Largest tolerance.
    """
    return track_lin_vel_xy_exp(lin_vel_b, command, proportional_std(command, share, lowest_std, highest_std))


@wp.func
def track_yaw_rate_exp(ang_vel_b: wp.vec3f, command: wp.vec3f, std: float) -> float:
    """Reward the yaw rate for following its command.

    Equation: ``exp(-(wz - cz)^2 / std^2)``.
    Units: dimensionless, in (0, 1]; rates and ``std`` in rad/s.
    Zero: approached as the error grows past ``std``; 1 at no error.
    Source: Rudin et al., CoRL 2021, table of rewards.

    Args:
        ang_vel_b: Angular velocity of the base in the base frame.
        command: Velocity command.
        std: Error at which the reward is 1/e, positive.
    """
    error = ang_vel_b[2] - command[2]
    return exp_kernel(error * error, std)


@wp.func
def track_yaw_rate_closely(
    ang_vel_b: wp.vec3f, command: wp.vec3f, share: float, lowest_std: float, highest_std: float
) -> float:
    """Reward the yaw rate within a share of the commanded speed, which tells a slow turn from standing.

    Equation: that of :func:`track_yaw_rate_exp` with ``std = clip(share |command|, lowest_std, highest_std)``.
    Units: dimensionless, in (0, 1]; rates and tolerances in rad/s.
    Zero: approached as the error grows past the tolerance; 1 at no error.
    Source: derived, see :func:`~surefoot_rewards.kernel.proportional_std`.

    Args:
        ang_vel_b: Angular velocity of the base in the base frame.
        command: Velocity command.
        share: Tolerance for a command of norm 1.
        lowest_std: Least tolerance, positive.
        highest_std: Largest tolerance.
    """
    return track_yaw_rate_exp(ang_vel_b, command, proportional_std(command, share, lowest_std, highest_std))


@wp.func
def lin_vel_z_l2(lin_vel_b: wp.vec3f) -> float:
    """Penalise the base for bouncing up and down.

    Equation: ``vz^2``.
    Units: m^2/s^2.
    Zero: when the base has no vertical velocity.
    Source: Rudin et al., CoRL 2021, table of rewards.

    Args:
        lin_vel_b: Linear velocity of the base in the base frame.
    """
    return lin_vel_b[2] * lin_vel_b[2]


@wp.func
def ang_vel_xy_l2(ang_vel_b: wp.vec3f) -> float:
    """Penalise the base for rolling and pitching.

    Equation: ``wx^2 + wy^2``.
    Units: rad^2/s^2.
    Zero: when the base only yaws.
    Source: Rudin et al., CoRL 2021, table of rewards.

    Args:
        ang_vel_b: Angular velocity of the base in the base frame.
    """
    return ang_vel_b[0] * ang_vel_b[0] + ang_vel_b[1] * ang_vel_b[1]
