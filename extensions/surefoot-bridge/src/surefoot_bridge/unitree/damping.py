"""Whether a robot is damped, by what its own reports say.

A damped motor gives ``-kd * velocity`` and nothing else, which a report shows: ``tau_est`` of each joint is what
damping gives at the velocity beside it. A motor that still has a position gain carries weight, or resists whoever moves
it, and its ``tau_est`` is something else. So a robot counts as damped when its reports say so for a while without a
gap, and are as young as reports are. A position gain that has nothing to hold, as of a robot that lies where it is told
to lie, cannot be told from damping by any field of a report; that commands of damping arrive is then known only from
the robot being there: its reports come, and it has been sent nothing but damping for as long.
"""

import math
import time
from typing import Optional

import numpy as np

from surefoot_bridge.errors import SurefootError
from surefoot_bridge.robots import Damper

from .commands import LowCommand
from .dds.participant import Participant
from .kinds import COMMAND_TOPIC, KINDS, RobotKind
from .reports import Reports
from .rivals import OtherCommander, OwnController

SHOWN_S = 0.2
"""For how long all reports must show the damping [s]: 100 of them, far more than a command is on its way."""

YOUNG_S = 0.1
"""How old a report may be, and how long none may come [s]: as long as safety lets a robot be without one."""

TORQUE_NM = 0.5
"""By how much a joint's torque may differ from what damping gives [N m]. In MuJoCo it differs by 0.2 at most while a
Go2 sinks; held by its gains it gives 5 at each knee where it stands, and 3 at one joint where it lies, a G1 on its
gantry 0.7 or more. What a real motor's sensor reads is not known here: above 0.5 nothing is ever shown, and that is
said."""

TORQUE_SHARE = 0.25
"""The same as a share of what damping gives, for velocity and torque of a report are not of the same instant.
Assumption."""

_MATCH_TIMEOUT_S = 5.0
_ALONE_S = 0.1  # in which the loop's own last commands still come


class DampingEvidence:
    """Listens to a robot's reports and says whether they show that it is damped.

    Args:
        participant: Who listens.
        kind: Kind of the robot.
        damping_nms_per_rad: Velocity gain of each damped motor [N m s/rad].
        simulated: Whether it is a simulated one, whose reports may lack parts.

    Attributes:
        shown: Whether they show it.
        finding: What they say, for a person.
    """

    def __init__(
        self, participant: Participant, kind: RobotKind, damping_nms_per_rad: float, *, simulated: bool
    ) -> None:
        self._reports = Reports(participant, kind, simulated=simulated, note=lambda _: None)
        self._names, self._damping = kind.joint_names, damping_nms_per_rad
        self._sequence: Optional[int] = None
        self._begun_s = self._heard_s = self._since_s = math.nan
        self._trouble = ""
        self.shown, self.finding = False, ""

    @property
    def mode_machine(self) -> int:
        """What a G1 calls its kind, by its last report; 0 before the first, and for other robots."""
        report = self._reports.message
        return int(report[0]["mode_machine"]) if "mode_machine" in (report.dtype.names or ()) else 0

    def begin(self) -> None:
        """From now on the robot is told to be damped, and nothing else."""
        self._begun_s, self._since_s = time.monotonic(), math.nan
        self.shown, self._trouble = False, "it has just been told to be damped"

    def look(self, rival: str = "") -> None:
        """Take the reports that have come, and judge; to be called more often than reports come.

        Args:
            rival: Who else commands the robot, so that it is not sent the damping; empty for nobody.
        """
        now_s = time.monotonic()
        if self._reports.take(now_s):
            self._trouble = self._trouble_of_report(now_s)
        silent_s = now_s - self._heard_s
        if math.isnan(self._heard_s):
            self._trouble = "no report of it has come since it is listened to"
        elif silent_s > YOUNG_S:
            self._trouble = f"no report of it has come for {silent_s:.1f} s"
        self._trouble = rival or self._trouble
        if self._trouble:
            self.shown, self._since_s, self.finding = False, math.nan, self._trouble
        elif math.isnan(self._since_s):
            self._since_s = now_s
        elif not math.isnan(self._begun_s) and now_s - self._since_s >= SHOWN_S:
            self.shown, self.finding = True, f"its reports have shown it for {now_s - self._since_s:.1f} s"

    def _trouble_of_report(self, now_s: float) -> str:
        """Return why the newest report does not show the damping; empty if it does."""
        reports = self._reports
        if reports.wrong:
            return "the checksum of its report is wrong"
        self._heard_s = now_s
        before, self._sequence = self._sequence, reports.sequence
        if before == reports.sequence:
            return "its report repeats the one before"
        age_s = now_s - reports.received_s
        if age_s > YOUNG_S:
            return f"its reports are {age_s:.1f} s old"
        return self._driven(reports.message[0]["motor_state"][: len(self._names)])

    def _driven(self, motors: np.ndarray) -> str:
        """Return which joint gives a torque that is not damping's; empty if none does."""
        damped_nm = -self._damping * motors["dq"].astype(np.float64)
        excess_nm = np.abs(motors["tau_est"] - damped_nm) - TORQUE_SHARE * np.abs(damped_nm)
        if np.max(excess_nm) <= TORQUE_NM:  # false for what is not a number
            return ""
        worst = int(np.argmax(np.where(np.isnan(excess_nm), np.inf, excess_nm)))
        return (
            f"{self._names[worst]} gives {float(motors['tau_est'][worst]):.1f} N m where damping gives "
            f"{damped_nm[worst]:.1f}"
        )


class UnitreeDamper(Damper):
    """Damps a Unitree robot at its low-level rate and listens to whether it is damped.

    It gives way to whoever else commands the robot (:mod:`~surefoot_bridge.unitree.rivals`), and goes on after that.

    Args:
        participant: Who does it.
        robot: Name of the robot.
        simulated: Whether it is a simulated one, whose reports may lack parts.
        mode_machine: What a G1 calls its kind; taken from its reports where it is not known.

    Attributes:
        command: What is sent.
        evidence: What its reports say.
    """

    def __init__(
        self, participant: Participant, robot: str, *, simulated: bool, mode_machine: Optional[int] = None
    ) -> None:
        self._participant, self._kind = participant, KINDS[robot]
        count = len(self._kind.joint_names)
        self.command = LowCommand(participant, self._kind, np.arange(count))
        damping = self.command.damping_nms_per_rad
        self.evidence = DampingEvidence(participant, self._kind, damping, simulated=simulated)
        self._known = mode_machine is not None
        self.command.mode_machine = mode_machine or 0
        self._zeros, self._period_s = np.zeros(count), 1.0 / self._kind.low_level_hz
        self._begun_s = self._due_s = math.nan
        self._rivals: Optional[_Rivals] = None

    @property
    def shown(self) -> bool:
        """Whether the robot's reports show that it is damped."""
        return self.evidence.shown

    @property
    def finding(self) -> str:
        """What they say of it, for a person."""
        return self.evidence.finding

    def await_robot(self) -> None:
        """Wait until the robot, or who emulates it, receives commands.

        Raises:
            SurefootError: If nobody does.
        """
        until = time.monotonic() + _MATCH_TIMEOUT_S
        while self.command.num_subscribers == 0:
            if time.monotonic() > until:
                raise SurefootError(
                    f"nobody receives {COMMAND_TOPIC} within {_MATCH_TIMEOUT_S:.0f} s, so it could not damp the robot"
                )
            time.sleep(0.005)

    def look(self) -> None:
        """Take the reports that have come, so that it is known how young reports are here."""
        self.evidence.look()

    def begin(self) -> None:
        """Begin to damp with the next step."""
        self.evidence.begin()
        self._begun_s = self._due_s = time.monotonic()

    def step(self) -> None:
        """Send one command, look at the reports, and wait for the next one's time.

        Raises:
            SurefootError: If the network cannot be used. The time was waited for.
        """
        try:
            now_s = time.monotonic()
            if not self._known:
                self.command.mode_machine = self.evidence.mode_machine
            if self._rivals is None and now_s - self._begun_s > _ALONE_S:
                self._rivals = _Rivals(self._participant, self._kind)
            rival = "" if self._rivals is None else self._rivals.name(now_s)
            try:
                if not rival:
                    self.command.send_damped(self._zeros)
            finally:
                self.evidence.look(rival)
        finally:
            now_s = time.monotonic()
            self._due_s = max(self._due_s + self._period_s, now_s - self._period_s)
            time.sleep(max(self._due_s - time.monotonic(), 0.0))


class _Rivals:
    """Who commands a robot besides."""

    def __init__(self, participant: Participant, kind: RobotKind) -> None:
        self._others, self._own = OtherCommander(participant, kind), OwnController(participant)
        self._own.start()

    def name(self, now_s: float) -> str:
        """Return who commands at a time [s], as a person reads it; empty for nobody."""
        self._others.look(now_s)
        if self._own.active:
            return f"its own controller {self._own.active!r} has it, so nothing is sent"
        if self._others.commands(now_s):
            return f"another program commands it, {self._others.who}, so nothing is sent"
        return ""
