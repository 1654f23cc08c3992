"""A field of ground to train on: tiles of every kind and difficulty as one height grid.

Tiles lie in rows of equal difficulty along x and in columns of one kind of ground along y, so that a robot that learns
goes from row to row. Each has a level platform in its middle, where robots start, its ground all around that, and a
level rim, which is at the same height for all tiles.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from surefoot_bridge.errors import SurefootError, unknown_name
from surefoot_robots import RobotSpec

from .ground import Ground, cells, walker_of, whole_cells
from .height_grid import LARGEST_SPACING_M, HeightGrid, check_shape
from .isaac_ground import CLEAR_M, RAISE_M, raised_grid
from .kinds import KINDS

if TYPE_CHECKING:
    from .field_cfg import FieldCfg

RIM_M = 0.5
"""Width of the level rim of a tile [m]."""

SMALLEST_TILE_M, LARGEST_TILE_M = 4.0, 20.0
"""Half a metre of ground between platform and rim is the least that says anything."""

BORDER_M = 1.0
"""Level ground around all tiles [m]; a robot that steps on it leaves the field, and its episode ends."""

MOST_LEVELS, MOST_COLUMNS = 100, 100


@dataclass(frozen=True, kw_only=True, eq=False)
class TrainingField:
    """Tiles on one grid, as they stand in the scene.

    Attributes:
        grid: Heights in the scene [m], with the skirt that runs down to the plane z = 0 around them.
        origins_w: Middle of each tile's platform in the scene [m], (levels, columns, 3), float32.
        columns: What each column is made of, a name of :data:`~surefoot.terrains.field_cfg.COLUMNS`.
        tile_m: Edge of a tile [m].
    """

    grid: HeightGrid
    origins_w: np.ndarray
    columns: tuple[str, ...]
    tile_m: float

    @property
    def num_levels(self) -> int:
        """Rows of tiles."""
        return self.origins_w.shape[0]

    @property
    def bounds_w(self) -> tuple[float, float, float, float]:
        """Lowest x, highest x, lowest y and highest y of the tiles [m]."""
        half = 0.5 * self.tile_m
        (low_x, low_y), (high_x, high_y) = self.origins_w[0, 0, :2] - half, self.origins_w[-1, -1, :2] + half
        return float(low_x), float(high_x), float(low_y), float(high_y)

    def record(self) -> dict[str, Any]:
        """Return what tells it from another field, for a checkpoint: what it is made of, and a key of its heights."""
        key = hashlib.sha256(self.grid.heights_m.tobytes()).hexdigest()[:16]
        columns = {name: self.columns.count(name) for name in dict.fromkeys(self.columns)}
        return {"levels": self.num_levels, "columns": columns, "tile_m": self.tile_m, "heights": key}


def make_field(cfg: FieldCfg, spec: RobotSpec) -> TrainingField:
    """Lay out a field for a robot, to whose legs sizes are relative.

    Raises:
        SurefootError: If the configuration asks for an unknown kind, an impossible size, or for ground that the robot's
            legs cannot reach.
    """
    columns = _columns(cfg)
    spacing = LARGEST_SPACING_M
    half = whole_cells(0.5 * cfg.tile_m, spacing)
    border = cells(BORDER_M, spacing)
    edge = 2 * half
    shape = (cfg.levels * edge + 1 + 2 * border, len(columns) * edge + 1 + 2 * border)
    check_shape((shape[0] + 2, shape[1] + 2))
    heights = np.zeros(shape, dtype=np.float32)
    origins = np.zeros((cfg.levels, len(columns), 3), dtype=np.float32)
    corner = np.array((-0.5 * spacing * (shape[0] - 1), CLEAR_M))
    nodes = np.arange(-half, half + 1)
    rim = half - whole_cells(RIM_M, spacing)
    for level, column, ground in _tiles(cfg, columns, spec):
        tile = np.zeros((edge + 1, edge + 1)) + ground.tile_heights(spacing, nodes[:, None], nodes[None, :], rim)
        first = np.array((border + level * edge, border + column * edge))
        heights[first[0] : first[0] + edge + 1, first[1] : first[1] + edge + 1] = tile - tile[0, 0]
        origins[level, column, :2] = corner + spacing * (first + half)
        origins[level, column, 2] = -tile[0, 0]
    lift_m = RAISE_M - float(heights.min())
    origins[..., 2] += lift_m
    grid = HeightGrid(heights_m=heights, spacing_m=spacing, origin_xy_m=(float(corner[0]), float(corner[1])))
    return TrainingField(
        grid=raised_grid(grid, np.array((0.0, 0.0, lift_m))),
        origins_w=origins,
        columns=columns,
        tile_m=edge * spacing,
    )


def _columns(cfg: FieldCfg) -> tuple[str, ...]:
    """Return what each column is made of, checked with all other numbers of the configuration."""
    for name, count in cfg.columns.items():
        if name not in ground_names():
            raise unknown_name("kind of ground of a field", name, ground_names())
        if not (isinstance(count, int) and count >= 0):
            raise SurefootError(f"A field with {count} columns of {name}; valid: whole numbers from 0.")
    columns = tuple(name for name, count in cfg.columns.items() for _ in range(count))
    for what, value, low, high in (
        ("columns", len(columns), 1, MOST_COLUMNS),
        ("levels", cfg.levels, 1, MOST_LEVELS),
        ("levels to begin on", cfg.first_levels, 1, cfg.levels),
        ("metres to the edge of a tile", cfg.tile_m, SMALLEST_TILE_M, LARGEST_TILE_M),
    ):
        if not low <= value <= high:
            raise SurefootError(f"A field with {value:g} {what}; valid: {low:g} to {high:g}.")
    return columns


def ground_names() -> dict[str, tuple[str, dict[str, str]]]:
    """Return kind and direction by the name of what a column is made of."""
    names: dict[str, tuple[str, dict[str, str]]] = {}
    for kind, ground in KINDS.items():
        if "direction" in ground.model_fields:
            names |= {f"{kind}_{way}": (kind, {"direction": way}) for way in ("up", "down")}
        else:
            names[kind] = (kind, {})
    return names


def _tiles(cfg: FieldCfg, columns: tuple[str, ...], spec: RobotSpec) -> Iterator[tuple[int, int, Ground]]:
    """Yield level, column and ground of each tile; difficulty rises within a level over columns of one kind."""
    made_of, walker = ground_names(), walker_of(spec)
    for column, name in enumerate(columns):
        kind, fields = made_of[name]
        of_its_kind = columns[:column].count(name)
        for level in range(cfg.levels):
            difficulty = (level + (of_its_kind + 0.5) / columns.count(name)) / cfg.levels
            given: dict[str, Any] = dict(fields)
            if "place" in KINDS[kind].model_fields:
                given["place"] = "around"
            if "seed" in KINDS[kind].model_fields:
                given["seed"] = (cfg.seed * MOST_LEVELS + level) * MOST_COLUMNS + column
            ground = KINDS[kind].of_difficulty(difficulty, walker.hips_m, **given)
            for field, text in (*ground.impossible(), *ground.unfit(walker)):
                raise SurefootError(f"Level {level} of {name}, made for {spec.name}: {field} {text}")
            yield level, column, ground
