"""Quantities of a legged robot that rewards, terminations and observations share, computed once per control step."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

import torch
import warp as wp

from surefoot.env_mask import EnvIds, EnvMask
from surefoot.terrains.ground_array import make_ground_array

from . import kernels
from .foot_readings import columns, make_foot_readings

if TYPE_CHECKING:
    from isaaclab.actuators import ActuatorBase
    from isaaclab.assets import Articulation
    from isaaclab.sensors import ContactSensor

    from surefoot.terrains.height_grid import HeightGrid
    from surefoot_robots import RobotSpec


class LocomotionState:
    """State of base, joints and feet after a control step, with the memory that differences need.

    :meth:`update` runs once per control step, between physics and terminations. It writes buffers that are allocated
    once: whoever keeps a value beyond the step copies it. Tensors have shape (num_envs, ...), on the simulation's
    device. :meth:`reset` runs after a new state was written into the engine, so that an episode's first observation
    shows nothing of the episode before. What concerns the base is formed again when it is asked for after
    :meth:`reset` or :meth:`base_has_moved`.

    Args:
        robot: The robot.
        contacts: Sensor of its feet and of the bodies that must not touch the ground.
        spec: Its specification.
        step_dt: Control period [s].
        grid: The ground, in the scene's frame; None for the plane z = 0.
    """

    def __init__(
        self,
        robot: Articulation,
        contacts: ContactSensor,
        spec: RobotSpec,
        step_dt: float,
        grid: HeightGrid | None = None,
    ) -> None:
        self._robot = robot
        self._feet = make_foot_readings(robot, contacts, spec.foot_bodies)
        self._step_dt = step_dt
        (actuator,) = robot.actuators.values()
        self._motor_torque_nm = cast("ActuatorBase", actuator).applied_effort
        device, num_envs, num_feet = robot.device, robot.num_instances, len(spec.foot_bodies)

        sensed = list(contacts.body_names or ())
        self._foot_sensors = columns(spec.foot_bodies, sensed, device)
        self._fall_sensors = columns(spec.fall_bodies, sensed, device)
        self._sole_points = wp.array(spec.sole_offsets_m, dtype=wp.vec3f, device=device)  # (num_feet, points)
        self._sole_radius_m = spec.sole_radius_m
        self.ground = make_ground_array(grid, device)
        """The ground, for kernels."""
        self._is_plane = grid is None
        # Runs on the plane were saved without what is zero there.
        self._memory = self._MEMORY if self._is_plane else (*self._MEMORY, "foot_ground_m")
        self._masks = EnvMask(num_envs, device)
        self._was_reset = torch.ones(num_envs, dtype=torch.bool, device=device)
        self._base_is_current = False

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
        """Lowest point of each sole above the ground beneath it [m], (num_envs, num_feet)."""
        self.foot_ground_m = zeros.clone()
        """Height of the ground beneath each sole in the world [m], (num_envs, num_feet)."""
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
        self._base_lin_vel_b, self._base_ang_vel_b, self._projected_gravity_b = (
            torch.zeros(num_envs, 3, device=device) for _ in range(3)
        )
        self._base_height_m = torch.zeros(num_envs, device=device)
        self._bind()

    @property
    def joint_pos(self) -> torch.Tensor:
        """Joint positions [rad], (num_envs, num_joints)."""
        return self._robot.data.joint_pos.torch

    @property
    def base_height_m(self) -> torch.Tensor:
        """Height of the base frame above the ground beneath its feet, in the mean over them [m], (num_envs,)."""
        self._update_base()
        return self._base_height_m

    @property
    def base_lin_vel_b(self) -> torch.Tensor:
        """Linear velocity of the base frame's origin [m/s] in the base frame, (num_envs, 3).

        Formed from the velocity of the centre of mass: Isaac Lab 3.0.0 fills ``root_link_lin_vel_b`` with the latter on
        OvPhysX.
        """
        self._update_base()
        return self._base_lin_vel_b

    @property
    def base_ang_vel_b(self) -> torch.Tensor:
        """Angular velocity of the base [rad/s] in the base frame, (num_envs, 3)."""
        self._update_base()
        return self._base_ang_vel_b

    @property
    def projected_gravity_b(self) -> torch.Tensor:
        """Direction of gravity in the base frame, (num_envs, 3)."""
        self._update_base()
        return self._projected_gravity_b

    @property
    def motor_torque_nm(self) -> torch.Tensor:
        """Motor torques of the last physics substep [N.m], (num_envs, num_joints)."""
        return self._motor_torque_nm

    def update(self) -> None:
        """Read the engine after a control step and form the differences to the step before."""
        data = self._robot.data
        num_envs, num_feet = self.foot_force_n.shape
        device = self._robot.device
        force_w = self._feet.forces()
        wp.launch(
            kernels.update_joints,
            dim=self.joint_vel.shape,
            inputs=[data.joint_vel.warp, self._was_reset_array, self._step_dt],
            outputs=self._joint_arrays,
            device=device,
        )
        wp.launch(
            kernels.update_feet,
            dim=(num_envs, num_feet),
            inputs=[
                self._feet.foot_poses(),
                force_w,
                self._feet.pose_columns,
                self._foot_sensors,
                self._sole_points,
                self._sole_radius_m,
                self.ground,
                self._was_reset_array,
                self._step_dt,
            ],
            outputs=self._foot_arrays,
            device=device,
        )
        wp.launch(
            kernels.update_fall_force,
            dim=num_envs,
            inputs=[force_w, self._fall_sensors],
            outputs=[self._was_reset_array, self._fall_force_array],
            device=device,
        )
        self.base_has_moved()

    def base_has_moved(self) -> None:
        """Say that the state of the base was written, so that it is read again when it is next asked for."""
        self._base_is_current = False

    def reset(self, envs: EnvIds) -> None:
        """Begin an episode in the given environments, whose new state the engine holds.

        Joint velocities, feet and soles are read from the engine; forces, contacts, differences and times are zero
        until it has stepped.
        """
        device, env_mask = self._robot.device, self._masks.of(envs)
        wp.launch(
            kernels.begin_joints,
            dim=self.joint_vel.shape,
            inputs=[self._robot.data.joint_vel.warp, env_mask],
            outputs=[*self._joint_arrays, self._was_reset_array],
            device=device,
        )
        wp.launch(
            kernels.begin_feet,
            dim=self.foot_force_n.shape,
            inputs=[
                self._feet.foot_poses(),
                self._feet.pose_columns,
                self._sole_points,
                self._sole_radius_m,
                self.ground,
                env_mask,
            ],
            outputs=[*self._foot_arrays, self._fall_force_array],
            device=device,
        )
        self.base_has_moved()

    def state_dict(self) -> dict[str, torch.Tensor]:
        """Everything that the next update depends on, by attribute name."""
        return {name: getattr(self, name).clone() for name in self._memory}

    def load_state_dict(self, state: dict[str, torch.Tensor]) -> None:
        """Restore what :meth:`state_dict` returned."""
        if set(state) != set(self._memory):
            raise KeyError(f"locomotion state holds {sorted(state)}, expected {sorted(self._memory)}")
        for name, value in state.items():
            getattr(self, name).copy_(value)
        self.base_has_moved()

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

    def _bind(self) -> None:
        """Make Warp's views of the buffers, grouped as the kernels write them."""
        self._was_reset_array = wp.from_torch(self._was_reset)
        self._joint_arrays = [wp.from_torch(self.joint_vel), wp.from_torch(self.joint_acc)]
        self._foot_arrays = [
            wp.from_torch(self.foot_pos_w, dtype=wp.vec3f),
            *map(wp.from_torch, (self.air_time_s, self.contact_time_s)),
            *map(wp.from_torch, (self.last_air_time_s, self.last_contact_time_s, self.swing_peak_m)),
            wp.from_torch(self.foot_vel_w, dtype=wp.vec3f),
            *map(wp.from_torch, (self.sole_height_m, self.foot_ground_m)),
            *map(wp.from_torch, (self.foot_force_n, self.foot_contact, self.touchdown)),
        ]
        self._fall_force_array = wp.from_torch(self.fall_force_n)
        self._base_arrays = [
            wp.from_torch(value, dtype=wp.vec3f)
            for value in (self._base_lin_vel_b, self._base_ang_vel_b, self._projected_gravity_b)
        ]
        self._base_arrays.append(wp.from_torch(self._base_height_m))
        self._foot_ground_array = wp.from_torch(self.foot_ground_m)

    def _update_base(self) -> None:
        if self._base_is_current:
            return
        data: Any = self._robot.data  # its base class does not declare the direction of gravity
        wp.launch(
            kernels.update_base,
            dim=self._robot.num_instances,
            inputs=[
                data.root_link_pose_w.warp,
                data.root_com_vel_w.warp,
                data.body_com_pos_b.warp,
                data.GRAVITY_VEC_W.warp,
                self._foot_ground_array,
            ],
            outputs=self._base_arrays,
            device=self._robot.device,
        )
        self._base_is_current = True
