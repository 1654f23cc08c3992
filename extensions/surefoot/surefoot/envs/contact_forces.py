"""Contact forces after a control step, by the shortest way that each engine has.

Isaac Lab's contact sensor on OvPhysX reads normal and friction forces of every physics substep and again when its data
is asked for. Nobody asks for the forces between control steps, so :class:`OvPhysxContactForces` reads the normal ones
once, from the sensor's own view; ``tests/sim/test_velocity_env.py`` compares the two ways.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

import warp as wp

if TYPE_CHECKING:
    from isaaclab.sensors import ContactSensor


class ContactForces(Protocol):
    """Reads the contact forces of the last physics step."""

    def read(self) -> wp.array:
        """Net normal force on each sensed body [N] in the world frame, (num_envs, num_bodies), vec3f."""
        ...


def make_contact_forces(sensor: ContactSensor) -> ContactForces:
    """Choose the way to read a sensor's forces."""
    return OvPhysxContactForces(sensor) if reads_every_substep_in_vain(sensor) else LabContactForces(sensor)


def reads_every_substep_in_vain(sensor: Any) -> bool:
    """Tell whether a sensor reads its engine at every substep although it keeps nothing of what was in between."""
    view = getattr(sensor, "contact_view", None)
    return hasattr(view, "read_net_normal_forces") and not sensor.cfg.history_length and not sensor.cfg.track_air_time


class LabContactForces:
    """Isaac Lab's own way, for engines without a shorter one."""

    def __init__(self, sensor: ContactSensor) -> None:
        self._sensor = sensor

    def read(self) -> wp.array:
        """Let the sensor bring its data up to date."""
        force_w = self._sensor.data.net_normal_forces_w
        assert force_w is not None
        return force_w.warp


class OvPhysxContactForces:
    """One read into a buffer of its own; the sensor's data stays what the sensor makes of it."""

    def __init__(self, sensor: ContactSensor) -> None:
        self._view: Any = sensor.contact_view  # pyright: ignore[reportAttributeAccessIssue] - OvPhysX's sensor has it
        num_bodies = len(sensor.body_names or ())
        num_envs = self._view.sensor_count // num_bodies
        self._flat = wp.zeros((num_bodies * num_envs, 3), dtype=wp.float32, device=sensor.device)
        # The engine orders by body first, environment second.
        self._force_w = self._flat.view(wp.vec3f).reshape((num_bodies, num_envs)).transpose()

    def read(self) -> wp.array:
        """Read the engine."""
        self._view.read_net_normal_forces(self._flat)
        return self._force_w
