"""Making a field of 10 x 20 tiles, ours or Isaac Lab's, in a process of its own and without an engine."""

from __future__ import annotations

import time
import tracemalloc
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from surefoot_devtools.benchmarking.environment import OUR_ROUGH_TASK, ROBOT, Side
from surefoot_devtools.benchmarking.worker import serve

MODULE = "surefoot_devtools.benchmarking.terrain_worker"

_MB = 1e6


@dataclass(frozen=True)
class FieldRequest:
    """Whose field, and of how many levels; 0 for all."""

    task: Side
    physics: str
    levels: int = 0


@dataclass(frozen=True)
class FieldMeasurement:
    """What the triangles of a field cost."""

    seconds: float
    """From the configuration to vertices and triangles."""
    peak_mb: float
    """Most memory that was held on the way [MB]."""
    held_mb: float
    """What is kept: the grid and its triangles, or all that the generator holds [MB]."""
    triangles: int
    area_m2: float
    """Ground that the tiles cover [m^2]."""


def measure(request: FieldRequest) -> FieldMeasurement:
    """Make the field once for the time and once more, which is slower, for the memory."""
    make, area_m2 = (_ours if request.task == "ours" else _stock)(request)
    began = time.perf_counter()
    triangles = make()[1]
    seconds = time.perf_counter() - began
    tracemalloc.start()
    kept = make()
    held, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    del kept
    return FieldMeasurement(seconds, peak / _MB, held / _MB, triangles, area_m2)


def _ours(request: FieldRequest) -> tuple[Callable[[], tuple[Any, int]], float]:
    """Return what makes our field, and the area of its tiles."""
    from surefoot.terrains.field import make_field
    from surefoot.terrains.field_cfg import FieldCfg
    from surefoot.terrains.triangle_mesh import triangle_mesh
    from surefoot_robots import get_robot

    cfg = FieldCfg()
    if request.levels:
        cfg.levels = cfg.first_levels = request.levels
    spec = get_robot(ROBOT)

    def make() -> tuple[Any, int]:
        field = make_field(cfg, spec)
        mesh = triangle_mesh(field.grid)
        return (field, mesh), len(mesh.triangles)

    return make, cfg.levels * sum(cfg.columns.values()) * cfg.tile_m**2


def _stock(request: FieldRequest) -> tuple[Callable[[], tuple[Any, int]], float]:
    """Return what makes the field of the stock rough task, and the area of its tiles."""
    from surefoot.engines import install_shims

    install_shims()
    from isaaclab.terrains import TerrainGenerator

    from surefoot.task_config import resolve_task
    from surefoot.task_registry import check_task
    from surefoot_devtools.benchmarking.stock_task import stock_task

    ours = resolve_task(check_task(OUR_ROUGH_TASK), request.physics)[0]
    cfg = resolve_task(stock_task(ours), request.physics)[0].scene.terrain.terrain_generator
    cfg.seed = 1
    if request.levels:
        cfg.num_rows = request.levels

    def make() -> tuple[Any, int]:
        generator = TerrainGenerator(cfg)
        return generator, len(generator.terrain_mesh.faces)

    return make, cfg.num_rows * cfg.num_cols * cfg.size[0] * cfg.size[1]


if __name__ == "__main__":
    serve(FieldRequest, measure)
