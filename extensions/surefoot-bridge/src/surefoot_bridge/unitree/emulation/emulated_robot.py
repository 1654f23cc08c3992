"""An emulated robot: a simulated one behind the messages of Unitree's SDK."""

import time
from dataclasses import dataclass, replace
from typing import Callable, Optional, Sequence

import numpy as np

from surefoot_bridge.clock import Clock
from surefoot_bridge.errors import SurefootError
from surefoot_bridge.robots import Reading, Robot, RobotAddress, RobotLock
from surefoot_bridge.robots.address import require_interface
from surefoot_bridge.state import JointCommand, RobotState
from surefoot_bridge.unitree.dds.participant import Subscriber
from surefoot_bridge.unitree.kinds import REPORT_TOPIC

from .firmware import CommandCounts, Firmware
from .paced_clock import PacedClock

_LISTEN_S = 0.3
_LATE_PERIODS = 10  # after which missed reports are not made up for


@dataclass(frozen=True)
class EmulationReport:
    """How an emulation went.

    Attributes:
        duration_s: How long it lasted [s].
        reports: Number of reports.
        longest_pause_s: Longest time between two reports [s].
        lost_s: Time by which the simulated robot fell behind, because the computer was too slow [s].
        counts: What has become of commands.
    """

    duration_s: float
    reports: int
    longest_pause_s: float
    lost_s: float
    counts: CommandCounts


class EmulatedRobot:
    """A simulated robot on the network.

    Args:
        address: Where it is to be.
        robot: The simulated robot, of the same name, on ``robot_clock``.
        joint_names: Joints in the order of its reports and commands.
        foot_names: Feet in the order of its reports.
        clock: The computer's clock.
        robot_clock: The simulated robot's clock, which follows the computer's as far as that is fast enough.
        own_controller: Name of a controller of its own that is active at first; empty for none.

    Raises:
        SurefootError: If it has other joints than the kind, or there is a robot at this address already.

    Attributes:
        firmware: The robot's side of the network.
    """

    def __init__(
        self,
        address: RobotAddress,
        robot: Robot,
        *,
        joint_names: Sequence[str],
        foot_names: Sequence[str],
        clock: Clock,
        robot_clock: PacedClock,
        own_controller: str = "",
    ) -> None:
        self._address, self._robot, self._clock, self._robot_clock = address, robot, clock, robot_clock
        self._reported: Optional[Reading] = None
        self._begin_s = clock.now() - 1.0  # it was switched on a second ago
        require_interface(address.interface)  # before a lock file is named after it
        self._lock = RobotLock(address, purpose="emulator")
        try:
            self.firmware = Firmware(address, own_controller=own_controller)
        except SurefootError:
            self._lock.release()
            raise
        kind = self.firmware.kind
        try:
            self._require_no_other()
            self._to_kind = _places(joint_names, kind.joint_names, f"joints of {address.robot}")
            self._from_kind = np.argsort(self._to_kind)
            self._feet = _places(foot_names, kind.foot_names, f"feet of {address.robot}") if kind.foot_names else None
        except SurefootError:
            self.firmware.close()
            self._lock.release()
            raise

    def run(
        self,
        ended: Callable[[], bool],
        *,
        duration_s: Optional[float] = None,
        watchers: Sequence[Callable[[float], None]] = (),
    ) -> EmulationReport:
        """Let it live in real time.

        Args:
            ended: Says whether to end.
            duration_s: How long to go on at most [s].
            watchers: Called with the time [s] after each step.
        """
        period_s = 1.0 / self.firmware.kind.low_level_hz
        self._robot_clock.follow()  # what has passed before is nobody's loss
        lost_before_s = self._robot_clock.lost_s
        begin_s = last_s = due_s = self._clock.now()
        reports, longest_s = 0, 0.0
        while not ended() and (duration_s is None or last_s - begin_s < duration_s):
            self.step()
            for watcher in watchers:
                watcher(last_s)
            now_s = self._clock.now()
            reports, longest_s, last_s = reports + 1, max(longest_s, now_s - last_s), now_s
            due_s = max(due_s + period_s, now_s - _LATE_PERIODS * period_s)
            self._clock.sleep_until(due_s)
        lost_s = self._robot_clock.lost_s - lost_before_s
        return EmulationReport(last_s - begin_s, reports, longest_s, lost_s, self.firmware.counts)

    def step(self) -> None:
        """Obey the commands that came, answer requests, and report."""
        self._robot_clock.follow()
        self.obey()
        self.firmware.answer()
        reading = self._robot.read()
        if reading is not None and reading is not self._reported:
            self._reported = reading
            passed_s = np.array(self._clock.now() - self._begin_s)  # goes on where a slow computer slows physics down
            self.report(replace(self._kinds(reading.state), time_s=passed_s))

    def obey(self) -> None:
        """Obey the last of the commands that came."""
        for command in self.firmware.commands()[-1:]:
            self._robot.write(self._own(command))
        self.obey_own_controller()

    def obey_own_controller(self) -> None:
        """Obey its own controller, which goes on commanding beside whoever else does."""
        if self._reported is None:
            return
        own = self.firmware.own.command(self._clock.now(), self._reported.state.joint_pos_rad[self._to_kind])
        if own is not None:
            self._robot.write(self._own(own))

    def report(self, state: RobotState) -> None:
        """Report what the robot measures, joints and feet in the order of the kind."""
        self.firmware.report(state)

    def close(self) -> None:
        """Leave the network. Harmless when done again."""
        self.firmware.close()
        self._robot.close()
        self._lock.release()

    def __enter__(self) -> "EmulatedRobot":
        return self

    def __exit__(self, *unused: object) -> None:
        self.close()

    def _own(self, command: JointCommand) -> JointCommand:
        order = self._from_kind
        return JointCommand(*(array[order] for array in vars(command).values()))

    def _kinds(self, state: RobotState) -> RobotState:
        joints = {
            name: getattr(state, name)[self._to_kind]
            for name in ("joint_pos_rad", "joint_vel_rad_s", "joint_torque_nm", "motor_temperature_c")
        }
        feet = {} if self._feet is None else {"foot_force_n": state.foot_force_n[self._feet]}
        return replace(state, **joints, **feet)

    def _require_no_other(self) -> None:
        others = Subscriber(
            self.firmware.participant, REPORT_TOPIC, self.firmware.kind.report, depth=1, ignore_own=True
        )
        time.sleep(_LISTEN_S)
        if len(others.take()):
            raise SurefootError(
                f"There is a robot at {self._address} already: it reports on {REPORT_TOPIC}. Emulate one in another "
                "domain or on the loopback, never in a real robot's network."
            )


def _places(names: Sequence[str], wanted: Sequence[str], what: str) -> np.ndarray:
    if sorted(names) != sorted(wanted):
        raise SurefootError(f"The simulated {what} are {', '.join(names)}; the real ones are {', '.join(wanted)}.")
    return np.array([list(names).index(name) for name in wanted], dtype=np.intp)
