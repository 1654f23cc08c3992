"""A few robots in a running environment, whose parameters are set by hand and whose motion is measured."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import torch

from surefoot.randomization.catalogue import NEVER_S
from surefoot.randomization.layout import EVENTS
from surefoot.randomization.nominal_model import read_nominal_model
from surefoot_bridge.state import rotation_matrix

if TYPE_CHECKING:
    from surefoot.envs.env import SurefootEnv

Values = np.ndarray
"""Values of a parameter: (num_envs,) for all elements, or (num_envs, num_elements)."""

FLIGHT_HEIGHT_M = 30.0
"""High enough that no experiment in the air reaches the ground."""


class Bench:
    """Sets parameters, places robots and lets time pass, without episodes, rewards or resets."""

    def __init__(self, env: SurefootEnv) -> None:
        self.env = env
        self.spec = env.robot_spec
        self.num_envs = env.num_envs
        self.randomization = env.randomization
        self.table = env.randomization.table
        self.layout = env.randomization.layout
        self._scale = torch.tensor(self.spec.joint_values("action_scale_rad"))
        self.default_pose = np.array(self.spec.joint_values("default_joint_pos"))

    @property
    def everyone(self) -> torch.Tensor:
        """All environments, int32, (num_envs,)."""
        return torch.arange(self.num_envs, dtype=torch.int32, device=self.env.device)

    @property
    def step_dt(self) -> float:
        """Control step [s]."""
        return self.env.step_dt

    def ramp(self, low: float, high: float) -> Values:
        """Return one value for each environment, rising from low to high."""
        return np.linspace(low, high, self.num_envs)

    def nominal(self, name: str) -> np.ndarray:
        """Return the nominal values of a parameter, (num_elements,)."""
        return np.array(self.layout.parameter(name).nominal)

    def put(self, **values: Values | float) -> None:
        """Give every environment the nominal robot but for some parameters, and write it into the engine."""
        nominal = torch.tensor(self.layout.per_column()["nominal"], device=self.table.device)
        self.table.values.copy_(nominal.expand_as(self.table.values))
        for event in EVENTS:
            self.table.view(f"{event}_interval").fill_(NEVER_S)
        for name, value in values.items():
            columns = self.table.view(name)
            given = torch.as_tensor(np.asarray(value), dtype=columns.dtype, device=columns.device)
            columns.copy_(given[:, None] if given.ndim == 1 else given)
        self.randomization.apply()

    def stand(self, *, above_m: float = 0.0, **state: Any) -> None:
        """Place the robots in their default pose on the ground, or above it; see :meth:`place`."""
        self.place(self.spec.base_height_m + above_m, **state)

    def fly(self, **state: Any) -> None:
        """Place the robots in the air; see :meth:`place`."""
        self.place(FLIGHT_HEIGHT_M, **state)

    def place(
        self,
        height_m: float,
        *,
        lin_vel: tuple[float, float, float] = (0.0, 0.0, 0.0),
        ang_vel: tuple[float, float, float] = (0.0, 0.0, 0.0),
        joint_vel: float = 0.0,
    ) -> None:
        """Place the robots level in their default pose and begin an episode of their actuators and sensors.

        Args:
            height_m: Height of the base.
            lin_vel: Velocity of the base's centre of mass [m/s] in the world frame.
            ang_vel: Angular velocity [rad/s] in the world frame.
            joint_vel: Velocity of all joints [rad/s].
        """
        env, robot = self.env, self.env.robot
        pose = robot.data.default_root_pose.torch.clone()  # (num_envs, 7)
        pose[:, :3] = env.scene.env_origins
        pose[:, 2] += height_m
        velocity = torch.tensor([*lin_vel, *ang_vel], device=env.device).expand(self.num_envs, 6).contiguous()
        positions = robot.data.default_joint_pos.torch.clone()
        robot.write_root_link_pose_to_sim_index(root_pose=pose)
        robot.write_root_com_velocity_to_sim_index(root_velocity=velocity)
        robot.write_joint_position_to_sim_index(position=positions)
        robot.write_joint_velocity_to_sim_index(velocity=torch.full_like(positions, joint_vel))
        env.joint_target.reset(self.everyone)
        env.actuator.reset(self.everyone)
        env.locomotion.reset(slice(None))
        env.proprioception.reset(self.everyone)

    def step(self, count: int = 1, *, offset: float | np.ndarray = 0.0) -> None:
        """Let control steps pass with joint targets an offset [rad] from the default pose, the same or by joint."""
        target = torch.as_tensor(np.broadcast_to(offset, (self.num_envs, self.spec.num_joints)).copy())
        action = (target.float() / self._scale).to(self.env.device)
        for _ in range(count):
            self.env.simulate(action)

    def step_with_effort(self, share: float) -> None:
        """Let a control step pass with feed-forward efforts of a share of the effort limits."""
        limit = torch.tensor(self.spec.joint_values("effort_limit_nm"), device=self.env.device)
        self.env.joint_target.effort_targets[:] = share * limit
        self.step()
        self.env.joint_target.effort_targets.zero_()

    def one_call(self, effort: np.ndarray) -> tuple[np.ndarray, int]:
        """Let the engine take one call with feed-forward efforts [N.m] by joint, and nothing else that acts.

        Returns:
            Velocities, (num_envs, 6 + num_joints): of the base's centre of mass [m/s], its rotation [rad/s], joints
            [rad/s], in the world frame; and how many physics steps the call took.
        """
        env = self.env
        env.joint_target.effort_targets[:] = torch.as_tensor(effort, dtype=torch.float32, device=env.device)
        env.action_manager.process_action(torch.zeros(self.num_envs, self.spec.num_joints, device=env.device))
        steps = env.advance_physics(is_last=True)
        env.joint_target.effort_targets.zero_()
        velocity = np.concatenate([env.robot.data.root_com_vel_w.torch.cpu().numpy(), self.joint_vel()], axis=1)
        return velocity, steps

    def push(self, event: str) -> None:
        """Give a push with the values that the table holds, in the coming control step."""
        self.table.event_due.zero_()
        self.table.event_due[:, EVENTS.index(event)] = True
        self.randomization.pushes.act()
        self.table.event_due.zero_()
        self.env.locomotion.base_has_moved()

    def end_pushes(self) -> None:
        """Take away the force of the last push."""
        self.randomization.pushes.reset(self.everyone)

    def read_sensors(self) -> dict[str, tuple[np.ndarray, np.ndarray]]:
        """Let the sensors take a reading, and return by term what they show and what is true, each (num_envs, dim)."""
        state, sensors = self.env.locomotion, self.env.proprioception
        sensors.advance()
        shown = sensors.observe()
        truth = {
            "base_ang_vel": state.base_ang_vel_b,
            "projected_gravity": state.projected_gravity_b,
            "joint_pos": state.joint_pos - torch.as_tensor(self.default_pose, device=self.env.device).float(),
            "joint_vel": state.joint_vel,
        }
        latest = {term.name: shown[:, term.stop - term.dim : term.stop] for term in sensors.layout.slices}
        return {name: (latest[name].cpu().numpy(), truth[name].cpu().numpy().copy()) for name in truth}

    def joint_pos(self) -> np.ndarray:
        """Return joint positions [rad], (num_envs, num_joints)."""
        return self.env.robot.data.joint_pos.torch.cpu().numpy().copy()

    def joint_vel(self) -> np.ndarray:
        """Return joint velocities [rad/s], (num_envs, num_joints)."""
        return self.env.robot.data.joint_vel.torch.cpu().numpy().copy()

    def base_height(self) -> np.ndarray:
        """Return the height of the base [m], (num_envs,)."""
        return self.env.robot.data.root_link_pos_w.torch[:, 2].cpu().numpy().copy()

    def base_ang_vel(self) -> np.ndarray:
        """Return the angular velocity of the base [rad/s] in the world frame, (num_envs, 3)."""
        return self.env.robot.data.root_com_vel_w.torch[:, 3:].cpu().numpy().copy()

    def com_vel(self) -> np.ndarray:
        """Return the velocity of the whole robot's centre of mass [m/s] in the world frame, (num_envs, 3)."""
        data = self.env.robot.data
        mass = data.body_mass.torch[..., None]  # (num_envs, num_bodies, 1)
        momentum = (mass * data.body_com_vel_w.torch[..., :3]).sum(dim=1)
        return (momentum / mass.sum(dim=1)).cpu().numpy()

    def spin_momentum(self) -> np.ndarray:
        """Return the angular momentum about the vertical through the centre of mass [kg m^2/s], (num_envs,).

        The inertia of bodies is that of the nominal model.
        """
        data, nominal = self.env.robot.data, read_nominal_model(self.spec)
        order = [nominal.body_names.index(name) for name in self.env.robot.body_names]
        mass, place, velocity, quaternion = (
            tensor.torch.cpu().numpy()
            for tensor in (data.body_mass, data.body_com_pos_w, data.body_com_vel_w, data.body_link_quat_w)
        )
        share = (mass / mass.sum(axis=1, keepdims=True))[..., None]  # (num_envs, num_bodies, 1)
        arm = place - (share * place).sum(axis=1, keepdims=True)
        moving = velocity[..., :3] - (share * velocity[..., :3]).sum(axis=1, keepdims=True)
        orbiting = mass * (arm[..., 0] * moving[..., 1] - arm[..., 1] * moving[..., 0])
        axes = rotation_matrix(np.roll(quaternion, 1, axis=-1))  # Isaac Lab has the scalar last
        spinning = np.einsum(
            "ebj,bjk,eblk,ebl->eb", axes[..., 2, :], nominal.inertia_kgm2[order], axes, velocity[..., 3:]
        )
        return (orbiting + spinning).sum(axis=1)

    def total_mass(self) -> np.ndarray:
        """Return the mass of the robot that the engine holds [kg], (num_envs,)."""
        return self.env.robot.data.body_mass.torch.sum(dim=1).cpu().numpy()
