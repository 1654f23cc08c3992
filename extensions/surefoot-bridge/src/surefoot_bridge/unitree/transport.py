"""The transports of Unitree's robots, as the entry points of this package name them."""

from typing import Any, Mapping, Sequence

from surefoot_bridge.clock import Clock
from surefoot_bridge.contract import Contract
from surefoot_bridge.robots import LOOPBACK, RobotAddress, Transport

from .address import unitree_address
from .damping import UnitreeDamper
from .dds.participant import Participant
from .handover import RESTS
from .kinds import KINDS
from .opening import CHECKLIST, open_robot
from .unitree_robot import UnitreeRobot


class UnitreeTransport(Transport):
    """The way to a Unitree robot: DDS, as Unitree's SDK 2 uses it."""

    confirmations = CHECKLIST

    def __init__(self, robot: str) -> None:
        self.caps, self.own_controller = KINDS[robot].caps, RESTS[robot].facts

    def address(self, interface: str, domain: int = 0) -> RobotAddress:
        """Return where a robot is; its domain is one of DDS."""
        return unitree_address(self.robot, interface, domain)

    def open(self, address: RobotAddress, contract: Contract, *, clock: Clock, timeout_s: float) -> UnitreeRobot:
        """Open a robot and wait for its first report. Nothing is sent to it yet."""
        return open_robot(address, contract, clock=clock, timeout_s=timeout_s)

    def damper(self, address: RobotAddress, command: Mapping[str, Any]) -> UnitreeDamper:
        """Return what damps a robot; ``mode_machine`` is what a G1 calls its kind."""
        participant = Participant(address.interface, address.domain)
        simulated = address.interface == LOOPBACK
        return UnitreeDamper(participant, self.robot, simulated=simulated, mode_machine=command.get("mode_machine"))

    def emulate(self, arguments: Sequence[str]) -> int:
        """Emulate a robot on the network."""
        from .emulation.emulator import main

        return main(arguments)


GO2, G1 = UnitreeTransport("unitree_go2"), UnitreeTransport("unitree_g1")
