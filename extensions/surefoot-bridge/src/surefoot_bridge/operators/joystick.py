"""An operator with a joystick, by the interface of Linux: ``Documentation/input/joydev/joystick-api.rst``.

A device file gives events of 8 bytes: time [ms] as u32, value as s16, type as u8 and number as u8; type 1 is a button,
2 an axis, and 0x80 is added while the first state is told. Nothing comes while nothing changes. What is made of silence
stands in :mod:`surefoot_bridge.operators.presence`: a wireless receiver stays when its joystick is out of reach.
"""

import errno
import fcntl
import os
import stat
import struct
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Dict, List, Mapping, Optional, Sequence, Tuple, Union

from surefoot_bridge.errors import SurefootError
from surefoot_bridge.state import Request

from .stick import MOTION_S, PRESENCE_S, StickOperator

_EVENT = struct.Struct("<IhBB")
_BUTTON, _AXIS, _INITIAL = 0x01, 0x02, 0x80
_FULL = 32767.0
_NAME_BYTES = 128
_JSIOCGNAME = 0x80006A13 | (_NAME_BYTES << 16)  # _IOC(_IOC_READ, 'j', 0x13, length)
_FOLDER = Path("/dev/input")


@dataclass(frozen=True)
class JoystickLayout:
    """What axes and buttons mean.

    The default is that of the kernel's ``xpad`` driver (Xbox pads, and most others in their XInput mode); a DualShock
    has its buttons 2 and 3 the other way round.

    Attributes:
        axes: For each component of the velocity command its axis, and the sign that makes forward and left positive.
        dead_man: Button that must be held for the robot to move, and to stand up or walk: LB.
        stop: Button that damps the robot at once: B.
        requests: Buttons with requests: A stand, X walk, Y sit, back passive, start release.
    """

    axes: Mapping[str, Tuple[int, float]]
    dead_man: int
    stop: int
    requests: Mapping[int, Request]


XPAD = JoystickLayout(
    axes={"lin_vel_x_m_s": (1, -1.0), "lin_vel_y_m_s": (0, -1.0), "ang_vel_z_rad_s": (3, -1.0)},
    dead_man=4,
    stop=1,
    requests={0: Request.STAND, 2: Request.WALK, 3: Request.SIT, 6: Request.PASSIVE, 7: Request.RELEASE},
)

HELP = f"""Joystick: B  STOP: damp at once, until start
          LB hold it to move; with it A stand, X walk; without it Y sit, back passive
          left stick walk, right stick turn
Without LB the velocity is zero. Without any event for {MOTION_S:g} s too; for {PRESENCE_S:g} s: it stops and stands.
Ctrl-C in the terminal: end in order, as the checklist says; again: damp at once."""


def joysticks() -> List[Path]:
    """Return the joysticks of this computer."""
    return sorted(_FOLDER.glob("js*")) if _FOLDER.is_dir() else []


class JoystickOperator(StickOperator):
    """Reads a joystick. When it is unplugged the heartbeat stops and the velocity is zero.

    Args:
        command_names: Components of the velocity command, in the contract's order.
        largest_command: What a stick at its end asks for, that of the stage.
        time_s: The control loop's clock now [s].
        device: Its device file; the first one by default.

    Raises:
        SurefootError: If there is none, or it cannot be opened; with those that there are.
    """

    def __init__(
        self,
        command_names: Sequence[str],
        largest_command: Sequence[float],
        *,
        time_s: float,
        device: Optional[Union[str, Path]] = None,
    ) -> None:
        missing = [name for name in command_names if name not in XPAD.axes]
        if missing:
            raise SurefootError(f"The joystick has no axis for {', '.join(missing)}; it has: {', '.join(XPAD.axes)}.")
        self._names = tuple(command_names)
        self._descriptor = _open(device)
        self.name = _name(self._descriptor)
        super().__init__(largest_command, time_s=time_s)
        self._axes: Dict[int, float] = {}
        self._held: Dict[int, bool] = {}
        self._left = b""

    def close(self) -> None:
        """Close the device. Harmless when done again."""
        descriptor, self._descriptor = self._descriptor, -1
        if descriptor >= 0:
            with suppress(OSError):
                os.close(descriptor)

    def _look(self, time_s: float, *, resumed: bool) -> None:
        for value, kind, number in self._events():
            if not kind & _INITIAL and not resumed:
                self._presence.seen(time_s)
            self._take(value, kind, number)

    def _events(self) -> List[Tuple[int, int, int]]:
        if self._descriptor < 0:
            return []
        try:
            data = os.read(self._descriptor, 64 * _EVENT.size)
        except BlockingIOError:
            return []
        except OSError:
            data = b""
        if not data:  # unplugged: it never comes back under this descriptor
            self._presence.gone()
            self._held.clear()
            self.close()
            return []
        data = self._left + data
        whole = len(data) - len(data) % _EVENT.size
        self._left = data[whole:]
        return [(value, kind, number) for _, value, kind, number in _EVENT.iter_unpack(data[:whole])]

    def _take(self, value: int, kind: int, number: int) -> None:
        if kind & ~_INITIAL == _AXIS:
            self._axes[number] = value / _FULL
        elif kind & ~_INITIAL == _BUTTON:
            self._held[number] = bool(value)
            if value and not kind & _INITIAL:  # what is held down when the device is opened was not meant for the robot
                self._press(number)

    def _press(self, button: int) -> None:
        if button == XPAD.stop:
            self._stop = True
            self._requests.clear()
        request = XPAD.requests.get(button)
        if request is not None:
            self._ask(request)

    def _holds_dead_man(self) -> bool:
        return self._held.get(XPAD.dead_man, False)

    def _shares(self) -> List[float]:
        places = (XPAD.axes[name] for name in self._names)
        return [sign * self._axes.get(axis, 0.0) for axis, sign in places]


def require_joystick(device: Optional[Union[str, Path]]) -> None:
    """Refuse a joystick that is not there, or cannot be opened; None for the first one."""
    os.close(_open(device))


def _open(device: Optional[Union[str, Path]]) -> int:
    present = joysticks()
    shown = ", ".join(f"{path} ({_name_of(path)})" for path in present) or "none"
    if device is None:
        if not present:
            raise SurefootError(
                f"There is no joystick: no {_FOLDER}/js*. Plug one in (`modprobe joydev` where the driver is "
                "missing), or take --operator keyboard."
            )
        device = present[0]
    try:
        descriptor = os.open(str(device), os.O_RDONLY | os.O_NONBLOCK)
    except OSError as error:
        remedy = " Join the group input, or run as root." if error.errno == errno.EACCES else ""
        raise SurefootError(
            f"The joystick {device} cannot be opened: {error.strerror}. There are: {shown}.{remedy}"
        ) from error
    if not (stat.S_ISCHR(os.fstat(descriptor).st_mode) or stat.S_ISFIFO(os.fstat(descriptor).st_mode)):
        os.close(descriptor)
        raise SurefootError(f"The joystick {device} is no device. There are: {shown}.")
    return descriptor


def _name_of(path: Path) -> str:
    try:
        descriptor = os.open(str(path), os.O_RDONLY | os.O_NONBLOCK)
    except OSError:
        return "not accessible"
    try:
        return _name(descriptor)
    finally:
        os.close(descriptor)


def _name(descriptor: int) -> str:
    name = bytearray(_NAME_BYTES)
    with suppress(OSError):
        fcntl.ioctl(descriptor, _JSIOCGNAME, name)
    return name.split(b"\0", 1)[0].decode("utf-8", "replace") or "unnamed"
