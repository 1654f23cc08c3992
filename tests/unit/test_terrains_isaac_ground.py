"""Terrains of a suite side by side, and the USD file that Isaac Lab spawns them from."""

import os
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from surefoot.evaluation.scenarios.ground import lay_out
from surefoot.evaluation.scenarios.scenario import Scenario
from surefoot.terrains import FLAT_GROUND_USD
from surefoot.terrains.ground_file import NEWTON_HEIGHT_FIELD, ground_file
from surefoot.terrains.height_grid import HeightGrid
from surefoot.terrains.isaac_ground import CLEAR_M, Tile, raised_grid
from surefoot.terrains.terrain import Terrain
from surefoot_bridge.errors import SurefootError

TERRAINS = [
    Terrain(),
    Terrain(kind="rough", seed=2),
    Terrain(kind="slope", direction="down"),
    Terrain(kind="stairs", step_depth_m=0.28),
]
SMALL = HeightGrid(heights_m=[[0.3, 0.4], [0.5, 0.6]], spacing_m=0.05, origin_xy_m=(1.0, 2.0))

MOVED = HeightGrid(heights_m=SMALL.heights_m, spacing_m=0.05, origin_xy_m=(1.0, 2.1))


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("SUREFOOT_CACHE_DIR", str(tmp_path))
    return tmp_path


def scenario(terrain: Terrain, length_s: float = 4.0) -> Scenario:
    commands = [{"at_s": 0.0, "velocity": (0.5, 0.0, 0.0)}]
    return Scenario.model_validate(
        {"name": "s", "description": "d", "commands": commands, "length_s": length_s, "terrain": terrain}
    )


def env_cfg() -> SimpleNamespace:
    spawn = SimpleNamespace(usd_path=str(FLAT_GROUND_USD))
    return SimpleNamespace(scene=SimpleNamespace(ground=SimpleNamespace(spawn=spawn)))


def edges(tile: Tile) -> tuple[float, float, float, float]:
    grid = raised_grid(tile.grid, tile.origin_w)
    return grid.x_m[0], grid.x_m[-1], grid.y_m[0], grid.y_m[-1]


def test_each_different_terrain_has_one_tile() -> None:
    unused = Terrain(kind="slope", direction="down", roughness_m=0.1, seed=9)  # a slope has neither
    ground = lay_out(scenario(terrain) for terrain in [*TERRAINS, unused, *TERRAINS])
    assert [tile.terrain for tile in ground.tiles] == TERRAINS
    assert ground.tile(unused) is ground.tiles[2]


def test_a_tile_is_large_enough_for_the_longest_scenario_on_it() -> None:
    ground = lay_out([scenario(TERRAINS[1], 4.0), scenario(TERRAINS[1], 9.0), scenario(TERRAINS[1], 5.0)])
    assert ground.tiles[0].grid.x_m[-1] == pytest.approx(11.0)


def test_tiles_lie_apart_from_each_other_and_from_the_environments_own_origins() -> None:
    tiles = [tile for tile in lay_out(map(scenario, TERRAINS)).tiles if not tile.grid.is_flat]
    next_y = CLEAR_M - 0.1
    for x_low, x_high, y_low, y_high in map(edges, tiles):
        assert y_low > next_y
        assert x_low < 0.0 < x_high
        next_y = y_high + 1.5


def test_tiles_are_above_the_plane_with_a_skirt_that_runs_down_to_it() -> None:
    for tile in lay_out(map(scenario, TERRAINS)).tiles[1:]:
        raised = raised_grid(tile.grid, tile.origin_w)
        border = np.ones(raised.heights_m.shape, dtype=bool)
        border[1:-1, 1:-1] = False
        assert raised.heights_m[border] == pytest.approx(0.0, abs=0.0)
        assert raised.heights_m[~border].min() == pytest.approx(1.0, abs=1e-6)


def test_a_raised_tile_is_the_trials_ground_moved_to_its_origin() -> None:
    draw = np.random.default_rng(0)
    for tile in lay_out(map(scenario, TERRAINS)).tiles[1:]:
        grid, raised = tile.grid, raised_grid(tile.grid, tile.origin_w)
        x, y = draw.uniform(grid.x_m[0], grid.x_m[-1], 300), draw.uniform(grid.y_m[0], grid.y_m[-1], 300)
        there = raised.height(x + tile.origin_w[0], y + tile.origin_w[1])
        assert np.abs(there - tile.origin_w[2] - grid.height(x, y)).max() < 1e-5


def test_flat_ground_is_the_plane_where_environments_are() -> None:
    ground, cfg = lay_out([scenario(Terrain())]), env_cfg()
    ground.put_into(cfg)
    assert not ground.tiles[0].origin_w.any()
    assert cfg.scene.ground.spawn.usd_path == str(FLAT_GROUND_USD)


def test_a_terrain_without_a_tile_is_refused_with_those_that_there_are() -> None:
    ground = lay_out(map(scenario, TERRAINS[:2]))
    message = (
        r"no tile of stairs \(place ahead, direction up, step_height_m 0.15, step_depth_m 0.3\); "
        r"it has: flat; rough \(roughness_m 0.04, seed 2\). Lay it out for all scenarios"
    )
    with pytest.raises(SurefootError, match=message):
        ground.tile(Terrain(kind="stairs"))


def test_the_file_holds_the_plane_and_each_grid_as_a_tagged_collision_mesh(cache: Path) -> None:
    from pxr import Usd, UsdGeom, UsdPhysics, UsdShade

    path = ground_file([SMALL, SMALL])
    assert path.is_relative_to(cache)
    stage = Usd.Stage.Open(str(path))
    root = stage.GetDefaultPrim()
    assert [prim.GetName() for prim in root.GetChildren()] == ["Plane", "Material", "Tile_0", "Tile_1"]
    prim = root.GetChild("Tile_1")
    assert prim.HasAPI(UsdPhysics.CollisionAPI)
    assert UsdPhysics.MeshCollisionAPI(prim).GetApproximationAttr().Get() == "none"
    assert prim.GetAttribute(NEWTON_HEIGHT_FIELD).Get() == pytest.approx(0.05)
    material, _ = UsdShade.MaterialBindingAPI(prim).ComputeBoundMaterial("physics")
    assert material.GetPath() == root.GetPath().AppendChild("Material")
    mesh = UsdGeom.Mesh(prim)
    points = np.array(mesh.GetPointsAttr().Get())
    corners = [(1.0, 2.0, 0.3), (1.0, 2.05, 0.4), (1.05, 2.0, 0.5), (1.05, 2.05, 0.6)]
    assert points == pytest.approx(np.array(corners), abs=1e-6)
    assert list(mesh.GetFaceVertexCountsAttr().Get()) == [3, 3]
    assert list(mesh.GetFaceVertexIndicesAttr().Get()) == [0, 2, 3, 0, 3, 1]


def test_the_file_is_written_once_and_another_ground_has_another(cache: Path) -> None:
    path = ground_file([SMALL])
    written = path.stat().st_ino
    assert ground_file([SMALL]) == path
    assert path.stat().st_ino == written
    assert ground_file([MOVED]) != path
    assert [other.name for other in path.parent.iterdir() if other.name.startswith(".")] == []


def test_files_that_nobody_used_for_a_month_are_deleted_when_another_is_written(cache: Path) -> None:
    unused, used = (ground_file([grid]) for grid in (SMALL, MOVED))
    for path in (unused, used):
        os.utime(path, (0.0, 0.0))
    assert ground_file([MOVED]) == used
    other = ground_file([SMALL, MOVED])
    assert sorted(path.parent.iterdir()) == sorted([used, other])


def test_a_cache_that_cannot_be_written_is_named(cache: Path) -> None:
    (cache / "ground").write_text("no folder")
    with pytest.raises(SurefootError, match=r"ground cannot be written.*SUREFOOT_CACHE_DIR"):
        ground_file([SMALL])


def test_the_ground_of_a_task_is_replaced(cache: Path) -> None:
    cfg = env_cfg()
    lay_out(map(scenario, TERRAINS)).put_into(cfg)
    assert Path(cfg.scene.ground.spawn.usd_path).is_relative_to(cache)
