"""The process that shows a run: it looks at the loop's snapshot and writes words, and nobody waits for it."""

import json
import os
import signal
import sys
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Dict, Tuple

from .outlet import Outlet
from .panel import Words
from .snapshot import SharedSnapshot, Snapshot

_POLL_S = 0.05
_LINES_S = 5.0  # between two lines where there is no terminal
_STILL_S = 1.0  # without a new snapshot, of which there are ten a second
_BELL, _LOUD, _PLAIN = "\a", "\x1b[1;37;41m", "\x1b[0m"  # white on red
_TO_LINE_END, _TO_END = "\x1b[K", "\x1b[J"


@dataclass(frozen=True)
class Order:
    """What the control loop's side says to this process, as JSON.

    Attributes:
        descriptor: Of the shared memory.
        parent: Process of the control loop.
        simulated: Whether its clock is a simulated one.
        words: Arguments of :class:`~surefoot_bridge.live.panel.Words`.
    """

    descriptor: int
    parent: int
    simulated: bool
    words: Dict[str, Any]


def main() -> None:
    """Show one run, as the order on standard input says, until its loop ends or is gone."""
    order = Order(**json.load(sys.stdin))
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):  # for the control loop to act on
        signal.signal(number, signal.SIG_IGN)
    with suppress(OSError, AttributeError):
        os.sched_setscheduler(0, os.SCHED_OTHER, os.sched_param(0))
    with suppress(OSError):
        os.nice(10)
    shared = SharedSnapshot(order.descriptor, len(order.words["command_names"]))
    with suppress(OSError):  # nobody looks any more
        Show(shared, order, Outlet(sys.stdout.fileno()), Words(**order.words)).run()


class Show:
    """What is on the screen.

    Args:
        shared: The loop's snapshot.
        order: Whose loop it is.
        outlet: Where it is shown.
        words: How it is put.
    """

    def __init__(self, shared: SharedSnapshot, order: Order, outlet: Outlet, words: Words) -> None:
        self._shared, self._parent, self._outlet, self._words = shared, order.parent, outlet, words
        self._simulated = order.simulated
        self._number, self._new_s = 0, time.monotonic()
        self._lines_s = 0.0
        self._mode = ""
        self._damped = self._still = False
        self._drawn = 0

    def run(self) -> None:
        """Show it until the loop has ended."""
        while not self._shared.ended:
            if os.getppid() != self._parent:
                self._say("THE BRIDGE IS GONE, and no end of it was said. Look at the robot.", loudly=True)
                return
            self._look()
            time.sleep(_POLL_S)
        self._look()  # the last word may be that the robot is damped
        self._erase()
        self._outlet.flush()

    def _look(self) -> None:
        number, seen = self._shared.take()
        now = time.monotonic()
        is_stopped, in_background = _standing(self._parent)
        if is_stopped or in_background:
            self._drawn = 0  # a shell has written since: what is there is not to be drawn over
        if seen is None or is_stopped:
            self._new_s = now
            return
        new, self._number = number != self._number, number
        if new:
            self._new_s = now
            self._still = self._still and self._simulated  # a simulation that is slow is so again and again
            self._words.take(seen)
        elif now - self._new_s > _STILL_S and not self._still:
            self._still = True
            for_s = f"for {now - self._new_s:.1f} s"
            if self._simulated:
                self._say(f"The simulation is slower than real time: its clock has stood {for_s}, and the loop waits.")
            else:
                self._say(f"THE CONTROL LOOP STANDS STILL {for_s}.", loudly=True)
        self._tell_changes(seen)
        if self._outlet.is_terminal:
            if new and not in_background and self._outlet.flush():
                self._draw(seen)
        elif now >= self._lines_s:
            self._lines_s = now + _LINES_S
            self._say(self._words.line(seen))

    def _tell_changes(self, seen: Snapshot) -> None:
        damped, mode = self._words.damped(seen), self._words.mode(seen)
        if damped and not self._damped:
            self._say(f"THE ROBOT IS DAMPED. {self._words.why(seen)}", loudly=True)
        if mode != self._mode and not self._outlet.is_terminal:
            self._lines_s = 0.0
        self._damped, self._mode = damped, mode

    def _say(self, text: str, *, loudly: bool = False) -> None:
        """Write a line that stays."""
        self._erase()
        if loudly:
            text = f"{_BELL}{_LOUD} *** {text} *** {_PLAIN}" if self._outlet.is_terminal else f"*** {text} ***"
        self._outlet.put(f"{text}\r\n" if self._outlet.is_terminal else f"{text}\n")

    def _draw(self, seen: Snapshot) -> None:
        columns, _ = self._outlet.size()
        lines = [line[: columns - 1] for line in self._words.lines(seen)]  # one more would begin another line
        if self._words.damped(seen):
            lines[0] = f"{_LOUD}{lines[0]}{_PLAIN}"
        body = "\r\n".join(f"{line}{_TO_LINE_END}" for line in lines)
        self._outlet.put(f"{self._to_top()}{body}\r")
        self._drawn = len(lines)

    def _erase(self) -> None:
        if self._drawn:
            self._outlet.put(f"{self._to_top()}{_TO_END}")
            self._drawn = 0

    def _to_top(self) -> str:
        return "\r" + (f"\x1b[{self._drawn - 1}A" if self._drawn > 1 else "")


def _standing(pid: int) -> Tuple[bool, bool]:
    """Return whether a process is stopped, and whether its terminal has another one in the foreground: a shell."""
    try:
        said = Path(f"/proc/{pid}/stat").read_text(encoding="ascii", errors="replace")
        state, _, group, _, _, foreground = said.rpartition(")")[2].split()[:6]
    except (OSError, ValueError):  # systems other than Linux
        return False, False
    return state in ("T", "t"), int(foreground) > 0 and foreground != group
