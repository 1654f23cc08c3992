"""Observation terms: the functions of :mod:`surefoot.envs.fused.observations` as terms of a task.

The actor's terms are what the robot's sensors give: gyroscope, gravity direction from the IMU's attitude, joint
encoders, and what the controller itself knows. The critic also sees what only a simulation knows.

A term of one's own may be any function of the environment that returns (num_envs, numbers), in torch.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch

from surefoot.envs.fused import observations
from surefoot.envs.fused.observations import ObservationTerm
from surefoot.envs.fused.term import make_term

if TYPE_CHECKING:
    from surefoot.envs.env import SurefootEnv

MIRROR_KINDS = {
    "base_ang_vel": "axial_vector",
    "projected_gravity": "polar_vector",
    "joint_pos": "joint",
    "joint_vel": "joint",
    "last_action": "joint",
    "velocity_command": "velocity_command",
    "base_lin_vel": "polar_vector",
    "base_height": "scalar",
    "foot_contact": "foot_scalar",
    "foot_air_time": "foot_scalar",
    "sole_height": "foot_scalar",
    "motor_torque": "joint",
    "height_scan": "height_scan",
}
"""How each term changes when left and right are exchanged (:data:`surefoot.symmetry.MirrorKind`)."""


base_ang_vel = make_term(ObservationTerm, observations.base_ang_vel, __name__)
projected_gravity = make_term(ObservationTerm, observations.projected_gravity, __name__)
joint_position = make_term(ObservationTerm, observations.joint_position, __name__)
joint_velocity = make_term(ObservationTerm, observations.joint_velocity, __name__)
last_action = make_term(ObservationTerm, observations.last_action, __name__)
velocity_command = make_term(ObservationTerm, observations.velocity_command, __name__)
base_lin_vel = make_term(ObservationTerm, observations.base_lin_vel, __name__)
base_height = make_term(ObservationTerm, observations.base_height, __name__)
foot_contact = make_term(ObservationTerm, observations.foot_contact, __name__)
foot_air_time = make_term(ObservationTerm, observations.foot_air_time, __name__)
sole_height = make_term(ObservationTerm, observations.sole_height, __name__)
motor_torque = make_term(ObservationTerm, observations.motor_torque, __name__)
randomized = make_term(ObservationTerm, observations.randomized, __name__)


def height_scan(env: SurefootEnv) -> torch.Tensor:
    """How far the ground around the base is below a level one [m], within 1 m, (num_envs, 187).

    No sensor of our robots measures it. Where is said in :mod:`surefoot.terrains.scan_pattern`.
    """
    return env.height_scan.read()
