"""Terrains as height grids. Robots start at the origin, facing x, on level ground of 1 m all round."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from surefoot.random_numbers.philox_numpy import philox, unit_interval

from .height_grid import LARGEST_SPACING_M, HeightGrid, check_shape
from .terrain import Terrain

PLATFORM_M = 1.0
"""Half the edge of the level square around the origin."""

STAIRS_SPACING_M = LARGEST_SPACING_M
"""Largest spacing of stairs. A riser is one cell deep: one of 15 cm leans by 18 degrees. At half of this it would lean
by 9.5, but Newton would take nearly twice as long on a CPU, and shapes would touch more triangles than it has room for.
"""

BUMP_M = 0.2
"""Between the random heights of rough ground, which lines connect: the ``downsampled_scale`` with which legged_gym
makes its random uniform terrain (``legged_gym/utils/terrain.py``)."""

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


def make_grid(terrain: Terrain, extent: Extent) -> HeightGrid:
    """Return a terrain as a grid. Where two extents overlap, the heights are the same.

    Args:
        terrain: What it is.
        extent: How far it reaches at least. Flat ground is the platform alone, since grids go on beyond their border.

    Raises:
        SurefootError: If the grid would have more nodes along an axis than an engine takes.
    """
    spacing = _step_spacing(terrain) if terrain.kind == "stairs" else LARGEST_SPACING_M
    lengths = [PLATFORM_M] * 3 if terrain.kind == "flat" else [max(length, PLATFORM_M + ROOM_M) for length in extent]
    behind, ahead, aside = (_cells(length, spacing) for length in lengths)
    check_shape((behind + ahead + 1, 2 * aside + 1))
    i, j = np.arange(-behind, ahead + 1), np.arange(-aside, aside + 1)
    heights = np.zeros((len(i), len(j)))
    if terrain.kind == "rough":
        heights += _rough(terrain, spacing, i[:, None], j[None, :])
    elif terrain.kind == "slope":
        heights += _slope(terrain, spacing, i)[:, None]
    elif terrain.kind == "stairs":
        heights += _stairs(terrain, spacing, i)[:, None]
    return HeightGrid(heights_m=heights, spacing_m=spacing, origin_xy_m=(-behind * spacing, -aside * spacing))


def _cells(length_m: float, spacing_m: float) -> int:
    return math.ceil(length_m / spacing_m - 1e-9)


def _step_spacing(terrain: Terrain) -> float:
    """Return a spacing of which the depth of a step is a multiple."""
    return terrain.step_depth_m / _cells(terrain.step_depth_m, STAIRS_SPACING_M)


def _slope(terrain: Terrain, spacing: float, i: np.ndarray) -> np.ndarray:
    rise = math.tan(math.radians(terrain.grade_deg)) * np.maximum(i * spacing - PLATFORM_M, 0.0)
    return _signed(terrain, rise)


def _stairs(terrain: Terrain, spacing: float, i: np.ndarray) -> np.ndarray:
    """Each step is a riser of one cell and a level part; the first riser begins at the platform's edge."""
    cells_per_step = round(terrain.step_depth_m / spacing)
    beyond_edge = np.maximum(i - _cells(PLATFORM_M, spacing), 0)
    return _signed(terrain, terrain.step_height_m * np.ceil(beyond_edge / cells_per_step))


def _signed(terrain: Terrain, rise: np.ndarray) -> np.ndarray:
    return rise if terrain.direction == "up" else -rise


def _rough(terrain: Terrain, spacing: float, i: np.ndarray, j: np.ndarray) -> np.ndarray:
    """Uniform random heights at the corners of squares, linear between them along x and then along y."""
    per_bump = round(BUMP_M / spacing)
    (corner_i, part_i), (corner_j, part_j) = divmod(i, per_bump), divmod(j, per_bump)
    share_i, share_j = part_i / per_bump, part_j / per_bump

    def at(bump_i: np.ndarray, bump_j: np.ndarray) -> np.ndarray:
        level = np.maximum(np.abs(bump_i), np.abs(bump_j)) * BUMP_M <= PLATFORM_M + 1e-9
        return np.where(level, 0.0, terrain.roughness_m * _uniform(terrain.seed, bump_i, bump_j))

    low = at(corner_i, corner_j) * (1.0 - share_i) + at(corner_i + 1, corner_j) * share_i
    high = at(corner_i, corner_j + 1) * (1.0 - share_i) + at(corner_i + 1, corner_j + 1) * share_i
    return low * (1.0 - share_j) + high * share_j


def _uniform(seed: int, i: np.ndarray, j: np.ndarray) -> np.ndarray:
    """Return a number from (-1, 1) that depends on seed, i and j alone, in the shape to which i and j broadcast."""
    i, j = np.broadcast_arrays(i, j)
    counter = np.stack((i, j, np.zeros_like(i), np.zeros_like(i)), axis=-1) & 0xFFFFFFFF
    words = philox(counter.astype(np.uint32), (seed & 0xFFFFFFFF, seed >> 32 & 0xFFFFFFFF))
    return 2.0 * unit_interval(words[..., 0]).astype(np.float64) - 1.0
