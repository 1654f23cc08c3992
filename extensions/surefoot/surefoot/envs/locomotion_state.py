"""Quantities of a legged robot that rewards, terminations and observations share, computed once per control step."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

import torch

if TYPE_CHECKING:
    from isaaclab.actuators import ActuatorBase
    from isaaclab.assets import Articulation
    from isaaclab.sensors import ContactSensor

    from surefoot_robots import RobotSpec

CONTACT_FORCE_N = 1.0
"""Contact force above which a body counts as touching [N]; the usual threshold of contact sensors in simulation."""


class LocomotionState:
    """State of base, joints and feet after a control step, with the memory that differences need.

    :meth:`update` runs once per control step, between physics and terminations. Everything it sets is a tensor of
    shape (num_envs, ...) on the simulation's device that is not written again before the next update.
    """

    def __init__(self, robot: Articulation, contacts: ContactSensor, spec: RobotSpec, step_dt: float) -> None:
        self._robot = robot
        self._contacts = contacts
        self._step_dt = step_dt
        (actuator,) = robot.actuators.values()
        self._motor_torque_nm = cast("ActuatorBase", actuator).applied_effort
        bodies = list(robot.body_names)
        self._foot_bodies = torch.tensor([bodies.index(name) for name in spec.foot_bodies], device=robot.device)
        sensed = list(contacts.body_names or ())
        self._foot_sensor_ids = [sensed.index(name) for name in spec.foot_bodies]
        self._fall_sensor_ids = [sensed.index(name) for name in spec.fall_bodies]
        device, num_envs, num_feet = robot.device, robot.num_instances, len(spec.foot_bodies)
        self._sole_offsets = torch.tensor(spec.sole_offsets_m, device=device)  # (num_feet, points, 3)
        self._sole_radius_m = spec.sole_radius_m
        self._was_reset = torch.ones(num_envs, dtype=torch.bool, device=device)

        zeros = torch.zeros(num_envs, num_feet, device=device)
        self.joint_vel = torch.zeros(num_envs, robot.num_joints, device=device)
        """Joint velocities [rad/s], (num_envs, num_joints)."""
        self.joint_acc = torch.zeros_like(self.joint_vel)
        """Joint accelerations [rad/s^2] as differences over the control step; zero in the first step of an episode."""
        self.foot_pos_w = zeros[..., None].repeat(1, 1, 3)
        """Foot body origins [m] in the world frame, (num_envs, num_feet, 3)."""
        self.foot_vel_w = torch.zeros_like(self.foot_pos_w)
        """Foot velocities [m/s] as differences over the control step; zero in the first step of an episode."""
        self.sole_height_m = zeros.clone()
        """Lowest point of each sole above the plane z = 0 [m], (num_envs, num_feet)."""
        self.foot_force_n = zeros.clone()
        """Magnitude of the contact force on each foot [N], (num_envs, num_feet)."""
        self.foot_contact = zeros > 0.0
        """Whether each foot touches the ground, (num_envs, num_feet)."""
        self.touchdown = self.foot_contact.clone()
        """Whether each foot touched the ground for the first time in this control step, (num_envs, num_feet)."""
        self.air_time_s = zeros.clone()
        """Time since each foot left the ground [s], zero in contact, (num_envs, num_feet)."""
        self.contact_time_s = zeros.clone()
        """Time since each foot touched the ground [s], zero in the air, (num_envs, num_feet)."""
        self.last_air_time_s = zeros.clone()
        """Length of the last swing that ended [s], (num_envs, num_feet)."""
        self.last_contact_time_s = zeros.clone()
        """Length of the last stance that ended [s], (num_envs, num_feet)."""
        self.swing_peak_m = zeros.clone()
        """Highest sole height of the present swing, at touchdown of the swing that ended [m]."""
        self.fall_force_n = torch.zeros(num_envs, device=device)
        """Largest contact force on a body that must not touch the ground [N], (num_envs,)."""

    @property
    def joint_pos(self) -> torch.Tensor:
        """Joint positions [rad], (num_envs, num_joints)."""
        return self._robot.data.joint_pos.torch

    @property
    def base_height_m(self) -> torch.Tensor:
        """Height of the base frame above the plane z = 0 [m], (num_envs,)."""
        return self._robot.data.root_link_pos_w.torch[:, 2]

    @property
    def base_lin_vel_b(self) -> torch.Tensor:
        """Linear velocity of the base frame's origin [m/s] in the base frame, (num_envs, 3).

        Formed from the velocity of the centre of mass: Isaac Lab 3.0.0 fills ``root_link_lin_vel_b`` with the latter on
        OvPhysX.
        """
        data = self._robot.data
        com_vel_b = data.root_com_lin_vel_b.torch
        com_pos_b = data.body_com_pos_b.torch[:, 0]  # the root is the first body in every engine
        return com_vel_b - torch.linalg.cross(self.base_ang_vel_b, com_pos_b)

    @property
    def base_ang_vel_b(self) -> torch.Tensor:
        """Angular velocity of the base [rad/s] in the base frame, (num_envs, 3)."""
        return self._robot.data.root_link_ang_vel_b.torch

    @property
    def projected_gravity_b(self) -> torch.Tensor:
        """Direction of gravity in the base frame, (num_envs, 3)."""
        return self._robot.data.projected_gravity_b.torch

    @property
    def motor_torque_nm(self) -> torch.Tensor:
        """Motor torques of the last physics substep [N.m], (num_envs, num_joints)."""
        return self._motor_torque_nm

    def update(self) -> None:
        """Read the engine after a control step and form the differences to the step before."""
        data = self._robot.data
        continues = ~self._was_reset[:, None]  # (num_envs, 1)

        joint_vel = data.joint_vel.torch
        # Selected, not multiplied by zero: the state before a reset may have been NaN.
        self.joint_acc = torch.where(continues, (joint_vel - self.joint_vel) / self._step_dt, 0.0)
        self.joint_vel = joint_vel.clone()

        pose_w = data.body_link_pose_w.torch[:, self._foot_bodies]  # (num_envs, num_feet, 7), quaternion x, y, z, w
        foot_pos_w = pose_w[..., :3]
        self.foot_vel_w = torch.where(continues[..., None], (foot_pos_w - self.foot_pos_w) / self._step_dt, 0.0)
        self.foot_pos_w = foot_pos_w
        self.sole_height_m = foot_pos_w[..., 2] + self._sole_drop(pose_w[..., 3:]) - self._sole_radius_m

        force_w = self._contacts.data.net_normal_forces_w
        assert force_w is not None
        force_n = force_w.torch.norm(dim=-1)  # (num_envs, num_sensed)
        self.foot_force_n = force_n[:, self._foot_sensor_ids]
        self.fall_force_n = force_n[:, self._fall_sensor_ids].amax(dim=1)
        contact = self.foot_force_n > CONTACT_FORCE_N
        self.foot_contact = contact
        self.touchdown = contact & (self.air_time_s > 0.0)
        liftoff = ~contact & (self.contact_time_s > 0.0)
        self.last_air_time_s = torch.where(self.touchdown, self.air_time_s, self.last_air_time_s)
        self.last_contact_time_s = torch.where(liftoff, self.contact_time_s, self.last_contact_time_s)
        self.air_time_s = torch.where(contact, 0.0, self.air_time_s + self._step_dt)
        self.contact_time_s = torch.where(contact, self.contact_time_s + self._step_dt, 0.0)
        peak_m = torch.maximum(self.swing_peak_m, self.sole_height_m)
        self.swing_peak_m = torch.where(contact & ~self.touchdown, 0.0, peak_m)
        self._was_reset = torch.zeros_like(self._was_reset)

    def reset(self, env_ids: torch.Tensor | slice) -> None:
        """Forget the past of the given environments."""
        self._was_reset[env_ids] = True
        timers = (self.air_time_s, self.contact_time_s, self.last_air_time_s, self.last_contact_time_s)
        for memory in (*timers, self.swing_peak_m):
            memory[env_ids] = 0.0

    def state_dict(self) -> dict[str, torch.Tensor]:
        """Everything that the next update depends on, by attribute name."""
        return {name: getattr(self, name).clone() for name in self._MEMORY}

    def load_state_dict(self, state: dict[str, torch.Tensor]) -> None:
        """Restore what :meth:`state_dict` returned."""
        if set(state) != set(self._MEMORY):
            raise KeyError(f"locomotion state holds {sorted(state)}, expected {sorted(self._MEMORY)}")
        for name, value in state.items():
            setattr(self, name, value.to(self.joint_vel.device, copy=True))

    _MEMORY = (
        "joint_vel",
        "joint_acc",
        "foot_pos_w",
        "foot_vel_w",
        "sole_height_m",
        "foot_force_n",
        "foot_contact",
        "touchdown",
        "air_time_s",
        "contact_time_s",
        "last_air_time_s",
        "last_contact_time_s",
        "swing_peak_m",
        "fall_force_n",
        "_was_reset",
    )

    def _sole_drop(self, quat_xyzw: torch.Tensor) -> torch.Tensor:
        """Height of each foot's lowest sole point relative to the foot's origin [m], (num_envs, num_feet)."""
        x, y, z, w = quat_xyzw.unbind(-1)
        # Third row of the rotation matrix of a unit quaternion: what the world's z sees of the body's axes.
        row = torch.stack((2.0 * (x * z - w * y), 2.0 * (y * z + w * x), 1.0 - 2.0 * (x * x + y * y)), dim=-1)
        return (row.unsqueeze(-2) * self._sole_offsets).sum(-1).amin(-1)  # over points of (num_envs, num_feet, points)
