"""What an emulated robot is made of. Any package may offer robots by an entry point; this one holds none."""

import math
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Dict, Tuple

import numpy as np

from surefoot_bridge.actuators.parameters import JointParameters, MotorConstants
from surefoot_bridge.errors import SurefootError, unknown_name

ENTRY_POINTS = "surefoot_bridge.robot_models"
"""Group of entry points: the name is the robot's, the object a function of that name that returns its model."""


@dataclass(frozen=True)
class RobotModel:
    """A robot for an emulation. Joints are in the order of the robot's own interface.

    Attributes:
        name: Name of the robot, as contracts have it.
        mjcf_path: Its MJCF: no ground, no actuators, a free joint at the base.
        base_body: Body of the free joint.
        imu_site: Site whose frame the IMU has.
        joint_names: Its joints.
        foot_names: Bodies with a foot sensor, in the contract's order; empty for a robot without any.
        default_joint_pos_rad: Default pose [rad], (num_joints,).
        start_joint_pos_rad: Pose in which it is switched on [rad], (num_joints,).
        parameters: Motors and friction.
        motors: Constants of the motors.
        low_level_hz: Rate of commands and reports [Hz].
        physics_dt_s: Length of a physics step [s]; a whole number of them make up a low-level period.
        ground_friction: Friction of the ground; the larger of it and the robot's counts unless the MJCF says otherwise.
        motor_temperature_limit_c: Temperature of a motor of heat 1, which its continuous torque settles at [degrees
            Celsius].
        damped_nms_per_rad: Velocity gain of every joint of the damped robot [N m s/rad].
    """

    name: str
    mjcf_path: Path
    base_body: str
    imu_site: str
    joint_names: Tuple[str, ...]
    foot_names: Tuple[str, ...]
    default_joint_pos_rad: np.ndarray
    start_joint_pos_rad: np.ndarray
    parameters: JointParameters
    motors: MotorConstants
    low_level_hz: float
    physics_dt_s: float
    ground_friction: float
    motor_temperature_limit_c: float
    damped_nms_per_rad: float

    def __post_init__(self) -> None:
        """Refuse numbers that do not fit each other."""
        n = len(self.joint_names)
        for name in ("default_joint_pos_rad", "start_joint_pos_rad"):
            if np.shape(getattr(self, name)) != (n,):
                raise SurefootError(
                    f"{self.name}: {name} has shape {np.shape(getattr(self, name))}; it must be ({n},)."
                )
        if not abs(self.physics_steps * self.physics_dt_s * self.low_level_hz - 1.0) < 1e-9:
            raise SurefootError(
                f"{self.name}: a physics step of {self.physics_dt_s} s does not divide the low-level period of "
                f"{1.0 / self.low_level_hz} s."
            )

    @property
    def physics_steps(self) -> int:
        """Physics steps of a low-level period."""
        return max(1, round(1.0 / (self.low_level_hz * self.physics_dt_s)))


def stable_physics_dt_s(low_level_hz: float, damping_nms_per_rad: np.ndarray, armature_kgm2: np.ndarray) -> float:
    """Return the largest physics step that divides a low-level period and resolves the damping of every joint [s].

    Torques are held over a physics step. Damping ``d`` on the inertia ``I`` changes a joint's velocity by ``d dt / I``
    of itself in a step: beyond 1 it turns it around, beyond 2 it pumps it up. The step keeps it at most at 1 with the
    rotor alone to resist, which every link makes less.

    Args:
        low_level_hz: Rate of commands [Hz].
        damping_nms_per_rad: Largest velocity gain that each joint is held with [N m s/rad], (num_joints,).
        armature_kgm2: Inertia of each rotor at its joint [kg m^2], (num_joints,).
    """
    longest_s = float(np.min(np.asarray(armature_kgm2) / np.maximum(damping_nms_per_rad, 1e-9)))
    period_s = 1.0 / low_level_hz
    return period_s / max(1, math.ceil(period_s / longest_s - 1e-9))


def robot_model(name: str) -> RobotModel:
    """Return the model of a robot, from the package that offers it.

    Args:
        name: Name of the robot, as contracts have it.

    Raises:
        SurefootError: If no installed package offers it.
    """
    offered = _offered()
    if name not in offered:
        raise unknown_name(
            "robot model", name, offered, "Install the package that describes the robot; Surefoot's own is `surefoot`."
        )
    model = offered[name].load()(name)
    if not isinstance(model, RobotModel) or model.name != name:
        raise SurefootError(
            f"{offered[name].value} returned {model!r:.80} for the robot {name!r}; it must be its model."
        )
    return model


def _offered() -> Dict[str, Any]:
    from importlib import metadata

    every: Any = metadata.entry_points()
    if sys.version_info >= (3, 10):
        found = every.select(group=ENTRY_POINTS)
    else:  # a mapping of groups before 3.10
        found = every.get(ENTRY_POINTS, ())
    return {point.name: point for point in found}
