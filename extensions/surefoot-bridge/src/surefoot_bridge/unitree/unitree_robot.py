"""What Unitree's robots have in common, as the control loop sees it."""

import time
from abc import abstractmethod
from dataclasses import replace
from typing import ClassVar, Dict, Optional

import numpy as np

from surefoot_bridge.clock import Clock
from surefoot_bridge.contract import Contract
from surefoot_bridge.errors import SurefootError
from surefoot_bridge.robots import LOOPBACK, NetworkRobot, Reading, RobotAddress, RobotLock
from surefoot_bridge.robots.address import require_interface
from surefoot_bridge.robots.transport import require_fit
from surefoot_bridge.state import JointCommand, RobotState

from .commands import LowCommand, require_keepable
from .dds.participant import Participant
from .handover import Handover, Joints
from .kinds import COMMAND_TOPIC, EMULATED, RobotKind
from .motion_switcher import MotionSwitcher
from .remote import REMOTE
from .reports import Reports
from .rivals import OtherCommander, OwnController

_LISTEN_S = 0.3  # for commands of others: 150 of them at the robots' rate
_POLL_S = 0.005


class UnitreeRobot(NetworkRobot):
    """A Unitree robot over DDS. :func:`~surefoot_bridge.unitree.open_robot` opens it.

    Nothing is sent to it before :meth:`take_control`.

    Args:
        address: Where it is.
        contract: The contract, in whose order of joints and feet reports come and commands go.
        clock: The control loop's clock.

    Raises:
        SurefootError: If the contract is for another robot or allows more than this one bears, another bridge has it,
            or its network cannot be reached.

    Attributes:
        caps: What its hardware is and bears, which the contract must be written for.
        joint_names: Joints in the order of reports and commands: the robot's own, and the contract's.
        foot_names: Feet in the order of ``foot_force_n``: the contract's.
        lock: What keeps other bridges away.
        simulated: Whether it is on the loopback, where no real robot can be. Simulators there may leave out checksum,
            tick and battery, which :attr:`notes` says.
        reports: Its reports as they come.
        taken_from: Name of the robot's own controller that control was taken from; empty for none.
    """

    kind: ClassVar[RobotKind]
    remote_control = REMOTE

    def __init__(self, address: RobotAddress, contract: Contract, *, clock: Clock) -> None:
        self.name, self.caps = self.kind.robot, self.kind.caps
        require_fit(address, self.caps, contract)
        self.address = address
        self.joint_names, self._motors = self.kind.joint_names, np.arange(len(self.kind.joint_names))
        self.foot_names = contract.robot.foot_names if self.kind.foot_names else ()
        self._feet = [self.kind.foot_names.index(foot) for foot in self.foot_names]
        self.num_foot_sensors = len(self._feet)
        self._clock = clock
        self._closed, self._in_control = False, False
        self.simulated = address.interface == LOOPBACK
        require_interface(address.interface)  # before a lock file is named after it
        self.lock = RobotLock(address)
        try:
            self.participant = Participant(address.interface, address.domain)
            self._connect()
        except Exception:
            self.lock.release()
            raise

    def _connect(self) -> None:
        self.reports = Reports(self.participant, self.kind, simulated=self.simulated, note=self._note)
        self._others = OtherCommander(self.participant, self.kind)
        self._own_controller = OwnController(self.participant)
        self._command = LowCommand(self.participant, self.kind, self._motors)
        self._switcher = MotionSwitcher(self.participant)
        self._report = self.reports.message[0]
        self._motor, self._imu = self._report["motor_state"], self._report["imu_state"]
        self._handover = Handover(
            self.participant, self.address, self.kind.joint_names, self._switcher, self._joints_now
        )
        self.taken_from = ""
        self._reading: Optional[Reading] = None

    def read(self) -> Optional[Reading]:
        """Return the newest report, the same again if none came since; None before the first.

        Its time and number are those of :class:`~surefoot_bridge.unitree.reports.Reports`, its alarms those of now.
        """
        now_s = self._clock.now()
        self._others.look(now_s)
        if self.reports.take(now_s):
            self._reading = self._read(now_s)
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
    def remote(self) -> bytes:
        """What its remote says, as reports have it: 40 bytes, see :mod:`~surefoot_bridge.unitree.remote`."""
        return self.reports.remote

    @property
    def own_controller(self) -> Optional[str]:
        """Name of the robot's own controller that is active, empty for none; None where the robot does not say."""
        return self._switcher.active(timeout_s=1.0)

    @property
    def is_real(self) -> bool:
        """Whether it is on a cable, and its last report does not say that it is emulated."""
        mark = int(np.atleast_1d(self._report["reserve"])[0])
        return self.address.interface != LOOPBACK and mark != EMULATED

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

    def release(self) -> str:
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
        clock = self.reports.clock_alarm
        if clock:
            alarms["robot_clock_rate"] = clock
        return alarms

    def _note(self, note: str) -> None:
        if note not in self.notes:
            self.notes = (*self.notes, note)

    def _read(self, now_s: float) -> Reading:
        reports, motors, imu, order = self.reports, self._motor, self._imu, self._motors
        state = RobotState(
            time_s=np.array(reports.measured_s),
            sequence=np.array(reports.sequence, dtype=np.int64),
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
        return Reading(state=state, received_s=reports.received_s, wrong_crc=reports.wrong, alarms=self._alarms(now_s))

    def _charge(self) -> float:
        share = self._battery_share()
        if share == 0.0 and self.simulated:
            self._note("Its battery is reported at 0 %: it has none, so it counts as full.")
            return 1.0
        return share if share == share or not self.simulated else 1.0

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
