"""What a robot reports and is commanded, and in which mode it is: arrays whose leading dimensions are free."""

from .flat_command import COMMAND_PARTS, flat, joint_command, joint_torque, parts, target_rate
from .modes import Mode, Request, by_policy
from .robot_state import JointCommand, RobotState, each, stack
from .rotations import gravity_in_frame, heading, product, roll_pitch_yaw, rotation_matrix, tilt

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
    "heading",
    "joint_command",
    "joint_torque",
    "parts",
    "product",
    "roll_pitch_yaw",
    "rotation_matrix",
    "stack",
    "target_rate",
    "tilt",
]
