"""When a report came, on the control loop's clock: no earlier than was seen, and no later than its tick allows."""

import math


class ArrivalTimes:
    """Finds out when reports came.

    A loop that looks into its mailbox knows only that a report came since it last looked. After a pause (a process that
    was stopped, a link that stood still) it finds old reports there, and taking them for new ones would hide their age.
    So the robot's clock is set against the loop's: the least difference between the two that was seen lately belongs to
    reports that were taken at once, and a report that differs by more came that much earlier than it was found.

    The difference is kept over the last ``window`` to twice as many reports: long enough to span any pause, since a
    pause brings no reports, and short enough that the drift between two quartz clocks (below 0.1 ms/s) does not matter.

    Args:
        window: Number of reports.
    """

    def __init__(self, window: int = 1000) -> None:
        self._window = window
        self._count = 0
        self._least_before_s = math.inf
        self._least_s = math.inf

    def received_s(self, found_s: float, measured_s: float) -> float:
        """Return when a report came [s].

        Args:
            found_s: When it was found, on the loop's clock [s].
            measured_s: When it was measured, on the robot's clock [s].
        """
        if self._count == self._window:
            self._least_before_s, self._least_s, self._count = self._least_s, math.inf, 0
        self._count += 1
        self._least_s = min(self._least_s, found_s - measured_s)
        return measured_s + min(self._least_s, self._least_before_s)
