"""Keep the engines' native output out of the terminal, and show its end when something breaks."""

import ctypes
import faulthandler
import os
import sys
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TextIO

from surefoot_bridge.errors import SurefootError

_STDOUT, _STDERR = 1, 2
_TAIL_LINES = 20


@contextmanager
def native_log(path: Path | str) -> Iterator[TextIO]:
    """Send what native libraries print to a file, while Python's own output stays where it was.

    PhysX, Warp and USD write to the process's file descriptors 1 and 2, thousands of lines at a time. Inside this
    context both lead to the file. ``sys.stdout`` and ``sys.stderr``, and the tracebacks of a native crash, go on to
    the terminal. On an exception that is not a `SurefootError` the last lines of the file are shown as well.

    Args:
        path: The log file; its folder is made, and a file that is there is appended to.

    Yields:
        A stream that appends to the file, for ``contextlib.redirect_stdout`` around talkative Python code.

    Raises:
        SurefootError: If the file cannot be written.
    """
    path = Path(path)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        log = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o644)
    except OSError as error:
        raise SurefootError(
            f"The engines' log {str(path)!r} cannot be written: {error.strerror}. Choose a writable folder."
        ) from error

    start = os.fstat(log).st_size
    terminal = {fd: os.dup(fd) for fd in (_STDOUT, _STDERR)}
    python_streams = sys.stdout, sys.stderr
    _flush()
    sys.stdout = _keep_on_terminal(sys.stdout, _STDOUT, terminal)
    sys.stderr = _keep_on_terminal(sys.stderr, _STDERR, terminal)
    reports_crashes = faulthandler.is_enabled()
    faulthandler.enable(file=terminal[_STDERR])
    for fd in terminal:
        os.dup2(log, fd)
    stream = os.fdopen(log, "w", buffering=1, encoding="utf-8", errors="replace")
    try:
        yield stream
    except Exception as error:
        if not isinstance(error, SurefootError):
            _flush()
            _show_tail(path, start)
        raise
    finally:
        _flush()
        faulthandler.disable()
        for fd, saved in terminal.items():
            os.dup2(saved, fd)
        sys.stdout, sys.stderr = python_streams
        if reports_crashes:
            faulthandler.enable()
        for saved in terminal.values():
            os.close(saved)
        stream.close()


def _keep_on_terminal(stream: TextIO, fd: int, terminal: dict[int, int]) -> TextIO:
    """Return a stream on the saved descriptor, or the stream itself where it does not write to `fd`."""
    try:
        if stream.fileno() != fd:
            return stream
    except (OSError, ValueError):
        return stream
    return open(terminal[fd], "w", buffering=1, encoding=stream.encoding, errors=stream.errors, closefd=False)


def _flush() -> None:
    """Write out what Python and the C library still hold, so that nothing lands on the wrong side of a switch."""
    sys.stdout.flush()
    sys.stderr.flush()
    ctypes.CDLL(None).fflush(None)


def _show_tail(path: Path, start: int) -> None:
    with path.open("rb") as log:
        log.seek(start)
        tail = deque(log, maxlen=_TAIL_LINES)
    if tail:
        print(f"\nLast lines of the engines' log {path}:", file=sys.stderr)
        for line in tail:
            print("  " + line.decode(errors="replace").rstrip(), file=sys.stderr)
