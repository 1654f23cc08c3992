"""What came of a run of the control loop."""

from collections import deque
from dataclasses import dataclass
from typing import Deque, List, Optional, Tuple

from surefoot_bridge.log import LogWriter
from surefoot_bridge.safety import Event
from surefoot_bridge.state import Mode

from .jitter import Jitter

MOST_EVENTS = 1000
"""Of events and changes of mode so many are kept in memory, the newest; a log has all."""


@dataclass(frozen=True)
class ModeChange:
    """A change of what drives the robot.

    Attributes:
        time_s: When, on the loop's clock [s].
        mode: The mode from then on.
        reason: Why, in a few words.
    """

    time_s: float
    mode: Mode
    reason: str


@dataclass(frozen=True)
class Incident:
    """Something that happened to the loop itself: an exception, a log that stopped.

    Attributes:
        time_s: When, on the loop's clock [s].
        name: What kind, the same each time.
        message: One sentence for a person.
    """

    time_s: float
    name: str
    message: str


@dataclass(frozen=True)
class LoopReport:
    """What came of a run.

    Attributes:
        ended_by: Why it ended, one sentence for a person.
        in_order: Whether it ended in order: from sitting or passive, not by a fault or at once.
        ticks: Number of commands that were sent.
        duration_s: From the first to the last, on the loop's clock [s].
        mode: Mode at the end.
        modes: Changes of mode, the newest :data:`MOST_EVENTS`.
        events: Safety rules that began to act, the newest :data:`MOST_EVENTS`.
        num_events: How many there were.
        incidents: What happened to the loop itself, the newest :data:`MOST_EVENTS`.
        jitter: How punctual it was.
        notes: What the system denied it, one sentence each.
    """

    ended_by: str
    in_order: bool
    ticks: int
    duration_s: float
    mode: Mode
    modes: Tuple[ModeChange, ...]
    events: Tuple[Event, ...]
    num_events: int
    incidents: Tuple[Incident, ...]
    jitter: Jitter
    notes: Tuple[str, ...] = ()


class Record:
    """Collects what a report says, in memory that does not grow; a log receives it at once."""

    def __init__(self, log: Optional[LogWriter]) -> None:
        self._log = log
        self.modes: Deque[ModeChange] = deque(maxlen=MOST_EVENTS)
        self.events: Deque[Event] = deque(maxlen=MOST_EVENTS)
        self.incidents: Deque[Incident] = deque(maxlen=MOST_EVENTS)
        self.num_events = 0
        self._errors: List[str] = []

    def event(self, event: Event) -> None:
        """Note a rule that began to act."""
        self.events.append(event)
        self.num_events += 1
        if self._log is not None:
            self._log.event(
                event.time_s,
                event.rule,
                event.message,
                response=event.response.name.lower(),
                component=event.component,
                value=event.value,
                limit=event.limit,
            )

    def mode(self, time_s: float, mode: Mode, previous: Optional[Mode], reason: str) -> None:
        """Note a change of mode."""
        self.modes.append(ModeChange(time_s, mode, reason))
        if self._log is not None:
            before = "" if previous is None else previous.name.lower()
            self._log.mode(time_s, mode.name.lower(), previous=before, reason=reason)

    def incident(self, time_s: float, name: str, message: str) -> None:
        """Note something that happened to the loop itself."""
        self.incidents.append(Incident(time_s, name, message))
        if self._log is not None:
            self._log.event(time_s, name, message)

    def error_began(self, time_s: float, name: str, error: Exception) -> None:
        """Note an exception, once until it is cleared."""
        if name not in self._errors:
            self._errors.append(name)
            self.incident(time_s, f"{name}_failed", f"{type(error).__name__}: {error}")

    def error_cleared(self, name: str) -> None:
        """Note that there is no exception any more."""
        if self._errors and name in self._errors:
            self._errors.remove(name)
