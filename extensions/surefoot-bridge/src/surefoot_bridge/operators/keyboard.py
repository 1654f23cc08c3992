"""An operator at the keyboard of a terminal.

The terminal sends keys and nothing else: it does not tell when a key is released. What is made of that stands in
:mod:`surefoot_bridge.operators.presence`.
"""

import itertools
import os
import select
import sys
import termios
from contextlib import suppress
from typing import Any, Dict, List, Optional, Sequence, Tuple

import numpy as np

from surefoot_bridge.errors import SurefootError
from surefoot_bridge.state import Request

from .operator import Operator, OperatorInput
from .presence import Presence

MOTION_S = 0.8
"""How long a velocity command outlives the last key [s]: longer than the 660 ms after which X11 repeats keys."""

PRESENCE_S = 15.0
"""How long a key counts as presence [s]. Long enough to look at the robot and not at the keyboard. Assumption."""

STEP_SHARE = 0.1
"""Change of the velocity command by one key, as a share of the largest."""

_REQUESTS = {
    "1": Request.STAND,
    "2": Request.WALK,
    "3": Request.SIT,
    "0": Request.PASSIVE,
    "r": Request.RELEASE,
}
_STEPS: Dict[str, Tuple[str, float]] = {
    "w": ("lin_vel_x_m_s", 1.0),
    "s": ("lin_vel_x_m_s", -1.0),
    "a": ("lin_vel_y_m_s", 1.0),
    "d": ("lin_vel_y_m_s", -1.0),
    "q": ("ang_vel_z_rad_s", 1.0),
    "e": ("ang_vel_z_rad_s", -1.0),
}

HELP = f"""Keys: space  STOP: damp at once, until r
      1 stand   2 walk   3 sit   0 passive   r release after a stop
      w/s faster forward/backward   a/d to the left/right   q/e turn left/right   x velocity zero
      any other key, Enter for example: go on as it is; hold it down to keep moving
Without a key for {MOTION_S:g} s the velocity becomes zero, for {PRESENCE_S:g} s the robot stops and stands.
Ctrl-C: end in order, as the checklist says; again: damp at once."""

_STOP, _ZERO, _ESCAPE = " ", "x", "\x1b"
_MOST_READS = 16  # of 1 KiB; a terminal of Linux keeps 4 KiB
_LONGEST = 32  # a slow link delivers some repeated keys at once


class KeyboardOperator(Operator):
    """Reads keys from a terminal, whose settings it gives back whatever happens but for kill -9.

    Keys are read without waiting by whoever calls :meth:`read`, so that no key of a stop waits for another thread.
    While it is open the terminal echoes nothing, and the keys that suspend, quit or freeze a terminal, and with it the
    control loop in the middle of a step, are ordinary keys. Ctrl-C remains.

    What comes at once and is longer than keys are, or begins with Escape as function keys do, counts as a sign of
    presence only, so that no digit in it makes a robot stand up; a space in it stops all the same.

    Of the keys that were typed before the first reading, or before one after a pause, nothing but a space is obeyed.
    After a pause the terminal's settings are made anew, since a shell may have had it meanwhile; in its background no
    key is read, which would stop the process.

    Args:
        command_names: Components of the velocity command, in the contract's order.
        largest_command: Largest absolute value of each, that of the stage.
        time_s: The control loop's clock now [s].
        descriptor: The terminal; the standard input by default.

    Raises:
        SurefootError: If it is no terminal, or this process is in its background.
    """

    def __init__(
        self,
        command_names: Sequence[str],
        largest_command: Sequence[float],
        *,
        time_s: float,
        descriptor: Optional[int] = None,
    ) -> None:
        self._descriptor = sys.stdin.fileno() if descriptor is None else descriptor
        self._axes = {name: i for i, name in enumerate(command_names)}
        self._largest = np.array(largest_command, dtype=np.float64)
        self._presence = Presence(time_s, motion_s=MOTION_S, presence_s=PRESENCE_S)
        self._velocity = np.zeros(len(self._largest))
        self._requests: List[Request] = []
        self._stop = False
        self._before: Optional[List[Any]] = None
        _require_foreground(self._descriptor)
        before = termios.tcgetattr(self._descriptor)
        self._settings = _without_lines(before, self._descriptor)
        # Without waiting for what is still to be shown: a terminal that stands still would wait for ever.
        termios.tcsetattr(self._descriptor, termios.TCSANOW, self._settings)
        self._before = before
        self._away = False
        self._poll = select.poll()
        self._poll.register(self._descriptor, select.POLLIN)

    def read(self, time_s: float) -> OperatorInput:
        """Return what the keys until now want."""
        resumed = self._presence.resumed(time_s)
        if resumed or self._away:
            self._resume()
        keys = self._keys()
        if resumed:
            keys += "".join(itertools.islice(iter(self._keys, ""), _MOST_READS))  # one read may not find all
            self._stop = self._stop or _STOP in keys
            self._requests.clear()
            self._velocity = np.zeros(len(self._largest))
        elif keys:
            self._presence.seen(time_s)
            no_keys = _ESCAPE in keys or len(keys) > _LONGEST
            for key in keys:
                if not no_keys or key == _STOP:
                    self._press(key)
        if not self._presence.may_move(time_s) and self._velocity.any():
            self._velocity = np.zeros(len(self._largest))
        request = self._requests.pop(0) if self._requests else Request.KEEP
        return OperatorInput(
            velocity_command=self._velocity.copy(),
            request=request,
            stop=self._stop,
            release=request is Request.RELEASE,
            heartbeat_s=self._presence.heartbeat_s(time_s),
        )

    def close(self) -> None:
        """Give the terminal back as it was. Harmless when done again."""
        before, self._before = self._before, None
        if before is not None:
            with suppress(termios.error, OSError):  # the terminal may be gone
                termios.tcsetattr(self._descriptor, termios.TCSANOW, before)

    def _resume(self) -> None:
        """Take the terminal again after a pause, if it is there and this process is in its foreground."""
        if self._before is None:
            return
        self._away = _in_background(self._descriptor)
        if not self._away:
            with suppress(termios.error, OSError):  # it may be gone: reading finds that out
                termios.tcsetattr(self._descriptor, termios.TCSANOW, self._settings)

    def _keys(self) -> str:
        if self._before is None or self._away:
            return ""
        try:
            events = self._poll.poll(0)
            data = os.read(self._descriptor, 1024) if events else b""
        except OSError:
            events, data = [(self._descriptor, select.POLLHUP)], b""
        if events and not data and events[0][1] & ~select.POLLIN:  # hung up
            self._presence.gone()
            self._velocity = np.zeros(len(self._largest))
            with suppress(KeyError, OSError, ValueError):
                self._poll.unregister(self._descriptor)
        return data.decode("latin-1")

    def _press(self, key: str) -> None:
        if key == _STOP:
            self._stop = True
            self._requests.clear()
            self._velocity = np.zeros(len(self._largest))
        elif key in _REQUESTS:
            request = _REQUESTS[key]
            self._stop = self._stop and request is not Request.RELEASE
            self._requests.append(request)
        elif key == _ZERO:
            self._velocity = np.zeros(len(self._largest))
        elif key in _STEPS and _STEPS[key][0] in self._axes:
            name, sign = _STEPS[key]
            i = self._axes[name]
            step = STEP_SHARE * self._largest[i]
            moved = np.clip(self._velocity[i] + sign * step, -self._largest[i], self._largest[i])
            self._velocity[i] = 0.0 if abs(moved) < 0.5 * step else moved  # no rest of rounding


def _require_foreground(descriptor: int) -> None:
    if not os.isatty(descriptor):
        raise SurefootError(
            "The standard input is no terminal, so nobody can press a key. Run this in a terminal (ssh -t), or take "
            "--operator joystick or script:FILE."
        )
    if _in_background(descriptor):
        raise SurefootError("This process is in the background of its terminal. Start it in the foreground.")


def _in_background(descriptor: int) -> bool:
    try:
        return os.tcgetpgrp(descriptor) != os.getpgrp()
    except OSError:  # a terminal that is not the controlling one has no foreground
        return False


def _without_lines(attributes: List[Any], descriptor: int) -> List[Any]:
    """Return a terminal's settings in which keys come at once and unseen, and only Ctrl-C is a signal."""
    changed: List[Any] = [list(item) if isinstance(item, list) else item for item in attributes]
    changed[0] &= ~(termios.IXON | termios.ICRNL)  # input: no Ctrl-S, Enter as it is
    changed[3] &= ~(termios.ICANON | termios.ECHO)
    disabled = bytes([os.fpathconf(descriptor, "PC_VDISABLE")])
    for name in ("VSUSP", "VQUIT", "VLNEXT"):
        changed[6][getattr(termios, name)] = disabled
    changed[6][termios.VMIN], changed[6][termios.VTIME] = 0, 0
    return changed
