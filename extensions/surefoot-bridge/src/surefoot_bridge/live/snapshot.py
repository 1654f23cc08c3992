"""The memory that the control loop and the process of its panel share: one snapshot, written over and over.

The loop alone writes it. A reader takes it when its CRC-32 fits, and looks again otherwise: no lock, nobody waits.
"""

import mmap
import os
import struct
import zlib
from typing import NamedTuple, Optional, Sequence, Tuple

_HEAD = struct.Struct("@qqq")  # number of the snapshot, its CRC-32, whether the loop has ended
_SINGLE = 14


class Snapshot(NamedTuple):
    """What is known of a tick.

    Attributes:
        time_s: The loop's clock [s].
        left_s: Time left to the run [s].
        mode: Code of the mode.
        mode_s: For how long it has been on [s].
        rule: Place of the gravest rule that acts; negative for none.
        rule_s: For how long that has been so [s].
        response: Code of the response.
        report_age_s: Age of the robot's report [s].
        robot_time_s: When it was measured, on the robot's clock [s].
        sequence: Its number.
        battery_share: Charge of the battery, in [0, 1].
        motor: Place of the hottest motor.
        temperature_c: Its temperature [degrees Celsius].
        turn_rad_s: Measured angular velocity about the IMU's vertical axis [rad/s].
        command: Velocity command, (num_components,).
    """

    time_s: float
    left_s: float
    mode: int
    mode_s: float
    rule: int
    rule_s: float
    response: int
    report_age_s: float
    robot_time_s: float
    sequence: float
    battery_share: float
    motor: int
    temperature_c: float
    turn_rad_s: float
    command: Tuple[float, ...]


class SharedSnapshot:
    """The memory.

    Args:
        descriptor: Of the shared file.
        num_components: Number of components of the velocity command.
        begin: Whether it is new.
    """

    def __init__(self, descriptor: int, num_components: int, *, begin: bool = False) -> None:
        self._numbers = struct.Struct(f"@{_SINGLE + num_components}d")
        size = _HEAD.size + self._numbers.size
        if begin:
            os.ftruncate(descriptor, size)
        self._memory = mmap.mmap(descriptor, size)
        self._view = memoryview(self._memory)
        self._words = self._view[: _HEAD.size].cast("q")
        self._content = self._view[_HEAD.size :]

    def store(self, single: Sequence[float], command: Sequence[float]) -> None:
        """Store a snapshot: its single values in their order, and the command."""
        self._numbers.pack_into(self._content, 0, *single, *command)
        self._words[1] = zlib.crc32(self._content)
        self._words[0] += 1

    def take(self) -> Tuple[int, Optional[Snapshot]]:
        """Return the number of the newest snapshot, and itself; None where there is none that is whole."""
        number, content = self._words[0], bytes(self._content)
        if not number or zlib.crc32(content) != self._words[1]:
            return number, None
        values = self._numbers.unpack(content)
        named = Snapshot(*values[:_SINGLE], command=values[_SINGLE:])
        whole = {name: int(getattr(named, name)) for name in ("mode", "rule", "response", "motor")}
        return number, named._replace(**whole)

    @property
    def ended(self) -> bool:
        """Whether the loop has ended, in whatever way."""
        return bool(self._words[2])

    def end(self) -> None:
        """Say that the loop has ended."""
        self._words[2] = 1
