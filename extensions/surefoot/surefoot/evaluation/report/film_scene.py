"""A robot on the ground of its scenario, drawn row by row of a recording."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from types import TracebackType

import mujoco
import numpy as np

from surefoot.evaluation.scenarios.ground import scenario_grid
from surefoot.evaluation.scenarios.scenario import Scenario
from surefoot.evaluation.trials.recording import Recording
from surefoot.evaluation.trials.rotations import heading
from surefoot.terrains.height_grid import HeightGrid
from surefoot.terrains.mujoco_ground import GROUND, add_ground
from surefoot_robots import RobotSpec, get_robot

_AROUND_M = 2.5
"""Of the ground, so much is drawn around the way: more makes a frame slow and is not seen."""

_VIEW_DEG = 62.0
"""The camera's azimuth from the heading at the start: from the side and a little from behind; no step hides a foot."""

_PUSH_RGBA = np.array([0.70, 0.15, 0.12, 1.0], dtype=np.float32)
_METRES_PER_NEWTON = 0.01


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
        self._grid = grid
        self._model = _compose(self._spec, grid, size).compile()
        self._data = mujoco.MjData(self._model)
        base = self._model.body(self._spec.base_body)
        self._base_qpos = int(self._model.jnt_qposadr[int(base.jntadr[0])])
        self._joint_qpos = np.array(
            [self._model.jnt_qposadr[self._model.joint(name).id] for name in self._spec.sdk_joint_names], dtype=int
        )
        self._renderer = mujoco.Renderer(self._model, height=size[1], width=size[0])

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
            self._pose(row)
            self._renderer.update_scene(self._data, camera)
            self._add_push(row)
            yield self._renderer.render()

    def _pose(self, row: int) -> None:
        recording, qpos, at = self._recording, self._data.qpos, self._base_qpos
        qpos[at : at + 3] = recording.base_pos_w[row]
        qpos[at + 3 : at + 7] = recording.base_quat_wxyz[row]
        qpos[self._joint_qpos] = recording.joint_pos_rad[row]
        mujoco.mj_kinematics(self._model, self._data)
        mujoco.mj_comPos(self._model, self._data)
        mujoco.mj_camlight(self._model, self._data)

    def _add_push(self, row: int) -> None:
        force, scene = self._recording.push_force_w[row].astype(float), self._renderer.scene
        if not force.any() or scene.ngeom >= scene.maxgeom:
            return
        tip = self._recording.base_pos_w[row].astype(float)
        geom = scene.geoms[scene.ngeom]
        mujoco.mjv_initGeom(geom, mujoco.mjtGeom.mjGEOM_ARROW, np.zeros(3), np.zeros(3), np.zeros(9), _PUSH_RGBA)
        mujoco.mjv_connector(geom, mujoco.mjtGeom.mjGEOM_ARROW, 0.025, tip - _METRES_PER_NEWTON * force, tip)
        scene.ngeom += 1


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


def _compose(spec: RobotSpec, grid: HeightGrid, size: tuple[int, int]) -> mujoco.MjSpec:
    scene = mujoco.MjSpec.from_file(str(spec.mjcf_path))
    add_ground(scene, grid, friction=1.0)
    look = scene.visual
    look.global_.offwidth, look.global_.offheight = size
    look.headlight.ambient, look.headlight.diffuse, look.headlight.specular = [0.48] * 3, [0.2] * 3, [0.0] * 3
    # Without a GPU every frame is drawn by the CPU; a film of this size needs no smoother edges.
    look.quality.offsamples = 0
    white = [0.97, 0.97, 0.96]
    scene.add_texture(
        name="sky", type=mujoco.mjtTexture.mjTEXTURE_SKYBOX, builtin=mujoco.mjtBuiltin.mjBUILTIN_FLAT,
        rgb1=white, rgb2=white, width=32, height=192,
    )  # fmt: skip
    scene.add_texture(
        name="checker", type=mujoco.mjtTexture.mjTEXTURE_2D, builtin=mujoco.mjtBuiltin.mjBUILTIN_CHECKER,
        rgb1=[0.90, 0.90, 0.90], rgb2=[0.82, 0.83, 0.84], width=256, height=256,
    )  # fmt: skip
    material = scene.add_material(name="checker", texuniform=True, texrepeat=[1.0, 1.0], reflectance=0.0)
    material.textures[mujoco.mjtTextureRole.mjTEXROLE_RGB] = "checker"
    ground = scene.geom(GROUND)
    ground.material = "checker"
    if grid.is_flat:
        ground.size = [0.0, 0.0, 0.05]
    # From ahead of the start and above, so that risers, treads and slopes differ. Without shadows: a map of them that a
    # CPU can draw is so coarse that the ground's own triangles speckle.
    light = scene.worldbody.add_light(name="sun", pos=[0.0, 0.0, 10.0], dir=[0.55, 0.25, -0.8])
    light.type = mujoco.mjtLightType.mjLIGHT_DIRECTIONAL
    light.diffuse, light.specular, light.castshadow = [0.5] * 3, [0.0] * 3, False
    return scene
