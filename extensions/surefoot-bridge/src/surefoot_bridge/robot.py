"""A robot, as the control loop sees it: a real one, a simulated one, or a log."""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Optional

from .hardware_caps import HardwareCaps
from .state import JointCommand, RobotState


@dataclass(frozen=True)
class Reading:
    """A report and how it came.

    Attributes:
        state: What the robot measured, of batch shape ``()``, joints in the order of its own interface.
        received_s: When it came, on the control loop's clock [s].
        wrong_crc: Whether its checksum is wrong. Such a report is handed on, so that safety and log know of it.
    """

    state: RobotState
    received_s: float
    wrong_crc: bool


class Robot(ABC):
    """A robot. None of its methods but :meth:`close` may wait: a control loop calls them hundreds of times a second.

    Attributes:
        name: Name of the robot, which must be that of the contract.
        num_foot_sensors: Width of the reports' ``foot_force_n``; 0 for a robot without foot sensors.
        caps: What its hardware is and bears; None where its transport does not know, which moves no hardware then.
    """

    name: str
    num_foot_sensors: int
    caps: Optional[HardwareCaps] = None

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
