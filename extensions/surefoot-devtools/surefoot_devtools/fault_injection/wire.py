"""Faults of messages that are made where the messages are: at the emulated robot, which sends reports and obeys."""

from collections import deque

import numpy as np

from surefoot_bridge.robots.mujoco_robot import MujocoRobot
from surefoot_bridge.state import RobotState
from surefoot_bridge.unitree.emulation.firmware import Firmware

from .faulty_robot import TIPS_RAD_S
from .timeline import Injection

_SILENT = ("reports_stop", "reports_pause")
_ONE_OF = {"reports_thin": 2, "reports_sparse": 10}
_DELAY_S = {"reports_late": 0.1, "reports_bit_late": 0.01}
AT_THE_ROBOT = (
    *_SILENT,
    *_ONE_OF,
    *_DELAY_S,
    "reports_corrupt",
    "report_duplicated",
    "reports_twice",
    "commands_lost",
    *TIPS_RAD_S,
)
"""Faults that a live trial makes at the emulated robot: the bridge gets or sends real messages.

``report_corrupt`` is none of them: of two reports that come between two ticks, the bridge looks at the newer only.
"""


class WireFaults:
    """Sends reports as a fault has them.

    Attributes:
        here: Whether the fault is one of :data:`AT_THE_ROBOT`.
    """

    def __init__(self, injection: Injection, robot: MujocoRobot) -> None:
        self._injection, self._robot = injection, robot
        self._name = injection.fault.name
        self.here = self._name in AT_THE_ROBOT
        self._waiting: deque[tuple[float, RobotState]] = deque()
        self._count, self._done = 0, False

    def reports(self, firmware: Firmware, state: RobotState, now_s: float) -> list[RobotState]:
        """Report what the fault leaves of a report; return what was sent whole.

        Args:
            firmware: What sends.
            state: The robot's state.
            now_s: The time [s].
        """
        name = self._name
        if not self._injection.on(now_s):
            self._waiting.clear()
            firmware.report(state)
            return [state]
        self._count += 1
        if name in _SILENT or self._count % _ONE_OF.get(name, 1):
            return []
        if name == "report_duplicated":
            firmware.repeat_report()
            return []
        if name == "reports_corrupt":
            firmware.corrupt_reports = 1
            firmware.report(state)
            return []
        if name in _DELAY_S:
            return self._delayed(firmware, state, now_s)
        firmware.report(state)
        if name == "reports_twice":
            firmware.repeat_report()
        return [state]

    def loses_command(self, now_s: float) -> bool:
        """Return whether a command that comes now [s] is lost."""
        return self._name == "commands_lost" and self._injection.on(now_s)

    def tip(self, now_s: float) -> None:
        """Tip the robot, once, when it is time [s]."""
        if self._name in TIPS_RAD_S and not self._done and now_s >= self._injection.start_s:
            self._done = True
            self._robot.tip(TIPS_RAD_S[self._name] * np.random.default_rng(self._injection.seed).choice([-1.0, 1.0]))

    def _delayed(self, firmware: Firmware, state: RobotState, now_s: float) -> list[RobotState]:
        self._waiting.append((now_s + _DELAY_S[self._name], state))
        sent = []
        while self._waiting and self._waiting[0][0] <= now_s:
            sent.append(self._waiting.popleft()[1])
            firmware.report(sent[-1])
        return sent
