"""How a robot stands, sits and is damped without its policy."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from types import MappingProxyType

from surefoot_bridge.errors import SurefootError

_POSES = ("stand_rad", "sit_rad", "crouch_rad")
_BY_JOINT = (*_POSES, "stiffness_nm_per_rad", "damping_nms_per_rad")


@dataclass(frozen=True, kw_only=True)
class Handling:
    """How a robot is held without its policy. Every mapping has each of its joints; it is copied and read-only.

    Attributes:
        stand_rad: Standing pose [rad].
        sit_rad: Pose in which the robot may become passive [rad].
        crouch_rad: Pose that catches a robot which still moves although its policy was to stop it [rad].
        stand_s: Duration of the motion to stand [s].
        sit_s: Duration of the motion to sit [s].
        crouch_s: Duration of the motion from walking to a crouch, and of the hand-over to its gains [s].
        stiffness_nm_per_rad: Position gains that stand, sit and crouch [N m/rad].
        damping_nms_per_rad: Velocity gains that stand, sit and crouch [N m s/rad].
        damped_nms_per_rad: Velocity gain of every joint while the robot is damped [N m s/rad].
        rests_without_gantry: Whether it comes to rest on the ground in the sitting pose.
        passive_needs: What must hold before the robot becomes passive, as a person reads it.
    """

    stand_rad: Mapping[str, float] = field(hash=False)
    sit_rad: Mapping[str, float] = field(hash=False)
    crouch_rad: Mapping[str, float] = field(hash=False)
    stand_s: float
    sit_s: float
    crouch_s: float
    stiffness_nm_per_rad: Mapping[str, float] = field(hash=False)
    damping_nms_per_rad: Mapping[str, float] = field(hash=False)
    damped_nms_per_rad: float
    rests_without_gantry: bool
    passive_needs: str

    def __post_init__(self) -> None:
        """Copy the mappings and refuse durations and gains that cannot be."""
        for name in _BY_JOINT:
            object.__setattr__(self, name, MappingProxyType(dict(getattr(self, name))))
        for name in ("stand_s", "sit_s", "crouch_s", "damped_nms_per_rad"):
            value = getattr(self, name)
            if not (math.isfinite(value) and value > 0):
                raise SurefootError(f"{name} is {value}; it must be > 0.")

    def __reduce__(self) -> tuple:
        """Rebuild from plain dictionaries, since read-only mappings can be neither pickled nor deep-copied."""
        values = {item.name: getattr(self, item.name) for item in fields(self)}
        return _rebuild, ({**values, **{name: dict(values[name]) for name in _BY_JOINT}},)

    def check(self, robot: str, limits_rad: Mapping[str, tuple[float, float]]) -> None:
        """Refuse joints that a robot has not, or lacks, and poses outside its limits.

        Args:
            robot: Name of the robot, for messages.
            limits_rad: Joint -> (lower, upper) [rad].

        Raises:
            SurefootError: Naming the joint.
        """
        for name in _BY_JOINT:
            odd = sorted(set(getattr(self, name)) ^ set(limits_rad))
            if odd:
                raise SurefootError(f"{robot}: {name} of its handling lacks or adds {', '.join(odd)}.")
        for name in _POSES:
            for joint, position in getattr(self, name).items():
                lower, upper = limits_rad[joint]
                if not lower <= position <= upper:
                    raise SurefootError(
                        f"{robot}: {name} of its handling has {joint} at {position}; its range is {lower} to {upper}."
                    )


def _rebuild(values: dict) -> Handling:
    return Handling(**values)
