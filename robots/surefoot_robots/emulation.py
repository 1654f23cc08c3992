"""Robots as the emulation of the bridge takes them."""

from dataclasses import dataclass

import numpy as np

from surefoot_bridge.actuators.parameters import JointParameters, MotorConstants
from surefoot_bridge.robots.model import RobotModel, stable_physics_dt_s
from surefoot_robots.registry import get_robot
from surefoot_robots.spec import RobotSpec

GROUND_FRICTION = 1.0
"""Friction of the ground, that of training's flat ground: it leaves a contact the robot's friction."""


def robot_model(name: str) -> RobotModel:
    """Return a robot as the emulation takes it, joints in the order of the robot's own interface.

    It is switched on in its sitting pose. Physics steps resolve the gains of standing and damping, which are higher
    than the policy's.

    Args:
        name: One of ``list_robots()``.

    Raises:
        SurefootError: If there is no such robot.
    """
    spec = get_robot(name)
    handling = spec.handling
    joints = _InSdkOrder(spec)
    held = np.array([handling.damping_nms_per_rad[joint] for joint in spec.sdk_joint_names])
    damping = np.maximum(np.maximum(held, handling.damped_nms_per_rad), joints.joint_values("damping"))
    return RobotModel(
        name=name,
        mjcf_path=spec.mjcf_path,
        base_body=spec.base_body,
        imu_site=spec.imu_site,
        joint_names=spec.sdk_joint_names,
        foot_names=spec.foot_bodies if "foot_contact" in spec.interface.sensors else (),
        default_joint_pos_rad=np.array(joints.joint_values("default_joint_pos")),
        start_joint_pos_rad=np.array([handling.sit_rad[joint] for joint in spec.sdk_joint_names]),
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


@dataclass(frozen=True)
class _InSdkOrder:
    """The numbers of a robot's joints, in the order of its own interface."""

    spec: RobotSpec

    def joint_values(self, quantity: str) -> tuple[float, ...]:
        by_name = dict(zip(self.spec.joint_names, self.spec.joint_values(quantity), strict=True))
        return tuple(by_name[joint] for joint in self.spec.sdk_joint_names)
