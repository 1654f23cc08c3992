"""What an emulated robot is made of. Any package may offer robots by an entry point; this one holds none."""

import math
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Sequence, Tuple

import numpy as np

from surefoot_bridge.actuators.parameters import JointParameters, MotorConstants
from surefoot_bridge.errors import SurefootError
from surefoot_bridge.offers import ROBOTS

GROUND_FRICTION = 1.0
"""Friction of the ground, that of training's flat ground: it leaves a contact the robot's friction."""


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

    @classmethod
    def from_spec(cls, spec: Any) -> "RobotModel":
        """Return a robot as the emulation takes it, switched on in its sitting pose.

        Physics steps resolve the gains of standing and damping, which are higher than the policy's.

        Args:
            spec: Its description, a ``surefoot_robots.RobotSpec``. What is read of it is read by name, so that this
                package needs none of that one.

        Raises:
            SurefootError: If numbers of it do not fit each other.
            AttributeError: If it lacks a field.
        """
        handling, names = spec.handling, tuple(spec.sdk_joint_names)
        joints = _InSdkOrder(spec)
        held = np.array([handling.damping_nms_per_rad[joint] for joint in names])
        damping = np.maximum(np.maximum(held, handling.damped_nms_per_rad), joints.joint_values("damping"))
        return cls(
            name=spec.name,
            mjcf_path=spec.mjcf_path,
            base_body=spec.base_body,
            imu_site=spec.imu_site,
            joint_names=names,
            foot_names=spec.foot_bodies if "foot_contact" in spec.interface.sensors else (),
            default_joint_pos_rad=np.array(joints.joint_values("default_joint_pos")),
            start_joint_pos_rad=np.array([handling.sit_rad[joint] for joint in names]),
            parameters=JointParameters.from_spec(joints),
            motors=MotorConstants.from_spec(joints),
            low_level_hz=spec.interface.low_level_hz,
            physics_dt_s=stable_physics_dt_s(
                spec.interface.low_level_hz, damping, np.array(joints.joint_values("armature_kgm2"))
            ),
            ground_friction=GROUND_FRICTION,
            motor_temperature_limit_c=spec.interface.motor_temperature_limit_c,
            damped_nms_per_rad=handling.damped_nms_per_rad,
        )

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

    Raises:
        SurefootError: If no installed package offers it.
    """
    offer = ROBOTS.named(name, remedy="Install the package that describes the robot; Surefoot's own are in `surefoot`.")
    spec = ROBOTS.load(offer)
    try:
        model = RobotModel.from_spec(spec)
    except AttributeError as error:
        raise ROBOTS.broken(offer, f"{offer.reference} is no RobotSpec: {error}") from error
    if model.name != name:
        raise ROBOTS.broken(offer, f"its RobotSpec is named {model.name!r}, and its entry point must be too")
    return model


@dataclass(frozen=True)
class _InSdkOrder:
    """The numbers of a robot's joints, in the order of its own interface."""

    spec: Any

    def joint_values(self, quantity: str) -> Sequence[float]:
        """Return one number for each joint."""
        by_name = dict(zip(self.spec.joint_names, self.spec.joint_values(quantity)))
        return tuple(by_name[joint] for joint in self.spec.sdk_joint_names)
