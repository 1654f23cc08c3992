"""A command to the joints as one array: its parts side by side, so that limits, blends and checks are one operation."""

from typing import Tuple

import numpy as np

from .robot_state import JointCommand

COMMAND_PARTS = ("position", "velocity", "stiffness", "damping", "torque")
"""The parts in their order, each with a number a joint."""


def flat(command: JointCommand) -> np.ndarray:
    """Return the parts of a command side by side, (..., 5 num_joints), float64."""
    parts = (
        command.joint_pos_rad,
        command.joint_vel_rad_s,
        command.stiffness_nm_per_rad,
        command.damping_nms_per_rad,
        command.torque_nm,
    )
    return np.concatenate([np.asarray(part, dtype=np.float64) for part in parts], axis=-1)


def parts(command: np.ndarray) -> Tuple[np.ndarray, ...]:
    """Return the parts of a flat command, (..., num_joints) each, as views."""
    n = command.shape[-1] // len(COMMAND_PARTS)
    return tuple([command[..., i : i + n] for i in range(0, len(COMMAND_PARTS) * n, n)])


def joint_command(command: np.ndarray) -> JointCommand:
    """Return a flat command as the robot takes it; its arrays are views."""
    return JointCommand(*parts(command))


def joint_torque(
    command: np.ndarray, joint_pos_rad: np.ndarray, joint_vel_rad_s: np.ndarray
) -> Tuple[np.ndarray, np.ndarray]:
    """Return the torques that a flat command asks for: in all, and without stiffness [N m], (..., num_joints) each."""
    target, velocity, stiffness, damping, torque = parts(command)
    rest = damping * (velocity - joint_vel_rad_s) + torque
    return stiffness * (target - joint_pos_rad) + rest, rest


def target_rate(target_rad: np.ndarray, previous_rad: np.ndarray, moved_rad: np.ndarray, period_s: float) -> np.ndarray:
    """Return how fast targets move, counted over a control period [rad/s], (..., num_joints).

    Args:
        target_rad: Targets [rad], (..., num_joints).
        previous_rad: Those before [rad], (..., num_joints).
        moved_rad: What moves before still count [rad], (..., num_joints).
        period_s: The control period [s].
    """
    return (moved_rad + np.abs(target_rad - previous_rad)) / period_s
