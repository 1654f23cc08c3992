"""The control loop's clock: the computer's, or a simulated one on which an hour may pass in a minute."""

import time
from abc import ABC, abstractmethod
from typing import Callable, List

from .errors import SurefootError


class Clock(ABC):
    """A clock that never goes back."""

    @abstractmethod
    def now(self) -> float:
        """Return the time [s]."""

    @abstractmethod
    def sleep_until(self, time_s: float) -> None:
        """Return at a time [s], at once if it has passed."""


def boot_time_s() -> float:
    """Return the time since the computer was started, a suspend included [s].

    Python's ``time.monotonic`` stands still while the computer sleeps, so that the sleep would be nobody's loss.
    """
    return time.clock_gettime(time.CLOCK_BOOTTIME)


class MonotonicClock(Clock):
    """The computer's monotonic clock, which goes on while the computer sleeps: a suspend is a jump of it."""

    def now(self) -> float:
        """Return the time [s]."""
        return boot_time_s()

    def sleep_until(self, time_s: float) -> None:
        """Return at a time [s], at once if it has passed."""
        rest_s = time_s - boot_time_s()
        if rest_s > 0.0:
            time.sleep(rest_s)


class SimulatedClock(Clock):
    """A clock that goes on only while somebody sleeps, or is said to compute.

    Args:
        start_s: Its first time [s].
    """

    def __init__(self, start_s: float = 0.0) -> None:
        self._now_s = start_s
        self._listeners: List[Callable[[float], None]] = []

    def now(self) -> float:
        """Return the time [s]."""
        return self._now_s

    def sleep_until(self, time_s: float) -> None:
        """Let the time pass until a time [s]; nothing passes if it is over."""
        if time_s > self._now_s:
            self._now_s = time_s
            for listener in self._listeners:
                listener(time_s)

    def spend(self, duration_s: float) -> None:
        """Let time pass as if something had been computed for it [s].

        Raises:
            SurefootError: If it is negative or no number.
        """
        if not duration_s >= 0.0:
            raise SurefootError(f"duration_s is {duration_s}; it must be >= 0.")
        self.sleep_until(self._now_s + duration_s)

    def on_advance(self, listener: Callable[[float], None]) -> None:
        """Have a function called with the new time [s] whenever time has passed: a simulated robot moves on there."""
        self._listeners.append(listener)
