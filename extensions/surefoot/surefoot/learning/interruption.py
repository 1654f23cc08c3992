"""Ctrl-C, SIGTERM and SIGHUP during training: the first ends it after the iteration under way, the second at once."""

from __future__ import annotations

import signal
import sys
from types import FrameType, TracebackType

_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


class Interruption:
    """Context in which a signal asks for an orderly end instead of ending the process.

    ``requested`` holds the signal's name once one came, else an empty string. A second signal raises
    ``KeyboardInterrupt`` where the program stands. What is ignored already stays ignored, as SIGHUP is under nohup.
    """

    def __init__(self) -> None:
        self.requested = ""
        self._before: dict[signal.Signals, object] = {}

    def __enter__(self) -> Interruption:
        heeded = [number for number in _SIGNALS if signal.getsignal(number) is not signal.SIG_IGN]
        self._before = {number: signal.signal(number, self._handle) for number in heeded}
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
