"""One line of a terminal that changes while work goes on; plain lines now and then elsewhere."""

from __future__ import annotations

import sys
import threading
from types import TracebackType
from typing import Self

from rich.console import Console
from rich.live import Live
from rich.text import Text


class LiveLine:
    """Context that shows how work goes; may be told from any thread.

    Args:
        interval_s: Shortest time between two plain lines [s].
        quiet: Show nothing.
    """

    def __init__(self, *, interval_s: float, quiet: bool = False) -> None:
        self._interval_s, self._quiet = interval_s, quiet
        self._console = Console(file=sys.stdout, highlight=False)
        self._live = (
            Live(console=self._console, refresh_per_second=4) if self._console.is_terminal and not quiet else None
        )
        self._lock = threading.Lock()
        self._last_plain_s: float | None = None

    def __enter__(self) -> Self:
        if self._live is not None:
            self._live.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._live is not None:
            self._live.stop()

    def update(self, line: str, *, now_s: float, last: bool = False) -> None:
        """Show a line.

        Args:
            line: The line.
            now_s: The time, on any clock that goes forward [s].
            last: Whether it must be shown, however soon it follows another.
        """
        with self._lock:
            if self._quiet:
                return
            if self._live is not None:
                self._live.update(Text(line, no_wrap=True, overflow="ellipsis"))
            elif last or self._last_plain_s is None or now_s - self._last_plain_s >= self._interval_s:
                self._last_plain_s = now_s
                print(line, flush=True)

    def say(self, message: str) -> None:
        """Print a message above the line."""
        with self._lock:
            if not self._quiet:
                self._console.print(message, markup=False, soft_wrap=True)


def duration(seconds: float) -> str:
    """Return a time in words: ``1 h 05 min``, ``3 min 20 s``, ``7 s``."""
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h {minutes:02d} min" if hours else f"{minutes} min {rest:02d} s" if minutes else f"{rest} s"
