"""What a person sees while trials run: one live line on a terminal, plain lines elsewhere."""

from __future__ import annotations

import sys
import threading
import time
from types import TracebackType

from rich.console import Console
from rich.live import Live
from rich.text import Text

from .verification import Tally

PLAIN_INTERVAL_S = 15.0
"""Shortest time between two plain lines [s]."""


class LiveProgress:
    """Context that shows how a verification goes; may be told from any thread."""

    def __init__(self) -> None:
        self._console = Console(file=sys.stdout, highlight=False)
        self._live = Live(console=self._console, refresh_per_second=4) if self._console.is_terminal else None
        self._lock = threading.Lock()
        self._began, self._last_plain = time.monotonic(), time.monotonic()

    def __enter__(self) -> LiveProgress:
        if self._live is not None:
            self._live.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._live is not None:
            self._live.update("")
            self._live.stop()

    def say(self, message: str) -> None:
        """Print a line above the live one."""
        with self._lock:
            self._console.print(message, markup=False, soft_wrap=True)

    def show(self, tally: Tally) -> None:
        """Show what has been done."""
        now = time.monotonic()
        line = _line(tally, now - self._began)
        with self._lock:
            if self._live is not None:
                self._live.update(Text(line, no_wrap=True, overflow="ellipsis"))
            elif now - self._last_plain >= PLAIN_INTERVAL_S:
                self._last_plain = now
                print(line, flush=True)


def _line(tally: Tally, elapsed_s: float) -> str:
    share = tally.done_s / tally.work_s if tally.work_s else 1.0
    left_s = elapsed_s * (1.0 - share) / share if share else 0.0
    left = f"{left_s / 60.0:.0f} min" if left_s >= 90.0 else f"{left_s:.0f} s"
    return f"{100.0 * share:3.0f} %  {tally.trials} trials  about {left} left"
