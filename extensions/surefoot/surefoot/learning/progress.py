"""What a person sees while training: one live line on a terminal, plain lines elsewhere."""

from __future__ import annotations

import sys
import time
from collections.abc import Mapping
from types import TracebackType

from rich.console import Console
from rich.live import Live
from rich.text import Text

PLAIN_INTERVAL_S = 10.0
"""Shortest time between two plain lines [s]."""


class Progress:
    """Context that shows how training goes.

    Args:
        total: Number of iterations when training is done.
        deadline: Moment of ``time.monotonic`` at which training stops; None without one.
        quiet: Show nothing, as every process but the first does.
    """

    def __init__(self, total: int, *, deadline: float | None = None, quiet: bool = False) -> None:
        self._total = total
        self._deadline = deadline
        self._quiet = quiet
        self._console = Console(file=sys.stdout, highlight=False)
        self._live = (
            Live(console=self._console, refresh_per_second=4) if self._console.is_terminal and not quiet else None
        )
        self._last_plain = -PLAIN_INTERVAL_S
        self._first: tuple[float, int] | None = None

    def __enter__(self) -> Progress:
        if self._live is not None:
            self._live.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._live is not None:
            self._live.stop()

    def show(self, metrics: Mapping[str, float], iterations: int) -> None:
        """Show the state after an iteration."""
        if self._quiet:
            return
        now = time.monotonic()
        self._first = self._first or (now, iterations)
        line = self._line(metrics, iterations, now)
        if self._live is not None:
            self._live.update(Text(line, no_wrap=True, overflow="ellipsis"))
        elif now - self._last_plain >= PLAIN_INTERVAL_S or iterations == self._total:
            self._last_plain = now
            print(line, flush=True)

    def say(self, message: str) -> None:
        """Print a message above the live line."""
        if not self._quiet:
            self._console.print(message, markup=False, soft_wrap=True)

    def _line(self, metrics: Mapping[str, float], iterations: int, now: float) -> str:
        parts = [f"iteration {iterations}/{self._total}", f"{metrics['Perf/env_steps_per_s']:,.0f} env-steps/s"]
        left = self._seconds_left(iterations, now)
        if left is not None:
            parts.append(f"{_duration(left)} left")
        parts += [form.format(metrics[name]) for name, form in _SHOWN if name in metrics]
        return "  ".join(parts)

    def _seconds_left(self, iterations: int, now: float) -> float | None:
        start, first = self._first or (now, iterations)
        left = (self._total - iterations) * (now - start) / (iterations - first) if iterations > first else None
        if self._deadline is None:
            return left
        until_deadline = max(self._deadline - now, 0.0)
        return until_deadline if left is None else min(left, until_deadline)


_SHOWN = (
    ("Train/mean_reward", "reward {:.2f}"),
    ("Train/tracking_share", "tracking {:.0%}"),
    ("Train/mean_episode_length", "episode {:.0f} steps"),
)


def _duration(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h {minutes:02d} min" if hours else f"{minutes} min {rest:02d} s" if minutes else f"{rest} s"
