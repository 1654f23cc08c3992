"""What a package provides so that the bridge can command a robot over its network: a :class:`Transport`.

A package offers it by an entry point of the group ``surefoot_bridge.robots``. The robot's
computer then needs nothing else: the bridge opens the robot by it, and the guardian, a process of its own, damps the
robot by it. ``docs/bridge/transports.md`` tells how one is written.
"""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any, Dict, Mapping, Optional, Sequence, Tuple

from surefoot_bridge.clock import Clock
from surefoot_bridge.contract import Contract
from surefoot_bridge.errors import SurefootError

from .address import RobotAddress
from .hardware_caps import HardwareCaps
from .lock import RobotLock
from .remote_control import RemoteControl
from .robot import Robot


@dataclass(frozen=True)
class OwnControllerFacts:
    """What becomes of a robot that its own controller has when the bridge takes it, for the checklist.

    Attributes:
        needs: What must hold before its controller is switched off and its joints go limp.
        rest: What the controller is told so that the robot comes to rest first.
        back: What the robot does when its controller is switched on again after the run.
    """

    needs: str
    rest: str
    back: str


class NetworkRobot(Robot):
    """A robot on a network, open. Nothing is sent to it before :meth:`take_control`.

    Attributes:
        address: Where it is.
        lock: What keeps other bridges of this computer away; it is given back by ``close``.
        taken_from: Name of the robot's own controller that control was taken from; empty for none.
        remote_control: The robot's remote, whose stop the bridge obeys; None where its reports carry none.
    """

    address: RobotAddress
    lock: RobotLock
    taken_from: str = ""
    remote_control: Optional[RemoteControl] = None

    @property
    def remote(self) -> bytes:
        """What its remote says, as the newest report carries it."""
        return b""

    @property
    def own_controller(self) -> Optional[str]:
        """Name of the robot's own controller that is active, empty for none; None where the robot does not say."""
        return ""

    @abstractmethod
    def take_control(self, *, without_switcher: bool = False) -> None:
        """Take the robot from its own controller and make sure that nobody else commands it.

        The operator has acknowledged the checklist, and a guardian watches already.

        Args:
            without_switcher: Whether to go on where the robot does not say which controller of its own is active.

        Raises:
            SurefootError: If control cannot be taken. Nothing was commanded then.
        """

    def guardian_command(self) -> Dict[str, Any]:
        """Return what the guardian must know to command this robot beside its address, as JSON can hold it."""
        return {}

    def release(self) -> str:
        """Switch the robot's own controller on again, after a run that ended in order. Nothing is sent any more.

        Returns:
            Why it is not on, for a person; empty where it is.
        """
        return "it has none"


class Damper(ABC):
    """Damps a robot from the guardian's process, and says whether the robot's own reports show that it is damped."""

    @property
    @abstractmethod
    def shown(self) -> bool:
        """Whether the reports show that the robot is damped."""

    @property
    @abstractmethod
    def finding(self) -> str:
        """What the reports say of it, for a person."""

    def await_robot(self) -> None:  # noqa: B027  (where nothing can be known before the first command)
        """Wait until the robot receives what is sent.

        Raises:
            SurefootError: If it does not; the bridge then commands nothing.
        """

    @abstractmethod
    def look(self) -> None:
        """Take the reports that have come. Called every 20 ms while the bridge commands; nothing may be sent."""

    @abstractmethod
    def begin(self) -> None:
        """Begin to damp with the next step."""

    @abstractmethod
    def step(self) -> None:
        """Send one damping command, look at the reports, and wait until the next one is due.

        Raises:
            SurefootError: If the network cannot be used. The time was waited for; the next step tries again.
        """


class Transport(ABC):
    """A way to one kind of robot.

    The object that an entry point names is one of these. Making it and asking for its attributes imports and opens
    nothing that is needed only to talk to the robot.

    Attributes:
        caps: What the robot's hardware is and bears: its name as contracts have it, joints in the order of its
            interface, feet, limits.
        confirmations: What people must have seen to before it is taken control of, for the checklist.
        own_controller: What becomes of a robot that has a controller of its own; None for one that has none.
    """

    caps: HardwareCaps
    confirmations: Tuple[str, ...] = ()
    own_controller: Optional[OwnControllerFacts] = None

    @property
    def robot(self) -> str:
        """Name of the robot, as contracts have it."""
        return self.caps.robot

    def address(self, interface: str, domain: int = 0) -> RobotAddress:
        """Return where a robot is.

        Args:
            interface: Network interface that leads to it.
            domain: Which network of that interface.

        Raises:
            SurefootError: If there can be no such robot.
        """
        return RobotAddress(self.robot, interface, domain)

    @abstractmethod
    def open(self, address: RobotAddress, contract: Contract, *, clock: Clock, timeout_s: float) -> NetworkRobot:
        """Open a robot and wait for its first report. Nothing is sent to it that moves it.

        Args:
            address: Where it is.
            contract: The contract, which is within :attr:`caps`.
            clock: The control loop's clock.
            timeout_s: How long to wait for it [s].

        Raises:
            SurefootError: If it is not there, or not as it should be; with the likely causes.
        """

    @abstractmethod
    def damper(self, address: RobotAddress, command: Mapping[str, Any]) -> Damper:
        """Return what damps a robot.

        Args:
            address: Where it is.
            command: What :meth:`NetworkRobot.guardian_command` returned; empty where nobody knows.

        Raises:
            SurefootError: If its network cannot be used.
        """

    def emulate(self, arguments: Sequence[str]) -> int:
        """Emulate a robot on the network until it is told to end; return the exit status.

        Args:
            arguments: What ``surefoot-bridge emulate`` was given: ``--robot NAME``, and what else the emulator takes.

        Raises:
            SurefootError: If it cannot be emulated.
        """
        del arguments
        raise SurefootError(
            f"The transport of {self.robot} has no emulator. Rehearse in this process: surefoot-bridge run BUNDLE "
            "--robot mujoco."
        )


def require_fit(address: RobotAddress, caps: HardwareCaps, contract: Contract) -> None:
    """Refuse a contract that is not for the robot at an address.

    Raises:
        SurefootError: If it is for another robot, or not within what this one bears.
    """
    if address.robot != caps.robot or contract.robot.name != caps.robot:
        raise SurefootError(
            f"The bundle was trained for {contract.robot.name}, and --robot leads to {address.robot}. Give a bundle "
            f"for {address.robot}, or the --robot and --interface of {contract.robot.name}."
        )
    caps.require(contract)
