"""Poses in which robots lie after a fall, from which episodes begin.

Before the first episode all robots are dropped a few times, from the state that the table of randomized parameters
holds, and come to rest with joints that yield, as those of a robot that was damped because it fell. An episode begins
in a pose drawn from these, on the plane, at its environment's origin and at rest: no step of training goes to waste
on robots that fall.
"""

# A kernel is compiled by Warp, whose vector types have operators that their Python classes do not declare.
# pyright: reportArgumentType=false, reportIndexIssue=false, reportOperatorIssue=false, reportCallIssue=false
# pyright: reportGeneralTypeIssues=false

from __future__ import annotations

from typing import TYPE_CHECKING

import torch
import warp as wp

from surefoot.random_numbers.philox import Words, philox, unit_interval
from surefoot.randomization.initial_state import StateWriter
from surefoot.snapshot import StateMismatchError

if TYPE_CHECKING:
    from isaaclab.assets import Articulation

wp.set_module_options({"enable_backward": False})  # no gradients are taken; a CPU is faster without

TAG = wp.constant(wp.uint32(0x46414C4C))
"""Last word of the counters of these draws, which keeps them apart from all others: "FALL"."""


@wp.kernel
def lay_down(
    env_mask: wp.array(dtype=bool),
    episode: wp.array(dtype=int),
    origins_w: wp.array(dtype=wp.vec3f),
    root_pose: wp.array(dtype=wp.transformf),
    joint_pos: wp.array2d(dtype=float),
    key_0: wp.uint32,
    key_1: wp.uint32,
    # outputs, (num_envs,) and (num_envs, num_joints)
    placed_w: wp.array(dtype=wp.transformf),
    placed_vel_w: wp.array(dtype=wp.spatial_vectorf),
    placed_joint_pos: wp.array2d(dtype=float),
    placed_joint_vel: wp.array2d(dtype=float),
) -> None:
    """One thread per (environment, joint): in those of the mask, a pose drawn by environment and episode, at rest."""
    env, joint = wp.tid()  # pyright: ignore - as many integers as the launch has dimensions
    if not env_mask[env]:
        return
    words = philox(Words(wp.uint32(env), wp.uint32(episode[env]), wp.uint32(0), TAG), key_0, key_1)
    poses = root_pose.shape[0]
    pose = wp.min(int(unit_interval(words[0]) * float(poses)), poses - 1)
    placed_joint_pos[env, joint] = joint_pos[pose, joint]
    placed_joint_vel[env, joint] = 0.0
    if joint == 0:
        placed_vel_w[env] = wp.spatial_vector()
        height = wp.vec3f(0.0, 0.0, wp.transform_get_translation(root_pose[pose])[2])
        placed_w[env] = wp.transformf(origins_w[env] + height, wp.transform_get_rotation(root_pose[pose]))


class FallenPoses:
    """A pool of poses, and the writing of some into the engine, through buffers that are allocated once.

    Args:
        drops: How often all robots are dropped.
        robot: The robots.
        seed: Seed of the draws from the pool.
        rank: Which process of the run this is.
    """

    def __init__(self, drops: int, robot: Articulation, *, seed: int, rank: int) -> None:
        self._robot, self._device = robot, robot.device
        self._words = (wp.uint32(seed & 0xFFFFFFFF), wp.uint32(rank))
        num_envs, num_joints = robot.num_instances, robot.num_joints
        self.root_pose = torch.zeros(drops * num_envs, 7, device=self._device)
        """Pose of each base, position [m] and quaternion (x, y, z, w), of which x and y are not used, (poses, 7)."""
        self.joint_pos = torch.zeros(drops * num_envs, num_joints, device=self._device)
        """Joint positions [rad], (poses, num_joints)."""
        self._pool = [wp.from_torch(self.root_pose, dtype=wp.transformf), wp.from_torch(self.joint_pos)]
        self._states = StateWriter(robot)

    def keep(self, drop: int) -> None:
        """Take the present poses of all robots into the pool, as those of a drop.

        A robot whose state is not finite lies as the first one does whose state is: its own would be drawn again and
        again.
        """
        count, data = self._robot.num_instances, self._robot.data
        rows = slice(drop * count, (drop + 1) * count)
        root_pose, joint_pos = data.root_link_pose_w.torch, data.joint_pos.torch
        finite = (root_pose.sum(dim=1) + joint_pos.sum(dim=1)).isfinite()[:, None]  # (num_envs, 1)
        first = finite.int().argmax()
        self.root_pose[rows] = torch.where(finite, root_pose, root_pose[first])
        self.joint_pos[rows] = torch.where(finite, joint_pos, joint_pos[first])

    def write(self, env_mask: wp.array, episode: torch.Tensor, origins_w: torch.Tensor) -> None:
        """Lay the robots of some environments down, at rest.

        Args:
            env_mask: The environments, (num_envs,), bool.
            episode: Number of the episode in every environment, int32, (num_envs,).
            origins_w: Origins of all environments [m] in the world frame, (num_envs, 3).
        """
        origins = wp.from_torch(origins_w, dtype=wp.vec3f)
        wp.launch(
            lay_down,
            dim=self._states.joint_pos.shape,
            inputs=[env_mask, wp.from_torch(episode), origins, *self._pool, *self._words],
            outputs=self._states.arrays,
            device=self._device,
        )
        self._states.write(env_mask)

    def state_dict(self) -> dict[str, torch.Tensor]:
        """What a resumed run needs."""
        return {"root_pose": self.root_pose.cpu().clone(), "joint_pos": self.joint_pos.cpu().clone()}

    def load_state_dict(self, state: dict[str, torch.Tensor]) -> None:
        """Restore what :meth:`state_dict` returned.

        Raises:
            StateMismatchError: If it holds another number of poses.
        """
        if state["root_pose"].shape != self.root_pose.shape:
            raise StateMismatchError(
                f"The checkpoint has {len(state['root_pose'])} fallen poses, here are {len(self.root_pose)}. Resume "
                "with the number of environments and env.fall.drops of the saved run."
            )
        self.root_pose.copy_(state["root_pose"])
        self.joint_pos.copy_(state["joint_pos"])
