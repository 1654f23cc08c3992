"""Heights of the ground around a robot, read from the height grid that the engine's ground was made of.

Nothing is cast: the ground is known, so a look at one cell of the grid is what a ray from above would meet.
"""

# A kernel is compiled by Warp, whose vector types have operators that their Python classes do not declare.
# pyright: reportArgumentType=false, reportIndexIssue=false, reportOperatorIssue=false, reportCallIssue=false
# pyright: reportGeneralTypeIssues=false

from __future__ import annotations

from typing import TYPE_CHECKING

import torch
import warp as wp

from surefoot.terrains.ground_array import GroundArray, ground_height
from surefoot.terrains.scan_pattern import NUM_RAYS, ray_offsets_m

if TYPE_CHECKING:
    from isaaclab.assets import Articulation

wp.set_module_options({"enable_backward": False})  # no gradients are taken; a CPU is faster without

LIMIT_M = wp.constant(1.0)
"""Values are clipped here [m], as in Isaac Lab's rough velocity task: a void is as deep as that and no deeper."""


@wp.kernel
def scan_heights(
    root_pose_w: wp.array(dtype=wp.transformf),
    ground: GroundArray,
    offsets_m: wp.array(dtype=wp.vec2f),
    base_height_m: float,
    # outputs
    heights_m: wp.array2d(dtype=float),
) -> None:
    """One thread per (environment, ray): how far the ground at its place is below where it would be on level ground."""
    env, ray = wp.tid()  # pyright: ignore - as many integers as the launch has dimensions
    place = wp.transform_get_translation(root_pose_w[env])
    ahead = wp.quat_rotate(wp.transform_get_rotation(root_pose_w[env]), wp.vec3f(1.0, 0.0, 0.0))
    heading = wp.normalize(wp.vec2f(ahead[0], ahead[1]))  # zero of a robot on its nose, whose rays all look down
    offset = offsets_m[ray]
    x = place[0] + heading[0] * offset[0] - heading[1] * offset[1]
    y = place[1] + heading[1] * offset[0] + heading[0] * offset[1]
    below = place[2] - base_height_m - ground_height(ground, x, y)
    if wp.isnan(below):  # a state that is no number is seen by others; a network must not be given it
        below = LIMIT_M
    heights_m[env, ray] = wp.clamp(below, -LIMIT_M, LIMIT_M)


class HeightScan:
    """Scans below a robot, through a buffer that is allocated once.

    Args:
        robot: The robot.
        ground: The ground, in the scene's frame.
        base_height_m: Height of the base of a robot that stands on level ground [m].
    """

    def __init__(self, robot: Articulation, ground: GroundArray, base_height_m: float) -> None:
        self._robot, self._ground, self._base_height_m = robot, ground, base_height_m
        self._offsets_m = wp.array(ray_offsets_m(), dtype=wp.vec2f, device=robot.device)
        self._heights_m = torch.zeros(robot.num_instances, NUM_RAYS, device=robot.device)
        self._array = wp.from_torch(self._heights_m)

    def read(self) -> torch.Tensor:
        """Return how far the ground at each place is below a level one, within 1 m [m], (num_envs, NUM_RAYS).

        The buffer is written again by the next call.
        """
        wp.launch(
            scan_heights,
            dim=self._array.shape,
            inputs=[self._robot.data.root_link_pose_w.warp, self._ground, self._offsets_m, self._base_height_m],
            outputs=[self._array],
            device=self._robot.device,
        )
        return self._heights_m
