"""A robot's own remote as a transport describes it: how it is read, and what its keys and sticks mean to the bridge."""

from dataclasses import dataclass
from typing import Callable, Mapping, Protocol, Tuple

from surefoot_bridge.state import Request


class RemoteState(Protocol):
    """What a remote says at one time."""

    @property
    def keys(self) -> int:
        """Which keys are held, a number that changes with any of them."""
        ...

    @property
    def sticks(self) -> Tuple[float, ...]:
        """Where sticks and triggers are, in [-1, 1]."""
        ...

    @property
    def stops(self) -> bool:
        """Whether the robot is to stop."""
        ...

    def holds(self, name: str) -> bool:
        """Return whether a key is held."""
        ...


@dataclass(frozen=True)
class RemoteControl:
    """A kind of remote.

    Attributes:
        read: Makes a state of the bytes that the robot's reports carry.
        stop: The keys that stop the robot, for a person.
        try_stop: What a person presses to try the stop, and which keys are left alone because the robot itself obeys
            them.
        dead_man: Key that must be held for the robot to move, and to stand up or walk.
        requests: What each key asks for. Every request but ``KEEP`` has a key.
        axes: For each component of the velocity command its place in :attr:`RemoteState.sticks`, and the sign by which
            forward and left are positive.
        sticks: What the sticks do, for a person.
    """

    read: Callable[[bytes], RemoteState]
    stop: str
    try_stop: str
    dead_man: str
    requests: Mapping[str, Request]
    axes: Mapping[str, Tuple[int, float]]
    sticks: str

    def key_of(self, request: Request) -> str:
        """Return the key that asks for something."""
        return next(key for key, asked in self.requests.items() if asked is request)
