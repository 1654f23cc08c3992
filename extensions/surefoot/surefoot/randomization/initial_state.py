"""The state in which an episode begins: base and joints where the table says.

The base stands at its default pose in its environment, moved by ``initial_position`` and turned by the angles of
``initial_orientation``, first about x, then y, then z of the world. Its velocity is that of its centre of mass. Joints
begin beside their default position, within their soft limits.
"""

# A kernel is compiled by Warp, whose vector types have operators that their Python classes do not declare.
# pyright: reportArgumentType=false, reportIndexIssue=false, reportOperatorIssue=false, reportCallIssue=false
# pyright: reportAttributeAccessIssue=false, reportGeneralTypeIssues=false

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import torch
import warp as wp

from surefoot.env_mask import EnvIds

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
def place_robots(
    env_mask: wp.array(dtype=bool),
    table: wp.array2d(dtype=float),
    columns: InitialStateColumns,
    origins: wp.array(dtype=wp.vec3f),
    default_pose: wp.array(dtype=wp.transformf),
    default_joint_pos: wp.array2d(dtype=float),
    limits: wp.array2d(dtype=wp.vec2f),
    # outputs
    pose_w: wp.array(dtype=wp.transformf),
    velocity_w: wp.array(dtype=wp.spatial_vectorf),
    joint_pos: wp.array2d(dtype=float),
    joint_vel: wp.array2d(dtype=float),
) -> None:
    """One thread per (environment, joint): of the mask's, the state of the joint, and with the first that of the base.

    A joint is within its soft limits; the base's pose and velocity are in the world frame.
    """
    env, joint = wp.tid()  # pyright: ignore - as many integers as the launch has dimensions
    if not env_mask[env]:
        return
    position = default_joint_pos[env, joint] + table[env, columns.initial_joint_offset + joint]
    joint_pos[env, joint] = wp.clamp(position, limits[env, joint][0], limits[env, joint][1])
    joint_vel[env, joint] = table[env, columns.initial_joint_vel + joint]
    if joint > 0:
        return
    angles = table_vector(table, env, columns.initial_orientation)
    turn = (
        wp.quat_from_axis_angle(wp.vec3f(0.0, 0.0, 1.0), angles[2])
        * wp.quat_from_axis_angle(wp.vec3f(0.0, 1.0, 0.0), angles[1])
        * wp.quat_from_axis_angle(wp.vec3f(1.0, 0.0, 0.0), angles[0])
    )
    default = default_pose[env]
    place = origins[env] + (wp.transform_get_translation(default) + table_vector(table, env, columns.initial_position))
    pose_w[env] = wp.transformf(place, turn * wp.transform_get_rotation(default))
    velocity_w[env] = wp.spatial_vector(
        table_vector(table, env, columns.initial_lin_vel), table_vector(table, env, columns.initial_ang_vel)
    )


class StateWriter:
    """Writes the states of robots into the engine, from arrays that stay where they are: in Newton, from its own."""

    def __init__(self, robot: Articulation) -> None:
        self._robot, num_envs, device = robot, robot.num_instances, robot.device
        self._in_newton = robot.data.__backend_name__ == "newton"
        if self._in_newton:
            self.pose_w, self.velocity_w = robot.data.root_link_pose_w.warp, robot.data.root_com_vel_w.warp
        else:
            self.pose_w = wp.zeros(num_envs, dtype=wp.transformf, device=device)
            self.velocity_w = wp.zeros(num_envs, dtype=wp.spatial_vectorf, device=device)
        self.joint_pos, self.joint_vel = (
            wp.zeros((num_envs, robot.num_joints), dtype=wp.float32, device=device) for _ in range(2)
        )

    @property
    def arrays(self) -> list[wp.array]:
        """Poses of the bases, velocities of their centres of mass, positions and velocities of the joints, in order."""
        return [self.pose_w, self.velocity_w, self.joint_pos, self.joint_vel]

    def write(self, env_mask: wp.array) -> None:
        """Write what the arrays hold of the environments of a mask, (num_envs,), and of no other."""
        robot: Any = self._robot
        # What follows from the state is read anew for all at once, after the joints' positions.
        if not self._in_newton:
            robot.write_root_link_pose_to_sim_mask(root_pose=self.pose_w, env_mask=env_mask, skip_forward=True)
            robot.write_root_com_velocity_to_sim_mask(
                root_velocity=self.velocity_w, env_mask=env_mask, skip_forward=True
            )
        robot.write_joint_velocity_to_sim_mask(velocity=self.joint_vel, env_mask=env_mask, skip_forward=True)
        robot.write_joint_position_to_sim_mask(position=self.joint_pos, env_mask=env_mask, skip_forward=self._in_newton)
        if self._in_newton:
            robot.data._reset_pose(env_mask=env_mask)  # Isaac Lab 3.0.0's writers call it each


class InitialState:
    """Writes the state that the table holds into the engine."""

    def __init__(self, table: RandomizationTable, robot: Articulation) -> None:
        self._table, self._robot, self._states = table, robot, StateWriter(robot)
        self._columns = InitialStateColumns()
        for name in INITIAL_STATE:
            setattr(self._columns, name, table.layout.first_column(name))

    def write(self, envs: EnvIds, origins: torch.Tensor) -> None:
        """Place the robots of some environments.

        Args:
            envs: The environments.
            origins: Origins of all environments [m] in the world frame, (num_envs, 3).
        """
        data: Any = self._robot.data
        env_mask = self._table.mask_of(envs)
        wp.launch(
            place_robots,
            dim=self._states.joint_pos.shape,
            inputs=[
                *(env_mask, self._table.warp_values, self._columns, wp.from_torch(origins, dtype=wp.vec3f)),
                *(data.default_root_pose.warp, data.default_joint_pos.warp, data.soft_joint_pos_limits.warp),
            ],
            outputs=self._states.arrays,
            device=self._table.device,
        )
        self._states.write(env_mask)
