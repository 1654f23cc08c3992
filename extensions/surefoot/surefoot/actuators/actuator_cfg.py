"""Configuration of the actuator model, built from a robot's specification."""

# Isaac Lab marks required fields with dataclasses.MISSING.
# pyright: reportAssignmentType=false

from __future__ import annotations

from dataclasses import MISSING

from isaaclab.actuators import ActuatorBaseCfg
from isaaclab.utils import configclass

from surefoot_bridge.actuators.parameters import CONTINUOUS_TORQUE_SHARE, DERATED_SHARE, THERMAL_TIME_CONSTANT_S
from surefoot_robots import RobotSpec


@configclass
class JointActuatorCfg(ActuatorBaseCfg):
    """Nominal parameters of :class:`~surefoot.actuators.actuator.JointActuator`, and what is not randomized.

    The equations stand in :mod:`surefoot.actuators.kernels`.
    """

    class_type: type | str = "surefoot.actuators.actuator:JointActuator"

    saturation_effort: dict[str, float] | float = MISSING
    """Stall torque of the torque-speed line [N.m]."""

    coulomb_friction: dict[str, float] | float = MISSING
    """Coulomb friction torque [N.m], applied by the actuator kernel and not by the engine."""

    viscous_damping: dict[str, float] | float = MISSING
    """Viscous friction coefficient [N.m.s/rad], applied by the actuator kernel and not by the engine."""

    default_joint_pos: dict[str, float] | float = MISSING
    """Pose that is held after a reset until the first command arrives [rad]."""

    largest_command_delay_s: float = 0.0
    """Largest delay that commands may be given [s]; a larger one acts as the largest that the memory made for it holds,
    which is a whole number of control steps."""

    continuous_torque_share: dict[str, float] | float = CONTINUOUS_TORQUE_SHARE
    """Torque that a motor holds for ever, as a share of its effort limit."""

    thermal_time_constant_s: dict[str, float] | float = THERMAL_TIME_CONSTANT_S
    """Time constant of a motor's heat [s]."""

    derated_share: float = DERATED_SHARE
    """Share of the effort limit that is left to a motor of heat 1.5 and more."""

    network_file: str | None = None
    """TorchScript file of a network that computes torques in place of the PD law, or None; see
    :class:`~surefoot.actuators.network.ActuatorNetwork`."""

    network_history_steps: tuple[int, ...] = (0, 2, 4)
    """Ages of the network's inputs [physics substeps]: 0, 10 and 20 ms at 5 ms, as in Hwangbo et al. 2019."""


def make_actuator_cfg(
    spec: RobotSpec, *, largest_command_delay_s: float = 0.0, network_file: str | None = None
) -> JointActuatorCfg:
    """One actuator group with the nominal parameters of every joint of a robot, so that one launch drives them all.

    Args:
        spec: The robot.
        largest_command_delay_s: Largest delay that commands may be given [s].
        network_file: TorchScript file of an actuator network, or None for PD control.
    """

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
        default_joint_pos={name: spec.default_joint_pos[name] for name in spec.joint_names},
        largest_command_delay_s=largest_command_delay_s,
        network_file=network_file,
        armature=per_joint("armature_kgm2"),
        # The engine's own joint friction and damping are zero: they act in the actuator kernel.
        friction=0.0,
        dynamic_friction=0.0,
        viscous_friction=0.0,
    )
