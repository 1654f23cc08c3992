"""What an actuator is described by: the randomized columns, the constants of its motors, and its clocks."""

from surefoot_bridge.actuators.parameters import (
    CONTINUOUS_TORQUE_SHARE,
    DERATED_SHARE,
    PER_ENVIRONMENT,
    PER_JOINT,
    THERMAL_TIME_CONSTANT_S,
    ControlTiming,
    JointNumbers,
    JointParameters,
    MotorConstants,
)

__all__ = [
    "CONTINUOUS_TORQUE_SHARE",
    "DERATED_SHARE",
    "PER_ENVIRONMENT",
    "PER_JOINT",
    "THERMAL_TIME_CONSTANT_S",
    "ControlTiming",
    "JointNumbers",
    "JointParameters",
    "MotorConstants",
]
