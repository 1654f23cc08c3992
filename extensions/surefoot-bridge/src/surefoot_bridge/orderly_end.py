"""How a robot comes to rest when a run ends: it stops walking, stands, sits, and is passive."""

import math

from .machine_modes import Mode, Poses, Request

SETTLE_S = 1.0
"""How long a walking robot is asked for velocity 0 before it stands [s]: two steps. Assumption."""

_SPARE_S = 3.0  # on top of all motions: hand-overs, and holds that end


class OrderlyEnd:
    """The way from any mode to rest, one request at a time.

    Args:
        poses: How long the motions take.
        handover_s: How long a hand-over takes [s].
    """

    def __init__(self, poses: Poses, handover_s: float) -> None:
        self._stand_s, self._sit_s = poses.stand_s + handover_s, poses.sit_s + handover_s
        self._longest_s = SETTLE_S + self._stand_s + self._sit_s + _SPARE_S
        self._begun_s = self._since_s = math.nan
        self._mode = Mode.PASSIVE

    def step(self, mode: Mode, time_s: float) -> Request:
        """Return what to ask of the state machine.

        Args:
            mode: Its mode after the last tick.
            time_s: The loop's clock [s].
        """
        if math.isnan(self._begun_s):
            self._begun_s = self._since_s = time_s
            self._mode = mode
        elif mode != self._mode:
            self._since_s, self._mode = time_s, mode
        passed_s = time_s - self._since_s
        if mode == Mode.WALK and passed_s >= SETTLE_S:
            return Request.STAND
        if mode == Mode.STAND and passed_s >= self._stand_s:
            return Request.SIT
        if mode == Mode.SIT and passed_s >= self._sit_s:
            return Request.PASSIVE
        return Request.KEEP

    def done(self, mode: Mode) -> bool:
        """Return whether the robot rests, or is damped."""
        return mode in (Mode.PASSIVE, Mode.DAMPED)

    def too_long(self, time_s: float) -> bool:
        """Return whether it has taken longer than all motions take: something holds the robot."""
        return time_s - self._begun_s > self._longest_s
