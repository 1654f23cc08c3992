"""What a physics engine must offer so that trials run in it: reports for the bridge, the truth for the measures."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass

import numpy as np

from surefoot_bridge.state import JointCommand, RobotState

from .batch import TrialBatch


@dataclass(frozen=True, kw_only=True)
class Truth:
    """What is true of every robot after a tick. Joints are in the order of the robot's interface, feet in the spec's.

    The world's origin is where the trials' robots start, on the ground there; z is up.

    Attributes:
        base_pos_w: Position of the base's frame [m], (N, 3).
        base_quat_wxyz: Rotation from the base's frame to the world, (N, 4).
        base_lin_vel_w: Velocity of the base's frame in the world [m/s], (N, 3).
        base_ang_vel_b: Angular velocity in the base's frame [rad/s], (N, 3).
        joint_pos_rad: Joint positions [rad], (N, num_joints).
        joint_vel_rad_s: Joint velocities [rad/s], (N, num_joints).
        motor_torque_nm: Torque that each motor delivered in the last physics step, before friction [N m],
            (N, num_joints).
        torque_cut: Whether a motor delivered less than it was asked for, (N, num_joints), bool.
        motor_heat: Heat of each motor; 1 is what its continuous torque settles at, (N, num_joints).
        foot_pos_w: Lowest point of each sole [m], (N, num_feet, 3).
        foot_vel_w: Velocity of that point [m/s], (N, num_feet, 3).
        foot_force_n: Size of the force between each foot and the ground [N], (N, num_feet).
        body_force_n: Largest force between the ground and a body that is no foot and must not touch it [N], (N,).
    """

    base_pos_w: np.ndarray
    base_quat_wxyz: np.ndarray
    base_lin_vel_w: np.ndarray
    base_ang_vel_b: np.ndarray
    joint_pos_rad: np.ndarray
    joint_vel_rad_s: np.ndarray
    motor_torque_nm: np.ndarray
    torque_cut: np.ndarray
    motor_heat: np.ndarray
    foot_pos_w: np.ndarray
    foot_vel_w: np.ndarray
    foot_force_n: np.ndarray
    body_force_n: np.ndarray


class TrialEngine(ABC):
    """N robots side by side that do not touch each other, each with its own variation, on the terrain of a scenario.

    Attributes:
        name: Name of the engine: ``mujoco``, ``ovphysx``, ``newton_mjwarp``.
        tick_s: Time between two commands [s]; a whole number of ticks make up the contract's control period.
        num_trials: N, the most trials that run side by side.
    """

    name: str
    tick_s: float
    num_trials: int

    @abstractmethod
    def begin(self, batch: TrialBatch) -> None:
        """Put every robot of a batch at its start, with its variation in force, at rest and standing on the ground.

        Args:
            batch: At most :attr:`num_trials` trials of one scenario; an engine that has room for more repeats the last.
        """

    @abstractmethod
    def report(self) -> RobotState:
        """Return what perfect sensors measure now, (N, ...), in float64, of the batch's trials only.

        Encoder offsets of the variation are in it; noise and latency are not: they are the same code for all engines.
        """

    @abstractmethod
    def truth(self) -> Truth:
        """Return what is true now, of the batch's trials only."""

    @abstractmethod
    def step(self, command: JointCommand, push_force_w: np.ndarray | None) -> None:
        """Advance by a tick.

        Args:
            command: What the joints are told, (N, num_joints) each; no latency is to be added.
            push_force_w: Force on the base at its centre of mass [N], (N, 3); None where nobody pushes.
        """

    @abstractmethod
    def close(self) -> None:
        """Let go of what the engine holds."""
