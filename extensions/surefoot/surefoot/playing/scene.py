"""A robot's MuJoCo model on the ground, posed from outside: what films and the live page draw."""

from __future__ import annotations

import mujoco
import numpy as np

from surefoot.playing.video import SIZE
from surefoot.terrains.height_grid import HeightGrid
from surefoot.terrains.mujoco_ground import add_ground
from surefoot_bridge.robots.mujoco_scene import GROUND, dress
from surefoot_robots import RobotSpec

LEVEL = HeightGrid(heights_m=np.zeros((2, 2)), spacing_m=0.05, origin_xy_m=(0.0, 0.0))


_SKY = ([0.85, 0.89, 0.94], [0.62, 0.70, 0.80])
_CHECKER = ([0.78, 0.80, 0.82], [0.68, 0.70, 0.73])
"""Colours of horizon and nadir, and of the ground's squares, as shares of red, green and blue."""

_SUN = {"pos": [0.0, 0.0, 10.0], "dir": [0.55, 0.25, -0.8], "castshadow": False}
"""From ahead of the start and above, so that risers, treads and slopes differ. A shadow would take a CPU as long as all
the rest of a frame, and on uneven ground it speckles: :mod:`surefoot.playing.frames` darkens the ground below feet."""


class RobotScene:
    """The MJCF of a robot with ground, sky and light; nothing is simulated.

    Args:
        spec: The robot.
        size: Width and height [pixels] of the largest picture that will be asked for.
        grid: The ground.
    """

    def __init__(self, spec: RobotSpec, *, size: tuple[int, int] = SIZE, grid: HeightGrid = LEVEL) -> None:
        self.spec = spec
        self.model = _compose(spec, size, grid).compile()
        self.data = mujoco.MjData(self.model)
        self._base_qpos = int(self.model.jnt_qposadr[self.model.body(spec.base_body).jntadr[0]])
        self._joint_qpos = np.array([int(self.model.joint(name).qposadr[0]) for name in spec.joint_names])
        self.pose([0.0, 0.0, spec.base_height_m], [1.0, 0.0, 0.0, 0.0], spec.joint_values("default_joint_pos"))

    def pose(
        self, base_pos: np.ndarray | list, base_quat_wxyz: np.ndarray | list, joint_pos: np.ndarray | tuple
    ) -> None:
        """Place the robot and compute where its bodies and shapes are.

        Args:
            base_pos: Position of the base in the world [m], shape (3,).
            base_quat_wxyz: Orientation of the base, shape (4,).
            joint_pos: Joint positions in policy order [rad], shape (num_joints,).
        """
        qpos = self.data.qpos
        qpos[self._base_qpos : self._base_qpos + 3] = base_pos
        qpos[self._base_qpos + 3 : self._base_qpos + 7] = base_quat_wxyz
        qpos[self._joint_qpos] = joint_pos
        mujoco.mj_kinematics(self.model, self.data)
        mujoco.mj_comPos(self.model, self.data)
        mujoco.mj_camlight(self.model, self.data)


def add_connector(
    scene: mujoco.MjvScene, kind: mujoco.mjtGeom, width: float, start: np.ndarray, end: np.ndarray, rgba: np.ndarray
) -> None:
    """Draw an arrow or a capsule from one point to another, while the scene has room for it."""
    if scene.ngeom >= scene.maxgeom:
        return
    geom = scene.geoms[scene.ngeom]
    mujoco.mjv_initGeom(geom, kind, np.zeros(3), np.zeros(3), np.zeros(9), rgba)
    mujoco.mjv_connector(geom, kind, width, start, end)
    scene.ngeom += 1


def _compose(spec: RobotSpec, size: tuple[int, int], grid: HeightGrid) -> mujoco.MjSpec:
    scene = mujoco.MjSpec.from_file(str(spec.mjcf_path))
    dress(mujoco, scene, spec.foot_bodies)
    add_ground(scene, grid, friction=1.0)
    visual = scene.visual
    visual.global_.offwidth, visual.global_.offheight = size
    visual.headlight.ambient, visual.headlight.diffuse = [0.45] * 3, [0.35] * 3
    visual.headlight.specular = [0.0] * 3
    visual.quality.offsamples = 0  # without a GPU smoothed edges would halve the rate
    sky = {"type": mujoco.mjtTexture.mjTEXTURE_SKYBOX, "builtin": mujoco.mjtBuiltin.mjBUILTIN_GRADIENT}
    scene.add_texture(name="sky", rgb1=_SKY[0], rgb2=_SKY[1], width=64, height=384, **sky)
    checker = {"type": mujoco.mjtTexture.mjTEXTURE_2D, "builtin": mujoco.mjtBuiltin.mjBUILTIN_CHECKER}
    scene.add_texture(name="checker", rgb1=_CHECKER[0], rgb2=_CHECKER[1], width=256, height=256, **checker)
    material = scene.add_material(name="checker", texuniform=True, texrepeat=[1.0, 1.0], reflectance=0.0)
    material.textures[mujoco.mjtTextureRole.mjTEXROLE_RGB] = "checker"
    ground = scene.geom(GROUND)
    ground.material = "checker"
    if grid.is_flat:
        ground.size = [0.0, 0.0, 0.05]
    kind = mujoco.mjtLightType.mjLIGHT_DIRECTIONAL
    scene.worldbody.add_light(name="sun", type=kind, diffuse=[0.65] * 3, specular=[0.0] * 3, **_SUN)
    return scene
