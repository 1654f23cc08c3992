"""The search for the largest push that each trial survives: bisection, all trials side by side."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike

from surefoot.evaluation.scenarios.scenario import LargestPush
from surefoot_bridge.errors import SurefootError


class PushSearch:
    """Halves, round after round, the interval in which each trial's largest survived push lies.

    A push that is survived becomes the low end, one that is not the high end; the ends themselves are not tried. All
    trials take the same number of rounds. Where a trial survives a push and falls at a smaller one, one of the forces
    is found at which it changes.

    Args:
        low: Force from which the search goes up [N], (num_trials,) or one for all.
        high: Force from which it goes down [N], likewise.
        tolerance: Length of an interval that is short enough [N].
        num_trials: Number of trials; taken from ``low`` and ``high`` where left out.

    Raises:
        SurefootError: If an interval is empty or the tolerance is not positive.
    """

    def __init__(self, low: ArrayLike, high: ArrayLike, tolerance: float, num_trials: int | None = None) -> None:
        start, end = np.broadcast_arrays(np.asarray(low, dtype=np.float64), np.asarray(high, dtype=np.float64))
        shape = (num_trials,) if num_trials is not None else np.broadcast_shapes(start.shape, (1,))
        self._low, self._high = np.broadcast_to(start, shape).copy(), np.broadcast_to(end, shape).copy()
        if not (self._low < self._high).all():
            raise SurefootError("A search needs a low end below its high end: give low_n < high_n.")
        if not tolerance > 0.0:
            raise SurefootError(f"A search needs a tolerance above 0 N, not {tolerance:g}.")
        longest = float((self._high - self._low).max())
        self.rounds = max(0, math.ceil(math.log2(longest / tolerance) - 1e-9))
        """Number of rounds in all: each halves the intervals."""
        self.round = 0
        """Number of rounds that are over."""
        self._survived_any = np.zeros(shape, dtype=bool)

    @property
    def done(self) -> bool:
        """Whether every interval is as short as the tolerance."""
        return self.round >= self.rounds

    @property
    def forces(self) -> np.ndarray:
        """Forces of the round to come [N], (num_trials,): the middles."""
        return 0.5 * (self._low + self._high)

    def tell(self, survived: ArrayLike) -> None:
        """Take in which trials survived the forces of this round, (num_trials,), bool.

        Raises:
            SurefootError: If the search is over, or the shape is another.
        """
        told = np.asarray(survived, dtype=bool)
        if self.done:
            raise SurefootError(f"The search is over after {self.rounds} rounds; read its largest_n.")
        if told.shape != self._low.shape:
            raise SurefootError(f"Survival of shape {told.shape} is told; the search has {self._low.shape}.")
        middle = self.forces
        self._low = np.where(told, middle, self._low)
        self._high = np.where(told, self._high, middle)
        self._survived_any |= told
        self.round += 1

    @property
    def largest_n(self) -> np.ndarray:
        """Largest push that each trial has survived [N], (num_trials,); 0 where it survived none."""
        return np.where(self._survived_any, self._low, 0.0)


def push_search(asked: LargestPush, num_trials: int) -> PushSearch:
    """Return the search that a scenario asks for."""
    return PushSearch(asked.low_n, asked.high_n, asked.tolerance_n, num_trials=num_trials)
