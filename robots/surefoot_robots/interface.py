"""What a robot's own computer measures and how fast it takes commands."""

import math
from dataclasses import dataclass
from typing import get_args

from surefoot_bridge.contract import Source
from surefoot_bridge.errors import SurefootError, unknown_name


@dataclass(frozen=True, kw_only=True)
class RobotInterface:
    """The low-level interface of a robot.

    Attributes:
        sensors: What it measures. A policy that sees anything else cannot run on it.
        low_level_hz: Rate at which it is meant to be given joint commands [Hz].
        motor_temperature_limit_c: Temperature from which a motor must rest [degrees Celsius].
    """

    sensors: tuple[Source, ...]
    low_level_hz: float
    motor_temperature_limit_c: float

    def __post_init__(self) -> None:
        """Refuse sensors that nobody knows and numbers that no robot has."""
        for sensor in self.sensors:
            if sensor not in get_args(Source):
                raise unknown_name("sensor", sensor, get_args(Source))
        for name in ("low_level_hz", "motor_temperature_limit_c"):
            value = getattr(self, name)
            if not (math.isfinite(value) and value > 0):
                raise SurefootError(f"{name} is {value}; it must be > 0.")
