"""A robot's MuJoCo model on a floor, posed from outside: what the video and the live page draw."""

from __future__ import annotations

import mujoco
import numpy as np

from surefoot_robots import RobotSpec

FLOOR = "floor"


class RobotScene:
    """The MJCF of a robot with floor, sky and light; nothing is simulated.

    Args:
        spec: The robot.
        offscreen_size: Width and height [pixels] of the largest picture that will be asked for.
    """

    def __init__(self, spec: RobotSpec, *, offscreen_size: tuple[int, int] = (640, 480)) -> None:
        self.spec = spec
        self.model = _compose(spec, offscreen_size).compile()
        self.data = mujoco.MjData(self.model)
        self._base_qpos = _qpos_address(self.model, _base_joint(self.model, spec))
        self._joint_qpos = np.array(
            [_qpos_address(self.model, self.model.joint(name).id) for name in spec.joint_names], dtype=int
        )
        self.base_body_id: int = self.model.body(spec.base_body).id
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


def _compose(spec: RobotSpec, offscreen_size: tuple[int, int]) -> mujoco.MjSpec:
    scene = mujoco.MjSpec.from_file(str(spec.mjcf_path))
    scene.visual.global_.offwidth, scene.visual.global_.offheight = offscreen_size
    scene.visual.headlight.ambient = [0.45, 0.45, 0.45]
    scene.visual.headlight.diffuse = [0.45, 0.45, 0.45]
    scene.visual.headlight.specular = [0.0, 0.0, 0.0]
    # Without a GPU every frame is drawn by the CPU: smoothed edges would halve the rate, a finer shadow as well.
    scene.visual.quality.offsamples = 0
    scene.visual.quality.shadowsize = 1024

    scene.add_texture(
        name="sky",
        type=mujoco.mjtTexture.mjTEXTURE_SKYBOX,
        builtin=mujoco.mjtBuiltin.mjBUILTIN_GRADIENT,
        rgb1=[0.85, 0.89, 0.94],
        rgb2=[0.62, 0.70, 0.80],
        width=64,
        height=384,
    )
    scene.add_texture(
        name="checker",
        type=mujoco.mjtTexture.mjTEXTURE_2D,
        builtin=mujoco.mjtBuiltin.mjBUILTIN_CHECKER,
        rgb1=[0.72, 0.74, 0.76],
        rgb2=[0.62, 0.64, 0.67],
        width=256,
        height=256,
    )
    material = scene.add_material(name="checker", texuniform=True, texrepeat=[1.0, 1.0], reflectance=0.0)
    material.textures[mujoco.mjtTextureRole.mjTEXROLE_RGB] = "checker"
    scene.worldbody.add_geom(name=FLOOR, type=mujoco.mjtGeom.mjGEOM_PLANE, size=[0.0, 0.0, 0.05], material="checker")
    # A light that follows the robot keeps its shadow sharp wherever it walks; straight above, the floor does not
    # shade itself where the shadow map is coarse.
    light = scene.body(spec.base_body).add_light(
        name="sun", mode=mujoco.mjtCamLight.mjCAMLIGHT_TRACKCOM, pos=[0.0, 0.0, 4.0], dir=[0.0, 0.0, -1.0]
    )
    light.type = mujoco.mjtLightType.mjLIGHT_DIRECTIONAL
    light.diffuse = [0.65, 0.65, 0.62]
    light.castshadow = True
    return scene


def _base_joint(model: mujoco.MjModel, spec: RobotSpec) -> int:
    return int(model.body_jntadr[model.body(spec.base_body).id])


def _qpos_address(model: mujoco.MjModel, joint: int) -> int:
    return int(model.jnt_qposadr[joint])
