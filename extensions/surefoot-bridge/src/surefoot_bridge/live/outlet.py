"""Writes to a terminal or a pipe without waiting for whoever reads it."""

import os
import select
from contextlib import suppress
from typing import Tuple

_MOST_AT_ONCE = 1024  # a pipe that can be written to takes this much (PIPE_BUF is 4096 in Linux)
_MOST_KEPT = 1 << 16


class Outlet:
    """Where words go.

    Attributes:
        is_terminal: Whether it is a terminal that can be drawn upon.
    """

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._left = b""
        self.is_terminal = os.isatty(descriptor) and os.environ.get("TERM", "dumb") != "dumb"
        if os.isatty(descriptor):
            # Opened anew: that nobody waits for it is a property of an open file, which the loop's process shares.
            with suppress(OSError):
                name = os.ttyname(descriptor)
                self._descriptor = os.open(name, os.O_WRONLY | os.O_NOCTTY | os.O_NONBLOCK)
        self._poll = select.poll()
        self._poll.register(self._descriptor, select.POLLOUT)

    def put(self, text: str) -> None:
        """Take text, and write as much as can be.

        Raises:
            OSError: If nobody is there any more.
        """
        if len(self._left) < _MOST_KEPT:
            self._left += text.encode("ascii", "replace")
        self.flush()

    def flush(self) -> bool:
        """Write what is left; return whether all of it is written.

        Raises:
            OSError: If nobody is there any more.
        """
        while self._left and self._poll.poll(0):
            try:
                written = os.write(self._descriptor, self._left[:_MOST_AT_ONCE])
            except BlockingIOError:
                break
            self._left = self._left[written:]
        return not self._left

    def size(self) -> Tuple[int, int]:
        """Return the columns and lines of the terminal."""
        try:
            size = os.get_terminal_size(self._descriptor)
        except OSError:
            return 80, 24
        return (size.columns or 80, size.lines or 24)
