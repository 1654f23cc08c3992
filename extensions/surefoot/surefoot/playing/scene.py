"""A robot's MuJoCo model on the ground, posed from outside: what films and the live page draw."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import mujoco
import numpy as np

from surefoot.terrains.height_grid import HeightGrid
from surefoot.terrains.mujoco_ground import add_ground
from surefoot_bridge.robots.mujoco_scene import GROUND
from surefoot_robots import RobotSpec

_LEVEL = HeightGrid(heights_m=np.zeros((2, 2)), spacing_m=0.05, origin_xy_m=(0.0, 0.0))


@dataclass(frozen=True, kw_only=True)
class Look:
    """Colours and light of a scene, colours as shares of red, green and blue.

    Attributes:
        sky: Of the horizon and of the nadir.
        checker: Of the two kinds of the ground's squares.
        ambient: Share of the light that comes from everywhere.
        headlight: Share of the light that comes from the camera.
        sun: Place and direction of the sun, its colour, and how it shines, as MuJoCo has them.
        follows: Whether the sun goes with the robot.
    """

    sky: tuple[list[float], list[float]]
    checker: tuple[list[float], list[float]]
    ambient: float
    headlight: float
    sun: dict[str, Any]
    follows: bool


STUDIO = Look(
    sky=([0.85, 0.89, 0.94], [0.62, 0.70, 0.80]),
    checker=([0.72, 0.74, 0.76], [0.62, 0.64, 0.67]),
    ambient=0.45,
    headlight=0.45,
    # A light that follows the robot keeps its shadow sharp wherever it walks; straight above, the floor does not
    # shade itself where the shadow map is coarse.
    sun={"pos": [0.0, 0.0, 4.0], "dir": [0.0, 0.0, -1.0], "diffuse": [0.65, 0.65, 0.62], "castshadow": True},
    follows=True,
)


class RobotScene:
    """The MJCF of a robot with ground, sky and light; nothing is simulated.

    Args:
        spec: The robot.
        size: Width and height [pixels] of the largest picture that will be asked for.
        look: Colours and light.
        grid: The ground.
    """

    def __init__(
        self, spec: RobotSpec, *, size: tuple[int, int] = (640, 480), look: Look = STUDIO, grid: HeightGrid = _LEVEL
    ) -> None:
        self.spec = spec
        self.model = _compose(spec, size, look, grid).compile()
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


def _compose(spec: RobotSpec, size: tuple[int, int], look: Look, grid: HeightGrid) -> mujoco.MjSpec:
    scene = mujoco.MjSpec.from_file(str(spec.mjcf_path))
    add_ground(scene, grid, friction=1.0)
    visual = scene.visual
    visual.global_.offwidth, visual.global_.offheight = size
    visual.headlight.ambient, visual.headlight.diffuse = [look.ambient] * 3, [look.headlight] * 3
    visual.headlight.specular = [0.0] * 3
    # Without a GPU every frame is drawn by the CPU: smoothed edges would halve the rate, a finer shadow as well.
    visual.quality.offsamples = 0
    visual.quality.shadowsize = 1024
    sky = {"type": mujoco.mjtTexture.mjTEXTURE_SKYBOX, "builtin": mujoco.mjtBuiltin.mjBUILTIN_GRADIENT}
    scene.add_texture(name="sky", rgb1=look.sky[0], rgb2=look.sky[1], width=64, height=384, **sky)
    checker = {"type": mujoco.mjtTexture.mjTEXTURE_2D, "builtin": mujoco.mjtBuiltin.mjBUILTIN_CHECKER}
    scene.add_texture(name="checker", rgb1=look.checker[0], rgb2=look.checker[1], width=256, height=256, **checker)
    material = scene.add_material(name="checker", texuniform=True, texrepeat=[1.0, 1.0], reflectance=0.0)
    material.textures[mujoco.mjtTextureRole.mjTEXROLE_RGB] = "checker"
    ground = scene.geom(GROUND)
    ground.material = "checker"
    if grid.is_flat:
        ground.size = [0.0, 0.0, 0.05]
    carrier = scene.body(spec.base_body) if look.follows else scene.worldbody
    mode = mujoco.mjtCamLight.mjCAMLIGHT_TRACKCOM if look.follows else mujoco.mjtCamLight.mjCAMLIGHT_FIXED
    carrier.add_light(name="sun", type=mujoco.mjtLightType.mjLIGHT_DIRECTIONAL, mode=mode, **look.sun)
    return scene
