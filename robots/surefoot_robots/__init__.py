"""Robots: one frozen specification and one MJCF of primitive shapes for each."""

from surefoot_robots.actuator_group import ActuatorGroup
from surefoot_robots.handling import Handling
from surefoot_robots.interface import RobotInterface
from surefoot_robots.joint_group import JointGroup
from surefoot_robots.registry import get_robot, list_robots
from surefoot_robots.spec import RobotSpec
from surefoot_robots.tuning import TaskTuning

__all__ = [
    "ActuatorGroup",
    "Handling",
    "JointGroup",
    "RobotInterface",
    "RobotSpec",
    "TaskTuning",
    "get_robot",
    "list_robots",
]
