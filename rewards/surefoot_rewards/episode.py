"""Being alive, and ceasing to be."""

from __future__ import annotations

import torch
from torch import Tensor


def alive(terminated: Tensor) -> Tensor:
    """Reward each step that does not end in a failure.

    Equation: ``1 - [terminated]``.
    Units: dimensionless, 0 or 1.
    Zero: in the step of a failure; running out of time is none.
    Source: Isaac Lab, term ``is_alive``.

    Args:
        terminated: True where the episode ends in a failure, (num_envs,).

    Returns:
        Reward, (num_envs,).
    """
    return (~terminated).to(torch.float32)


def termination(terminated: Tensor) -> Tensor:
    """Penalise the step that ends in a failure.

    Equation: ``[terminated]``.
    Units: dimensionless, 0 or 1.
    Zero: in each step but that of a failure; running out of time is none.
    Source: Isaac Lab, term ``is_terminated``.

    Args:
        terminated: True where the episode ends in a failure, (num_envs,).

    Returns:
        Penalty, (num_envs,).
    """
    return terminated.to(torch.float32)
