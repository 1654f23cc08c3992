"""A process beside the control loop that damps the robot when the loop's heartbeat stops: killed, hung or swapped out.

The two share a page of memory. The loop counts its beats there; the guardian, a process of its own with its own place
on the robot's network, looks every two milliseconds. It takes over when the count has stood still for a time, or the
loop's process is gone, and from then on damps the robot at its low-level rate until somebody ends it. A loop that wakes
up again learns of it at its next beat, which is where it must stop sending: the beat belongs directly before the write.
"""

import contextlib
import json
import os
import re
import signal
import subprocess
import sys
import time
from abc import ABC, abstractmethod
from dataclasses import asdict
from pathlib import Path
from typing import Optional

from .errors import SurefootError
from .guardian_page import BEATS, DAMPING, LOOKS, RELEASED, STARTING, STATE, WATCHING, Order, Page
from .log.ring import shared_file
from .unitree.address import RobotAddress
from .unitree.lock import RobotLock, lock_path

_START_TIMEOUT_S = 15.0
_END_TIMEOUT_S = 5.0
_POLL_S = 0.005
_BEATS_BETWEEN_LOOKS = 250  # after which the loop sees whether the guardian is still there: half a second at 500 Hz
_SILENT_S = 2.0

GUARDIAN_NOTE = "guardian {pid} of the bridge {parent}, which is gone or hangs; it damps the robot"
"""What stands in the robot's lock while a guardian damps."""

_NOTE_PATTERN = re.compile(r"guardian (\d+) of the bridge ")


class GuardianTookOverError(SurefootError):
    """The guardian damps the robot: the loop must send nothing more."""


class Heartbeat(ABC):
    """What a control loop tells that it is alive."""

    @abstractmethod
    def beat(self, time_s: float) -> None:
        """Say that the loop is alive, directly before it commands the robot.

        Args:
            time_s: The control loop's clock [s].

        Raises:
            GuardianTookOverError: If the robot has been taken from the loop. It must send nothing more.
            SurefootError: If nobody listens any more. The loop must end.
        """

    @abstractmethod
    def release(self) -> None:
        """Say that the loop ends in order, its robot safe. Harmless when said again."""


class Guardian(Heartbeat):
    """A guardian that watches; :func:`start_guardian` starts it."""

    def __init__(self, page: Page, process: "subprocess.Popen[bytes]", address: RobotAddress) -> None:
        self._page, self._process, self._address = page, process, address
        self._words = page.words
        self._looks, self._looked_s = 0, time.monotonic()
        self._released = False

    def beat(self, time_s: float) -> None:  # noqa: ARG002  (it counts on its own clock: the loop's may stand still)
        """Say that the loop is alive, directly before it commands the robot.

        Raises:
            GuardianTookOverError: If the guardian damps the robot.
            SurefootError: If the guardian is gone or stands still.
        """
        words = self._words
        if words[STATE] != WATCHING:
            raise GuardianTookOverError(
                f"The guardian damps {self._address}: {self._page.reason or 'it has ended'}. See to the robot, then "
                f"end the guardian with `kill {self._process.pid}` and start anew."
            )
        beats = words[BEATS] = words[BEATS] + 1
        if beats % _BEATS_BETWEEN_LOOKS == 0:
            self._require_guardian()

    @property
    def pid(self) -> int:
        """The guardian's process."""
        return self._process.pid

    @property
    def damping(self) -> bool:
        """Whether it has taken over."""
        return self._words[STATE] == DAMPING

    def release(self) -> None:
        """End the guardian in order: the robot is safe. A guardian that damps goes on. Harmless when said again."""
        if self._released:
            return
        self._released = True
        self._words[RELEASED] = 1
        if not self.damping:
            with contextlib.suppress(subprocess.TimeoutExpired):
                self._process.wait(_END_TIMEOUT_S)

    def end(self) -> None:
        """End the guardian even if it damps; for when somebody has seen to the robot."""
        self._released = True
        self._process.terminate()
        self._process.wait(_END_TIMEOUT_S)

    def _require_guardian(self) -> None:
        now, looks = time.monotonic(), self._words[LOOKS]
        if looks != self._looks:
            self._looks, self._looked_s = looks, now
        code = self._process.poll()
        if code is not None or now - self._looked_s > _SILENT_S:
            how = "stands still" if code is None else f"has ended with status {code}"
            raise SurefootError(
                f"The guardian of {self._address} (process {self.pid}) {how}; the robot must not go on."
            )


def start_guardian(
    address: RobotAddress,
    *,
    timeout_s: float,
    lock: Optional[RobotLock] = None,
    mode_machine: int = 0,
) -> Guardian:
    """Start a guardian. It begins to watch at the first beat; a loop that never beat has commanded nothing.

    Args:
        address: Where the robot is.
        timeout_s: How long the beats may stay away until it damps [s]. It must bridge what a working loop is late now
            and then; 0.1 s is how long the safety layer itself lets a robot be without new reports.
        lock: The robot's lock. The guardian holds it too, so that nobody else commands a robot that it damps.
        mode_machine: What a G1 calls its kind in its reports; the other robots do without.

    Raises:
        SurefootError: If it cannot reach the robot's network.
    """
    if not timeout_s > 0.0:
        raise SurefootError(f"timeout_s is {timeout_s}; it must be > 0.")
    descriptor = shared_file()
    try:
        page = Page(descriptor, begin=True)
        order = Order(
            descriptor=descriptor,
            parent=os.getpid(),
            robot=address.robot,
            interface=address.interface,
            domain=address.domain,
            timeout_s=timeout_s,
            mode_machine=mode_machine,
            lock_descriptor=-1 if lock is None else lock.descriptor,
        )
        process = _start(order)
    finally:
        os.close(descriptor)  # the memory stays mapped
    until = time.monotonic() + _START_TIMEOUT_S
    while page.words[STATE] == STARTING and process.poll() is None and time.monotonic() < until:
        time.sleep(_POLL_S)
    if page.words[STATE] == WATCHING:
        return Guardian(page, process, address)
    reason = page.reason or f"it did not begin within {_START_TIMEOUT_S:.0f} s; what it said is above"
    process.kill()
    process.wait()
    raise SurefootError(f"There is no guardian for {address}: {reason.rstrip('.')}.")


def end_guardian(address: RobotAddress, *, folder: Optional[Path] = None) -> Optional[int]:
    """End a guardian that an earlier bridge has left and that damps a robot; for when somebody has seen to the robot.

    Args:
        address: Where the robot is.
        folder: Where lock files are; that of the system by default.

    Returns:
        Its process, None where none damps this robot.
    """
    path = lock_path(address, purpose="bridge", folder=folder)
    try:
        found = _NOTE_PATTERN.match(path.read_text())
        if found is None:
            return None
        pid = int(found.group(1))
        os.kill(pid, signal.SIGTERM)
    except (OSError, ValueError):  # no lock, or its holder is gone
        return None
    until = time.monotonic() + _END_TIMEOUT_S
    while not _is_free(address, folder):
        if time.monotonic() > until:
            raise SurefootError(f"The guardian of {address} (process {pid}) does not end. End it: kill -9 {pid}.")
        time.sleep(_POLL_S)
    return pid


def _is_free(address: RobotAddress, folder: Optional[Path]) -> bool:
    try:
        RobotLock(address, folder=folder).release()
    except SurefootError:
        return False
    return True


def _start(order: Order) -> "subprocess.Popen[bytes]":
    # The same interpreter with the same path, and nothing of the program that called: that is not imported again.
    code = f"import sys; sys.path[:] = {sys.path!r}; from surefoot_bridge.guardian_process import main; main()"
    descriptors = [order.descriptor] + ([order.lock_descriptor] if order.lock_descriptor >= 0 else [])
    process = subprocess.Popen(
        [sys.executable, "-c", code],
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        env={**os.environ, "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"},
        pass_fds=descriptors,
        start_new_session=True,  # what is sent to the processes of a terminal is not for it
    )
    assert process.stdin is not None
    with contextlib.suppress(BrokenPipeError), process.stdin as stdin:
        stdin.write(json.dumps(asdict(order)).encode())
    return process
