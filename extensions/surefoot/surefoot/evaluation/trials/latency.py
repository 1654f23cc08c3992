"""Commands that reach the motors late."""

from __future__ import annotations

import math

import numpy as np

from surefoot_bridge.errors import SurefootError
from surefoot_bridge.state import JointCommand, flat, joint_command

_ROUNDING = 1e-6  # 0.02 s are ten ticks of 0.002 s, not eleven


class CommandLatency:
    """Hands on the commands of N robots after a time of each one's own.

    In force is the newest command that is at least as old as the latency; whole ticks are what an engine takes, so a
    latency between two ticks counts as the longer one. All parts of a command are delayed alike.

    Args:
        latency_s: Latency of each robot [s], (N,).
        tick_s: Time between two commands [s].
        first: What the joints were told before the first command, and for long.

    Raises:
        SurefootError: If a latency is negative or no number.
    """

    def __init__(self, latency_s: np.ndarray, tick_s: float, first: JointCommand) -> None:
        latency_s = np.asarray(latency_s, dtype=np.float64)
        if not (np.isfinite(latency_s) & (latency_s >= 0.0)).all():
            raise SurefootError(f"Command latencies of {latency_s.tolist()} s; each must be a number >= 0.")
        self._late = np.array([math.ceil(late / tick_s - _ROUNDING) for late in latency_s.tolist()], dtype=np.int64)
        self._depth = int(self._late.max(initial=0)) + 1
        self._rows = np.arange(len(latency_s))
        self._ring = np.repeat(flat(first)[None], self._depth, axis=0) if self._depth > 1 else None
        self._head = 0

    def __call__(self, command: JointCommand) -> JointCommand:
        """Return what reaches the motors in the tick in which a command is given.

        Args:
            command: The command, (N, num_joints) each.
        """
        if self._ring is None:
            return command
        self._head = (self._head + 1) % self._depth
        self._ring[self._head] = flat(command)
        return joint_command(self._ring[(self._head - self._late) % self._depth, self._rows])
