"""Which robot a bridge talks to, as ``--robot`` names it, and how it is opened."""

from dataclasses import dataclass
from pathlib import Path
from typing import Literal, Optional, Tuple

from surefoot_bridge.clock import Clock
from surefoot_bridge.contract import Contract
from surefoot_bridge.errors import SurefootError, unknown_name

from .address import LOOPBACK, RobotAddress
from .robot import Robot
from .transport import NetworkRobot, Transport, require_fit
from .transports import INSTALL, names, no_transport, offer_for, transport_of

_REPLAY = "replay:"


@dataclass(frozen=True)
class RobotPlace:
    """Where a robot is.

    Attributes:
        kind: ``mujoco`` for one in this process, ``network`` for one on the network, ``replay`` for a log.
        address: Where on the network; None elsewhere.
        log: The log that is replayed; None elsewhere.
        name: Name of the transport; None for the first that is for the robot at the address.
    """

    kind: Literal["mujoco", "network", "replay"]
    address: Optional[RobotAddress] = None
    log: Optional[Path] = None
    name: Optional[str] = None

    @property
    def on_hardware(self) -> bool:
        """Whether a real robot will be moved: any on the network but on the loopback, where emulated ones are."""
        return self.address is not None and self.address.interface != LOOPBACK

    @property
    def transport(self) -> Transport:
        """The way to a robot on the network.

        Raises:
            SurefootError: If there is none, or it cannot be used.
        """
        if self.name is not None:
            return transport_of(self.name)
        assert self.address is not None
        offer = offer_for(self.address.robot)
        if offer is None:
            raise no_transport(self.address.robot)
        return transport_of(offer.name)

    def describe(self, robot: str) -> str:
        """Return where a robot is, for a person."""
        if self.address is not None:
            return f"{'' if self.on_hardware else 'emulated '}{self.address}"
        return f"{robot} in MuJoCo" if self.log is None else f"{robot} replayed from {self.log}"

    def open(self, contract: Contract, clock: Clock, *, timeout_s: float) -> Robot:
        """Open the robot. Nothing is sent to it yet.

        Args:
            contract: The contract.
            clock: The control loop's clock.
            timeout_s: How long to wait for a robot on the network [s].

        Raises:
            SurefootError: If it is not there, or not the contract's.
        """
        if self.address is not None:
            return self._open_on_network(self.address, contract, clock, timeout_s)
        if self.log is not None:
            from .replay_robot import ReplayRobot

            return ReplayRobot(self.log, clock=clock)
        from .model import robot_model
        from .mujoco_robot import MujocoRobot

        return MujocoRobot(robot_model(contract.robot.name), clock=clock)

    def _open_on_network(
        self, address: RobotAddress, contract: Contract, clock: Clock, timeout_s: float
    ) -> NetworkRobot:
        if offer_for(contract.robot.name) is None:
            raise no_transport(contract.robot.name)
        transport = self.transport
        require_fit(address, transport.caps, contract)
        robot = transport.open(address, contract, clock=clock, timeout_s=timeout_s)
        if not isinstance(robot, NetworkRobot):
            raise SurefootError(
                f"{type(transport).__name__}.open returned a {type(robot).__name__}; it must be a "
                "surefoot_bridge.robots.NetworkRobot. Repair the transport."
            )
        return robot


def parse_place(robot: str, *, interface: Optional[str], domain: Optional[int]) -> RobotPlace:
    """Return what ``--robot``, ``--interface`` and ``--domain`` say.

    Raises:
        SurefootError: If the robot is unknown, its transport cannot be used, or the options do not go together.
    """
    local = robot == "mujoco" or (robot.startswith(_REPLAY) and robot != _REPLAY)
    if not local and robot in names():
        return network_place(robot, interface=interface, domain=domain)
    if not local:
        raise unknown_name("robot", robot, valid_robots(), INSTALL)
    if interface is not None or domain is not None:
        raise SurefootError(f"--interface and --domain are for {', '.join(names())}; --robot is {robot}.")
    if robot == "mujoco":
        return RobotPlace("mujoco")
    return RobotPlace("replay", log=Path(robot[len(_REPLAY) :]))


def network_place(robot: str, *, interface: Optional[str], domain: Optional[int]) -> RobotPlace:
    """Return where a robot on the network is.

    Raises:
        SurefootError: If no transport has this name, it cannot be used, or there can be no such robot.
    """
    transport = transport_of(robot)
    if interface is None:
        raise SurefootError(
            f"--robot {robot} needs --interface: the network interface that leads to it, as `ip link` names it; "
            f"{LOOPBACK} for one that `surefoot-bridge emulate` emulates on this computer."
        )
    return RobotPlace("network", transport.address(interface, 0 if domain is None else domain), name=robot)


def valid_robots() -> Tuple[str, ...]:
    """Return what ``--robot`` takes."""
    return ("mujoco", *names(), f"{_REPLAY}LOG")
