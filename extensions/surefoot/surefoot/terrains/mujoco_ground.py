"""A height grid as the ground of a MuJoCo model."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from .height_grid import HeightGrid

if TYPE_CHECKING:
    import mujoco

GROUND = "ground"
"""Name of the geom, and of its height field."""

_BASE_M = 1.0
"""Thickness of the ground below its lowest point: no foot gets through it in a step."""


def add_ground(spec: mujoco.MjSpec, grid: HeightGrid, *, friction: float) -> None:
    """Add a grid to a model's world as the geom :data:`GROUND`; the plane z = 0 where it is flat.

    It collides with geoms of ``conaffinity`` 1, as robots' are. Its priority is 0, below that of the robots' feet, so
    that it is their friction, stiffness and damping which count there.

    Args:
        spec: A model that is not compiled yet; changed.
        grid: The ground.
        friction: Sliding friction with bodies of no priority of their own.
    """
    import mujoco

    common = {
        "name": GROUND,
        "friction": [friction, 0.005, 0.0001],  # spin and roll as by MuJoCo's default; contacts of condim 3 have none
        "contype": 1,
        "conaffinity": 0,
        "priority": 0,
    }
    if grid.is_flat:
        spec.worldbody.add_geom(type=mujoco.mjtGeom.mjGEOM_PLANE, size=[0.0, 0.0, 1.0], **common)
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
    spec.worldbody.add_geom(
        type=mujoco.mjtGeom.mjGEOM_HFIELD, hfieldname=GROUND, pos=[*(grid.origin_xy_m + half), lowest], **common
    )
