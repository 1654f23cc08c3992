"""The exponential kernel that turns an error into a bounded reward."""

from __future__ import annotations

import torch
from torch import Tensor


def exp_kernel(error_squared: Tensor, *, std: float | Tensor) -> Tensor:
    """Map a squared error to (0, 1]: ``exp(-error_squared / std**2)``.

    One at no error, 1/e where the error equals ``std``, and never negative, so that a bad state is worth nothing
    rather than worth escaping by an early fall.

    Args:
        error_squared: Squared error, any shape; its unit is the square of the unit of ``std``.
        std: Error at which the reward has fallen to 1/e; positive; a tensor has the shape of the error.

    Raises:
        ValueError: If ``std`` is not positive, which would divide by zero.
    """
    if isinstance(std, Tensor):  # its values are on the device, and are not waited for
        return torch.exp(-error_squared / std.square())
    if not std > 0.0:
        raise ValueError(f"std must be positive, got {std}: it is the error at which the reward has fallen to 1/e.")
    return torch.exp(error_squared * (-1.0 / std**2))


def proportional_std(command: Tensor, *, share: float, lowest: float, highest: float) -> Tensor:
    """Tolerance of a tracking reward that is a share of what is asked for: ``clip(share |command|, lowest, highest)``.

    With one tolerance for all commands, standing still earns most of the reward of a slow walk and costs nothing.

    Args:
        command: Commanded velocity (vx [m/s], vy [m/s], yaw rate [rad/s]), (num_envs, 3).
        share: Tolerance for a command of norm 1.
        lowest: Least tolerance, positive: the sway of a gait is within it.
        highest: Largest tolerance.

    Returns:
        Tolerance in the unit of the error, (num_envs,).

    Raises:
        ValueError: If ``lowest`` is not positive, which would divide by zero, or above ``highest``.
    """
    if not 0.0 < lowest <= highest:
        raise ValueError(f"lowest must be positive and at most highest, got {lowest} and {highest}.")
    return torch.linalg.vector_norm(command, dim=-1).mul_(share).clamp_(lowest, highest)
