"""Configuration of the actuator model, built from a robot's specification."""

# Isaac Lab marks required fields with dataclasses.MISSING.
# pyright: reportAssignmentType=false

from __future__ import annotations

from dataclasses import MISSING

from isaaclab.actuators import ActuatorBaseCfg
from isaaclab.utils import configclass

from surefoot_robots import RobotSpec


@configclass
class JointActuatorCfg(ActuatorBaseCfg):
    """Parameters of :class:`~surefoot.actuators.actuator.JointActuator`; see :mod:`surefoot.actuators.kernels`."""

    class_type: type | str = "surefoot.actuators.actuator:JointActuator"

    saturation_effort: dict[str, float] | float = MISSING
    """Stall torque of the torque-speed line [N.m]."""

    coulomb_friction: dict[str, float] | float = MISSING
    """Coulomb friction torque [N.m], applied by the actuator kernel and not by the engine."""

    viscous_damping: dict[str, float] | float = MISSING
    """Viscous friction coefficient [N.m.s/rad], applied by the actuator kernel and not by the engine."""


def make_actuator_cfg(spec: RobotSpec) -> JointActuatorCfg:
    """One actuator group with the nominal parameters of every joint of a robot, so that one launch drives them all."""

    def per_joint(field: str) -> dict[str, float]:
        return dict(zip(spec.joint_names, spec.joint_values(field), strict=True))

    return JointActuatorCfg(
        joint_names_expr=list(spec.joint_names),
        stiffness=per_joint("stiffness"),
        damping=per_joint("damping"),
        actuator_effort_limit=per_joint("effort_limit_nm"),
        actuator_velocity_limit=per_joint("velocity_limit_rad_s"),
        saturation_effort=per_joint("saturation_effort_nm"),
        coulomb_friction=per_joint("friction_nm"),
        viscous_damping=per_joint("viscous_nms_rad"),
        armature=per_joint("armature_kgm2"),
        # The engine's own joint friction and damping are zero: they act in the actuator kernel.
        friction=0.0,
        dynamic_friction=0.0,
        viscous_friction=0.0,
    )
