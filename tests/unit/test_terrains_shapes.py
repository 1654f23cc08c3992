"""Terrains of scenarios as height grids."""

import math

import numpy as np
import pytest

from surefoot.evaluation.scenarios.ground import extent_of, scenario_grid
from surefoot.evaluation.scenarios.scenario import Scenario
from surefoot.terrains.shapes import Extent, make_grid
from surefoot.terrains.terrain import Terrain
from surefoot_bridge.errors import SurefootError

SMALL = Extent(behind_m=3.0, ahead_m=5.0, aside_m=4.0)
KINDS = [
    Terrain(kind="flat"),
    Terrain(kind="rough", roughness_m=0.06, seed=4),
    Terrain(kind="slope", grade_deg=20.0),
    Terrain(kind="slope", direction="down"),
    Terrain(kind="stairs"),
    Terrain(kind="stairs", direction="down", step_height_m=0.1, step_depth_m=0.28),
    Terrain(kind="obstacles"),
    Terrain(kind="gaps"),
    Terrain(kind="stones", place="around"),
    Terrain(kind="waves", place="around"),
    Terrain(kind="mixed", place="around"),
]


def scenario(*commands: tuple, length_s: float = 10.0, **fields: object) -> Scenario:
    schedule = [{"at_s": at_s, "velocity": velocity} for at_s, velocity in commands]
    return Scenario.model_validate(
        {"name": "s", "description": "d", "commands": schedule, "length_s": length_s, **fields}
    )


def label(terrain: Terrain) -> str:
    return f"{terrain.kind}-{terrain.direction}"


@pytest.mark.parametrize("terrain", KINDS, ids=label)
def test_ground_is_level_for_a_metre_around_the_start(terrain: Terrain) -> None:
    grid = make_grid(terrain, SMALL)
    x, y = np.meshgrid(np.linspace(-1.0, 1.0, 81), np.linspace(-1.0, 1.0, 81))
    assert np.abs(grid.height(x, y)).max() < 1e-12  # at the very edge of the platform to rounding


@pytest.mark.parametrize("terrain", KINDS, ids=label)
def test_the_origin_is_a_node_and_nodes_are_close_enough(terrain: Terrain) -> None:
    grid = make_grid(terrain, SMALL)
    assert np.abs(grid.x_m).min() < 1e-9
    assert np.abs(grid.y_m).min() < 1e-9
    assert grid.spacing_m <= 0.05


@pytest.mark.parametrize("terrain", KINDS[1:], ids=label)
def test_ground_reaches_as_far_as_asked(terrain: Terrain) -> None:
    grid = make_grid(terrain, SMALL)
    assert grid.x_m[0] - 1e-9 <= -3.0 < grid.x_m[1]
    assert grid.x_m[-2] < 5.0 <= grid.x_m[-1] + 1e-9
    assert grid.y_m[0] - 1e-9 <= -4.0 < grid.y_m[1]
    assert grid.y_m[-2] < 4.0 <= grid.y_m[-1] + 1e-9


@pytest.mark.parametrize("terrain", KINDS, ids=label)
def test_a_larger_extent_changes_no_height_that_was_there(terrain: Terrain) -> None:
    small, large = make_grid(terrain, SMALL), make_grid(terrain, Extent(behind_m=7.0, ahead_m=9.0, aside_m=8.0))
    draw = np.random.default_rng(0)
    x, y = draw.uniform(-3.0, 5.0, 500), draw.uniform(-4.0, 4.0, 500)
    assert np.allclose(small.height(x, y), large.height(x, y), rtol=0.0, atol=1e-6)


def test_a_slope_has_its_grade_from_the_platform_on() -> None:
    grid = make_grid(Terrain(kind="slope", grade_deg=15.0), SMALL)
    x = np.array([1.0, 1.5, 3.333, 5.0])
    assert grid.height(x, 0.7) == pytest.approx(math.tan(math.radians(15.0)) * (x - 1.0), abs=1e-6)


@pytest.mark.parametrize("kind", ["slope", "stairs"])
def test_the_way_down_is_the_way_up_upside_down(kind: str) -> None:
    up, down = (make_grid(Terrain(kind=kind, direction=direction), SMALL) for direction in ("up", "down"))
    assert np.array_equal(up.heights_m, -down.heights_m)


@pytest.mark.parametrize(("depth_m", "height_m"), [(0.3, 0.15), (0.28, 0.1), (0.31, 0.2)])
def test_steps_have_their_depth_and_height_and_a_riser_of_one_cell(depth_m: float, height_m: float) -> None:
    grid = make_grid(Terrain(kind="stairs", step_depth_m=depth_m, step_height_m=height_m), SMALL)
    profile = grid.heights_m[:, 0].astype(np.float64)
    assert (grid.heights_m == grid.heights_m[:, :1]).all()
    rises = np.diff(profile)
    risers = np.flatnonzero(rises > 1e-6)
    assert rises[risers] == pytest.approx(np.full(len(risers), height_m), abs=1e-6)
    assert np.diff(grid.x_m[risers]) == pytest.approx(np.full(len(risers) - 1, depth_m))
    assert 1.0 <= grid.x_m[risers[0]] < 1.0 + grid.spacing_m
    assert grid.spacing_m <= 0.05


def test_rough_ground_is_uniform_and_within_its_roughness() -> None:
    grid = make_grid(Terrain(kind="rough", roughness_m=0.05), Extent(12.0, 12.0, 12.0))
    corners = grid.heights_m[::4, ::4]
    beyond = np.maximum(np.abs(grid.x_m[::4, None]), np.abs(grid.y_m[None, ::4])) > 1.1
    heights = corners[beyond]
    assert np.abs(heights).max() < 0.05
    # A uniform number from (-1, 1) has a mean of 0 and a spread of 1 / sqrt 3; with 14000 of them, to a few per cent.
    assert abs(heights.mean()) < 4.0 * 0.05 / math.sqrt(3.0 * len(heights))
    assert heights.std() == pytest.approx(0.05 / math.sqrt(3.0), rel=0.02)
    assert np.corrcoef(corners[:-1].ravel(), corners[1:].ravel())[0, 1] == pytest.approx(0.0, abs=0.03)


def test_rough_ground_has_no_edge_between_its_corners() -> None:
    grid = make_grid(Terrain(kind="rough", roughness_m=0.05), SMALL)
    steepest = np.abs(np.diff(grid.heights_m.astype(np.float64), axis=0)).max() / grid.spacing_m
    assert steepest < 2.0 * 0.05 / 0.2


def test_seeds_make_different_rough_ground_and_the_same_seed_the_same() -> None:
    first, again, other, high = (
        make_grid(Terrain(kind="rough", seed=seed), SMALL).heights_m for seed in (1, 1, 2, 1 + 2**32)
    )
    assert np.array_equal(first, again)
    assert not np.allclose(first, other)
    assert not np.allclose(first, high)


def test_a_robot_at_one_metre_per_second_stays_on_the_ground() -> None:
    extent = extent_of(scenario((0.0, (0.5, 0.0, 0.0)), length_s=10.0))
    assert extent.ahead_m == pytest.approx(12.0)
    assert extent.aside_m == pytest.approx(10.0 * math.sin(math.radians(30.0)) + 2.0)
    assert extent.behind_m == pytest.approx(3.0)


def test_a_faster_robot_has_more_ground() -> None:
    assert extent_of(scenario((0.0, (1.5, 0.0, 0.0)))).ahead_m == pytest.approx(17.0)


def test_a_robot_that_stands_for_minutes_has_a_few_metres() -> None:
    extent = extent_of(scenario((0.0, (0.0, 0.0, 0.0)), length_s=600.0))
    assert extent.ahead_m == pytest.approx(12.0)


def test_each_command_counts_until_the_next() -> None:
    schedule = scenario((0.0, (0.0, 0.0, 0.0)), (90.0, (1.0, 0.0, 0.0)), (95.0, (0.2, 0.0, 0.0)), length_s=100.0)
    assert extent_of(schedule).ahead_m == pytest.approx(2.0 * (5.0 + 1.0) + 10.0 + 2.0)


@pytest.mark.parametrize("velocity", [(-0.5, 0.0, 0.0), (0.5, 0.1, 0.0), (0.5, 0.0, 0.2)])
def test_a_robot_that_does_not_just_go_ahead_may_go_anywhere(velocity: tuple) -> None:
    assert extent_of(scenario((0.0, velocity))) == Extent(12.0, 12.0, 12.0)


def test_a_robot_that_may_face_anywhere_may_go_anywhere() -> None:
    turned = scenario((0.0, (0.5, 0.0, 0.0)), robot={"yaw_deg": [-180.0, 180.0]})
    assert extent_of(turned) == Extent(12.0, 12.0, 12.0)


def test_the_ground_of_a_scenario_is_as_large_as_it_needs() -> None:
    grid = scenario_grid(scenario((0.0, (0.5, 0.0, 0.0)), length_s=6.0, terrain={"kind": "slope"}))
    assert grid.x_m[-1] == pytest.approx(8.0)
    assert grid.height(8.0, 0.0) == pytest.approx(7.0 * math.tan(math.radians(15.0)), abs=1e-6)


def test_ground_that_is_too_large_for_an_engine_is_refused() -> None:
    march = scenario((0.0, (1.0, 0.0, 0.0)), length_s=3600.0, terrain={"kind": "slope"})
    with pytest.raises(SurefootError, match="Make the terrain smaller, as by a shorter scenario"):
        scenario_grid(march)
