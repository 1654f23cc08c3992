"""Joints that are driven by the same kind of actuator."""

import math
from dataclasses import dataclass

from surefoot_bridge.errors import SurefootError

GROUP_FIELDS = (
    "stiffness",
    "damping",
    "effort_limit_nm",
    "velocity_limit_rad_s",
    "saturation_effort_nm",
    "armature_kgm2",
    "friction_nm",
    "viscous_nms_rad",
)
"""Fields of `ActuatorGroup` that hold one number for each of its joints."""


@dataclass(frozen=True, kw_only=True)
class ActuatorGroup:
    """Joints driven by the same kind of actuator.

    Attributes:
        name: Name of the group, unique in its robot.
        joint_pattern: Regular expression that full-matches the joints of the group.
        num_joints: How many joints the pattern must match.
        stiffness: Position gain of the joint's PD law [N m/rad].
        damping: Velocity gain of the joint's PD law [N m s/rad].
        effort_limit_nm: Largest torque at the joint [N m].
        velocity_limit_rad_s: Joint speed at which the motor has no torque left [rad/s].
        saturation_effort_nm: Torque at standstill of the linear torque-speed curve [N m], at least the limit.
        armature_kgm2: Rotor inertia seen at the joint [kg m^2]; equals `armature` in the MJCF.
        friction_nm: Coulomb friction torque at the joint [N m], applied by the actuator model, not by the engine.
        viscous_nms_rad: Viscous friction at the joint [N m s/rad], applied by the actuator model.
    """

    name: str
    joint_pattern: str
    num_joints: int
    stiffness: float
    damping: float
    effort_limit_nm: float
    velocity_limit_rad_s: float
    saturation_effort_nm: float
    armature_kgm2: float
    friction_nm: float
    viscous_nms_rad: float

    def __post_init__(self) -> None:
        """Refuse numbers that no actuator can have."""
        positive = ("num_joints", "stiffness", "effort_limit_nm", "velocity_limit_rad_s", "armature_kgm2")
        for name in positive:
            if not (math.isfinite(getattr(self, name)) and getattr(self, name) > 0):
                raise SurefootError(f"Actuator group {self.name!r}: {name} is {getattr(self, name)}; it must be > 0.")
        for name in ("damping", "friction_nm", "viscous_nms_rad"):
            if not (math.isfinite(getattr(self, name)) and getattr(self, name) >= 0):
                raise SurefootError(f"Actuator group {self.name!r}: {name} is {getattr(self, name)}; it must be >= 0.")
        if not self.saturation_effort_nm >= self.effort_limit_nm:
            raise SurefootError(
                f"Actuator group {self.name!r}: saturation_effort_nm is {self.saturation_effort_nm}, below "
                f"effort_limit_nm {self.effort_limit_nm}; a motor that cannot reach its limit has the lower limit."
            )
