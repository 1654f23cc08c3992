"""Terrains as height grids, as large as a use of them asks."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from .ground import PLATFORM_M, Ground, cells
from .height_grid import HeightGrid, check_shape

ROOM_M = 2.0
"""Ground beyond where a robot can get to, and behind one that walks away."""


class Extent(NamedTuple):
    """How far ground reaches from the origin.

    Attributes:
        behind_m: Along -x [m].
        ahead_m: Along x [m].
        aside_m: Along y and along -y [m].
    """

    behind_m: float
    ahead_m: float
    aside_m: float

    def around(self, other: Extent) -> Extent:
        """Return what covers both."""
        return Extent(*(max(own, its) for own, its in zip(self, other, strict=True)))


def make_grid(terrain: Ground, extent: Extent) -> HeightGrid:
    """Return a terrain as a grid. Where two extents overlap, the heights are the same.

    Args:
        terrain: What it is.
        extent: How far it reaches at least. Flat ground is the platform alone, since grids go on beyond their border.

    Raises:
        SurefootError: If the grid would have more nodes along an axis than an engine takes.
    """
    spacing = terrain.spacing_m()
    lengths = [PLATFORM_M] * 3 if terrain.is_flat() else [max(length, PLATFORM_M + ROOM_M) for length in extent]
    behind, ahead, aside = (cells(length, spacing) for length in lengths)
    shape = (behind + ahead + 1, 2 * aside + 1)
    check_shape(shape)
    i, j = np.arange(-behind, ahead + 1)[:, None], np.arange(-aside, aside + 1)[None, :]
    heights = np.zeros(shape) + terrain.heights(spacing, i, j)  # a sum, so that no zero is negative
    return HeightGrid(heights_m=heights, spacing_m=spacing, origin_xy_m=(-behind * spacing, -aside * spacing))
