"""What Unitree's robots have in common, as the control loop sees it."""

import time
from abc import abstractmethod
from typing import ClassVar, Optional

import numpy as np

from surefoot_bridge.clock import Clock
from surefoot_bridge.contract import Contract
from surefoot_bridge.errors import SurefootError
from surefoot_bridge.robot import Reading, Robot
from surefoot_bridge.state import JointCommand, RobotState

from .address import RobotAddress
from .arrival import ArrivalTimes
from .checksum import checksum
from .commands import LowCommand
from .kinds import COMMAND_TOPIC, REPORT_TOPIC, TICKS_PER_S, RobotKind
from .lock import RobotLock
from .motion_switcher import MotionSwitcher
from .participant import Participant, Subscriber

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
        SurefootError: If the contract is for another robot or allows more than this one bears, another bridge has it,
            or its network cannot be reached.

    Attributes:
        caps: What its hardware is and bears, which the contract must be written for.
        joint_names: Joints in the order of reports and commands: the robot's own, and the contract's.
        foot_names: Feet in the order of ``foot_force_n``: the contract's.
        lock: What keeps other bridges away.
    """

    kind: ClassVar[RobotKind]

    def __init__(self, address: RobotAddress, contract: Contract, *, clock: Clock) -> None:
        self.name, self.caps = self.kind.robot, self.kind.caps
        if address.robot != self.name or contract.robot.name != self.name:
            raise SurefootError(
                f"The address is of {address.robot}, the contract for {contract.robot.name}; both must be {self.name}."
            )
        self.address = address
        self.caps.require(contract)
        self.joint_names, self._motors = self.kind.joint_names, np.arange(len(self.kind.joint_names))
        self.foot_names = contract.robot.foot_names if self.kind.foot_names else ()
        self._feet = [self.kind.foot_names.index(foot) for foot in self.foot_names]
        self.num_foot_sensors = len(self._feet)
        self._clock = clock
        self._closed, self._in_control = False, False
        self.lock = RobotLock(address)
        try:
            self.participant = Participant(address.interface, address.domain)
            self._connect()
        except Exception:
            self.lock.release()
            raise

    def _connect(self) -> None:
        self._reports = Subscriber(self.participant, REPORT_TOPIC, self.kind.report, depth=_DEPTH)
        self._others = Subscriber(self.participant, COMMAND_TOPIC, self.kind.command, depth=_DEPTH, ignore_own=True)
        self._command = LowCommand(self.participant, self.kind, self._motors)
        self._switcher = MotionSwitcher(self.participant)
        self._report = np.zeros(1, self.kind.report.layout)  # the newest, in one place, so that it is looked at quickly
        self._report_bytes = self._report.view(np.uint8)
        self._motor = self._report[0]["motor_state"]
        self._imu = self._report[0]["imu_state"]
        self._arrivals = ArrivalTimes()
        self._tick: Optional[int] = None
        self._ticks, self._sequence = 0, 0
        self._reading: Optional[Reading] = None

    def read(self) -> Optional[Reading]:
        """Return the newest report, the same again if none came since; None before the first.

        Its time is that of the robot's tick, and it is counted by its tick as well: a report that repeats a tick has
        the number of the one before it, and one whose tick goes back has a lower one.
        """
        taken = self._reports.take()
        if len(taken):
            self._report_bytes[:] = taken[-1:].view(np.uint8)
            self._reading = self._read(len(taken))
        return self._reading

    def write(self, command: JointCommand) -> None:
        """Tell the joints what to do.

        Raises:
            SurefootError: If control was not taken, a number is not finite, or it cannot be sent.
        """
        if not self._in_control:
            raise SurefootError(
                f"{self.address} was not taken control of: once the operator has acknowledged the checklist, call "
                "take_control()."
            )
        self._command.send(command)

    def stop(self) -> None:
        """Damp all joints. Harmless when told again; nothing is sent to a robot that was not taken control of."""
        if self._in_control:
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
            self.participant.close()
            self.lock.release()

    @property
    def own_controller(self) -> Optional[str]:
        """Name of the robot's own controller that is active, empty for none; None where the robot does not say."""
        return self._switcher.active(timeout_s=1.0)

    def take_control(self, timeout_s: float = 10.0, *, without_switcher: bool = False) -> None:
        """Switch the robot's own controller off and make sure that nobody else commands it. Its joints go limp.

        To be called when the robot lies or hangs, after the operator has acknowledged the checklist.

        Args:
            timeout_s: How long it may take [s].
            without_switcher: Whether to go on where the robot does not say which controller of its own is active: the
                operator has then switched it off by hand.

        Raises:
            SurefootError: If the robot does not answer, its controller stays on, or somebody else commands it.
        """
        until = time.monotonic() + timeout_s
        while True:
            name = self.own_controller
            if name == "" or (name is None and without_switcher):
                break
            if name is None:
                raise SurefootError(
                    f"{self.address} does not say which controller of its own is active (no answer on "
                    "rt/api/motion_switcher). Switch it off by hand (Go2: Unitree's app, motion service off; G1: debug "
                    "mode, L2+R2 on its remote), then start with the option that says so."
                )
            if time.monotonic() > until:
                raise SurefootError(
                    f"{self.address}: its own controller {name!r} stays on after {timeout_s:.0f} s. Switch it off by "
                    "hand (Go2: Unitree's app; G1: debug mode, L2+R2 on its remote)."
                )
            self._switcher.release(timeout_s=1.0)
            time.sleep(0.2)
        self._require_silence()
        self._in_control = True

    def commands_of_others(self) -> int:
        """Return how many commands of other programs came since the last call, eight at most."""
        return len(self._others.take())

    def _require_silence(self) -> None:
        self.commands_of_others()
        time.sleep(_LISTEN_S)
        if self.commands_of_others():
            raise SurefootError(
                f"Somebody else commands {self.address}: {COMMAND_TOPIC} has {self._others.num_publishers} other "
                "publishers, and messages come. Likely: another bridge or a program of Unitree's on another computer, "
                "the guardian of a bridge that was killed, or the robot's own controller. End it first."
            )

    def _read(self, taken: int) -> Reading:
        now_s = self._clock.now()
        wrong = checksum(self._report) != int(self._report[0]["crc"])
        if wrong:  # nothing in it can be believed, its tick least of all
            self._sequence += 1
            received_s = now_s
        else:
            self._count(int(self._report[0]["tick"]), taken)
            received_s = self._arrivals.received_s(now_s, self._ticks / TICKS_PER_S)
        motors, imu, order = self._motor, self._imu, self._motors
        state = RobotState(
            time_s=np.array(self._ticks / TICKS_PER_S),
            sequence=np.array(self._sequence, dtype=np.int64),
            joint_pos_rad=motors["q"][order].astype(np.float64),
            joint_vel_rad_s=motors["dq"][order].astype(np.float64),
            joint_torque_nm=motors["tau_est"][order].astype(np.float64),
            motor_temperature_c=self._temperatures(motors["temperature"])[order],
            imu_quat_wxyz=imu["quaternion"].astype(np.float64),
            imu_ang_vel_rad_s=imu["gyroscope"].astype(np.float64),
            imu_lin_acc_m_s2=imu["accelerometer"].astype(np.float64),
            foot_force_n=self._forces(),
            battery_share=np.array(self._battery_share()),
        )
        return Reading(state=state, received_s=received_s, wrong_crc=wrong)

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

    @property
    def battery_known(self) -> bool:
        """Whether the charge of the battery is known; it must be before the robot is used."""
        return not np.isnan(self._battery_share())

    @property
    def num_report_publishers(self) -> int:
        """How many programs publish reports, as far as they have been discovered."""
        return self._reports.num_publishers
