"""Several terrains as one ground of an Isaac Lab scene.

Flat ground is the endless plane that training has. Every other terrain is a tile: a triangle mesh of its own, raised
above that plane, with a skirt that runs down to it. PhysX collides with the triangles. MuJoCo Warp, Newton's solver,
would collide with their convex hull; Isaac Lab makes a height field for it out of each mesh that is tagged with its
spacing, on whose nodes the mesh's vertices lie, and whose cells have the same diagonal.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from surefoot_bridge.errors import SurefootError

from .ground import Ground
from .ground_file import ground_file
from .height_grid import HeightGrid
from .shapes import Extent, make_grid
from .terrain import Terrain

CLEAR_M = 40.0
"""Around the scene's origin, where environments have their own origins, there are no tiles: a square of twice this."""

RAISE_M = 1.0
"""Between the plane and the lowest point of a tile, the thickness of the ground there."""

GAP_M = 2.0
"""Between tiles."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Tile:
    """A terrain's place in the scene.

    Attributes:
        terrain: What it is.
        grid: Its heights, in the trials' world, where robots start at the origin.
        origin_w: Where the origin of the trials' world is in the scene [m], (3,), float64. Add it to positions of
            trials to get positions in the simulator; rotations are the same.
    """

    terrain: Terrain
    grid: HeightGrid
    origin_w: np.ndarray


@dataclass(frozen=True, kw_only=True, eq=False)
class IsaacGround:
    """Terrains side by side. Any number of robots may share a tile: environments do not collide with each other.

    Attributes:
        tiles: One for each different terrain, in the order of their first scenario.
    """

    tiles: tuple[Tile, ...]

    def tile(self, terrain: Terrain) -> Tile:
        """Return a terrain's tile.

        Raises:
            SurefootError: If none of the scenarios that the ground was laid out for has this terrain.
        """
        for tile in self.tiles:
            if tile.terrain.ground == terrain.ground:
                return tile
        known = "; ".join(_describe(tile.terrain) for tile in self.tiles)
        raise SurefootError(
            f"The ground has no tile of {_describe(terrain)}; it has: {known}. "
            "Lay it out for all scenarios that will run."
        )

    def put_into(self, env_cfg: Any) -> None:
        """Replace the ground of a task's environment configuration before it is launched.

        The ground's USD file is written into the user's cache. A ground that is all flat leaves the configuration as
        it is. Newton's room for contacts is enough on height fields, too: robots that fell from random poses onto
        rough ground and stairs had up to 11 contacts (Go2) and 19 (G1), and the room is for 32. MuJoCo Warp
        looks at the first 50 triangles under a shape; more were seen only under robots that had fallen.

        Args:
            env_cfg: Configuration with ``scene.ground``, spawned from a USD file; changed.

        Raises:
            SurefootError: If the cache cannot be written.
        """
        raised = [raised_grid(tile.grid, tile.origin_w) for tile in self.tiles if not tile.grid.is_flat]
        if not raised:
            return
        env_cfg.scene.ground.spawn.usd_path = str(ground_file(raised))


def place_tiles(grounds: Iterable[tuple[Terrain, Extent]]) -> IsaacGround:
    """Give every different terrain a tile that is large enough for all extents that are asked of it."""
    extents: dict[Ground, tuple[Terrain, Extent]] = {}
    for terrain, extent in grounds:
        first, largest = extents.get(terrain.ground, (terrain, extent))
        extents[terrain.ground] = first, largest.around(extent)
    tiles, next_y = [], CLEAR_M
    for terrain, extent in extents.values():
        grid = make_grid(terrain, extent)
        origin = np.zeros(3)
        if not grid.is_flat:
            origin[1] = next_y - grid.y_m[0]
            origin[2] = RAISE_M - float(grid.heights_m.min())
            next_y = origin[1] + grid.y_m[-1] + GAP_M
        tiles.append(Tile(terrain=terrain, grid=grid, origin_w=origin))
    return IsaacGround(tiles=tuple(tiles))


def raised_grid(grid: HeightGrid, origin_w: np.ndarray) -> HeightGrid:
    """Return a grid as it stands in the scene, with its skirt: one more node on each side, on the plane z = 0.

    The lowest height must be 0: Newton 1.6 puts a height field at its lowest height when it builds MuJoCo's model, but
    writes the shape's own position over that in the solver's, so that any other ground would be off by its lowest
    height. The skirt is also what rays meet that miss the border by rounding.

    Args:
        grid: The ground.
        origin_w: Where its origin is in the scene [m], (3,).
    """
    heights = np.pad(grid.heights_m + origin_w[2], 1)
    corner = np.array(grid.origin_xy_m) + origin_w[:2] - grid.spacing_m
    return HeightGrid(heights_m=heights, spacing_m=grid.spacing_m, origin_xy_m=(float(corner[0]), float(corner[1])))


def _describe(terrain: Terrain) -> str:
    fields = ", ".join(f"{name} {value}" for name, value in terrain.ground)
    return f"{terrain.kind} ({fields})" if fields else terrain.kind
