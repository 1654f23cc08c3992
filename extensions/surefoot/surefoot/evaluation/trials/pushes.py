"""Pushes of trials, as forces over time."""

from __future__ import annotations

import numpy as np

from surefoot_bridge.state import heading

from .batch import TrialBatch
from .rotations import about_vertical


class TrialPushes:
    """The force on each base at each tick: constant in the world from a push's beginning on, for as long as it lasts.

    A push begins with the tick that is nearest to its time and lasts a whole number of ticks, at least one.

    Args:
        batch: The trials.
        tick_s: Time between two ticks [s].
    """

    def __init__(self, batch: TrialBatch, tick_s: float) -> None:
        n, pushes = batch.num_trials, batch.pushes
        self._force_b = np.array([push.force_b for push in pushes]).reshape(len(pushes), n, 3)
        first = [np.rint(push.start_s / tick_s) for push in pushes]
        ticks = [np.maximum(np.rint(push.duration_s / tick_s), 1.0) for push in pushes]
        self._first = np.array(first).reshape(len(pushes), n)
        self._end = self._first + np.array(ticks).reshape(len(pushes), n)
        self._spans = list(zip(self._first.min(axis=1).tolist(), self._end.max(axis=1).tolist(), strict=True))
        self._force_w = np.zeros((len(pushes), n, 3))

    def force_w(self, tick: int, base_quat_wxyz: np.ndarray) -> np.ndarray | None:
        """Return the force on each base in a tick [N], (N, 3); None where nobody pushes.

        Ticks are asked for one after the other.

        Args:
            tick: Number of the tick.
            base_quat_wxyz: Rotations from the base's frame to the world when it begins, (N, 4).
        """
        if not any(first <= tick < end for first, end in self._spans):
            return None
        begins = self._first == tick
        if begins.any():
            turned = about_vertical(heading(base_quat_wxyz), self._force_b)
            self._force_w = np.where(begins[..., None], turned, self._force_w)
        active = (self._first <= tick) & (tick < self._end)
        return (active[..., None] * self._force_w).sum(axis=0)
