"""What a person sees while training: one live line on a terminal, plain lines elsewhere."""

from __future__ import annotations

import time
from collections.abc import Mapping

from surefoot.live_line import LiveLine, duration

PLAIN_INTERVAL_S = 10.0
"""Shortest time between two plain lines [s]."""


class Progress(LiveLine):
    """Context that shows how training goes.

    Args:
        total: Number of iterations when training is done.
        deadline: Moment of ``time.monotonic`` at which training stops; None without one.
        quiet: Show nothing, as every process but the first does.
    """

    def __init__(self, total: int, *, deadline: float | None = None, quiet: bool = False) -> None:
        super().__init__(interval_s=PLAIN_INTERVAL_S, quiet=quiet)
        self._total, self._deadline = total, deadline
        self._first: tuple[float, int] | None = None

    def show(self, metrics: Mapping[str, float], iterations: int) -> None:
        """Show the state after an iteration."""
        now = time.monotonic()
        self._first = self._first or (now, iterations)
        self.update(self._line(metrics, iterations, now), now_s=now, last=iterations == self._total)

    def _line(self, metrics: Mapping[str, float], iterations: int, now: float) -> str:
        parts = [f"iteration {iterations}/{self._total}", f"{metrics['Perf/env_steps_per_s']:,.0f} env-steps/s"]
        left = self._seconds_left(iterations, now)
        if left is not None:
            parts.append(f"{duration(left)} left")
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
