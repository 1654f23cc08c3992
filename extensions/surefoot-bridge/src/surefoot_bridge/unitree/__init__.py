"""Unitree's robots over DDS, the network of Unitree's SDK 2: ``pip install 'surefoot-bridge[unitree]'``."""

from surefoot_bridge.robots import RobotAddress, RobotLock

from .opening import open_robot
from .robots import UnitreeG1, UnitreeGo2
from .unitree_robot import UnitreeRobot

__all__ = [
    "RobotAddress",
    "RobotLock",
    "UnitreeG1",
    "UnitreeGo2",
    "UnitreeRobot",
    "open_robot",
]
