"""Which environments something is done in: a mask, whatever they are named by.

A kernel that looks at a mask has one thread for each environment, however many are meant, so that neither its size nor
an array's depends on values that only the device knows.
"""

from __future__ import annotations

from collections.abc import Sequence

import torch
import warp as wp
from isaaclab.utils.warp.utils import resolve_1d_mask

EnvIds = Sequence[int] | slice | torch.Tensor | wp.array | None
"""Environments: indices, a slice, a mask of bool, (num_envs,), or None for all of them."""


class EnvMask:
    """Turns what names environments into a mask, in memory that is allocated once.

    Args:
        num_envs: Number of environments.
        device: Where the mask is.
    """

    def __init__(self, num_envs: int, device: str) -> None:
        self._device = str(wp.get_device(device))
        self._everyone = wp.ones(num_envs, dtype=wp.bool, device=device)
        self._marked = wp.zeros(num_envs, dtype=wp.bool, device=device)

    def of(self, envs: EnvIds) -> wp.array:
        """Return a mask, (num_envs,): one that is given as it is, and of indices one that the next call overwrites."""
        if isinstance(envs, torch.Tensor) and envs.dtype == torch.bool:
            return wp.from_torch(envs)
        if isinstance(envs, wp.array) and envs.dtype == wp.bool:
            return envs
        return resolve_1d_mask(ids=envs, all_mask=self._everyone, scratch_mask=self._marked, device=self._device)
