"""What Unitree's robots have in common, as the control loop sees it."""

import time
from abc import abstractmethod
from dataclasses import replace
from typing import ClassVar, Dict, Optional, Tuple

import numpy as np

from surefoot_bridge.clock import Clock
from surefoot_bridge.contract import Contract
from surefoot_bridge.errors import SurefootError
from surefoot_bridge.robot import Reading, Robot
from surefoot_bridge.state import JointCommand, RobotState

from .address import LOOPBACK, RobotAddress
from .arrival import LARGEST_RATE, LEAST_RATE, ArrivalTimes
from .checksum import checksum
from .commands import LowCommand, require_keepable
from .handover import Handover, Joints
from .kinds import COMMAND_TOPIC, REPORT_TOPIC, TICKS_PER_S, RobotKind, place
from .lock import RobotLock
from .motion_switcher import MotionSwitcher
from .participant import Participant, Subscriber
from .remote import REMOTE_BYTES
from .rivals import OtherCommander, OwnController

_DEPTH = 8  # reports that one look into the mailbox may find; older ones do not matter
_LISTEN_S = 0.3  # for commands of others: 150 of them at the robots' rate
_POLL_S = 0.005


class UnitreeRobot(Robot):
    """A Unitree robot over DDS. :func:`~surefoot_bridge.unitree.open_robot` opens it.

    Nothing is sent to it before :meth:`take_control`.

    Args:
        address: Where it is.
        contract: The contract, in whose order of joints and feet reports come and commands go.
        clock: The control loop's clock.

    Raises:
        SurefootError: If the contract is for another robot, another bridge has it, or its network cannot be reached.

    Attributes:
        joint_names: Joints in the order of reports and commands: the contract's ``sdk_joint_names``.
        foot_names: Feet in the order of ``foot_force_n``: the contract's.
        lock: What keeps other bridges away.
        simulated: Whether it is on the loopback, where no real robot can be. Simulators there may leave out checksum,
            tick and battery, which :attr:`notes` says.
        taken_from: Name of the robot's own controller that control was taken from; empty for none.
        remote: What its remote says, as reports have it: 40 bytes, see :mod:`~surefoot_bridge.unitree.remote`.
    """

    kind: ClassVar[RobotKind]

    def __init__(self, address: RobotAddress, contract: Contract, *, clock: Clock) -> None:
        self.name = self.kind.robot
        if address.robot != self.name or contract.robot.name != self.name:
            raise SurefootError(
                f"The address is of {address.robot}, the contract for {contract.robot.name}; both must be {self.name}."
            )
        self.address = address
        self.joint_names, self._motors = self._places(contract)
        self.foot_names = contract.robot.foot_names if self.kind.foot_names else ()
        self._feet = [place(self.kind.foot_names, foot, "foot") for foot in self.foot_names]
        self.num_foot_sensors = len(self._feet)
        self._clock = clock
        self._closed, self._in_control = False, False
        self.simulated = address.interface == LOOPBACK
        self.lock = RobotLock(address)
        try:
            self.participant = Participant(address.interface, address.domain)
            self._connect()
        except Exception:
            self.lock.release()
            raise

    def _places(self, contract: Contract) -> Tuple[Tuple[str, ...], np.ndarray]:
        names = contract.robot.sdk_joint_names
        motors = np.array([place(self.kind.joint_names, name, "joint") for name in names], dtype=np.intp)
        if len(motors) != len(self.kind.joint_names):
            missing = [name for name in self.kind.joint_names if name not in names]
            raise SurefootError(f"The contract leaves joints of {self.name} without commands: {', '.join(missing)}.")
        return names, motors

    def _connect(self) -> None:
        self._reports = Subscriber(self.participant, REPORT_TOPIC, self.kind.report, depth=_DEPTH)
        self._others = OtherCommander(self.participant, self.kind)
        self._own_controller = OwnController(self.participant)
        self._command = LowCommand(self.participant, self.kind, self._motors)
        self._switcher = MotionSwitcher(self.participant)
        self._handover = Handover(
            self.participant, self.address, self.kind.joint_names, self._switcher, self._joints_now
        )
        self.taken_from = ""
        self._report = np.zeros(1, self.kind.report.layout)  # the newest, in one place, so that it is looked at quickly
        self._report_bytes = self._report.view(np.uint8)
        self._motor = self._report[0]["motor_state"]
        self._imu = self._report[0]["imu_state"]
        self._arrivals, self._usual_rate = ArrivalTimes(), 0.0
        self._tick: Optional[int] = None
        self._ticks, self._sequence = 0, 0
        self._sums: Optional[bool] = None  # whether checksums are computed; None before the first report
        self._first_sent_s: Optional[float] = None  # of a robot whose reports have no tick
        self.remote = bytes(REMOTE_BYTES)
        self._reading: Optional[Reading] = None

    def read(self) -> Optional[Reading]:
        """Return the newest report, the same again if none came since; None before the first.

        Its time is that of the robot's tick, and it is counted by its tick as well: a report that repeats a tick has
        the number of the one before it, and one whose tick goes back has a lower one. Alarms are those of now.
        """
        now_s = self._clock.now()
        self._others.look(now_s)
        taken = self._reports.take()
        if len(taken):
            self._report_bytes[:] = taken[-1:].view(np.uint8)
            self._reading = self._read(now_s, self._reports.sent_s()[-1], len(taken))
        elif self._reading is not None:
            alarms = self._alarms(now_s)
            if alarms != self._reading.alarms:
                self._reading = replace(self._reading, alarms=alarms)
        return self._reading

    def write(self, command: JointCommand) -> None:
        """Tell the joints what to do, but for while somebody else does (:mod:`~surefoot_bridge.unitree.rivals`).

        Raises:
            SurefootError: If control was not taken, a number is not finite, it drives joints, or it cannot be sent.
        """
        if not self._in_control:
            raise SurefootError(
                f"{self.address} was not taken control of: once the operator has acknowledged the checklist, call "
                "take_control()."
            )
        require_keepable(command)
        if not self._gives_way():
            self._command.send(command)

    def stop(self) -> None:
        """Damp all joints. Harmless when told again; nothing is sent to a robot that was not taken control of.

        Nor while somebody else commands it (:mod:`~surefoot_bridge.unitree.rivals`).
        """
        self._others.look(self._clock.now())
        if self._in_control and not self._gives_way():
            self._command.send_damped(self._motor["q"])

    def close(self) -> None:
        """Stop the robot, leave the network and give back the lock. Harmless when done again."""
        if self._closed:
            return
        self._closed = True
        try:
            self.stop()
        finally:
            self._in_control = False
            self._own_controller.end()
            self.participant.close()
            self.lock.release()

    @property
    def own_controller(self) -> Optional[str]:
        """Name of the robot's own controller that is active, empty for none; None where the robot does not say."""
        return self._switcher.active(timeout_s=1.0)

    def take_control(self, timeout_s: float = 10.0, *, without_switcher: bool = False) -> None:
        """Take the robot from its own controller and make sure that nobody else commands it. Its joints go limp.

        A Go2 is told to lie down first. To be called after the operator has acknowledged the checklist.

        Args:
            timeout_s: How long it may take [s].
            without_switcher: Whether to go on where the robot does not say which controller of its own is active: the
                operator has then switched it off by hand.

        Raises:
            SurefootError: If the robot does not answer, its controller stays on, or somebody else commands it.
        """
        name = self._handover.take(timeout_s, without_switcher=without_switcher)
        self.taken_from = name or ""
        self._require_silence()
        self._in_control = True
        if name is not None:
            self._own_controller.start()

    def give_back(self) -> str:
        """Switch the robot's own controller on again, if it was on before control was taken. Nothing is sent any more.

        To be called when the robot rests and nobody else commands it: a Go2 stands up.

        Returns:
            Why it is not on, for a person; empty where it is.
        """
        self._in_control = False
        return self._handover.give_back(self.taken_from) if self.taken_from else "it was off before"

    def commands_of_others(self) -> int:
        """Return how many commands of other programs came since the last call, eight at most."""
        return self._others.look(self._clock.now())

    def _joints_now(self) -> Joints:
        self.read()
        count = len(self.kind.joint_names)
        return Joints(self._motor["q"][:count], self._motor["dq"][:count])

    def _require_silence(self) -> None:
        self.commands_of_others()
        time.sleep(_LISTEN_S)
        if self.commands_of_others():
            who = f" from {self._others.who}" if self._others.who else ""
            raise SurefootError(
                f"Somebody else commands {self.address}: {COMMAND_TOPIC} has {self._others.num_publishers} other "
                f"publishers, and messages come{who}. Likely: another "
                "bridge or a program of Unitree's on another computer, the guardian of a bridge that was killed, or "
                "the robot's own controller. End it first."
            )

    def _gives_way(self) -> bool:
        return bool(self._own_controller.active) or self._others.commands(self._clock.now())

    def _alarms(self, now_s: float) -> Dict[str, str]:
        """Return the alarms that are raised at a time [s]."""
        alarms = self._health(now_s)
        if self._others.who:
            alarms["other_commander"] = (
                f"Another program commands {self.address}: {self._others.who}, {self._others.number} commands in the "
                "last second. Nothing is sent while it goes on. End it, or stop the robot by its remote."
            )
        if self._own_controller.active:
            alarms["own_controller"] = (
                f"{self.address}: its own controller {self._own_controller.active!r} is active again (was it started "
                "anew?), and nothing is sent while it is. Switch it off, then start again."
            )
        rate = self._arrivals.rate
        if rate and abs(rate - self._usual_rate) >= LEAST_RATE:
            alarms["robot_clock_rate"] = (
                f"{_clock_words(rate)}, which it did not when it was opened ({self._usual_rate:+.1%}), or its reports "
                "wait longer and longer within it."
            )
        return alarms

    def require_usual_clock(self) -> None:
        """Take the rate of the robot's clock as it is now for its usual one, and note it where it differs.

        Raises:
            SurefootError: If it differs by so much that the age of reports cannot be told.
        """
        rate = self._arrivals.slope
        if abs(rate) > LARGEST_RATE:
            raise SurefootError(
                f"{self.address}: {_clock_words(rate)}; at most {LARGEST_RATE:.0%} is accepted, or the age of reports "
                "could not be told. Likely: a robot whose clock is broken, or a simulator that is slower than real "
                "time: give it a computer that is fast enough."
            )
        self._usual_rate = rate
        if abs(rate) >= LEAST_RATE:
            self._note(f"{_clock_words(rate)}.")

    def _note(self, note: str) -> None:
        if note not in self.notes:
            self.notes = (*self.notes, note)

    def _is_wrong(self) -> bool:
        """Return whether a report's checksum is wrong. A simulator may compute none, which is 0 from the first on."""
        told = int(self._report[0]["crc"])
        right = checksum(self._report) == told
        if self._sums is None:
            self._sums = right or told != 0 or not self.simulated
            if not self._sums:
                self._note("Its reports have no checksum (0: the sender computes none), so none is checked.")
        return not right and (self._sums or told != 0)

    def _measured_s(self, sent_s: float, taken: int) -> float:
        """Count a report and return when it was measured [s]: by its tick, or by its stamp where it has none."""
        tick = int(self._report[0]["tick"])
        if tick == 0 and self.simulated and self._tick is None:
            if self._first_sent_s is None:
                self._first_sent_s = sent_s
                self._note("Its reports have no tick (always 0), so their time is when they were sent.")
            self._sequence += taken
            return sent_s - self._first_sent_s
        self._count(tick, taken)
        return self._ticks / TICKS_PER_S

    def _read(self, now_s: float, sent_s: float, taken: int) -> Reading:
        wrong = self._is_wrong()
        if wrong:  # nothing in it can be believed, its tick least of all
            self._sequence += 1
            received_s, measured_s = now_s, float(self._ticks / TICKS_PER_S)
        else:
            measured_s = self._measured_s(sent_s, taken)
            received_s = self._arrivals.received_s(now_s, measured_s, sent_s)
            self.remote = self._report[0]["wireless_remote"].tobytes()
        motors, imu, order = self._motor, self._imu, self._motors
        state = RobotState(
            time_s=np.array(measured_s),
            sequence=np.array(self._sequence, dtype=np.int64),
            joint_pos_rad=motors["q"][order].astype(np.float64),
            joint_vel_rad_s=motors["dq"][order].astype(np.float64),
            joint_torque_nm=motors["tau_est"][order].astype(np.float64),
            motor_temperature_c=self._temperatures(motors["temperature"])[order],
            imu_quat_wxyz=imu["quaternion"].astype(np.float64),
            imu_ang_vel_rad_s=imu["gyroscope"].astype(np.float64),
            imu_lin_acc_m_s2=imu["accelerometer"].astype(np.float64),
            foot_force_n=self._forces(),
            battery_share=np.array(self._charge()),
        )
        return Reading(state=state, received_s=received_s, wrong_crc=wrong, alarms=self._alarms(now_s))

    def _charge(self) -> float:
        share = self._battery_share()
        if share == 0.0 and self.simulated:
            self._note("Its battery is reported at 0 %: it has none, so it counts as full.")
            return 1.0
        return share if share == share or not self.simulated else 1.0

    def _count(self, tick: int, taken: int) -> None:
        first = self._tick is None
        step = 0 if self._tick is None else (tick - self._tick + 2**31) % 2**32 - 2**31  # it wraps after 49.7 days
        self._tick = tick
        self._ticks += step
        if first or step > 0:
            self._sequence += taken
        elif step < 0:
            self._sequence -= 1

    @abstractmethod
    def _temperatures(self, measured: np.ndarray) -> np.ndarray:
        """Return the temperatures of all motors [degrees Celsius], (slots,), float64."""

    @abstractmethod
    def _forces(self) -> np.ndarray:
        """Return the forces of the feet in the contract's order [N], (num_feet,)."""

    @abstractmethod
    def _battery_share(self) -> float:
        """Return the charge of the battery, in [0, 1]; not a number before it is known."""

    @abstractmethod
    def _health(self, now_s: float) -> Dict[str, str]:
        """Return the alarms about motors and battery at a time [s]."""

    @abstractmethod
    def require_variant(self) -> None:
        """See to it that the robot is of the variant that the contract knows.

        Raises:
            SurefootError: If it is another.
        """

    @property
    def battery_known(self) -> bool:
        """Whether the charge of the battery is known; it must be before the robot is used."""
        return not np.isnan(self._battery_share())

    def do_without_battery(self) -> bool:
        """Go on without knowing the charge, if the robot is a simulated one that has no battery; return whether it is.

        Its charge counts as full then.
        """
        if self.simulated:
            self._note("Nothing is reported of its battery: it has none, so it counts as full.")
        return self.simulated

    @property
    def without_checksum(self) -> bool:
        """Whether the checksum of the last report is 0, as where the sender computes none."""
        return int(self._report[0]["crc"]) == 0

    @property
    def num_report_publishers(self) -> int:
        """How many programs publish reports, as far as they have been discovered."""
        return self._reports.num_publishers


def _clock_words(rate: float) -> str:
    return f"The robot's clock runs {abs(rate):.1%} {'fast' if rate > 0.0 else 'slow'} against this computer's"
