"""The page of memory that a control loop and its guardian share, and what the guardian is told when it starts.

Each word of it is written by one side only, so that no lock is needed.
"""

import mmap
import os
from dataclasses import dataclass

STARTING, WATCHING, DAMPING, ENDED, FAILED = range(5)
"""What the guardian is doing."""

STATE, BEATS, RELEASED, LOOKS = range(4)
"""Words: what the guardian is doing, beats of the loop, whether it ended in order, looks of the guardian."""

_WORDS = 8
_TEXT_BYTES = 1024
_BYTES = _WORDS * 8 + _TEXT_BYTES


@dataclass(frozen=True)
class Order:
    """What the guardian is told when it starts.

    Attributes:
        descriptor: Of the shared page.
        parent: Process of the control loop.
        robot: Name of the robot.
        interface: Network interface.
        domain: DDS domain.
        timeout_s: How long the beats may stay away [s].
        mode_machine: What a G1 calls its kind.
        lock_descriptor: Of the robot's lock, which it holds as well; negative for none.
    """

    descriptor: int
    parent: int
    robot: str
    interface: str
    domain: int
    timeout_s: float
    mode_machine: int
    lock_descriptor: int


class Page:
    """The page that both share. Each word is written by one side only.

    Args:
        descriptor: Of the shared file.
        begin: Whether it is new.
    """

    def __init__(self, descriptor: int, *, begin: bool = False) -> None:
        if begin:
            os.ftruncate(descriptor, _BYTES)
        self._memory = mmap.mmap(descriptor, _BYTES)
        self._view = memoryview(self._memory)
        self.words = self._view[: _WORDS * 8].cast("q")

    @property
    def reason(self) -> str:
        """Why the guardian does what it does, for a person."""
        return bytes(self._view[_WORDS * 8 :]).rstrip(b"\0").decode("utf-8", "replace")

    def set_state(self, state: int, reason: str = "") -> None:
        """Say what the guardian is doing, and why."""
        self._view[_WORDS * 8 :] = reason.encode()[:_TEXT_BYTES].ljust(_TEXT_BYTES, b"\0")
        self.words[STATE] = state

    @property
    def beats(self) -> int:
        """Beats of the loop so far."""
        return self.words[BEATS]

    @property
    def released(self) -> bool:
        """Whether the loop has ended in order."""
        return bool(self.words[RELEASED])

    def look(self) -> None:
        """Count that the guardian has looked."""
        self.words[LOOKS] += 1
