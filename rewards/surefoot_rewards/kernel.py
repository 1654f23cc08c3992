"""What terms share: the exponential that turns an error into a bounded reward, and bounds that let NaN through.

Warp's ``min``, ``max`` and ``clamp`` return the other number where one is NaN, which would hide a fault.
"""

# Warp compiles the functions, whose types do what their Python classes do not declare.
# pyright: reportArgumentType=false, reportReturnType=false, reportIndexIssue=false, reportOperatorIssue=false
# pyright: reportCallIssue=false

import warp as wp


@wp.func
def at_least(value: float, lowest: float) -> float:
    """``max(value, lowest)``, NaN where the value is."""
    return wp.where(value < lowest, lowest, value)


@wp.func
def at_most(value: float, highest: float) -> float:
    """``min(value, highest)``, NaN where the value is."""
    return wp.where(value > highest, highest, value)


@wp.func
def one_if(condition: bool) -> float:
    """1 where a condition holds and 0 elsewhere."""
    return wp.where(condition, 1.0, 0.0)


@wp.func
def exp_kernel(error_squared: float, std: float) -> float:
    """Map a squared error to (0, 1]: ``exp(-error_squared / std**2)``.

    One at no error, 1/e where the error equals ``std``, and never negative, so that a bad state is worth nothing
    rather than worth escaping by an early fall.

    Args:
        error_squared: Squared error; its unit is the square of the unit of ``std``.
        std: Error at which the reward has fallen to 1/e; positive.
    """
    return wp.exp(-error_squared / (std * std))


@wp.func
def proportional_std(command: wp.vec3f, share: float, lowest_std: float, highest_std: float) -> float:
    """Tolerance of a tracking reward that is a share of what is asked for: ``clip(share |command|, lowest, highest)``.

    With one tolerance for all commands, standing still earns most of the reward of a slow walk and costs nothing.

    Args:
        command: Commanded velocity (vx [m/s], vy [m/s], yaw rate [rad/s]).
        share: Tolerance for a command of norm 1.
        lowest_std: Least tolerance, positive: the sway of a gait is within it.
        highest_std: Largest tolerance.
    """
    return at_most(at_least(share * wp.length(command), lowest_std), highest_std)
