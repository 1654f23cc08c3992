"""Ctrl-C and SIGTERM during training: finish the iteration first, abort at the second."""

from __future__ import annotations

import signal
import sys
from types import FrameType, TracebackType

_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


class Interruption:
    """Context in which a signal asks for an orderly end instead of ending the process.

    ``requested`` holds the signal's name once one came, else an empty string. A second signal raises
    ``KeyboardInterrupt`` where the program stands.
    """

    def __init__(self) -> None:
        self.requested = ""
        self._before: dict[signal.Signals, object] = {}

    def __enter__(self) -> Interruption:
        self._before = {number: signal.signal(number, self._handle) for number in _SIGNALS}
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)  # type: ignore[arg-type]

    def _handle(self, number: int, frame: FrameType | None) -> None:  # noqa: ARG002
        if self.requested:
            raise KeyboardInterrupt
        self.requested = signal.Signals(number).name
        print(
            f"\n{self.requested}: finishing this iteration and saving; once more aborts without saving.",
            file=sys.stderr,
            flush=True,
        )
