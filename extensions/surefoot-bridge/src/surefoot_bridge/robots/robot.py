"""A robot, as the control loop sees it: a real one, a simulated one, or a log."""

from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from typing import Mapping, Optional, Tuple

import numpy as np

from surefoot_bridge.state import JointCommand, RobotState

from .hardware_caps import HardwareCaps

ALARMS: Tuple[str, ...] = (
    "other_commander",
    "own_controller",
    "other_variant",
    "robot_clock_rate",
    "motor_fault",
    "motor_link",
    "battery_silent",
)
"""What a robot may raise an alarm about, besides what its report measures; the safety rules of these names answer it.

- ``other_commander``: another program commands the joints.
- ``own_controller``: the robot's own controller is active.
- ``other_variant``: the robot says that it is another variant than when it was opened.
- ``robot_clock_rate``: the robot's clock runs at another rate than the loop's.
- ``motor_fault``: a motor reports a fault.
- ``motor_link``: messages between the robot's computer and a motor are lost.
- ``battery_silent``: nothing new is known of the battery's charge.
"""


@dataclass(frozen=True)
class Reading:
    """A report and how it came.

    Attributes:
        state: What the robot measured, of batch shape ``()``, joints in the order of its own interface.
        received_s: When it came, on the control loop's clock [s].
        wrong_crc: Whether its checksum is wrong. Such a report is handed on, so that safety and log know of it.
        alarms: Which of :data:`ALARMS` are raised now, each with one sentence for a person.
    """

    state: RobotState
    received_s: float
    wrong_crc: bool
    alarms: Mapping[str, str] = field(default_factory=dict)

    @property
    def raised(self) -> np.ndarray:
        """Which alarms are raised, in the order of :data:`ALARMS`, (num_alarms,), bool."""
        return np.array([name in self.alarms for name in ALARMS]) if self.alarms else NO_ALARMS


NO_ALARMS = np.zeros(len(ALARMS), dtype=bool)
"""No alarm, as :attr:`Reading.raised` has it."""


class Robot(ABC):
    """A robot. None of its methods but :meth:`close` may wait: a control loop calls them hundreds of times a second.

    Attributes:
        name: Name of the robot, which must be that of the contract.
        num_foot_sensors: Width of the reports' ``foot_force_n``; 0 for a robot without foot sensors.
        caps: What its hardware is and bears; None where its transport does not know, which moves no hardware then.
        notes: What a person must know of it before it is used, one sentence each.
    """

    name: str
    num_foot_sensors: int
    caps: Optional[HardwareCaps] = None
    notes: Tuple[str, ...] = ()

    @property
    def is_real(self) -> bool:
        """Whether nothing says that it is simulated or emulated. Only the log of a real robot opens a stage."""
        return False

    @abstractmethod
    def read(self) -> Optional[Reading]:
        """Return the newest report, the same again if none came since; None before the first."""

    @abstractmethod
    def write(self, command: JointCommand) -> None:
        """Tell the joints what to do.

        Args:
            command: The command, of batch shape ``()``, joints in the order of the robot's own interface.

        Raises:
            SurefootError: If it cannot be sent.
        """

    @abstractmethod
    def stop(self) -> None:
        """Tell the joints to be damped, with nothing that asks for a position. Harmless when told again."""

    @abstractmethod
    def close(self) -> None:
        """Stop the robot and let go of it. Harmless when done again."""

    def __enter__(self) -> "Robot":
        return self

    def __exit__(self, *unused: object) -> None:
        self.close()
