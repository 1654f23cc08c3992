"""What a person sees while trials run."""

from __future__ import annotations

import time

from surefoot.live_line import LiveLine, duration

from .progress import Tally

PLAIN_INTERVAL_S = 15.0
"""Shortest time between two plain lines [s]."""


class LiveProgress(LiveLine):
    """Context that shows how a verification goes; may be told from any thread."""

    def __init__(self) -> None:
        super().__init__(interval_s=PLAIN_INTERVAL_S)
        self._began_s = time.monotonic()

    def show(self, tally: Tally) -> None:
        """Show what has been done."""
        now_s = time.monotonic()
        self.update(_line(tally, now_s - self._began_s), now_s=now_s)


def _line(tally: Tally, elapsed_s: float) -> str:
    left_s = tally.left_s()
    share = elapsed_s / (elapsed_s + left_s) if elapsed_s + left_s else 1.0
    return f"{100.0 * share:3.0f} %  {tally.trials} trials  about {duration(left_s)} left  {tally.running()}".rstrip()
