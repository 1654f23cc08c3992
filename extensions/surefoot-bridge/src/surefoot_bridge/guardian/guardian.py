"""A process beside the control loop that damps the robot when the loop's heartbeat stops: killed, hung or swapped out.

The two share a page of memory. The loop counts its beats there; the guardian, a process of its own with its own place
on the robot's network, looks every two milliseconds. It takes over when the count has stood still for a time, or the
loop's process is gone, and from then on damps the robot at its low-level rate until somebody ends it. A loop that wakes
up again learns of it at its next beat, which is where it must stop sending: the beat belongs directly before the write.

A loop that ends in order says so before it stops the robot, and the guardian takes the robot from it: it damps until
the robot's own reports show that it is damped, however long that takes, and only then ends.
"""

import contextlib
import os
import subprocess
import tempfile
import time
from abc import ABC, abstractmethod
from typing import Any, Mapping, Optional

from surefoot_bridge.errors import SurefootError
from surefoot_bridge.log.ring import shared_file
from surefoot_bridge.robots import RobotAddress, RobotLock
from surefoot_bridge.robots.transports import no_transport, offer_for, offer_of
from surefoot_bridge.side_process import start_side_process

from .page import BEATS, DAMPING, ENDING, LOOKS, RELEASED, STARTING, STATE, WATCHING, Order, Page

_START_TIMEOUT_S = 15.0
_END_TIMEOUT_S = 5.0
_POLL_S = 0.005
_BEATS_BETWEEN_LOOKS = 250  # after which the loop sees whether the guardian is still there: half a second at 500 Hz
_SILENT_S = 2.0
_KNOWN_WITHIN_S = 2.0  # of the end: ten times as long as reports must show the damping, for a robot that still moves

GUARDIAN_NOTE = (
    "guardian {pid} of the bridge {parent}, which has ended or hangs; it damps the robot, see "
    "`surefoot-bridge guardian list` and `end`"
)
"""What stands in the robot's lock while a guardian damps."""


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

    def ending(self) -> None:  # noqa: B027  (most have nothing to do)
        """Say that the loop ends: from now on it damps the robot, and nothing else."""

    @abstractmethod
    def release(self) -> str:
        """Say that the loop has ended in order. Harmless when said again.

        Returns:
            Why it is not known that the robot is damped, for a person; empty where it is known.
        """


class Guardian(Heartbeat):
    """A guardian that watches; :func:`start_guardian` starts it."""

    def __init__(self, page: Page, process: "subprocess.Popen[bytes]", address: RobotAddress) -> None:
        self._page, self._process, self._address = page, process, address
        self._words = page.words
        self._looks, self._looked_s = 0, time.monotonic()

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
                "end the guardian with `surefoot-bridge guardian end` and start anew."
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

    def ending(self) -> None:
        """Say that the loop ends: from now on it damps the robot, and nothing else."""
        self._words[ENDING] = 1

    def release(self) -> str:
        """Leave the robot to the guardian, which damps it until its reports show that, and wait a little for that.

        Returns:
            Why it is not known that the robot is damped, for a person; empty where it is known, or where nothing was
            ever commanded.
        """
        self._words[RELEASED] = 1
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(_KNOWN_WITHIN_S)
        return self.doubt

    @property
    def doubt(self) -> str:
        """Why it is not known that the robot is damped, for a person; empty where it is known."""
        page = self._page
        if page.shown or not page.beats:
            return ""
        if not self.goes_on:
            return f"the guardian (process {self.pid}) is gone, and nobody damps {self._address}"
        return page.finding or "the guardian has not looked yet"

    @property
    def goes_on(self) -> bool:
        """Whether it watches or damps still."""
        return self._process.poll() is None

    @property
    def last_words(self) -> str:
        """What is known of the robot when the run has ended, for a person; empty where nothing was ever commanded."""
        if not self._page.beats:
            return ""
        doubt = self.doubt
        known = (
            f"IT IS NOT KNOWN WHETHER THE ROBOT IS DAMPED: {doubt}. Keep away from it"
            if doubt
            else f"The robot is damped: {self._page.finding}"
        )
        if not self.goes_on:
            return f"{known}."
        how = (
            "ends by itself as soon as the robot's reports show the damping"
            if self._page.ending
            else "goes on until you have seen to the robot"
        )
        return (
            f"{known}. The guardian (process {self.pid}) damps it and {how}; `surefoot-bridge guardian list` shows "
            "what it finds, `surefoot-bridge guardian end` ends it."
        )

    def end(self) -> None:
        """End the guardian even if it damps; for when somebody has seen to the robot."""
        self._words[RELEASED] = 1
        until = time.monotonic() + _END_TIMEOUT_S
        while self._process.poll() is None and time.monotonic() < until:
            self._process.terminate()  # again: it hears it from its first command on
            time.sleep(_POLL_S)
        self._process.wait(_POLL_S)

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
    command: Optional[Mapping[str, Any]] = None,
    transport: Optional[str] = None,
) -> Guardian:
    """Start a guardian. It begins to watch at the first beat; a loop that never beat has commanded nothing.

    Args:
        address: Where the robot is.
        timeout_s: How long the beats may stay away until it damps [s]. It must bridge what a working loop is late now
            and then; 0.1 s is how long the safety layer itself lets a robot be without new reports.
        lock: The robot's lock. The guardian holds it too, so that nobody else commands a robot that it damps.
        command: What the robot's ``guardian_command`` returned; empty by default.
        transport: Name of the robot's transport; the first one that is for this robot by default.

    Raises:
        SurefootError: If it cannot reach the robot's network, or there is no transport for it.
    """
    if not timeout_s > 0.0:
        raise SurefootError(f"timeout_s is {timeout_s}; it must be > 0.")
    offer = offer_for(address.robot) if transport is None else offer_of(transport)
    if offer is None:
        raise no_transport(address.robot)
    descriptor = shared_file()
    with tempfile.TemporaryFile() as said:  # what it says before it watches; after that it says nothing
        try:
            page = Page(descriptor, begin=True)
            order = Order(
                descriptor=descriptor,
                parent=os.getpid(),
                robot=address.robot,
                interface=address.interface,
                domain=address.domain,
                timeout_s=timeout_s,
                transport=offer.reference,
                command=dict(command or {}),
                lock_descriptor=-1 if lock is None else lock.descriptor,
            )
            process = start_side_process(
                "guardian.process",
                order,
                descriptors=[descriptor] if lock is None else [descriptor, lock.descriptor],
                errors=said,
            )
        finally:
            os.close(descriptor)  # the memory stays mapped
        until = time.monotonic() + _START_TIMEOUT_S
        while page.words[STATE] == STARTING and process.poll() is None and time.monotonic() < until:
            time.sleep(_POLL_S)
        if page.words[STATE] == WATCHING:
            return Guardian(page, process, address)
        process.kill()
        process.wait()
        said.seek(0)
        words = said.read().decode("utf-8", "replace").strip()
    reason = page.reason or f"it did not begin within {_START_TIMEOUT_S:.0f} s"
    it_said = f" It said: {words}" if words else ""
    raise SurefootError(f"There is no guardian for {address}: {reason.rstrip('.')}.{it_said}")
