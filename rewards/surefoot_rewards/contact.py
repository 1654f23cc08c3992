"""What the feet do to the ground: how high they clear it, whether they slide on it, how hard they hit it."""

# Warp compiles the functions, whose types do what their Python classes do not declare.
# pyright: reportArgumentType=false, reportReturnType=false, reportIndexIssue=false, reportOperatorIssue=false
# pyright: reportCallIssue=false

import warp as wp

from surefoot_rewards.kernel import at_least, at_most, one_if


@wp.func
def foot_clearance(
    sole_height_m: wp.array(dtype=float), foot_vel_w: wp.array(dtype=wp.vec3f), moving: bool, target_m: float
) -> float:
    """Penalise feet that travel at another height than the target.

    The horizontal speed is the weight, so that a foot is asked for height in mid-swing and left alone in stance.

    Equation: ``[moving] sum_f (h_f - target)^2 |v_xy,f|``.
    Units: m^3/s.
    Zero: when the command asks to stand, and for a foot at the target height or without horizontal velocity.
    Source: Ji et al., "Concurrent Training of a Control Policy and a State Estimator", RA-L 2022, with the speed itself
    where they take its square root (whose slope at rest is infinite).

    Args:
        sole_height_m: Height of each sole above the ground beneath it, (num_feet,).
        foot_vel_w: Linear velocity of each foot in the world frame [m/s], (num_feet,).
        moving: Whether the command asks for motion.
        target_m: Height at which a swing should pass [m].
    """
    total = wp.float32(0.0)
    for foot in range(sole_height_m.shape[0]):
        velocity = foot_vel_w[foot]
        error = sole_height_m[foot] - target_m
        total += error * error * wp.length(wp.vec2f(velocity[0], velocity[1]))
    return total * one_if(moving)


@wp.func
def foot_clearance_swing_peak(
    swing_peak_m: wp.array(dtype=float), touchdown: wp.array(dtype=bool), moving: bool, target_m: float
) -> float:
    """Penalise, at touchdown, a swing whose highest point stayed below the target.

    Equation: ``[moving] sum_f [touchdown of f] (max(target - peak_f, 0) / target)^2``.
    Units: dimensionless; one foot that was dragged along the ground costs 1.
    Zero: when the command asks to stand, when no foot touches down, and for a peak at or above the target.
    Source: ``mjlab`` term ``feet_swing_height``, one-sided here: stepping higher than asked is not a fault.

    Args:
        swing_peak_m: Greatest height of each sole above the ground since it last left it, (num_feet,).
        touchdown: Whether a foot touches down in this step, (num_feet,).
        moving: Whether the command asks for motion.
        target_m: Height that a swing should reach [m], positive.
    """
    total = wp.float32(0.0)
    for foot in range(swing_peak_m.shape[0]):
        shortfall = at_least(1.0 - swing_peak_m[foot] / target_m, 0.0)
        total += shortfall * shortfall * one_if(touchdown[foot])
    return total * one_if(moving)


@wp.func
def foot_slip(foot_vel_w: wp.array(dtype=wp.vec3f), foot_contact: wp.array(dtype=bool)) -> float:
    """Penalise feet that slide while they touch the ground, whatever the command.

    Equation: ``sum_f [f in contact] (vx_f^2 + vy_f^2)``.
    Units: m^2/s^2.
    Zero: when each foot in contact is at rest in the horizontal plane.
    Source: Ji et al., RA-L 2022, foot slip term.

    Args:
        foot_vel_w: Linear velocity of each foot in the world frame [m/s], (num_feet,).
        foot_contact: Whether a foot touches the ground, (num_feet,).
    """
    total = wp.float32(0.0)
    for foot in range(foot_contact.shape[0]):
        velocity = foot_vel_w[foot]
        total += (velocity[0] * velocity[0] + velocity[1] * velocity[1]) * one_if(foot_contact[foot])
    return total


@wp.func
def foot_impact(foot_force_n: wp.array(dtype=float), threshold_n: float, max_excess_n: float) -> float:
    """Penalise feet that hit the ground harder than walking needs.

    Equation: ``sum_f clip(F_f - threshold, 0, max_excess)``.
    Units: N.
    Zero: when no foot bears more than the threshold; body weight is a sensible one.
    Source: Rudin et al., CoRL 2021, ``legged_gym`` term ``feet_contact_forces``; the cap keeps one stiff contact of a
    rigid-body engine, thousands of newtons for one step, from outweighing all else.

    Args:
        foot_force_n: Magnitude of the contact force on each foot, (num_feet,).
        threshold_n: Force that is free [N].
        max_excess_n: Largest excess that is counted for one foot [N].
    """
    total = wp.float32(0.0)
    for foot in range(foot_force_n.shape[0]):
        total += at_most(at_least(foot_force_n[foot] - threshold_n, 0.0), max_excess_n)
    return total
