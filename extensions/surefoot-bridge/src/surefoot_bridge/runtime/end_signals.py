"""How a run ends in order: after its time, by a signal, or because nobody is there any more."""

import signal
from contextlib import contextmanager
from dataclasses import replace
from types import FrameType
from typing import Any, Callable, Dict, Iterator, List, Optional

from surefoot_bridge.operators import Operator, OperatorInput

SIGNALS = ("SIGINT", "SIGTERM", "SIGHUP")
"""Signals that end a run: Ctrl-C, an end by the system, and a terminal that is gone."""

ABANDONED_S = 30.0
"""How long the operator may have been away until the run ends [s]. Safety has stopped the robot half a second after the
heartbeat did; to stand until the battery is empty is no end. Assumption."""


class EndingOperator(Operator):
    """An operator whose run can be ended in order.

    Once a run ends, nobody has to be there: the control loop itself brings the robot to rest, and a heartbeat that
    stays away must not stop it half way. A stop of the operator still stops.

    Args:
        operator: The operator.
        duration_s: When the run ends by itself, from the first reading on [s].
        request_end: The control loop's ``request_end``: in order at the first call, at once at the second.
    """

    def __init__(self, operator: Operator, duration_s: float, request_end: Callable[[], Any]) -> None:
        self._operator, self._duration_s, self._request_end = operator, duration_s, request_end
        self._start_s: Optional[float] = None
        self.reason = ""
        """Why the run was ended, for a person; empty while it was not."""

    def end(self, reason: str) -> None:
        """End the run in order; if it is ending already, at once."""
        self.reason = self.reason or reason
        self._request_end()

    def read(self, time_s: float) -> OperatorInput:
        """Return what the operator wants, and end the run when it is time."""
        if self._start_s is None:
            self._start_s = time_s
        wanted = self._operator.read(time_s)
        if not self.reason:
            if time_s - self._start_s >= self._duration_s:
                self.end(f"its {self._duration_s:g} s are over")
            elif time_s - wanted.heartbeat_s >= ABANDONED_S:
                self.end(f"nobody was there for {ABANDONED_S:g} s")
        return replace(wanted, heartbeat_s=time_s) if self.reason else wanted

    def close(self) -> None:
        """Let go of the operator."""
        self._operator.close()


@contextmanager
def ending_signals(end: Callable[[str], Any]) -> Iterator[List[str]]:
    """Have a function called with the name of every signal that ends a run, instead of what the signal did before.

    Args:
        end: The function. It runs in the main thread between two of its steps.

    Yields:
        The names of the signals that came, in their order.
    """
    came: List[str] = []

    def handle(number: int, frame: Optional[FrameType]) -> None:  # noqa: ARG001  (what a handler is given)
        came.append(signal.Signals(number).name)
        end(f"{came[-1]} came")

    before: Dict[int, Any] = {}
    try:
        for name in SIGNALS:
            number = getattr(signal, name)
            before[number] = signal.signal(number, handle)
        yield came
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
