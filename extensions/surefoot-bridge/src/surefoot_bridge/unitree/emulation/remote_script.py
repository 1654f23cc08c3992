"""A remote that an emulated robot plays from a script: ``--remote FILE`` of ``surefoot-bridge emulate``.

A line is a time [s] since the emulation began, then what is held from then on: keys by their names, sticks as
``ly=0.5``. A line with a time alone lets go of everything. ``#`` begins a comment::

    1.0  L1 A
    1.2
    5.0  L1 X ly=0.5
"""

from pathlib import Path
from typing import List, Tuple

from surefoot_bridge.errors import SurefootError
from surefoot_bridge.files import read_plain
from surefoot_bridge.unitree.remote import KEYS, STICKS, remote_bytes

from .firmware import Firmware
from .watchers import Watcher

_LARGEST_BYTES = 1 << 20


class PlayedRemote(Watcher):
    """Plays a remote.

    Args:
        firmware: The robot's side of the network, which reports the remote.
        lines: Times since the first call [s] and what the remote says from then on, as :func:`read_remote_script` gives
            them.
    """

    def __init__(self, firmware: Firmware, lines: List[Tuple[float, bytes]]) -> None:
        self._firmware, self._lines = firmware, list(lines)
        self._begin_s = float("nan")

    def __call__(self, time_s: float) -> None:
        """Hold what is held at a time [s]."""
        if self._begin_s != self._begin_s:
            self._begin_s = time_s
        while self._lines and time_s - self._begin_s >= self._lines[0][0]:
            self._firmware.remote = self._lines.pop(0)[1]


def read_remote_script(path: Path) -> List[Tuple[float, bytes]]:
    """Read a script.

    Raises:
        SurefootError: If it cannot be read or is none; with the line and what is wrong with it.
    """
    try:
        text = read_plain(path, "remote's script", largest_bytes=_LARGEST_BYTES).decode()
    except UnicodeDecodeError as error:
        raise SurefootError(f"The remote's script {path} is no text in UTF-8. Save it as such.") from error
    lines = [(number, line.split("#")[0].split()) for number, line in enumerate(text.splitlines(), 1)]
    played: List[Tuple[float, bytes]] = []
    for number, words in lines:
        if words:
            time_s, data = _played(words, f"{path}, line {number}")
            if played and time_s < played[-1][0]:
                raise SurefootError(f"{path}, line {number}: the time {time_s:g} s is before that of the line above.")
            played.append((time_s, data))
    return played


def _played(words: List[str], where: str) -> Tuple[float, bytes]:
    time_s = _number(words[0], where, 0.0, 1e6)
    keys, sticks = [], {}
    for word in words[1:]:
        name, equals, value = word.partition("=")
        if equals and name in STICKS:
            sticks[name] = _number(value, where, -1.0, 1.0)
        elif word in KEYS:
            keys.append(word)
        else:
            raise SurefootError(
                f"{where}: {word!r} is neither a key ({', '.join(KEYS)}) nor a stick ({', '.join(STICKS)}, as ly=0.5)."
            )
    return time_s, remote_bytes(keys, **sticks)


def _number(text: str, where: str, low: float, high: float) -> float:
    try:
        number = float(text)
    except ValueError:
        number = float("nan")
    if not low <= number <= high:
        raise SurefootError(f"{where}: {text!r} must be a number from {low:g} to {high:g}.")
    return number
