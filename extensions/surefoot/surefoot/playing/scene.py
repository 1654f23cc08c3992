"""A robot's MuJoCo model on the ground, posed from outside: what films and the live page draw."""

from __future__ import annotations

import mujoco
import numpy as np

from surefoot.motion_recording import FILM_SIZE
from surefoot.terrains.height_grid import HeightGrid
from surefoot.terrains.mujoco_ground import add_ground
from surefoot_bridge.robots.mujoco_scene import GROUND, dress, light
from surefoot_robots import RobotSpec

LEVEL = HeightGrid(heights_m=np.zeros((2, 2)), spacing_m=0.05, origin_xy_m=(0.0, 0.0))


class RobotScene:
    """The MJCF of a robot with ground, sky and light; nothing is simulated.

    Args:
        spec: The robot.
        size: Width and height [pixels] of the largest picture that will be asked for.
        grid: The ground.
    """

    def __init__(self, spec: RobotSpec, *, size: tuple[int, int] = FILM_SIZE, grid: HeightGrid = LEVEL) -> None:
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
    light(mujoco, scene, size)
    if grid.is_flat:
        scene.geom(GROUND).size = [0.0, 0.0, 0.05]
    return scene
