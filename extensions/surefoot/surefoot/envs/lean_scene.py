"""Scene update without the reads that no term uses; the one place that reaches into Isaac Lab's scene internals.

``InteractiveScene.update`` runs at every physics substep and makes each articulation read its joint velocities to form
accelerations by finite differences, although :class:`~surefoot.envs.locomotion_state.LocomotionState` forms them once
per control step. Isaac Lab 3.0.0 has no public way to say that nobody reads them, so the substep only advances the
articulation's clock, which is what its lazily read quantities compare against. Likewise a contact sensor that would
read forces at every substep is told of the passed time once per control step, and PhysX works out contact reports in
the last substep only; forces are the same, bit by bit, as ``tests/sim/test_velocity_env.py`` proves.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from .foot_readings import reads_every_substep_in_vain

if TYPE_CHECKING:
    from isaaclab.scene import InteractiveScene


class LeanSceneUpdate:
    """Advances the clocks of articulations and sensors after physics, and spares the engine reports that nobody reads.

    Backends whose articulation data has no clock of the known kind are updated in Isaac Lab's way.
    """

    def __init__(self, scene: InteractiveScene, physics: Any) -> None:
        """Look at what the scene holds; ``physics`` is the running engine's ``PhysicsManager`` class."""
        from isaaclab.sensors import SensorBase

        self._clocks, self._sensors = [], list(scene.sensors.values())
        self._updates = []
        self._updates_per_step = []
        for articulation in scene.articulations.values():
            if hasattr(articulation.data, "_sim_timestamp"):
                self._clocks.append(articulation.data)
            else:
                self._updates.append(articulation.update)
        for sensor in scene.sensors.values():
            if reads_every_substep_in_vain(sensor):
                # The base class's update advances the sensor's clock; that of the sensor itself reads the engine, too.
                self._updates_per_step.append(partial(SensorBase.update, sensor))
            else:
                self._updates.append(sensor.update)
        sensors_that_wait = len(self._updates_per_step)
        self._physx: Any = None
        if sensors_that_wait and sensors_that_wait == len(scene.sensors) and scene.device == "cpu":
            self._physx = physics.get_physx_instance()
        self._reports_contacts = True

    def before_substep(self, *, is_last: bool) -> None:
        """Let PhysX work out contact reports for the last substep of a control step and for no other."""
        if self._physx is not None and is_last != self._reports_contacts:
            self._physx.set_config_bool(_DISABLE_CONTACT_PROCESSING, not is_last)
            self._reports_contacts = is_last

    def after_substep(self, dt: float) -> None:
        """Advance by the ``dt`` seconds of one call of the engine."""
        for data in self._clocks:
            data._sim_timestamp += dt
        for update in self._updates:
            update(dt)

    def count(self, dt: float) -> None:
        """Note that ``dt`` seconds have passed, where a graph has done all else."""
        for data in self._clocks:
            data._sim_timestamp += dt
        for sensor in self._sensors:
            sensor._data_dirty = True

    def after_step(self, step_dt: float) -> None:
        """Tell of the ``step_dt`` seconds of a control step whoever needs it no more often."""
        for update in self._updates_per_step:
            update(step_dt)


_DISABLE_CONTACT_PROCESSING = 0
"""``ovphysx.ConfigBool.DISABLE_CONTACT_PROCESSING``; the package is not there on every machine."""
