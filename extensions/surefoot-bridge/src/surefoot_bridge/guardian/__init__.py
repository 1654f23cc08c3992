"""The guardian: a process that damps the robot when the control loop's heartbeat stops."""

from .guardian import Guardian, GuardianTookOverError, Heartbeat, start_guardian

__all__ = [
    "Guardian",
    "GuardianTookOverError",
    "Heartbeat",
    "start_guardian",
]
