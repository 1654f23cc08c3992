"""A robot that reports what a log says it reported, at the same times; what it is told changes nothing."""

from pathlib import Path
from typing import Optional, Sequence, Union

import numpy as np

from surefoot_bridge.clock import Clock
from surefoot_bridge.errors import SurefootError
from surefoot_bridge.log import Log, read_log
from surefoot_bridge.state import JointCommand, each

from .robot import Reading, Robot


class ReplayRobot(Robot):
    """Reports from a log, from its first report on, as time passes on a clock.

    A log says at which tick the loop had a report, not when it came; that tick's time stands for it. A report with a
    wrong checksum is in the log as any other, and is replayed as a right one.

    Args:
        log: The log, or where it is.
        clock: The control loop's clock; the first report is there at once.

    Raises:
        SurefootError: If the log holds no report.

    Attributes:
        log: The log.
        num_told: How many commands came.
    """

    def __init__(self, log: Union[Log, str, Path, Sequence[Union[str, Path]]], *, clock: Clock) -> None:
        self.log = log if isinstance(log, Log) else read_log(log, topics=("/robot_state",))
        topic = self.log["/robot_state"]
        if not len(topic):
            raise SurefootError(f"{self.log.paths[0].parent} holds no report of {self.log.robot}; nothing to replay.")
        self.name = self.log.robot
        self._reports = self.log.robot_states()
        self.num_foot_sensors = self._reports.foot_force_n.shape[-1]
        self._times_s = topic.time_s - topic.time_s[0]
        self._clock, self._begun_s = clock, clock.now()
        self._place, self._reading = -1, None
        self.num_told = 0

    @property
    def duration_s(self) -> float:
        """Time from the first to the last report [s]."""
        return float(self._times_s[-1])

    @property
    def done(self) -> bool:
        """Whether the last report was given."""
        return self._place == len(self._times_s) - 1

    def read(self) -> Optional[Reading]:
        """Return the newest report that was there by now; the last one for ever after."""
        passed_s = self._clock.now() - self._begun_s
        place = int(np.searchsorted(self._times_s, passed_s + 1e-9, side="right")) - 1
        if place != self._place:
            self._place = place
            state = each(self._reports, lambda array: np.array(array[place]))
            self._reading = Reading(state, self._begun_s + float(self._times_s[place]), wrong_crc=False)
        return self._reading

    def write(self, command: JointCommand) -> None:  # noqa: ARG002  (what was reported is past)
        """Count the command."""
        self.num_told += 1

    def stop(self) -> None:
        """Do nothing: nothing moves."""

    def close(self) -> None:
        """Do nothing: nothing is held."""
