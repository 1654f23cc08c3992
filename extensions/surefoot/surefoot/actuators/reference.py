"""The actuator equations of :mod:`surefoot.actuators.kernels` in NumPy, for tests and for engines that run on NumPy."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from surefoot_robots import RobotSpec

FRICTION_VELOCITY = 0.1
"""Velocity [rad/s] of the smoothed Coulomb friction; equals the kernel's constant (a test holds them together)."""


@dataclass(frozen=True)
class JointParameters:
    """Actuator parameters of every joint in policy order, each of shape (num_joints,)."""

    stiffness: np.ndarray
    """Proportional gain kp [N.m/rad]."""
    damping: np.ndarray
    """Derivative gain kd [N.m.s/rad]."""
    effort_limit: np.ndarray
    """Largest motor torque [N.m]."""
    saturation_effort: np.ndarray
    """Stall torque of the torque-speed line [N.m]."""
    velocity_limit: np.ndarray
    """No-load speed of the torque-speed line [rad/s]."""
    friction: np.ndarray
    """Coulomb friction torque [N.m]."""
    viscous: np.ndarray
    """Viscous friction coefficient [N.m.s/rad]."""

    @classmethod
    def from_spec(cls, spec: RobotSpec) -> JointParameters:
        """Nominal parameters of a robot, in its policy joint order."""
        return cls(
            stiffness=np.asarray(spec.joint_values("stiffness"), dtype=np.float32),
            damping=np.asarray(spec.joint_values("damping"), dtype=np.float32),
            effort_limit=np.asarray(spec.joint_values("effort_limit_nm"), dtype=np.float32),
            saturation_effort=np.asarray(spec.joint_values("saturation_effort_nm"), dtype=np.float32),
            velocity_limit=np.asarray(spec.joint_values("velocity_limit_rad_s"), dtype=np.float32),
            friction=np.asarray(spec.joint_values("friction_nm"), dtype=np.float32),
            viscous=np.asarray(spec.joint_values("viscous_nms_rad"), dtype=np.float32),
        )


@dataclass(frozen=True)
class JointEfforts:
    """Result of one actuator step; each array has the shape of the joint state [..., num_joints], in N.m."""

    computed: np.ndarray
    """PD law before any limit."""
    motor: np.ndarray
    """Torque the motor delivers."""
    joint: np.ndarray
    """Torque that acts on the joint: motor less friction."""


def compute_joint_efforts(
    parameters: JointParameters, joint_pos: np.ndarray, joint_vel: np.ndarray, joint_pos_target: np.ndarray
) -> JointEfforts:
    """Joint torques of PD control through a torque-speed curve and joint friction.

    Args:
        parameters: Actuator parameters, each (num_joints,).
        joint_pos: Joint positions [rad], shape [..., num_joints].
        joint_vel: Joint velocities [rad/s], same shape.
        joint_pos_target: Position targets [rad], same shape.
    """
    p = parameters
    computed = p.stiffness * (joint_pos_target - joint_pos) - p.damping * joint_vel
    speed_ratio = joint_vel / p.velocity_limit
    upper = np.clip(p.saturation_effort * (1.0 - speed_ratio), -p.effort_limit, p.effort_limit)
    lower = np.clip(p.saturation_effort * (-1.0 - speed_ratio), -p.effort_limit, p.effort_limit)
    motor = np.clip(computed, lower, upper)
    joint = motor - p.friction * np.tanh(joint_vel / FRICTION_VELOCITY) - p.viscous * joint_vel
    return JointEfforts(computed=computed, motor=motor, joint=joint)
