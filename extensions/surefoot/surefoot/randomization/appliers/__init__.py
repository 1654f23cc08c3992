"""Writers of the table's values into the engines; what the actuators and sensors read, they read from the table."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

import warp as wp

from surefoot.randomization.support import ENGINE_PARAMETERS
from surefoot_bridge.errors import SurefootError

if TYPE_CHECKING:
    from isaaclab.assets import Articulation

    from surefoot.randomization.table import RandomizationTable
    from surefoot_robots import RobotSpec


class Applier(Protocol):
    """Writes into a running engine. What the table never changes is never written."""

    def apply(self, env_mask: wp.array) -> None:
        """Write the values in force that a reset may have changed, in the environments of a mask, (num_envs,)."""

    def apply_startup(self) -> None:
        """Write the values of all environments that are drawn once, where the engine holds others."""

    def push(self, force_w: wp.array, point_w: wp.array) -> None:
        """Apply a force to each base in the coming physics step.

        Args:
            force_w: Forces [N] in the world frame, vec3f, (num_envs,).
            point_w: Where they act [m] in the world frame, vec3f, (num_envs,).
        """


def make_applier(robot: Articulation, spec: RobotSpec, table: RandomizationTable) -> Applier:
    """Choose the applier of the engine that holds an articulation.

    Raises:
        SurefootError: If there is none for it and the table would need one.
    """
    match robot.data.__backend_name__:
        case "ovphysx":
            from .ovphysx import OvPhysxApplier

            return OvPhysxApplier(robot, spec, table)
        case "newton":
            from .newton import NewtonApplier

            return NewtonApplier(robot, spec, table)
        case _:
            return NoApplier(table)


class NoApplier:
    """For engines that nothing is written into; see :mod:`surefoot.randomization.support`."""

    def __init__(self, table: RandomizationTable) -> None:
        random = [name for name in ENGINE_PARAMETERS if table.layout.is_random(name)]
        if random:
            raise SurefootError(f"No way is known to write {', '.join(random)} into this engine; leave them out.")

    def apply(self, env_mask: wp.array) -> None:
        """Nothing: every value is nominal."""

    def apply_startup(self) -> None:
        """Nothing: every value is nominal."""

    def push(self, force_w: wp.array, point_w: wp.array) -> None:
        """Nothing: no push is ever due."""
