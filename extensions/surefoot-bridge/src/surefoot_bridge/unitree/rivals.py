"""Who else commands a robot: other programs, seen by their commands, and the robot's own controller, which is asked.

While another program commands, the motors obey whichever message comes last, and two streams take turns every few
milliseconds. Damping sent into another's commands takes half of its stiffness away and stops nothing: a robot that its
own controller balances would be thrown down by it. So a bridge gives way: it sends nothing for as long as the other
goes on, and damps when it stays away (:attr:`OtherCommander.commands`). A person ends the other program, or takes the
remote.
"""

import contextlib
import os
import threading
from collections import deque
from typing import Deque, Optional

from surefoot_bridge.clock import boot_time_s
from surefoot_bridge.errors import SurefootError

from .dds.discovery import publisher
from .dds.participant import Participant, Subscriber
from .kinds import COMMAND_TOPIC, RobotKind
from .motion_switcher import MotionSwitcher

_DEPTH = 8  # commands that one look may find; whether there are more does not matter
_LEAST = 3  # commands within _LATELY_S: one that somebody sends by mistake is replaced 2 ms later
_LATELY_S = 1.0
_TURN_S = 0.1  # how long each command of another counts as going on; as long as a guardian lets a loop be silent
_ASK_EVERY_S = 1.0
_ANSWER_WITHIN_S = 0.5


class OtherCommander:
    """Looks for commands of other programs. A look costs some microseconds: nothing is copied while nobody commands.

    Args:
        participant: Who looks; its own commands do not count.
        kind: Kind of the robot.

    Attributes:
        who: The program that commanded last, and how often of late; empty while none does.
    """

    def __init__(self, participant: Participant, kind: RobotKind) -> None:
        self._participant = participant
        self._commands = Subscriber(participant, COMMAND_TOPIC, kind.command, depth=_DEPTH, ignore_own=True)
        self._seen_s: Deque[float] = deque(maxlen=1000)
        self._handle, self._name = 0, ""
        self.who = ""

    def look(self, now_s: float) -> int:
        """Look for commands that have come since the last look; return how many, :data:`_DEPTH` at most.

        Args:
            now_s: The control loop's clock [s].
        """
        count, seen_s = len(self._commands.take()), self._seen_s
        if count:
            seen_s.extend([now_s] * count)
            if self._commands.last_publisher != self._handle:
                self._handle = self._commands.last_publisher
                self._name = publisher(self._participant, self._commands.handle, self._handle)
        if seen_s:
            while seen_s and now_s - seen_s[0] > _LATELY_S:
                seen_s.popleft()
            self.who = f"{self._name or 'a program that does not say its name'}" if len(seen_s) >= _LEAST else ""
        return count

    def commands(self, now_s: float) -> bool:
        """Return whether another program commands the robot at a time [s]."""
        return bool(self.who) and now_s - self._seen_s[-1] <= _TURN_S

    @property
    def number(self) -> int:
        """How many commands of others came within the last second."""
        return len(self._seen_s)

    @property
    def num_publishers(self) -> int:
        """How many other publishers of commands there are, as far as they have been discovered."""
        return self._commands.num_publishers


class OwnController:
    """Asks a robot now and then, in a thread of its own, which of its own controllers is active."""

    def __init__(self, participant: Participant) -> None:
        self._switcher = MotionSwitcher(participant)  # of its own: its answers are nobody else's
        self._ended = threading.Event()
        self._thread: Optional[threading.Thread] = None
        self._name, self._answered_s = "", 0.0

    def start(self) -> None:
        """Begin to ask. Harmless when done again."""
        if self._thread is None:
            self._thread = threading.Thread(target=self._ask, name="own-controller", daemon=True)
            self._thread.start()

    @property
    def active(self) -> str:
        """The controller that is active, as far as the robot has said lately; empty for none."""
        fresh = boot_time_s() - self._answered_s < 2.0 * (_ASK_EVERY_S + _ANSWER_WITHIN_S)
        return self._name if fresh else ""

    def end(self) -> None:
        """Ask no more. Harmless when done again."""
        self._ended.set()
        if self._thread is not None:
            self._thread.join()

    def _ask(self) -> None:
        with contextlib.suppress(AttributeError, OSError):  # an ordinary thread, whatever the one that started it is
            os.sched_setscheduler(0, os.SCHED_OTHER, os.sched_param(0))
        while not self._ended.wait(_ASK_EVERY_S):
            with contextlib.suppress(SurefootError):  # a robot that does not answer has said nothing
                name = self._switcher.active(_ANSWER_WITHIN_S)
                if name is not None:
                    self._name, self._answered_s = name, boot_time_s()
