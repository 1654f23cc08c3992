"""An operator that does what a script says, at the times that it says.

A script is text, one entry a line: the time from its start [s], and what is to be done. ``#`` begins a comment::

    0.0  stand
    3.0  walk
    4.0  velocity 0.5 0 0      # one number for each component of the contract's command
    24   stand
    27   sit
    30   passive
    31   end

Requests are those of the state machine: ``passive``, ``stand``, ``walk``, ``sit``, ``damped``, ``release``. ``stop``
damps the robot at once and until ``release``. A velocity command lasts until the next; it is not clamped here, that is
for safety. After ``end`` there is nothing more to do. Lines stand in the order of their times.
"""

import math
from dataclasses import dataclass
from pathlib import Path
from typing import List, Optional, Sequence, Tuple, Union

import numpy as np

from surefoot_bridge.errors import SurefootError, refusal, unknown_name
from surefoot_bridge.files import read_plain
from surefoot_bridge.state import Request

from .operator import Operator, OperatorInput

_LARGEST_BYTES = 1 << 20
_REQUESTS = {request.name.lower(): request for request in Request if request is not Request.KEEP}
_WORDS = (*_REQUESTS, "velocity", "stop", "end")


@dataclass(frozen=True)
class Entry:
    """One line of a script.

    Attributes:
        time_s: When, from the start of the script [s].
        word: What: a request in lower case, ``velocity``, ``stop`` or ``end``.
        velocity: The velocity command for ``velocity``, in the contract's order and units; empty for the others.
    """

    time_s: float
    word: str
    velocity: Tuple[float, ...]


def read_script(path: Union[str, Path], command_names: Sequence[str]) -> Tuple[Entry, ...]:
    """Read a script from a file; see :func:`parse_script`."""
    path = Path(path)
    try:
        text = read_plain(path, "script", largest_bytes=_LARGEST_BYTES).decode()
    except UnicodeDecodeError as error:
        raise SurefootError(f"The script {path} is no text in UTF-8. Save it as such.") from error
    return parse_script(text, command_names, where=str(path))


def parse_script(text: str, command_names: Sequence[str], *, where: str) -> Tuple[Entry, ...]:
    """Read a script.

    Args:
        text: The script.
        command_names: Components of the velocity command, in the contract's order.
        where: Where it came from, for messages.

    Raises:
        SurefootError: If a line is none; all such lines are named at once.
    """
    entries: List[Entry] = []
    mistakes: List[str] = []
    for number, line in enumerate(text.splitlines(), start=1):
        words = line.split("#", 1)[0].split()
        if not words:
            continue
        try:
            entry = _entry(words, command_names)
            if entries and entry.time_s < entries[-1].time_s:
                raise SurefootError(
                    f"time {entry.time_s:g} comes after {entries[-1].time_s:g}; sort the lines by time."
                )
            if entries and entries[-1].word == "end":
                raise SurefootError("there is something behind end.")
            entries.append(entry)
        except SurefootError as error:
            mistakes.append(f"line {number}: {error}")
    if not entries and not mistakes:
        mistakes.append("there is no line that says anything.")
    if mistakes:
        raise refusal(f"The script {where} is refused:", mistakes)
    return tuple(entries)


def _entry(words: Sequence[str], command_names: Sequence[str]) -> Entry:
    time_s = _number(words[0], "a time in seconds")
    if time_s < 0.0:
        raise SurefootError(f"time {words[0]} is before the start; it must be >= 0.")
    if len(words) == 1:
        raise SurefootError(f"nothing is said for time {words[0]}; valid: {', '.join(_WORDS)}.")
    word, arguments = words[1], words[2:]
    if word not in _WORDS:
        raise unknown_name("word", word, _WORDS)
    count = len(command_names) if word == "velocity" else 0
    if len(arguments) != count:
        what = f"{count} numbers: {', '.join(command_names)}" if count else "nothing behind it"
        raise SurefootError(f"{word} takes {what}; {len(arguments)} came.")
    return Entry(time_s, word, tuple(_number(text, "a number") for text in arguments))


def _number(text: str, what: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise SurefootError(f"{text!r} is not {what}.")
    return value


class ScriptOperator(Operator):
    """Does what a script says, from its first reading on. It is always there: its heartbeat says that it is read.

    Where two lines are due at one reading, none is left out: each further one is done at the next reading.

    Args:
        entries: The script.
        num_components: Number of components of the velocity command.
    """

    def __init__(self, entries: Sequence[Entry], num_components: int) -> None:
        self._entries = tuple(entries)
        self._next = 0
        self._start_s: Optional[float] = None
        self._velocity = np.zeros(num_components)
        self._stop = False

    @property
    def done(self) -> bool:
        """Whether the last line was done."""
        return self._next == len(self._entries)

    @property
    def end_s(self) -> Optional[float]:
        """Time of ``end`` from the start of the script [s]; None where it has none."""
        return self._entries[-1].time_s if self._entries and self._entries[-1].word == "end" else None

    @property
    def last_s(self) -> float:
        """Time of the last line from the start of the script [s]."""
        return self._entries[-1].time_s if self._entries else 0.0

    def read(self, time_s: float) -> OperatorInput:
        """Return what the script wants at a time."""
        if self._start_s is None:
            self._start_s = time_s
        request = Request.KEEP
        # A velocity takes up no reading: it goes with the request after it.
        while not self.done and request is Request.KEEP and self._entries[self._next].time_s <= time_s - self._start_s:
            request = self._do(self._entries[self._next])
            self._next += 1
        return OperatorInput(self._velocity.copy(), request, self._stop, request is Request.RELEASE, time_s)

    def _do(self, entry: Entry) -> Request:
        if entry.word == "velocity":
            self._velocity = np.array(entry.velocity)
        elif entry.word == "stop":
            self._stop = True
        elif entry.word in _REQUESTS:
            self._stop = self._stop and entry.word != "release"
            return _REQUESTS[entry.word]
        return Request.KEEP
