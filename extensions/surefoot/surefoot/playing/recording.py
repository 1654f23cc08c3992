"""The motion of one robot over an episode, kept so that it can be drawn after the rollout and without the simulator."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from surefoot.motion_recording import MotionRecording
from surefoot.terrains.height_grid import LARGEST_SPACING_M, HeightGrid

AROUND_M = 4.0
"""Of uneven ground, so much is drawn around the way: more makes a frame slow and is not seen."""

HeightMap = np.ndarray
"""Heights of places, and not of steps."""


@dataclass(frozen=True, kw_only=True)
class EpisodeRecording(MotionRecording):
    """States after each control step, all arrays with the steps first.

    Attributes:
        robot: Name of the robot in `surefoot_robots`.
        task: Id of the task that the policy plays.
        step_dt: Control period [s].
        base_pos: Position of the base relative to the environment's origin [m], shape (num_steps, 3).
        base_quat_wxyz: Orientation of the base in the world, shape (num_steps, 4).
        joint_pos: Joint positions in policy order [rad], shape (num_steps, num_joints).
        command: vx, vy [m/s] and yaw rate [rad/s] in the base frame, shape (num_steps, 3).
        velocity: The same quantities as measured, shape (num_steps, 3).
        push: What pushes the base along the world's x and y right before the step, shape (num_steps, 2): a change of
            its velocity [m/s], or a force [N].
        foot_contact: Whether each foot touches the ground, shape (num_steps, num_feet), bool.
        fell: Whether the robot is down, shape (num_steps,), bool.
        push_unit: Unit of the pushes.
        ground_m: Heights of the ground around the way, relative to the environment's origin as ``base_pos`` is [m], at
            the nodes of a grid, (nx, ny).
        ground_spacing_m: Between its nodes [m].
        ground_x_m: Where its node (0, 0) is along x [m].
        ground_y_m: Where it is along y [m].
    """

    MADE_BY = "surefoot play"

    robot: str
    task: str
    step_dt: float
    base_pos: np.ndarray
    base_quat_wxyz: np.ndarray
    joint_pos: np.ndarray
    command: np.ndarray
    velocity: np.ndarray
    push: np.ndarray
    foot_contact: np.ndarray
    fell: np.ndarray
    push_unit: str = "m/s"
    ground_m: HeightMap = field(default_factory=lambda: np.zeros((2, 2), dtype=np.float32))
    ground_spacing_m: float = LARGEST_SPACING_M
    ground_x_m: float = 0.0
    ground_y_m: float = 0.0

    @property
    def grid(self) -> HeightGrid:
        """The ground around the way."""
        origin = (self.ground_x_m, self.ground_y_m)
        return HeightGrid(heights_m=self.ground_m, spacing_m=self.ground_spacing_m, origin_xy_m=origin)

    def fastest_start(self, num_steps: int) -> int:
        """Return a step a second into the fastest command, or earlier where fewer than so many steps are left."""
        fastest = int(np.argmax(np.linalg.norm(self.command[:, :2], axis=1)))
        return max(0, min(fastest + round(1.0 / self.step_dt), self.num_steps - num_steps))
