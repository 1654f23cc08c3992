"""Poses of the feet and contact forces after a control step, by the shortest way that each engine has.

On OvPhysX, Isaac Lab reads the poses of all bodies to know those of the feet, and its contact sensor reads normal and
friction forces of every physics substep and again when its data is asked for. :class:`OvPhysxFootReadings` reads the
poses of the feet, and the normal forces once, from the sensor's own view; ``tests/sim/test_velocity_env.py`` compares
the ways.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Protocol

import warp as wp

from . import kernels

if TYPE_CHECKING:
    from isaaclab.assets import Articulation
    from isaaclab.sensors import ContactSensor


class FootReadings(Protocol):
    """Reads the engine after a control step."""

    pose_columns: wp.array
    """Column of each foot in what :meth:`foot_poses` returns, (num_feet,), int32."""

    def foot_poses(self) -> wp.array:
        """Poses of the feet, and maybe of other bodies, in the world frame, (num_envs, columns), transformf."""
        ...

    def forces(self) -> wp.array:
        """Net normal contact force on each sensed body [N] in the world frame, (num_envs, num_sensed), vec3f."""
        ...


def make_foot_readings(robot: Articulation, contacts: ContactSensor, feet: Sequence[str]) -> FootReadings:
    """Choose the way to read the feet of a robot and its contact sensor."""
    if reads_every_substep_in_vain(contacts):
        return OvPhysxFootReadings(robot, contacts, feet)
    of_newton = hasattr(contacts, "_newton_total_force_view")
    return (NewtonFootReadings if of_newton else LabFootReadings)(robot, contacts, feet)


def reads_every_substep_in_vain(sensor: Any) -> bool:
    """Tell whether a sensor reads its engine at every substep although it keeps nothing of what was in between."""
    view = getattr(sensor, "contact_view", None)
    return hasattr(view, "read_net_normal_forces") and not sensor.cfg.history_length and not sensor.cfg.track_air_time


def columns(names: Sequence[str], among: Sequence[str], device: str) -> wp.array:
    """Places of names in a list as an array of int32."""
    return wp.array([list(among).index(name) for name in names], dtype=wp.int32, device=device)


class LabFootReadings:
    """Isaac Lab's own way, for engines without a shorter one."""

    def __init__(self, robot: Articulation, contacts: ContactSensor, feet: Sequence[str]) -> None:
        self._robot = robot
        self._contacts = contacts
        self.pose_columns = columns(feet, robot.body_names, robot.device)

    def foot_poses(self) -> wp.array:
        """Poses of all bodies."""
        return self._robot.data.body_link_pose_w.warp

    def forces(self) -> wp.array:
        """Let the sensor bring its data up to date."""
        force_w = self._contacts.data.net_normal_forces_w
        assert force_w is not None
        return force_w.warp


class NewtonFootReadings(LabFootReadings):
    """Forces from what Isaac Lab 3.0.0's sensor makes its own of, with histories that nobody here reads.

    There is no public name for it. The sensor's data is brought up to date when somebody asks for it.
    """

    def __init__(self, robot: Articulation, contacts: ContactSensor, feet: Sequence[str]) -> None:
        super().__init__(robot, contacts, feet)
        sensor: Any = contacts
        shape = (robot.num_instances, len(contacts.body_names or ()))
        views = (sensor._newton_total_force_view, sensor._newton_total_force_friction_view)
        self._with_friction = [view.view(wp.vec3f).reshape(shape) for view in views]
        self._normal = wp.zeros(shape, dtype=wp.vec3f, device=robot.device)

    def forces(self) -> wp.array:
        """Take the friction off Newton's forces."""
        wp.launch(
            kernels.take_friction_off,
            dim=self._normal.shape,
            inputs=self._with_friction,
            outputs=[self._normal],
            device=self._normal.device,
        )
        return self._normal


class OvPhysxFootReadings:
    """One read of poses and one of forces, into buffers of their own; the sensor's data stays what the sensor makes."""

    def __init__(self, robot: Articulation, contacts: ContactSensor, feet: Sequence[str]) -> None:
        from isaaclab_ov.physics import OvPhysxManager
        from isaaclab_ov.sim.views import OvPhysxView

        self._physics = OvPhysxManager
        self._contact_view: Any = contacts.contact_view  # pyright: ignore[reportAttributeAccessIssue] - OvPhysX's has it
        sensed, num_envs = list(contacts.body_names or ()), robot.num_instances
        # The sensor's view orders by body first, environment second.
        sensor_paths = list(self._contact_view.sensor_paths)
        paths = [path for foot in feet for path in sensor_paths[sensed.index(foot) * num_envs :][:num_envs]]
        physx = OvPhysxManager.get_physx_instance()
        self._pose_view = OvPhysxView(physx, prim_paths=paths, device=robot.device)
        self._poses = wp.zeros(len(feet) * num_envs, dtype=wp.transformf, device=robot.device)
        self._poses_by_env = self._poses.reshape((len(feet), num_envs)).transpose()
        self._forces = wp.zeros((len(sensed) * num_envs, 3), dtype=wp.float32, device=robot.device)
        self._forces_by_env = self._forces.view(wp.vec3f).reshape((len(sensed), num_envs)).transpose()
        self.pose_columns = columns(feet, feet, robot.device)

    def foot_poses(self) -> wp.array:
        """Read the feet."""
        self._physics.update_kinematics()
        self._pose_view.read_into("rigid_body_pose", self._poses)
        return self._poses_by_env

    def forces(self) -> wp.array:
        """Read the sensor's view."""
        self._contact_view.read_net_normal_forces(self._forces)
        return self._forces_by_env
