"""The clock of a simulated robot that lives in real time, on a computer that may be too slow for it."""

from surefoot_bridge.clock import Clock


class PacedClock(Clock):
    """A clock that follows another one, but by a little at a time: what it cannot follow it lets go.

    A simulation that must make up for all the time that it lost computes ever longer stretches before it reports again.
    With this clock a computer that is too slow has a robot that moves slower, but reports steadily.

    Args:
        clock: The clock to follow.
        most_s: How far it goes at once at most [s].
    """

    def __init__(self, clock: Clock, most_s: float) -> None:
        self._clock, self._most_s = clock, most_s
        self._now_s = self._followed_s = clock.now()
        self.lost_s = 0.0
        """How much time it has let go [s]."""

    def follow(self) -> None:
        """Go on to the present."""
        now_s = self._clock.now()
        passed_s = now_s - self._followed_s
        step_s = min(passed_s, self._most_s)
        self._followed_s = now_s
        self._now_s += step_s
        self.lost_s += passed_s - step_s

    def now(self) -> float:
        """Return the time of the last :meth:`follow` [s]."""
        return self._now_s

    def sleep_until(self, time_s: float) -> None:
        """Return when the followed clock has gone on by as much as there is until a time [s]."""
        self._clock.sleep_until(self._clock.now() + max(time_s - self._now_s, 0.0))
        self.follow()
