"""How well the base velocity follows the command, on the commanded axes and on those that should stay at rest.

A velocity command is (vx [m/s], vy [m/s], yaw rate [rad/s]) in the base frame.
"""

from __future__ import annotations

from torch import Tensor

from surefoot_rewards.kernel import exp_kernel, proportional_std


def track_lin_vel_xy_exp(lin_vel_b: Tensor, command: Tensor, *, std: float | Tensor) -> Tensor:
    """Reward the horizontal velocity for following its command.

    Equation: ``exp(-((vx - cx)^2 + (vy - cy)^2) / std^2)``.
    Units: dimensionless, in (0, 1]; velocities and ``std`` in m/s.
    Zero: approached as the error grows past ``std``; 1 at no error.
    Source: Rudin et al., "Learning to Walk in Minutes Using Massively Parallel Deep RL", CoRL 2021, table of rewards.

    Args:
        lin_vel_b: Linear velocity of the base in the base frame, (num_envs, 3).
        command: Velocity command, (num_envs, 3).
        std: Error at which the reward is 1/e.

    Returns:
        Reward, (num_envs,).
    """
    return exp_kernel((lin_vel_b[:, :2] - command[:, :2]).square().sum(dim=-1), std=std)


def track_lin_vel_xy_closely(
    lin_vel_b: Tensor, command: Tensor, *, share: float, lowest_std: float, highest_std: float
) -> Tensor:
    """Reward the horizontal velocity within a share of the commanded speed, which tells a slow walk from standing.

    Equation: that of :func:`track_lin_vel_xy_exp` with ``std = clip(share |command|, lowest_std, highest_std)``.
    Units: dimensionless, in (0, 1]; velocities and tolerances in m/s.
    Zero: approached as the error grows past the tolerance; 1 at no error.
    Source: derived, see :func:`~surefoot_rewards.kernel.proportional_std`.

    Args:
        lin_vel_b: Linear velocity of the base in the base frame, (num_envs, 3).
        command: Velocity command, (num_envs, 3).
        share: Tolerance for a command of norm 1.
        lowest_std: Least tolerance, positive.
        highest_std: Largest tolerance.

    Returns:
        Reward, (num_envs,).
    """
    std = proportional_std(command, share=share, lowest=lowest_std, highest=highest_std)
    return track_lin_vel_xy_exp(lin_vel_b, command, std=std)


def track_yaw_rate_exp(ang_vel_b: Tensor, command: Tensor, *, std: float | Tensor) -> Tensor:
    """Reward the yaw rate for following its command.

    Equation: ``exp(-(wz - cz)^2 / std^2)``.
    Units: dimensionless, in (0, 1]; rates and ``std`` in rad/s.
    Zero: approached as the error grows past ``std``; 1 at no error.
    Source: Rudin et al., CoRL 2021, table of rewards.

    Args:
        ang_vel_b: Angular velocity of the base in the base frame, (num_envs, 3).
        command: Velocity command, (num_envs, 3).
        std: Error at which the reward is 1/e.

    Returns:
        Reward, (num_envs,).
    """
    return exp_kernel((ang_vel_b[:, 2] - command[:, 2]).square(), std=std)


def track_yaw_rate_closely(
    ang_vel_b: Tensor, command: Tensor, *, share: float, lowest_std: float, highest_std: float
) -> Tensor:
    """Reward the yaw rate within a share of the commanded speed, which tells a slow turn from standing.

    Equation: that of :func:`track_yaw_rate_exp` with ``std = clip(share |command|, lowest_std, highest_std)``.
    Units: dimensionless, in (0, 1]; rates and tolerances in rad/s.
    Zero: approached as the error grows past the tolerance; 1 at no error.
    Source: derived, see :func:`~surefoot_rewards.kernel.proportional_std`.

    Args:
        ang_vel_b: Angular velocity of the base in the base frame, (num_envs, 3).
        command: Velocity command, (num_envs, 3).
        share: Tolerance for a command of norm 1.
        lowest_std: Least tolerance, positive.
        highest_std: Largest tolerance.

    Returns:
        Reward, (num_envs,).
    """
    std = proportional_std(command, share=share, lowest=lowest_std, highest=highest_std)
    return track_yaw_rate_exp(ang_vel_b, command, std=std)


def lin_vel_z_l2(lin_vel_b: Tensor) -> Tensor:
    """Penalise the base for bouncing up and down.

    Equation: ``vz^2``.
    Units: m^2/s^2.
    Zero: when the base has no vertical velocity.
    Source: Rudin et al., CoRL 2021, table of rewards.

    Args:
        lin_vel_b: Linear velocity of the base in the base frame, (num_envs, 3).

    Returns:
        Penalty, (num_envs,).
    """
    return lin_vel_b[:, 2].square()


def ang_vel_xy_l2(ang_vel_b: Tensor) -> Tensor:
    """Penalise the base for rolling and pitching.

    Equation: ``wx^2 + wy^2``.
    Units: rad^2/s^2.
    Zero: when the base only yaws.
    Source: Rudin et al., CoRL 2021, table of rewards.

    Args:
        ang_vel_b: Angular velocity of the base in the base frame, (num_envs, 3).

    Returns:
        Penalty, (num_envs,).
    """
    return ang_vel_b[:, :2].square().sum(dim=-1)
