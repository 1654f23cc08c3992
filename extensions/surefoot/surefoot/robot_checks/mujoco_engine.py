"""The checks' robot in MuJoCo C, which is also the referee for kinematics and mass."""

import mujoco
import numpy as np

from surefoot.robot_checks.engine import TIMESTEP_S, Array, Engine, ModelReadback, RobotState
from surefoot_bridge.robots.model import GROUND_FRICTION
from surefoot_bridge.robots.mujoco_scene import add_plane, begin_scene
from surefoot_bridge.state import rotation_matrix
from surefoot_robots import RobotSpec


def make_model(spec: RobotSpec) -> mujoco.MjModel:
    """Return the robot on a ground plane."""
    scene = begin_scene(mujoco, spec.mjcf_path, TIMESTEP_S)
    add_plane(mujoco, scene, GROUND_FRICTION)
    return scene.compile()


class MujocoEngine(Engine):
    """MuJoCo C with torques applied to the joints as generalized forces."""

    def __init__(self, spec: RobotSpec) -> None:
        self.spec = spec
        self.model = make_model(spec)
        self.data = mujoco.MjData(self.model)
        joints = [self.model.joint(name) for name in spec.joint_names]
        self._qpos = np.array([joint.qposadr[0] for joint in joints])
        self._dof = np.array([joint.dofadr[0] for joint in joints])

    def reset(self, state: RobotState) -> None:
        """Put the robot into a state, with no memory of earlier steps."""
        mujoco.mj_resetData(self.model, self.data)
        self.set_state(state)

    def set_state(self, state: RobotState) -> None:
        """Write a state and compute positions, velocities and contacts, keeping the solver's warm start."""
        self.data.qpos[:3] = state.base_pos_w
        self.data.qpos[3:7] = state.base_quat_w
        self.data.qpos[self._qpos] = state.joint_pos
        self.data.qvel[:3] = state.base_lin_vel_w
        self.data.qvel[3:6] = (
            rotation_matrix(state.base_quat_w).T @ state.base_ang_vel_w
        )  # MuJoCo's is in the base frame.
        self.data.qvel[self._dof] = state.joint_vel
        mujoco.mj_forward(self.model, self.data)

    def step(self, joint_effort: Array) -> None:
        """Advance by one time step."""
        self.data.qfrc_applied[self._dof] = joint_effort
        mujoco.mj_step(self.model, self.data)

    def read(self) -> RobotState:
        """Return the present state."""
        quat = self.data.qpos[3:7].copy()
        return RobotState(
            base_pos_w=self.data.qpos[:3].copy(),
            base_quat_w=quat,
            base_lin_vel_w=self.data.qvel[:3].copy(),
            base_ang_vel_w=rotation_matrix(quat) @ self.data.qvel[3:6],
            joint_pos=self.data.qpos[self._qpos].copy(),
            joint_vel=self.data.qvel[self._dof].copy(),
        )

    def read_model(self) -> ModelReadback:
        """Return the compiled model's parameters."""
        model = self.model
        bodies = [model.body(i) for i in range(1, model.nbody)]
        axes = rotation_matrix(model.body_iquat[1:])
        joints = [model.joint(name) for name in self.spec.joint_names]
        hinges = [model.joint(i).name for i in range(model.njnt) if model.jnt_type[i] == mujoco.mjtJoint.mjJNT_HINGE]
        return ModelReadback(
            joint_names=tuple(hinges),
            body_names=tuple(body.name for body in bodies),
            mass_kg=np.array([body.mass[0] for body in bodies]),
            com_b=np.array([body.ipos for body in bodies]),
            inertia_b=np.einsum("bij,bj,bkj->bik", axes, model.body_inertia[1:], axes),
            armature_kgm2=model.dof_armature[self._dof].copy(),
            lower_rad=np.array([joint.range[0] for joint in joints]),
            upper_rad=np.array([joint.range[1] for joint in joints]),
        )
