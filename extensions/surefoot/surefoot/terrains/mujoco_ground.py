"""A height grid as the ground of a MuJoCo model."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from surefoot_bridge.robots.mujoco_scene import GROUND, add_plane, ground_contact

from .height_grid import HeightGrid

if TYPE_CHECKING:
    import mujoco

_BASE_M = 1.0
"""Thickness of the ground below its lowest point: no foot gets through it in a step."""


def add_ground(spec: mujoco.MjSpec, grid: HeightGrid, *, friction: float) -> None:
    """Add a grid to a model's world as the geom :data:`GROUND`; the plane z = 0 where it is flat.

    Args:
        spec: A model that is not compiled yet; changed.
        grid: The ground.
        friction: Sliding friction with bodies of no priority of their own.
    """
    import mujoco

    if grid.is_flat:
        add_plane(mujoco, spec, friction)
        return
    lowest, highest = float(grid.heights_m.min()), float(grid.heights_m.max())
    nx, ny = grid.heights_m.shape
    half = 0.5 * grid.spacing_m * np.array((nx - 1, ny - 1))
    # A level grid that is not at z = 0 has no height of its own, and MuJoCo wants some: all of it is then at 0 of 1.
    rise = highest - lowest or 1.0
    spec.add_hfield(
        name=GROUND,
        nrow=ny,
        ncol=nx,
        size=[*half, rise, _BASE_M],
        # MuJoCo's rows run along y. Normalized in double precision; in the model as float32, exact to 1e-7 of `rise`.
        userdata=((grid.heights_m.T.astype(np.float64) - lowest) / rise).ravel(),
    )
    place = [*(grid.origin_xy_m + half), lowest]
    field = {"type": mujoco.mjtGeom.mjGEOM_HFIELD, "hfieldname": GROUND, "pos": place}
    spec.worldbody.add_geom(**field, **ground_contact(friction))
