"""What tasks ask of a robot of this size and build."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from types import MappingProxyType

from surefoot_bridge.errors import SurefootError

Vec3 = tuple[float, float, float]

_POSITIVE = ("swing_height_m", "lin_vel_x_m_s", "lin_vel_y_m_s", "ang_vel_z_rad_s")
_NOT_NEGATIVE = ("initial_speed", "initial_joint_offset_rad")


@dataclass(frozen=True, kw_only=True)
class TaskTuning:
    """Numbers of tasks that depend on the robot's size and build; its height and weight are elsewhere in its spec.

    Attributes:
        swing_height_m: Height that a swinging foot should reach [m].
        rest_group: Joint group of the robot that should stay near the default pose while it walks.
        lin_vel_x_m_s: Fastest walk forwards and backwards that is commanded on flat ground [m/s].
        lin_vel_y_m_s: Fastest walk to either side [m/s].
        ang_vel_z_rad_s: Fastest turn [rad/s].
        initial_speed: How fast episodes may begin, in each component of velocity [m/s] and angular velocity [rad/s].
        initial_joint_offset_rad: How far from the default pose they may begin [rad].
        payload_box_m: Lowest and highest corner of the box in which a load is carried, in the frame of the base [m].
        reward_weights: Reward term -> weight, for terms whose usual weight does not suit the robot. Squared torques and
            accelerations grow with size and number of joints: a sum of rewards below zero teaches to fall early.
    """

    swing_height_m: float
    rest_group: str
    lin_vel_x_m_s: float
    lin_vel_y_m_s: float
    ang_vel_z_rad_s: float
    initial_speed: float
    initial_joint_offset_rad: float
    payload_box_m: tuple[Vec3, Vec3]
    reward_weights: Mapping[str, float] = field(hash=False)

    def __post_init__(self) -> None:
        """Copy the weights and refuse numbers that cannot be."""
        object.__setattr__(self, "reward_weights", MappingProxyType(dict(self.reward_weights)))
        for name in (*_POSITIVE, *_NOT_NEGATIVE):
            value = getattr(self, name)
            if not (math.isfinite(value) and (value > 0 if name in _POSITIVE else value >= 0)):
                raise SurefootError(f"{name} is {value}; it must be {'>' if name in _POSITIVE else '>='} 0.")
        low, high = self.payload_box_m
        if not all(math.isfinite(a) and a <= b < math.inf for a, b in zip(low, high, strict=True)):
            raise SurefootError(f"payload_box_m is from {low} to {high}; no corner may be below the lowest.")
        for term, weight in self.reward_weights.items():
            if not math.isfinite(weight):
                raise SurefootError(f"reward_weights has {term} at {weight}; a weight is finite.")

    def __reduce__(self) -> tuple:
        """Rebuild from a plain dictionary, since read-only mappings can be neither pickled nor deep-copied."""
        values = {item.name: getattr(self, item.name) for item in fields(self)}
        return _rebuild, ({**values, "reward_weights": dict(self.reward_weights)},)


def _rebuild(values: dict) -> TaskTuning:
    return TaskTuning(**values)
