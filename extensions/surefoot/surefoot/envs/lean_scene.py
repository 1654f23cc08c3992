"""Scene update without the reads that no term uses; the one place that reaches into Isaac Lab's scene internals.

``InteractiveScene.update`` runs at every physics substep and makes each articulation read its joint velocities to form
accelerations by finite differences, although :class:`~surefoot.envs.locomotion_state.LocomotionState` forms them once
per control step. Isaac Lab 3.0.0 has no public way to say that nobody reads them, so the substep only advances the
articulation's clock, which is what its lazily read quantities compare against.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from isaaclab.scene import InteractiveScene


class LeanSceneUpdate:
    """Advances the clocks of articulations and sensors after a physics substep.

    Backends whose articulation data has no clock of the known kind are updated in Isaac Lab's way.
    """

    def __init__(self, scene: InteractiveScene) -> None:
        self._clocks = []
        self._updates = []
        for articulation in scene.articulations.values():
            if hasattr(articulation.data, "_sim_timestamp"):
                self._clocks.append(articulation.data)
            else:
                self._updates.append(articulation.update)
        self._updates += [sensor.update for sensor in scene.sensors.values()]

    def __call__(self, dt: float) -> None:
        """Advance by ``dt`` seconds."""
        for data in self._clocks:
            data._sim_timestamp += dt
        for update in self._updates:
            update(dt)
