"""How punctual a loop is, counted in memory that does not grow: a histogram of each quantity."""

import math
from dataclasses import dataclass
from typing import Dict, List, Sequence

_LEAST_S = 1e-7
_PER_DECADE = 48  # bins are 4.9 % wide
_DECADES = 8  # from 0.1 microseconds to 10 s
_SCALE = _PER_DECADE / math.log(10.0)
_OFFSET = -math.log(_LEAST_S) * _SCALE
_LAST = _PER_DECADE * _DECADES - 1


@dataclass(frozen=True)
class Spread:
    """What a quantity was over a run [s]; quantiles are exact to 5 %, and 0.1 microseconds stand for all below."""

    count: int
    mean_s: float
    median_s: float
    p99_s: float
    p999_s: float
    largest_s: float


class Histogram:
    """Counts durations in bins of equal width on a logarithmic scale."""

    def __init__(self) -> None:
        self._bins: List[int] = [0] * (_LAST + 1)
        self._count = 0
        self._sum_s = 0.0
        self._largest_s = 0.0

    def add(self, duration_s: float) -> None:
        """Count a duration [s]."""
        self._count += 1
        self._sum_s += duration_s
        if duration_s > self._largest_s:
            self._largest_s = duration_s
        place = 0 if duration_s <= _LEAST_S else int(math.log(duration_s) * _SCALE + _OFFSET)
        self._bins[min(_LAST, place)] += 1

    def quantile(self, share: float) -> float:
        """Return what a share of all durations is at most [s]; 0 without any."""
        wanted, seen = share * self._count, 0
        for place, count in enumerate(self._bins):
            seen += count
            if seen >= wanted and count:
                return min(math.exp((place + 1 - _OFFSET) / _SCALE), self._largest_s)
        return 0.0

    def spread(self) -> Spread:
        """Return the durations in a few numbers."""
        mean_s = self._sum_s / self._count if self._count else 0.0
        median_s, p99_s, p999_s = (self.quantile(share) for share in (0.5, 0.99, 0.999))
        return Spread(self._count, mean_s, median_s, p99_s, p999_s, self._largest_s)


@dataclass(frozen=True)
class Jitter:
    """How punctual a loop was.

    Attributes:
        lateness: Start of a tick minus when it was due.
        period: Time between the starts of two ticks.
        tick: Duration of a tick, all phases together.
        control_tick: Duration of those in which the policy was asked.
        phases: Duration of each phase of a tick, where it took place.
        missed: How many ticks were left out because those before took too long.
        late: How many ticks began a control period late or more: their deadline was missed.
    """

    lateness: Spread
    period: Spread
    tick: Spread
    control_tick: Spread
    phases: Dict[str, Spread]
    missed: int
    late: int


class JitterCounter:
    """Counts what :class:`Jitter` says.

    Args:
        phases: Names of the phases of a tick.
        late_s: Lateness from which a deadline is missed [s].
    """

    def __init__(self, phases: Sequence[str], late_s: float) -> None:
        self._lateness, self._period, self._tick, self._control_tick = (Histogram() for _ in range(4))
        self._phases = {name: Histogram() for name in phases}
        self._in_order = list(self._phases.values())
        self._late_s, self._late, self.missed = late_s, 0, 0
        self._last_s = math.nan

    def add(self, start_s: float, lateness_s: float, phases_s: Sequence[float], *, asked_policy: bool) -> None:
        """Count a tick.

        Args:
            start_s: When it began [s].
            lateness_s: How late that was [s].
            phases_s: Duration of each phase, 0 where it did not take place [s], (num_phases,).
            asked_policy: Whether the policy was asked.
        """
        self._lateness.add(lateness_s)
        self._late += lateness_s >= self._late_s
        if self._last_s == self._last_s:  # not a number before the second tick
            self._period.add(start_s - self._last_s)
        self._last_s = start_s
        total_s = 0.0
        for histogram, duration_s in zip(self._in_order, phases_s):
            if duration_s > 0.0:
                histogram.add(duration_s)
                total_s += duration_s
        self._tick.add(total_s)
        if asked_policy:
            self._control_tick.add(total_s)

    def result(self) -> Jitter:
        """Return what was counted."""
        return Jitter(
            self._lateness.spread(),
            self._period.spread(),
            self._tick.spread(),
            self._control_tick.spread(),
            {name: histogram.spread() for name, histogram in self._phases.items()},
            self.missed,
            self._late,
        )
