"""The search for the highest of some levels that is mastered: bisection over whole numbers, several at once."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike

from surefoot_bridge.errors import SurefootError


class LevelSearch:
    """Halves, round after round, the levels among which the highest that is mastered lies, for each of some searches.

    Level 0 counts as mastered and the one above the highest as not; neither is tried. It tries the levels that
    RoboGauge's ``LevelPipeline`` does: of ten 5 first, then 8 or 2.

    Args:
        num_levels: How many levels there are.
        num_searches: How many searches.
    """

    def __init__(self, num_levels: int, num_searches: int = 1) -> None:
        self._low = np.zeros(num_searches, dtype=int)
        self._high = np.full(num_searches, num_levels + 1)
        self.rounds = math.ceil(math.log2(num_levels + 1))
        """Rounds that it takes at most."""

    @property
    def levels(self) -> np.ndarray:
        """Levels to try next, (num_searches,); 0 of a search that is over."""
        return np.where(self._high - self._low > 1, (self._low + self._high) // 2, 0)

    @property
    def done(self) -> bool:
        """Whether all searches are over."""
        return not self.levels.any()

    @property
    def highest(self) -> np.ndarray:
        """Highest level known to be mastered, (num_searches,); 0 where none is."""
        return self._low.copy()

    def tell(self, mastered: ArrayLike) -> None:
        """Take in which searches mastered their :attr:`levels`, (num_searches,), bool; of one that is over, nothing.

        Raises:
            SurefootError: If all are over.
        """
        if self.done:
            raise SurefootError("All searches are over; read their highest.")
        tried, told = self.levels, np.asarray(mastered, dtype=bool)
        self._low = np.where((tried > 0) & told, tried, self._low)
        self._high = np.where((tried > 0) & ~told, tried, self._high)
