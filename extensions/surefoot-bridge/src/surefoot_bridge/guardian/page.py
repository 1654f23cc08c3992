"""The page of memory that a control loop and its guardian share, and the order with which the guardian starts.

Each word of it is written by one side only, so that no lock is needed.
"""

import mmap
import os
from dataclasses import dataclass
from typing import Any, Dict

STARTING, WATCHING, DAMPING, ENDED, FAILED = range(5)
"""What the guardian is doing."""

STATE, BEATS, ENDING, RELEASED, LOOKS, SHOWN = range(6)
"""Words: what the guardian is doing, beats of the loop, whether the loop ends in order and only damps from now on,
whether it has ended, looks of the guardian, whether the robot's reports show that it is damped."""

_WORDS = 8
_TEXT_BYTES = 1024
_BYTES = _WORDS * 8 + 2 * _TEXT_BYTES


@dataclass(frozen=True)
class Order:
    """The order with which the guardian starts.

    Attributes:
        descriptor: Of the shared page.
        parent: Process of the control loop.
        robot: Name of the robot.
        interface: Network interface.
        domain: Which network of that interface.
        timeout_s: How long the beats may stay away [s].
        transport: The robot's transport, ``module:object``: it is imported by that, and nothing else is looked for.
        command: What the transport's damper must know besides, from :meth:`~.transport.NetworkRobot.guardian_command`.
        lock_descriptor: Of the robot's lock, which it holds as well; negative for none.
    """

    descriptor: int
    parent: int
    robot: str
    interface: str
    domain: int
    timeout_s: float
    transport: str
    command: Dict[str, Any]
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
        return self._text(0)

    @property
    def finding(self) -> str:
        """What the robot's reports say of its damping, for a person; empty while nobody has looked."""
        return self._text(1)

    def set_state(self, state: int, reason: str = "") -> None:
        """Say what the guardian is doing, and why."""
        self._set_text(0, reason)
        self.words[STATE] = state

    def set_finding(self, shown: bool, finding: str) -> None:
        """Say whether the robot's reports show that it is damped, and what they say."""
        self._set_text(1, finding)
        self.words[SHOWN] = shown

    @property
    def beats(self) -> int:
        """Beats of the loop so far."""
        return self.words[BEATS]

    @property
    def ending(self) -> bool:
        """Whether the loop ends in order: it damps the robot from now on, and nothing else."""
        return bool(self.words[ENDING])

    @property
    def released(self) -> bool:
        """Whether the loop has ended in order."""
        return bool(self.words[RELEASED])

    @property
    def shown(self) -> bool:
        """Whether the robot's reports show that it is damped."""
        return bool(self.words[SHOWN])

    def look(self) -> None:
        """Count that the guardian has looked."""
        self.words[LOOKS] += 1

    def _text(self, place: int) -> str:
        return bytes(self._view[self._span(place)]).rstrip(b"\0").decode("utf-8", "replace")

    def _set_text(self, place: int, text: str) -> None:
        self._view[self._span(place)] = text.encode()[:_TEXT_BYTES].ljust(_TEXT_BYTES, b"\0")

    @staticmethod
    def _span(place: int) -> slice:
        begin = _WORDS * 8 + place * _TEXT_BYTES
        return slice(begin, begin + _TEXT_BYTES)
