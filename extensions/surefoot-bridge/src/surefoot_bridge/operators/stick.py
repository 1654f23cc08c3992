"""An operator with sticks and a dead-man's key: what a joystick and a robot's own remote have in common.

What is made of silence stands in :mod:`surefoot_bridge.operators.presence`.
"""

from abc import abstractmethod
from typing import List, Sequence

import numpy as np

from surefoot_bridge.state import Request

from .operator import Operator, OperatorInput
from .presence import Presence

MOTION_S = 3.0
"""How long a velocity command outlives the last sign [s]. A stick that is held by hand never rests; one that is pushed
to its end may. Assumption."""

PRESENCE_S = 15.0
"""How long a sign counts as presence [s], as for keys. Assumption."""

DEAD_ZONE = 0.05
"""Share of a stick's way around its middle that counts as the middle. Assumption."""

_NEED_DEAD_MAN = (Request.STAND, Request.WALK)


class StickOperator(Operator):
    """Moves the robot while the dead-man's key is held, as far as the sticks are pushed.

    Args:
        largest_command: What a stick at its end asks for, in the contract's order of components.
        time_s: The control loop's clock now [s].
    """

    def __init__(self, largest_command: Sequence[float], *, time_s: float) -> None:
        self._largest = np.array(largest_command, dtype=np.float64)
        self._presence = Presence(time_s, motion_s=MOTION_S, presence_s=PRESENCE_S)
        self._requests: List[Request] = []
        self._stop = False

    def read(self, time_s: float) -> OperatorInput:
        """Return what the person at the sticks wants at a time."""
        resumed = self._presence.resumed(time_s)
        self._look(time_s, resumed=resumed)
        if resumed:  # what was pressed before is not meant for the robot as it is now, but for a stop
            self._requests.clear()
        request = self._requests.pop(0) if self._requests else Request.KEEP
        moves = self._holds_dead_man() and self._presence.may_move(time_s)
        return OperatorInput(
            velocity_command=self._wanted() if moves else np.zeros(len(self._largest)),
            request=request,
            stop=self._stop,
            release=request is Request.RELEASE,
            heartbeat_s=self._presence.heartbeat_s(time_s),
        )

    def _ask(self, request: Request) -> None:
        """Take a request, but for one that needs the dead-man's key while that is not held."""
        if request in _NEED_DEAD_MAN and not self._holds_dead_man():
            return
        self._stop = self._stop and request is not Request.RELEASE
        self._requests.append(request)

    def _wanted(self) -> np.ndarray:
        shares = np.array(self._shares())
        beyond = np.clip((np.abs(shares) - DEAD_ZONE) / (1.0 - DEAD_ZONE), 0.0, 1.0)
        return np.copysign(beyond, shares) * self._largest

    @abstractmethod
    def _look(self, time_s: float, *, resumed: bool) -> None:
        """Take what keys and sticks did since the last look: signs, requests and stops.

        Args:
            time_s: The control loop's clock [s].
            resumed: Whether this is the first look, or the first after a pause.
        """

    @abstractmethod
    def _holds_dead_man(self) -> bool:
        """Return whether the dead-man's key is held."""

    @abstractmethod
    def _shares(self) -> List[float]:
        """Return how far each component's stick is pushed, in [-1, 1], positive for forward and left."""
