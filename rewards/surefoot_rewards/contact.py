"""What the feet do to the ground: how high they clear it, whether they slide on it, how hard they hit it."""

from __future__ import annotations

import torch
from torch import Tensor


def foot_clearance(sole_height_m: Tensor, foot_vel_w: Tensor, moving: Tensor, *, target_m: float) -> Tensor:
    """Penalise feet that travel at another height than the target.

    The horizontal speed is the weight, so that a foot is asked for height in mid-swing and left alone in stance.

    Equation: ``[moving] sum_f (h_f - target)^2 |v_xy,f|``.
    Units: m^3/s.
    Zero: when the command asks to stand, and for a foot at the target height or without horizontal velocity.
    Source: Ji et al., "Concurrent Training of a Control Policy and a State Estimator", RA-L 2022, with the speed itself
    where they take its square root (whose slope at rest is infinite).

    Args:
        sole_height_m: Height of each sole above the ground beneath it, (num_envs, num_feet).
        foot_vel_w: Linear velocity of each foot in the world frame [m/s], (num_envs, num_feet, 3).
        moving: True where the command asks for motion, (num_envs,).
        target_m: Height at which a swing should pass [m].

    Returns:
        Penalty, (num_envs,).
    """
    speed = torch.linalg.vector_norm(foot_vel_w[..., :2], dim=-1)  # (num_envs, num_feet)
    return (sole_height_m - target_m).square_().mul_(speed).sum(dim=-1) * moving


def foot_clearance_swing_peak(swing_peak_m: Tensor, touchdown: Tensor, moving: Tensor, *, target_m: float) -> Tensor:
    """Penalise, at touchdown, a swing whose highest point stayed below the target.

    Equation: ``[moving] sum_f [touchdown of f] (max(target - peak_f, 0) / target)^2``.
    Units: dimensionless; one foot that was dragged along the ground costs 1.
    Zero: when the command asks to stand, when no foot touches down, and for a peak at or above the target.
    Source: ``mjlab`` term ``feet_swing_height``, one-sided here: stepping higher than asked is not a fault.

    Args:
        swing_peak_m: Greatest height of each sole above the ground since it last left it, (num_envs, num_feet).
        touchdown: True where a foot touches down in this step, (num_envs, num_feet).
        moving: True where the command asks for motion, (num_envs,).
        target_m: Height that a swing should reach [m], positive.

    Returns:
        Penalty, (num_envs,).

    Raises:
        ValueError: If ``target_m`` is not positive, which would divide by zero.
    """
    if not target_m > 0.0:
        raise ValueError(f"target_m must be positive, got {target_m}: it is the height that a swing should reach.")
    shortfall = (1.0 - swing_peak_m / target_m).clamp_(min=0.0)  # (num_envs, num_feet)
    return shortfall.square_().mul_(touchdown).sum(dim=-1) * moving


def foot_slip(foot_vel_w: Tensor, foot_contact: Tensor) -> Tensor:
    """Penalise feet that slide while they touch the ground, whatever the command.

    Equation: ``sum_f [f in contact] (vx_f^2 + vy_f^2)``.
    Units: m^2/s^2.
    Zero: when each foot in contact is at rest in the horizontal plane.
    Source: Ji et al., RA-L 2022, foot slip term.

    Args:
        foot_vel_w: Linear velocity of each foot in the world frame [m/s], (num_envs, num_feet, 3).
        foot_contact: True where a foot touches the ground, (num_envs, num_feet).

    Returns:
        Penalty, (num_envs,).
    """
    return foot_vel_w[..., :2].square().sum(dim=-1).mul_(foot_contact).sum(dim=-1)


def foot_impact(foot_force_n: Tensor, *, threshold_n: float, max_excess_n: float) -> Tensor:
    """Penalise feet that hit the ground harder than walking needs.

    Equation: ``sum_f clip(F_f - threshold, 0, max_excess)``.
    Units: N.
    Zero: when no foot bears more than the threshold; body weight is a sensible one.
    Source: Rudin et al., CoRL 2021, ``legged_gym`` term ``feet_contact_forces``; the cap keeps one stiff contact of a
    rigid-body engine, thousands of newtons for one step, from outweighing all else.

    Args:
        foot_force_n: Magnitude of the contact force on each foot, (num_envs, num_feet).
        threshold_n: Force that is free [N].
        max_excess_n: Largest excess that is counted for one foot [N].

    Returns:
        Penalty, (num_envs,).
    """
    return (foot_force_n - threshold_n).clamp_(0.0, max_excess_n).sum(dim=-1)
