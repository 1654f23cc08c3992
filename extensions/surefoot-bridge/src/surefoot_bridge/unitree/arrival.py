"""When a report came, and how the robot's clock goes: one estimate of offset and drift between robot and loop.

A loop that looks into its mailbox knows only that a report came since it last looked. After a pause (a process that was
stopped, a link that stood still) it finds old reports there, and taking them for new ones would hide their age. So the
robot's clock is set against the loop's: the least difference that was ever seen between when a report was found and
when it was measured belongs to one that was taken at once, and a report that differs by more came that much later.

Three things make that difference grow, and they are told apart by a third clock, which stamps each message when it is
sent (its source timestamp, on the clock of the robot's computer):

- *Two quartz clocks drift apart.* The least difference may grow by :data:`DRIFT_ALLOWANCE`, and not faster.
- *The delay grows.* The difference to the stamp grows alike: reports are older and older, which is what is said of
  them.
- *The robot's clock runs at another rate.* The stamp says so too: the difference between the report's own time and its
  stamp grows just as fast. The estimate follows, up to :data:`LARGEST_RATE`, so that reports do not seem old, and
  :attr:`ArrivalTimes.rate` says what it is. Reports that wait longer and longer within the robot look the same, so a
  rate that was not there when the robot was opened is an alarm.

A step of report and stamp alike, against each other, is a clock that was set: the estimate begins anew.
"""

import math
from collections import deque
from typing import Deque, NamedTuple

DRIFT_ALLOWANCE = 2e-4
"""How fast the clocks of robot and loop may drift apart, as a share: 100 parts in a million for each. Quartz clocks are
sold with 20 to 50."""

LEAST_RATE = 0.004
"""Difference of rates that is told from noise, as a share: in two seconds it amounts to 8 ms."""

LARGEST_RATE = 0.05
"""Difference of rates that is taken for that of a clock, as a share; what grows faster is a delay. Assumption."""

STEP_S = 0.5
"""Step of a clock from which it was set [s]: the same as from which safety takes it for a jump."""

_BLOCK_S = 0.1
_SPAN_S = 2.0
_LEAST_BLOCKS = 4
_LEAST_GROWTH_S = 0.008  # several times what the least of 50 reports in a block scatters on a busy computer
_SAME = 0.5  # share of a growth that the other clock must show as well
_HALF = 0.25  # share of a growth that each half of its span must show: a single step shows in one only


class _Block(NamedTuple):
    """The least differences in a block of reports [s], and when it began."""

    begin_s: float
    found_s: float
    sent_s: float


class ArrivalTimes:
    """Finds out when reports came.

    Attributes:
        rate: By how much faster the robot's clock runs than the loop's, as a share; 0 while no difference is sure.
        slope: The same as far as it is known, sure or not.
    """

    def __init__(self) -> None:
        self._begin_anew()

    def received_s(self, found_s: float, measured_s: float, sent_s: float) -> float:
        """Return when a report came [s].

        Args:
            found_s: When it was found, on the loop's clock [s].
            measured_s: When it was measured, on the robot's clock [s].
            sent_s: When it was sent, on the clock of the robot's computer [s].
        """
        found, sent = found_s - measured_s, sent_s - measured_s
        stepped, stamped = found - self._found, sent - self._sent
        if abs(stamped) >= STEP_S and abs(stepped - stamped) < _SAME * abs(stamped):
            self._begin_anew()
        passed_s = max(found_s - self._last_s, 0.0)
        self._found, self._sent, self._last_s = found, sent, found_s
        drift = DRIFT_ALLOWANCE + (-self.rate if -LARGEST_RATE <= self.rate < 0.0 else 0.0)
        self._offset_s = min(self._offset_s + drift * passed_s, found)
        self._gather(found_s)
        return measured_s + self._offset_s

    def _begin_anew(self) -> None:
        self._found = self._sent = math.nan  # of the last report; a comparison with what is no number says no
        self._last_s = math.inf
        self.rate = self.slope = 0.0
        self._offset_s = math.inf
        self._blocks: Deque[_Block] = deque(maxlen=round(_SPAN_S / _BLOCK_S))

    def _gather(self, now_s: float) -> None:
        blocks = self._blocks
        if not blocks or now_s - blocks[-1].begin_s >= _BLOCK_S:
            if blocks:
                self._judge()
            blocks.append(_Block(now_s, self._found, self._sent))
        else:
            begin_s, found, sent = blocks[-1]
            blocks[-1] = _Block(begin_s, min(found, self._found), min(sent, self._sent))

    def _judge(self) -> None:
        blocks = self._blocks
        if len(blocks) < _LEAST_BLOCKS:
            return
        first, middle, last = blocks[0], blocks[len(blocks) // 2], blocks[-1]
        found, sent = last.found_s - first.found_s, last.sent_s - first.sent_s
        alike = found * sent > 0.0 and abs(found - sent) < _SAME * abs(sent)
        growth = min(found, sent, key=abs) if alike else 0.0
        self.slope = -growth / (last.begin_s - first.begin_s)
        halves = (middle.found_s - first.found_s, last.found_s - middle.found_s)
        steady = all(half * growth > 0.0 and abs(half) >= _HALF * abs(growth) for half in halves)
        sure = steady and abs(growth) >= _LEAST_GROWTH_S and abs(self.slope) >= LEAST_RATE
        self.rate = self.slope if sure else 0.0
        if -LARGEST_RATE <= self.rate < 0.0:  # what had grown until this was known is no age
            self._offset_s = max(self._offset_s, blocks[-1].found_s)
