"""Where the time of trials goes."""

from __future__ import annotations

import time
from dataclasses import dataclass, fields


@dataclass
class TimeSpent:
    """Time that trials took, of batches one after the other [s].

    Attributes:
        physics_s: In the engine: physics, motors, reports and truth.
        controller_s: In the bridge's controller: observation, policy, targets, machine, safety.
        measures_s: In the measures.
        other_s: In all else: the draw of noise, pushes, latency, recordings.
    """

    physics_s: float = 0.0
    controller_s: float = 0.0
    measures_s: float = 0.0
    other_s: float = 0.0

    def __post_init__(self) -> None:
        """Start the clock."""
        self._since = time.perf_counter()

    def restart(self) -> None:
        """Let the time until now count for nothing."""
        self._since = time.perf_counter()

    def add(self, part: str) -> None:
        """Count the time since the last call for a part: ``physics_s``, ``controller_s``, ..."""
        now = time.perf_counter()
        setattr(self, part, getattr(self, part) + now - self._since)
        self._since = now

    @property
    def total_s(self) -> float:
        """All of it [s]."""
        return sum(getattr(self, item.name) for item in fields(self))
