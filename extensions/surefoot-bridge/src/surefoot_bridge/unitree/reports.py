"""A robot's reports as they come: whether they can be believed, their numbers, when they were measured and came.

Simulators leave out parts of a report. On the loopback, where no real robot can be, that is accepted and said once.
"""

from typing import Callable, Optional

import numpy as np

from surefoot_bridge.errors import SurefootError

from .arrival import LARGEST_RATE, LEAST_RATE, ArrivalTimes
from .dds.checksum import checksum
from .dds.participant import Participant, Subscriber
from .kinds import REPORT_TOPIC, TICKS_PER_S, RobotKind
from .remote import REMOTE_BYTES

_DEPTH = 8  # reports that one look into the mailbox may find; older ones do not matter


class Reports:
    """The newest report of a robot.

    Args:
        participant: Who receives.
        kind: Kind of the robot.
        simulated: Whether it is a simulated one, whose reports may lack parts.
        note: Receives what they lack.

    Attributes:
        message: The report, (1,), in one place.
        wrong: Whether its checksum is wrong.
        sequence: Its number, counted by its tick: one that repeats a tick has the number of the one before it, and one
            whose tick goes back a lower one.
        measured_s: When it was measured, on the robot's clock [s].
        sent_s: When it was sent, on the clock of the robot's computer [s].
        received_s: When it came, on the control loop's clock [s].
        remote: What the robot's remote says, 40 bytes, as of the last report that was not wrong.
    """

    def __init__(
        self, participant: Participant, kind: RobotKind, *, simulated: bool, note: Callable[[str], None]
    ) -> None:
        self._subscriber = Subscriber(participant, REPORT_TOPIC, kind.report, depth=_DEPTH)
        self._simulated, self._note = simulated, note
        self.message = np.zeros(1, kind.report.layout)
        self._bytes = self.message.view(np.uint8)
        self.wrong, self.sequence = False, 0
        self.measured_s = self.sent_s = self.received_s = 0.0
        self.remote = bytes(REMOTE_BYTES)
        self._arrivals, self._usual_rate = ArrivalTimes(), 0.0
        self._tick: Optional[int] = None
        self._ticks = 0
        self._sums: Optional[bool] = None  # whether checksums are computed; None before the first report
        self._first_sent_s: Optional[float] = None  # of a robot whose reports have no tick

    def take(self, now_s: float) -> bool:
        """Take the newest of the reports that came since the last call; return whether there was one.

        Args:
            now_s: The control loop's clock [s].
        """
        taken = self._subscriber.take()
        if not len(taken):
            return False
        self._bytes[:] = taken[-1:].view(np.uint8)
        self.wrong = self._is_wrong()
        if self.wrong:  # nothing in it can be believed, its tick least of all
            self.sequence += 1
            self.received_s = now_s
        else:
            self.sent_s = float(self._subscriber.sent_s()[-1])
            self.measured_s = self._measured(self.sent_s, len(taken))
            self.received_s = self._arrivals.received_s(now_s, self.measured_s, self.sent_s)
            self.remote = self.message[0]["wireless_remote"].tobytes()
        return True

    @property
    def num_publishers(self) -> int:
        """How many programs publish reports, as far as they have been discovered."""
        return self._subscriber.num_publishers

    @property
    def without_checksum(self) -> bool:
        """Whether the checksum of the last one is 0, as where the sender computes none."""
        return int(self.message[0]["crc"]) == 0

    def require_usual_clock(self) -> None:
        """Take the rate of the robot's clock as it is now for its usual one, and note it where it differs.

        Raises:
            SurefootError: If it differs by so much that the age of reports cannot be told.
        """
        rate = self._arrivals.slope
        if abs(rate) > LARGEST_RATE:
            raise SurefootError(
                f"{_in_words(rate)}; at most {LARGEST_RATE:.0%} is accepted, or the age of reports could not be told. "
                "Likely: a robot whose clock is broken, or a simulator that is slower than real time: give it a "
                "computer that is fast enough."
            )
        self._usual_rate = rate
        if abs(rate) >= LEAST_RATE:
            self._note(f"{_in_words(rate)}.")

    @property
    def clock_alarm(self) -> str:
        """What is to be said of a clock that runs at another rate than it did; empty for nothing."""
        rate = self._arrivals.rate
        if not rate or abs(rate - self._usual_rate) < LEAST_RATE:
            return ""
        return (
            f"{_in_words(rate)}, which it did not when it was opened ({self._usual_rate:+.1%}), or its reports wait "
            "longer and longer within it."
        )

    def _is_wrong(self) -> bool:
        told = int(self.message[0]["crc"])
        right = checksum(self.message) == told
        if self._sums is None:
            self._sums = right or told != 0 or not self._simulated
            if not self._sums:
                self._note("Its reports have no checksum (0: the sender computes none), so none is checked.")
        return not right and (self._sums or told != 0)

    def _measured(self, sent_s: float, taken: int) -> float:
        """Count a report and return when it was measured [s]: by its tick, or by its stamp where it has none."""
        tick = int(self.message[0]["tick"])
        if tick == 0 and self._simulated and self._tick is None:
            if self._first_sent_s is None:
                self._first_sent_s = sent_s
                self._note("Its reports have no tick (always 0), so their time is when they were sent.")
            self.sequence += taken
            return sent_s - self._first_sent_s
        first = self._tick is None
        step = 0 if self._tick is None else (tick - self._tick + 2**31) % 2**32 - 2**31  # it wraps after 49.7 days
        self._tick = tick
        self._ticks += step
        if first or step > 0:
            self.sequence += taken
        elif step < 0:
            self.sequence -= 1
        return self._ticks / TICKS_PER_S


def _in_words(rate: float) -> str:
    return f"The robot's clock runs {abs(rate):.1%} {'fast' if rate > 0.0 else 'slow'} against this computer's"
