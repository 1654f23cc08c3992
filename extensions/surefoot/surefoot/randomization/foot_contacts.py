"""Contacts of the feet that resist turning, where torsional or rolling friction is to act.

MuJoCo's contacts have three dimensions where they only resist sliding, and six where they resist spin about the normal
and roll on the ground, too. Their number is part of a shape and decided before the simulation starts, and so is the
radius of PhysX's contact patches, one for all robots of a process.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from surefoot_bridge.errors import SurefootError
from surefoot_robots import RobotSpec

from .presets import preset_ranges

if TYPE_CHECKING:
    from isaaclab.assets import ArticulationCfg

    from .randomization_cfg import RandomizationCfg

TURNING_FRICTION = ("foot_torsional_friction", "foot_rolling_friction")
"""Parameters that act only in contacts of six dimensions."""

TURNING_DIMENSIONS = 6
"""Dimensions of such a contact: normal, two of sliding, one of spin, two of roll."""


def foot_shapes(spec: RobotSpec) -> str:
    """Return the pattern of the feet's shapes below a robot's prim."""
    return f"/.*/({'|'.join(spec.foot_bodies)})/.*"


def open_foot_contacts(robot: ArticulationCfg, cfg: RandomizationCfg, spec: RobotSpec, *, rank: int = 0) -> None:
    """Give the feet's shapes what their turning friction needs.

    In MuJoCo Warp these are contacts of six dimensions where that friction is random, in PhysX a patch of the radius
    that is this process's.

    Args:
        robot: The robot that is going to be spawned; changed.
        cfg: What is random.
        spec: The robot.
        rank: Number of this training process.

    Raises:
        SurefootError: If the radii are not numbers from 0 up.
    """
    asked = preset_ranges(cfg.preset, spec) | cfg.ranges
    radius_m = _patch_radius(cfg.foot_patch_radii_m, rank)
    parts: list[Any] = []
    if any(asked.get(name) is not None for name in TURNING_FRICTION):
        from isaaclab_newton.sim.schemas import MujocoCollisionCfg

        parts.append(MujocoCollisionCfg(condim=TURNING_DIMENSIONS))
    if radius_m > 0.0:
        from isaaclab_physx.sim.schemas import PhysxCollisionCfg

        # The other radius, of patches that grow with the penetration, gives nothing: rigid contacts hardly penetrate.
        parts.append(PhysxCollisionCfg(min_torsional_patch_radius=radius_m))
    if not parts:
        return
    spawn: Any = robot.spawn  # a robot's spawner has collision properties, which the base class does not
    shapes = foot_shapes(spec)
    given = dict(spawn.collision_props or {})
    given[shapes] = [*given.get(shapes, []), *parts]
    spawn.collision_props = given


def _patch_radius(radii_m: Any, rank: int) -> float:
    """Return a process's radius [m]; radii that the command line gives are of any type."""
    listed = isinstance(radii_m, list | tuple)
    if not listed or not all(type(radius) in (int, float) and 0.0 <= radius < math.inf for radius in radii_m):
        raise SurefootError(
            f"env.randomization.foot_patch_radii_m is {radii_m!r}; it must be a list of radii in metres, each 0 or "
            "larger, one for each training process in turn, such as [0.03,0.0]."
        )
    return float(radii_m[rank % len(radii_m)]) if radii_m else 0.0
