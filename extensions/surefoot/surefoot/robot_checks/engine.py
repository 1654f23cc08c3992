"""What the checks ask of a physics engine: put one robot somewhere, step it with joint torques, read it back."""

from abc import ABC, abstractmethod
from dataclasses import dataclass, fields

import numpy as np
from numpy.typing import NDArray

from surefoot_robots import RobotSpec

Array = NDArray[np.float64]

TIMESTEP_S = 0.005
"""Physics time step of every check, that of training (200 Hz)."""


@dataclass(frozen=True)
class RobotState:
    """State of one robot; with a leading axis on every array, a trajectory.

    Attributes:
        base_pos_w: Position of the base frame [m], (3,).
        base_quat_w: Orientation of the base frame as (w, x, y, z), (4,).
        base_lin_vel_w: Velocity of the origin of the base frame [m/s], (3,).
        base_ang_vel_w: Angular velocity of the base [rad/s], (3,).
        joint_pos: Joint positions in policy order [rad], (num_joints,).
        joint_vel: Joint velocities in policy order [rad/s], (num_joints,).
    """

    base_pos_w: Array
    base_quat_w: Array
    base_lin_vel_w: Array
    base_ang_vel_w: Array
    joint_pos: Array
    joint_vel: Array


@dataclass(frozen=True)
class ModelReadback:
    """The robot as an engine holds it.

    Attributes:
        joint_names: Joints in the order of the engine interface's joint vectors.
        body_names: Bodies in the order of the following arrays.
        mass_kg: Mass of each body, (num_bodies,).
        com_b: Centre of mass of each body in its own frame [m], (num_bodies, 3).
        inertia_b: Inertia of each body about its centre of mass, axes of its own frame [kg m^2], (num_bodies, 3, 3).
        armature_kgm2: Armature of each joint in policy order, (num_joints,).
        lower_rad: Lower limit of each joint in policy order, (num_joints,).
        upper_rad: Upper limit of each joint in policy order, (num_joints,).
    """

    joint_names: tuple[str, ...]
    body_names: tuple[str, ...]
    mass_kg: Array
    com_b: Array
    inertia_b: Array
    armature_kgm2: Array
    lower_rad: Array
    upper_rad: Array


class Engine(ABC):
    """One robot on flat ground at z = 0 in a physics engine, driven by joint torques and nothing else."""

    @abstractmethod
    def reset(self, state: RobotState) -> None:
        """Put the robot into a state."""

    @abstractmethod
    def step(self, joint_effort: Array) -> None:
        """Advance by one time step with constant joint torques [N m] in policy order, (num_joints,)."""

    @abstractmethod
    def read(self) -> RobotState:
        """Return the present state."""

    @abstractmethod
    def read_model(self) -> ModelReadback:
        """Return the robot's parameters as the engine holds them."""


def standing_state(spec: RobotSpec, *, height_above_stand_m: float = 0.0) -> RobotState:
    """Return the robot at rest in its default pose, base level, feet `height_above_stand_m` above the ground."""
    return RobotState(
        base_pos_w=np.array([0.0, 0.0, spec.base_height_m + height_above_stand_m]),
        base_quat_w=np.array([1.0, 0.0, 0.0, 0.0]),
        base_lin_vel_w=np.zeros(3),
        base_ang_vel_w=np.zeros(3),
        joint_pos=np.array(spec.joint_values("default_joint_pos")),
        joint_vel=np.zeros(spec.num_joints),
    )


def stack(states: list[RobotState]) -> RobotState:
    """Return a trajectory: the same fields with time as the leading axis."""
    return RobotState(**{f.name: np.stack([getattr(s, f.name) for s in states]) for f in fields(RobotState)})
