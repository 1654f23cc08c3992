"""Observation terms.

The actor's terms are what the robot's sensors give: gyroscope, gravity direction from the IMU's attitude, joint
encoders, and what the controller itself knows. The critic also sees what only a simulation knows.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch
from isaaclab.managers import ManagerTermBase

if TYPE_CHECKING:
    from isaaclab.managers import ObservationTermCfg

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
}
"""How each term changes when left and right are exchanged (:data:`surefoot.symmetry.MirrorKind`)."""


def base_ang_vel(env: SurefootEnv) -> torch.Tensor:
    """Angular velocity of the base [rad/s] in the base frame, (num_envs, 3)."""
    return env.locomotion.base_ang_vel_b


def projected_gravity(env: SurefootEnv) -> torch.Tensor:
    """Direction of gravity in the base frame, (num_envs, 3)."""
    return env.locomotion.projected_gravity_b


def velocity_command(env: SurefootEnv) -> torch.Tensor:
    """Commanded vx [m/s], vy [m/s] and yaw rate [rad/s] in the base frame, (num_envs, 3)."""
    return env.command


class JointPosition(ManagerTermBase):
    """Joint positions relative to the default pose [rad], (num_envs, num_joints)."""

    def __init__(self, cfg: ObservationTermCfg, env: SurefootEnv) -> None:
        super().__init__(cfg, env)
        self._default = torch.tensor(env.robot_spec.joint_values("default_joint_pos"), device=env.device)

    def __call__(self, env: SurefootEnv) -> torch.Tensor:
        """Positions less the default pose."""
        return env.locomotion.joint_pos - self._default


def joint_velocity(env: SurefootEnv) -> torch.Tensor:
    """Joint velocities [rad/s], (num_envs, num_joints)."""
    return env.robot.data.joint_vel.torch


def last_action(env: SurefootEnv) -> torch.Tensor:
    """The policy's last output, (num_envs, num_joints)."""
    return env.joint_target.raw_actions


def base_lin_vel(env: SurefootEnv) -> torch.Tensor:
    """Linear velocity of the base [m/s] in the base frame, (num_envs, 3). No sensor of the robot measures it."""
    return env.locomotion.base_lin_vel_b


def base_height(env: SurefootEnv) -> torch.Tensor:
    """Height of the base above the ground [m], (num_envs, 1). No sensor of the robot measures it."""
    return env.locomotion.base_height_m.unsqueeze(-1)


def foot_contact(env: SurefootEnv) -> torch.Tensor:
    """Whether each foot touches the ground, 0 or 1, (num_envs, num_feet)."""
    return env.locomotion.foot_contact.float()


def foot_air_time(env: SurefootEnv) -> torch.Tensor:
    """Time since each foot left the ground [s], (num_envs, num_feet)."""
    return env.locomotion.air_time_s


def sole_height(env: SurefootEnv) -> torch.Tensor:
    """Height of each sole above the ground [m], (num_envs, num_feet)."""
    return env.locomotion.sole_height_m


def motor_torque(env: SurefootEnv) -> torch.Tensor:
    """Motor torques of the last substep [N.m], (num_envs, num_joints)."""
    return env.locomotion.motor_torque_nm


class Randomized(ManagerTermBase):
    """Draws of every parameter that is random, [-1, 1] over its declared range, (num_envs, columns).

    Pushes are left out: what the next one will be is not part of the present.
    """

    def __init__(self, cfg: ObservationTermCfg, env: SurefootEnv) -> None:
        super().__init__(cfg, env)
        layout = env.randomization.layout
        slices = [layout.column_slice(parameter.name) for parameter in env.randomization.privileged]
        columns = [column for part in slices for column in range(part.start, part.stop)]
        self._columns = torch.tensor(columns, dtype=torch.int64, device=env.device)

    def __call__(self, env: SurefootEnv) -> torch.Tensor:
        """Draws of the present episode."""
        return env.randomization.table.normalised[:, self._columns]
