"""What a robot reports and is commanded, and in which mode it is: arrays whose leading dimensions are free."""

from .flat_command import COMMAND_PARTS, flat, joint_command, joint_torque, parts, target_rate
from .modes import Mode, Request, by_policy
from .robot_state import JointCommand, RobotState, each, stack
from .rotations import gravity_in_frame, product, tilt

__all__ = [
    "COMMAND_PARTS",
    "JointCommand",
    "Mode",
    "Request",
    "RobotState",
    "by_policy",
    "each",
    "flat",
    "gravity_in_frame",
    "joint_command",
    "joint_torque",
    "parts",
    "product",
    "stack",
    "target_rate",
    "tilt",
]
