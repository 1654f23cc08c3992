"""Robots that the control loop can command, and the transports that lead to those on a network."""

from .address import LOOPBACK, RobotAddress
from .hardware_caps import HardwareCaps
from .lock import RobotLock
from .robot import ALARMS, NO_ALARMS, Reading, Robot
from .transport import Damper, NetworkRobot, OwnControllerFacts, Transport

__all__ = [
    "ALARMS",
    "LOOPBACK",
    "NO_ALARMS",
    "Damper",
    "HardwareCaps",
    "NetworkRobot",
    "OwnControllerFacts",
    "Reading",
    "Robot",
    "RobotAddress",
    "RobotLock",
    "Transport",
]
