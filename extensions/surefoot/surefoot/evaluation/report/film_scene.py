"""A robot on the ground of its scenario, drawn row by row of a recording."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from types import TracebackType

import mujoco
import numpy as np

from surefoot.evaluation.scenarios.ground import scenario_grid
from surefoot.evaluation.scenarios.scenario import Scenario
from surefoot.evaluation.trials.recording import Recording
from surefoot.playing.scene import Look, RobotScene, add_connector
from surefoot.terrains.height_grid import HeightGrid
from surefoot_bridge.state import heading
from surefoot_robots import get_robot

_AROUND_M = 2.5
"""Of the ground, so much is drawn around the way: more makes a frame slow and is not seen."""

_VIEW_DEG = 62.0
"""The camera's azimuth from the heading at the start: from the side and a little from behind; no step hides a foot."""

_PUSH_RGBA = np.array([0.70, 0.15, 0.12, 1.0], dtype=np.float32)
_METRES_PER_NEWTON = 0.01

_WHITE = [0.97, 0.97, 0.96]
_PAPER = Look(
    sky=(_WHITE, _WHITE),
    checker=([0.90, 0.90, 0.90], [0.82, 0.83, 0.84]),
    ambient=0.48,
    headlight=0.2,
    # From ahead of the start and above, so that risers, treads and slopes differ. Without shadows: a map of them that a
    # CPU can draw is so coarse that the ground's own triangles speckle.
    sun={
        "pos": [0.0, 0.0, 10.0],
        "dir": [0.55, 0.25, -0.8],
        "diffuse": [0.5] * 3,
        "specular": [0.0] * 3,
        "castshadow": False,
    },
    follows=False,
)


class FilmScene:
    """What is filmed.

    Args:
        recording: The trial.
        scenario: Its scenario, for the ground.
        rows: Rows of the recording that become frames.
        size: Width and height [pixels].
    """

    def __init__(self, recording: Recording, scenario: Scenario, rows: Sequence[int], *, size: tuple[int, int]) -> None:
        self._recording, self._rows = recording, list(rows)
        self._spec = get_robot(recording.robot)
        grid = _around(scenario_grid(scenario), recording.base_pos_w[self._rows, :2])
        self._scene = RobotScene(self._spec, size=size, look=_PAPER, grid=grid)
        self._policy_order = [self._spec.sdk_joint_names.index(name) for name in self._spec.joint_names]
        self._renderer = mujoco.Renderer(self._scene.model, height=size[1], width=size[0])

    def __enter__(self) -> FilmScene:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._renderer.close()

    def frames(self) -> Iterator[np.ndarray]:
        """Yield frames (height, width, 3), uint8; a camera beside the robot follows its place, not its sway."""
        recording = self._recording
        camera = mujoco.MjvCamera()
        camera.elevation, camera.distance = -12.0, 0.5 + 3.2 * self._spec.base_height_m
        camera.azimuth = _VIEW_DEG + np.degrees(heading(recording.base_quat_wxyz[self._rows[0]].astype(float)))
        look = recording.base_pos_w[self._rows[0]].astype(float)
        for row in self._rows:
            base = recording.base_pos_w[row].astype(float)
            look += np.array([0.35, 0.35, 0.15]) * (base - look)
            camera.lookat[:] = look - [0.0, 0.0, 0.25 * self._spec.base_height_m]
            joint_pos = recording.joint_pos_rad[row][self._policy_order]
            self._scene.pose(recording.base_pos_w[row], recording.base_quat_wxyz[row], joint_pos)
            self._renderer.update_scene(self._scene.data, camera)
            self._add_push(row)
            yield self._renderer.render()

    def _add_push(self, row: int) -> None:
        force = self._recording.push_force_w[row].astype(float)
        if force.any():
            tip = self._recording.base_pos_w[row].astype(float)
            start = tip - _METRES_PER_NEWTON * force
            add_connector(self._renderer.scene, mujoco.mjtGeom.mjGEOM_ARROW, 0.025, start, tip, _PUSH_RGBA)


def _around(grid: HeightGrid, places_xy: np.ndarray) -> HeightGrid:
    """Return the part of a grid that is near some places, (N, 2)."""
    if grid.is_flat:
        return grid
    low = np.floor((places_xy.min(axis=0) - _AROUND_M - grid.origin_xy_m) / grid.spacing_m).astype(int)
    high = np.ceil((places_xy.max(axis=0) + _AROUND_M - grid.origin_xy_m) / grid.spacing_m).astype(int)
    low = np.clip(low, 0, np.array(grid.heights_m.shape) - 2)
    high = np.clip(high, low + 2, grid.heights_m.shape)
    return HeightGrid(
        heights_m=grid.heights_m[low[0] : high[0], low[1] : high[1]],
        spacing_m=grid.spacing_m,
        origin_xy_m=(grid.origin_xy_m[0] + low[0] * grid.spacing_m, grid.origin_xy_m[1] + low[1] * grid.spacing_m),
    )
