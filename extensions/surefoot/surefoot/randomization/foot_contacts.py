"""Contacts of the feet that resist turning, where torsional or rolling friction is to act.

MuJoCo's contacts have three dimensions where they only resist sliding, and six where they resist spin about the normal
and roll on the ground, too. Their number is part of a shape and decided before the simulation starts.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

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


def open_foot_contacts(robot: ArticulationCfg, cfg: RandomizationCfg, spec: RobotSpec) -> None:
    """Give the feet's shapes contacts of six dimensions in MuJoCo Warp where their turning friction is random.

    Args:
        robot: The robot that is going to be spawned; changed.
        cfg: What is random.
        spec: The robot.
    """
    asked = preset_ranges(cfg.preset, spec) | cfg.ranges
    if all(asked.get(name) is None for name in TURNING_FRICTION):
        return
    from isaaclab_newton.sim.schemas import MujocoCollisionCfg

    spawn: Any = robot.spawn  # a robot's spawner has collision properties, which the base class does not
    shapes = foot_shapes(spec)
    given = dict(spawn.collision_props or {})
    given[shapes] = [*given.get(shapes, []), MujocoCollisionCfg(condim=TURNING_DIMENSIONS)]
    spawn.collision_props = given
