"""Who commands the robot: a person at a keyboard, a joystick or the robot's own remote, or a script."""

from .operator import Operator, OperatorInput

__all__ = [
    "Operator",
    "OperatorInput",
]
