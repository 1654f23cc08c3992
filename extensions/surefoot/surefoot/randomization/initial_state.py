"""The state in which an episode begins: base and joints where the table says.

The base stands at its default pose in its environment, moved by ``initial_position`` and turned by the angles of
``initial_orientation``, first about x, then y, then z of the world. Its velocity is that of its centre of mass. Joints
begin beside their default position, within their soft limits.
"""

# A kernel is compiled by Warp, whose vector types have operators that their Python classes do not declare.
# pyright: reportArgumentType=false, reportIndexIssue=false, reportOperatorIssue=false, reportCallIssue=false
# pyright: reportAttributeAccessIssue=false, reportGeneralTypeIssues=false

from __future__ import annotations

from typing import TYPE_CHECKING

import torch
import warp as wp

from .bodies import table_vector
from .table import RandomizationTable

if TYPE_CHECKING:
    from isaaclab.assets import Articulation

wp.set_module_options({"enable_backward": False})  # no gradients are taken; a CPU is faster without

INITIAL_STATE = (
    "initial_position",
    "initial_orientation",
    "initial_lin_vel",
    "initial_ang_vel",
    "initial_joint_offset",
    "initial_joint_vel",
)
"""Parameters that this module reads."""


@wp.struct
class InitialStateColumns:
    """First column of each of :data:`INITIAL_STATE`."""

    initial_position: int
    initial_orientation: int
    initial_lin_vel: int
    initial_ang_vel: int
    initial_joint_offset: int
    initial_joint_vel: int


@wp.kernel
def place_bases(
    env_ids: wp.array(dtype=int),
    table: wp.array2d(dtype=float),
    columns: InitialStateColumns,
    origins: wp.array(dtype=wp.vec3f),
    default_pose: wp.array(dtype=wp.transformf),
    # outputs, (count,)
    pose_w: wp.array(dtype=wp.transformf),
    velocity_w: wp.array(dtype=wp.spatial_vectorf),
) -> None:
    """One thread per environment of ``env_ids``: pose and velocity of its base in the world frame."""
    row = wp.tid()
    env = env_ids[row]
    angles = table_vector(table, env, columns.initial_orientation)
    turn = (
        wp.quat_from_axis_angle(wp.vec3f(0.0, 0.0, 1.0), angles[2])
        * wp.quat_from_axis_angle(wp.vec3f(0.0, 1.0, 0.0), angles[1])
        * wp.quat_from_axis_angle(wp.vec3f(1.0, 0.0, 0.0), angles[0])
    )
    default = default_pose[env]
    position = wp.transform_get_translation(default) + table_vector(table, env, columns.initial_position)
    pose_w[row] = wp.transformf(origins[env] + position, turn * wp.transform_get_rotation(default))
    velocity_w[row] = wp.spatial_vector(
        table_vector(table, env, columns.initial_lin_vel), table_vector(table, env, columns.initial_ang_vel)
    )


@wp.kernel
def place_joints(
    env_ids: wp.array(dtype=int),
    table: wp.array2d(dtype=float),
    columns: InitialStateColumns,
    default_joint_pos: wp.array2d(dtype=float),
    limits: wp.array2d(dtype=wp.vec2f),
    # outputs, (count, num_joints)
    joint_pos: wp.array2d(dtype=float),
    joint_vel: wp.array2d(dtype=float),
) -> None:
    """One thread per (environment of ``env_ids``, joint): its position within the soft limits, and its velocity."""
    row, joint = wp.tid()  # pyright: ignore - as many integers as the launch has dimensions
    env = env_ids[row]
    position = default_joint_pos[env, joint] + table[env, columns.initial_joint_offset + joint]
    joint_pos[row, joint] = wp.clamp(position, limits[env, joint][0], limits[env, joint][1])
    joint_vel[row, joint] = table[env, columns.initial_joint_vel + joint]


class InitialState:
    """Writes the state that the table holds into the engine, through buffers that are allocated once."""

    def __init__(self, table: RandomizationTable, robot: Articulation) -> None:
        self._table, self._robot = table, robot
        self._columns = InitialStateColumns()
        for name in INITIAL_STATE:
            setattr(self._columns, name, table.layout.first_column(name))
        num_envs, device = table.num_envs, table.device
        self._pose_w = wp.zeros(num_envs, dtype=wp.transformf, device=device)
        self._velocity_w = wp.zeros(num_envs, dtype=wp.spatial_vectorf, device=device)
        self._joint_pos, self._joint_vel = (
            wp.zeros((num_envs, robot.num_joints), dtype=wp.float32, device=device) for _ in range(2)
        )

    def write(self, env_ids: torch.Tensor, origins: torch.Tensor) -> None:
        """Place the robots of some environments.

        Args:
            env_ids: The environments, int32, (count,).
            origins: Origins of all environments [m] in the world frame, (num_envs, 3).
        """
        count, data, robot = len(env_ids), self._robot.data, self._robot
        ids = wp.from_torch(env_ids)
        source = [ids, self._table.warp_values, self._columns]
        base = [self._pose_w[:count], self._velocity_w[:count]]
        joints = [self._joint_pos[:count], self._joint_vel[:count]]
        for kernel, dim, inputs, outputs in (
            (place_bases, count, [wp.from_torch(origins, dtype=wp.vec3f), data.default_root_pose.warp], base),
            (place_joints, joints[0].shape, [data.default_joint_pos.warp, data.soft_joint_pos_limits.warp], joints),
        ):
            wp.launch(kernel, dim=dim, inputs=[*source, *inputs], outputs=outputs, device=self._table.device)
        robot.write_root_link_pose_to_sim_index(root_pose=base[0], env_ids=ids)
        robot.write_root_com_velocity_to_sim_index(root_velocity=base[1], env_ids=ids)
        robot.write_joint_position_to_sim_index(position=joints[0], env_ids=ids)
        robot.write_joint_velocity_to_sim_index(velocity=joints[1], env_ids=ids)
