"""The control loop's side of a log: copies a tick into shared memory and goes on, whatever the disk does."""

import contextlib
import math
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Dict, Literal, Optional, Tuple, Union

import numpy as np

from surefoot_bridge.errors import SurefootError
from surefoot_bridge.state import JointCommand, RobotState

from .packing import MODE, SAFETY, TickPacking, pack_text
from .ring import CLOSED, DISK_FULL, FAILED, STARTING, WRITING, Ring

State = Literal["writing", "closed", "disk_full", "failed", "died"]

FOR_EVENTS = 64
"""Slots of the queue that ticks leave free: when it is full, events are what matters."""

_STATES: Dict[int, State] = {
    STARTING: "writing",
    WRITING: "writing",
    CLOSED: "closed",
    DISK_FULL: "disk_full",
    FAILED: "failed",
}


@dataclass(frozen=True)
class LogStatus:
    """How a log is doing.

    Attributes:
        state: ``writing``; ``closed`` by :meth:`LogWriter.close`; stopped because the disk is ``disk_full``; ``failed``
            for another reason; or its process ``died``.
        reason: Why, for a person; empty while it is written.
        queued: Entries that wait for the writer.
        dropped: Entries that found the queue full, and are missing.
        written_messages: Messages that are safe on the disk.
        written_bytes: Bytes that are safe on the disk.
    """

    state: State
    reason: str
    queued: int
    dropped: int
    written_messages: int
    written_bytes: int


class LogWriter:
    """A log that is being written; :func:`~surefoot_bridge.log.open_log` makes it.

    ``write``, ``event`` and ``mode`` are for one thread, the control loop's. They never wait, and say by their result
    whether the entry was taken; that it was not is no reason to stop a robot.
    """

    def __init__(self, folder: Path, ring: Ring, packing: TickPacking, process: "subprocess.Popen[bytes]") -> None:
        self.folder = folder
        self._ring = ring
        self._packing = packing
        self._process = process
        self._utc_offset_ns: Optional[int] = None
        self._stop_told = False

    def write(
        self,
        time_s: float,
        *,
        state: Optional[RobotState] = None,
        command: Optional[np.ndarray] = None,
        observation: Optional[np.ndarray] = None,
        action: Optional[np.ndarray] = None,
        joint_command: Optional[JointCommand] = None,
        lateness_s: Optional[float] = None,
        phase_s: Optional[np.ndarray] = None,
    ) -> bool:
        """Log one tick: whatever is given. Arrays are copied before it returns.

        Args:
            time_s: Clock of the control loop at the start of the tick [s].
            state: The robot's report, of batch shape ``()``.
            command: What the policy is asked to do, (num_components,); goes with ``observation``.
            observation: What the policy is shown, (observation_dim,), float32.
            action: What it answers, not clipped, (action_dim,), float32.
            joint_command: What the joints are told, of batch shape ``()``.
            lateness_s: Start of the tick minus when it was due [s]; goes with ``phase_s``.
            phase_s: Duration of each phase of the tick [s], (num_phases,).

        Returns:
            Whether it was taken. It was not when the queue is full, or when logging has stopped.

        Raises:
            SurefootError: If the time is not finite, half of a pair is missing, or an array has another shape than the
                contract says.
        """
        if not self._ring.accepting:
            return False
        row = self._ring.begin(keep_free=FOR_EVENTS)
        if row is None:
            return False
        kinds, length = self._packing.pack(
            row,
            state=state,
            command=command,
            observation=observation,
            action=action,
            joint_command=joint_command,
            lateness_s=lateness_s,
            phase_s=phase_s,
        )
        self._ring.commit(kinds, length, self._offset(time_s), time_s)
        return True

    def event(
        self,
        time_s: float,
        name: str,
        message: str,
        *,
        response: str = "none",
        component: str = "",
        value: float = math.nan,
        limit: float = math.nan,
    ) -> bool:
        """Log that something happened that matters for safety.

        Args:
            time_s: Clock of the control loop [s].
            name: The rule that began to act, or another kind of event, the same each time.
            message: One sentence for a person.
            response: What was done about it: a :class:`~surefoot_bridge.safety.Response` in lower case.
            component: The joint or axis that it is about.
            value: What was measured or asked.
            limit: What was allowed.

        Returns:
            Whether it was taken.
        """
        fields = {"response": response, "component": component, "value": float(value), "limit": float(limit)}
        return self._put(SAFETY, time_s, name=name, **fields, message=message)

    def mode(self, time_s: float, mode: str, *, previous: str = "", reason: str = "") -> bool:
        """Log that the state machine is in a mode from now on; say whether it was taken."""
        return self._put(MODE, time_s, mode=mode, previous=previous, reason=reason)

    @property
    def writer_pid(self) -> int:
        """The process that writes."""
        return self._process.pid

    def status(self) -> LogStatus:
        """Return how the log is doing. It costs a system call: once in a while, not each tick."""
        state, reason = self._state()
        ring = self._ring
        return LogStatus(state, reason, ring.queued, ring.dropped, ring.written_messages, ring.written_bytes)

    def take_stop(self) -> Optional[str]:
        """Return once why logging stopped by itself; None while it goes on, and when it was told already.

        The robot goes on without a log; whether it should is for the caller to decide. Costs what :meth:`status` does.
        """
        state, reason = self._state()
        if self._stop_told or state in ("writing", "closed"):
            return None
        self._stop_told = True
        return f"Logging to {self.folder} has stopped: {reason}. What was written until then is readable."

    def close(self, timeout_s: float = 10.0) -> LogStatus:
        """Bring everything to the disk and finish the files. It waits: for when the robot no longer moves.

        Args:
            timeout_s: How long it waits for a slow disk [s]; the writer goes on by itself after that.
        """
        self._ring.close()
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(timeout_s)
        return self.status()

    def __enter__(self) -> "LogWriter":
        return self

    def __exit__(self, *unused: object) -> None:
        self.close()

    def _put(self, kind: int, time_s: float, **message: Union[str, float]) -> bool:
        if not self._ring.accepting:
            return False
        row = self._ring.begin()
        if row is None:
            return False
        self._ring.commit(kind, pack_text(row, **message), self._offset(time_s), time_s)
        return True

    def _offset(self, time_s: float) -> int:
        if not math.isfinite(time_s):
            raise SurefootError(f"time_s is {time_s}; it must be the control loop's clock in seconds.")
        # Taken once: the loop's clock is steady, that of UTC may be set while the robot runs.
        if self._utc_offset_ns is None:
            self._utc_offset_ns = time.time_ns() - int(time_s * 1e9)
        return self._utc_offset_ns

    def _state(self) -> Tuple[State, str]:
        code = self._process.poll()
        state = self._ring.state
        if code is not None and state in (STARTING, WRITING):
            how = f"signal {-code}" if code < 0 else f"exit status {code}"
            return "died", f"its process ended with {how}"
        return _STATES[state], self._ring.reason
