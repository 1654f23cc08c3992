"""The exponential kernel that turns an error into a bounded reward."""

from __future__ import annotations

import torch
from torch import Tensor


def exp_kernel(error_squared: Tensor, *, std: float) -> Tensor:
    """Map a squared error to (0, 1]: ``exp(-error_squared / std**2)``.

    One at no error, 1/e where the error equals ``std``, and never negative, so that a bad state is worth nothing
    rather than worth escaping by an early fall.

    Args:
        error_squared: Squared error, any shape; its unit is the square of the unit of ``std``.
        std: Error at which the reward has fallen to 1/e; positive.

    Raises:
        ValueError: If ``std`` is not positive, which would divide by zero.
    """
    if not std > 0.0:
        raise ValueError(f"std must be positive, got {std}: it is the error at which the reward has fallen to 1/e.")
    return torch.exp(error_squared * (-1.0 / std**2))
