"""The checks' robot in an engine that Isaac Lab drives. One process can hold one of these."""

import math
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import torch

from surefoot.engines import Physics, install_shims, make_physics_cfg
from surefoot.robot_checks.engine import TIMESTEP_S, Array, Engine, ModelReadback, RobotState
from surefoot.terrains import FLAT_GROUND_USD
from surefoot_robots import RobotSpec


@contextmanager
def isaaclab_engine(spec: RobotSpec, physics: Physics, device: str) -> Iterator[Engine]:
    """Start a simulator with one robot on flat ground and end it on leaving."""
    install_shims()
    from isaaclab.app import launch_simulation
    from isaaclab.scene import InteractiveScene
    from isaaclab.sim import SimulationCfg, SimulationContext

    cfg = SimulationCfg(
        dt=TIMESTEP_S,
        device=device,
        physics=make_physics_cfg(physics),
        use_newton_actuators=False,
        save_logs_to_file=False,
    )
    with launch_simulation(cfg, {"device": device, "headless": True}):
        sim = SimulationContext(cfg)
        scene = InteractiveScene(_scene_cfg(spec))
        sim.reset()
        yield IsaacLabEngine(spec, sim, scene)


def _scene_cfg(spec: RobotSpec) -> Any:
    from isaaclab.actuators import IdealPDActuatorCfg
    from isaaclab.assets import AssetBaseCfg
    from isaaclab.scene import InteractiveSceneCfg
    from isaaclab.sim import UsdFileCfg
    from isaaclab.utils import configclass

    from surefoot.envs.robot_cfg import make_robot_cfg

    torque = IdealPDActuatorCfg(joint_names_expr=[".*"], stiffness=0.0, damping=0.0, actuator_effort_limit=math.inf)

    @configclass
    class SceneCfg(InteractiveSceneCfg):
        ground = AssetBaseCfg(prim_path="/World/ground", spawn=UsdFileCfg(usd_path=str(FLAT_GROUND_USD)))
        robot = make_robot_cfg(spec, torque)

    return SceneCfg(num_envs=1, env_spacing=5.0)


class IsaacLabEngine(Engine):
    """A robot in an Isaac Lab scene; joint efforts go through its actuator interface unchanged."""

    def __init__(self, spec: RobotSpec, sim: Any, scene: Any) -> None:
        self.spec = spec
        self._sim = sim
        self._scene = scene
        self._robot = scene["robot"]
        self._device = sim.device

    def reset(self, state: RobotState) -> None:
        """Put the robot into a state."""
        pose = np.concatenate([state.base_pos_w, np.roll(state.base_quat_w, -1)])  # Isaac Lab's order is (x, y, z, w).
        self._robot.write_root_link_pose_to_sim_index(root_pose=self._row(pose))
        velocity = np.concatenate([state.base_lin_vel_w, state.base_ang_vel_w])
        self._robot.write_root_link_velocity_to_sim_index(root_velocity=self._row(velocity))
        self._robot.write_joint_position_to_sim_index(position=self._row(state.joint_pos))
        self._robot.write_joint_velocity_to_sim_index(velocity=self._row(state.joint_vel))
        self._scene.reset()

    def step(self, joint_effort: Array) -> None:
        """Advance by one time step."""
        self._robot.actuators.target_command.set_effort_index(value=self._row(joint_effort))
        self._scene.write_data_to_sim()
        self._sim.step(render=False)
        self._scene.update(TIMESTEP_S)

    def read(self) -> RobotState:
        """Return the present state."""
        data = self._robot.data
        pose = _numpy(data.root_link_pose_w)
        # Not root_link_vel_w, which Isaac Lab 3.0.0 fills with the velocity of the centre of mass on ovphysx.
        velocity = _numpy(data.root_com_vel_w)
        com_from_origin_w = _numpy(data.root_com_pose_w)[:3] - pose[:3]
        return RobotState(
            base_pos_w=pose[:3],
            base_quat_w=np.roll(pose[3:], 1),
            base_lin_vel_w=velocity[:3] - np.cross(velocity[3:], com_from_origin_w),
            base_ang_vel_w=velocity[3:],
            joint_pos=_numpy(data.joint_pos),
            joint_vel=_numpy(data.joint_vel),
        )

    def read_model(self) -> ModelReadback:
        """Return the engine's parameters."""
        data = self._robot.data
        limits = _numpy(data.joint_pos_limits)
        return ModelReadback(
            joint_names=tuple(self._robot.joint_names),
            body_names=tuple(self._robot.body_names),
            mass_kg=_numpy(data.body_mass),
            com_b=_numpy(data.body_com_pose_b)[:, :3],
            inertia_b=_numpy(data.body_inertia).reshape(-1, 3, 3),
            armature_kgm2=_numpy(data.joint_armature),
            lower_rad=limits[:, 0],
            upper_rad=limits[:, 1],
        )

    def _row(self, values: Array) -> torch.Tensor:
        return torch.as_tensor(values, dtype=torch.float32, device=self._device).unsqueeze(0)


def _numpy(proxy: Any) -> Array:
    """Return the only environment's row of an Isaac Lab quantity."""
    return proxy.torch[0].cpu().numpy().astype(np.float64)
