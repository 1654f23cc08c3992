"""The remote of Unitree's robots, as their reports carry it (``wireless_remote``, 40 bytes).

The layout is that of ``xRockerBtnDataStruct`` in the ``gamepad.hpp`` of unitree_sdk2's examples, little-endian: two
bytes of head, 16 bits of keys, then float32 ``lx``, ``rx``, ``ry``, ``L2``, ``ly``, the sticks in [-1, 1] with right
and forward positive. The firmware's own stops (L2+B damps) belong to its controllers, which are off while a bridge
commands: so the bridge itself must obey them.
"""

import struct
from typing import NamedTuple, Sequence, Tuple

from surefoot_bridge.robots.remote_control import RemoteControl
from surefoot_bridge.state import Request

KEYS = ("R1", "L1", "start", "select", "R2", "L2", "F1", "F2", "A", "B", "X", "Y", "up", "right", "down", "left")
"""Keys, from bit 0 on."""

REMOTE_BYTES = 40
STICKS = ("lx", "rx", "ry", "ly")
STOP = "L2+B or select"
"""The keys that stop a robot: L2+B as in Unitree's programs, and select alone."""

_LAYOUT = struct.Struct("<2xH5f16x")
_BITS = {name: 1 << bit for bit, name in enumerate(KEYS)}
_SELECT, _L2_AND_B = _BITS["select"], _BITS["L2"] | _BITS["B"]


class Remote(NamedTuple):
    """What a remote says.

    Attributes:
        keys: Which keys are held, as bits of :data:`KEYS`.
        lx: Left stick to the right, in [-1, 1].
        rx: Right stick to the right, in [-1, 1].
        ry: Right stick forward, in [-1, 1].
        l2: The trigger L2, in [0, 1].
        ly: Left stick forward, in [-1, 1].
    """

    keys: int
    lx: float
    rx: float
    ry: float
    l2: float
    ly: float

    def holds(self, name: str) -> bool:
        """Return whether a key is held."""
        return bool(self.keys & _BITS[name])

    @property
    def sticks(self) -> Tuple[float, ...]:
        """Where both sticks and the trigger are: ``lx``, ``rx``, ``ry``, ``L2``, ``ly``."""
        return self[1:]

    @property
    def stops(self) -> bool:
        """Whether :data:`STOP` is held."""
        return bool(self.keys & _SELECT) or self.keys & _L2_AND_B == _L2_AND_B


def remote_of(data: bytes) -> Remote:
    """Return what the 40 bytes of a report say; sticks that are not finite are at rest."""
    keys, *sticks = _LAYOUT.unpack(data)
    return Remote(keys, *(min(max(value, -1.0), 1.0) if value == value else 0.0 for value in sticks))


def remote_bytes(held: Sequence[str] = (), **sticks: float) -> bytes:
    """Return the 40 bytes of a remote.

    Args:
        held: Keys that are held.
        sticks: Where :data:`STICKS` are, in [-1, 1]; at rest by default.
    """
    keys = sum(_BITS[name] for name in set(held))
    lx, rx, ry, ly = (sticks.get(name, 0.0) for name in STICKS)
    return _LAYOUT.pack(keys, lx, rx, ry, float("L2" in held), ly)


REMOTE = RemoteControl(
    read=remote_of,
    stop=STOP,
    try_stop=(
        "select on the robot's remote now, to try its stop (not L2+B: its own controller, where that is still on, "
        "obeys it and lets the robot drop)"
    ),
    dead_man="L1",
    requests={
        "A": Request.STAND,
        "X": Request.WALK,
        "Y": Request.SIT,
        "down": Request.PASSIVE,
        "start": Request.RELEASE,
    },
    axes={"lin_vel_x_m_s": (4, 1.0), "lin_vel_y_m_s": (0, -1.0), "ang_vel_z_rad_s": (1, -1.0)},  # ly, lx, rx
    sticks="left stick walk, right stick turn",
)
"""The remote, as the bridge takes it."""
