"""Unitree's robots over DDS, the network of Unitree's SDK 2: ``pip install 'surefoot-bridge[unitree]'``."""

from .address import ROBOTS, RobotAddress, interfaces
from .handover import RESTS
from .lock import RobotLock
from .opening import CHECKLIST, open_robot
from .robots import UnitreeG1, UnitreeGo2
from .unitree_robot import UnitreeRobot

__all__ = [
    "CHECKLIST",
    "RESTS",
    "ROBOTS",
    "RobotAddress",
    "RobotLock",
    "UnitreeG1",
    "UnitreeGo2",
    "UnitreeRobot",
    "interfaces",
    "open_robot",
]
