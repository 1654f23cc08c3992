"""Kinds of ground: their heights by cases worked by hand, and their sizes by difficulty."""

import math

import numpy as np
import pytest
from pydantic import ValidationError

from surefoot.terrains.ground import Ground, Walker, walker_of
from surefoot.terrains.kinds import KINDS, Bars, Flat, Gaps, Mixed, Obstacles, Rough, Slope, Stairs, Stones, Waves
from surefoot.terrains.shapes import Extent, make_grid
from surefoot.terrains.terrain import Terrain
from surefoot_bridge.errors import SurefootError
from surefoot_robots import get_robot

CELL_M = 0.05
EDGE = 20
"""Cells from the origin to the platform's edge."""
GO2, G1 = get_robot("unitree_go2"), get_robot("unitree_g1")
PLACED = sorted(set(KINDS) - {"flat", "rough"})
EXTENT = Extent(5.0, 5.0, 5.0)


def ahead(ground: Ground, *beyond: int, spacing_m: float = CELL_M) -> list[float]:
    """Heights in the middle of the way ahead, at some cells beyond the platform's edge."""
    i = round(1.0 / spacing_m) + np.array(beyond)[:, None]
    return np.broadcast_to(ground.heights(spacing_m, i, np.zeros((1, 1), dtype=int)), i.shape).ravel().tolist()


def whole(ground: Ground, half: int = 100) -> np.ndarray:
    """Heights of a square around the origin, (2 half + 1, 2 half + 1)."""
    nodes = np.arange(-half, half + 1)
    return np.zeros((len(nodes), len(nodes))) + ground.heights(CELL_M, nodes[:, None], nodes[None, :])


# Heights


def test_a_gap_has_its_width_from_brink_to_brink_and_its_landing_behind_it() -> None:
    # 20 cm are four cells, of which the walls take the first and the last; then 60 cm, twelve cells, are level.
    heights = ahead(Gaps(gap_m=0.2, landing_m=0.6, void_depth_m=0.4), 0, 1, 3, 4, 15, 16, 17, 19, 20)
    assert heights == [0.0, -0.4, -0.4, 0.0, 0.0, 0.0, -0.4, -0.4, 0.0]


def test_a_gap_of_one_cell_still_has_a_bottom() -> None:
    assert ahead(Gaps(gap_m=0.05, void_depth_m=0.4), 0, 1, 2) == [0.0, -0.4, 0.0]  # two cells of the grid that is given
    assert Gaps(gap_m=0.05).spacing_m() == pytest.approx(0.025)  # and of its own grid as wide as said


def test_a_bar_is_as_long_as_said_and_so_far_from_the_next() -> None:
    # 1 m is twenty cells: up within the first, down within the last, then level until the next.
    heights = ahead(Bars(bar_height_m=0.1, bar_m=1.0), 0, 1, 19, 20, 40, 41, 59, 60)
    assert heights == [0.0, 0.1, 0.1, 0.0, 0.0, 0.1, 0.1, 0.0]


def test_stones_are_level_on_top_and_apart_from_the_start_and_from_each_other() -> None:
    ground = Stones(stone_m=0.3, stone_gap_m=0.15, stone_height_m=0.02, void_depth_m=0.5)
    heights = ahead(ground, 0, 1, 2, 3, 6, 9, 10, 11, 12)  # 15 cm void, 30 cm stone, 15 cm void
    assert heights[:3] == [0.0, -0.5, -0.5]
    assert heights[6:8] == [-0.5, -0.5]
    first, second = heights[3], heights[8]
    assert heights[3:6] == [first] * 3
    assert first != second
    assert max(abs(first), abs(second)) < 0.02
    # Sideways the stone reaches 15 cm to either side of the middle of the way.
    across = ground.heights(CELL_M, np.array([[EDGE + 3]]), np.array([[-5, -4, -3, 0, 3, 4, 5]]))[0]
    assert across.tolist() == [-0.5, -0.5, first, first, first, -0.5, -0.5]


def test_waves_begin_in_a_trough_and_have_their_height_and_length() -> None:
    waves = Waves(wave_height_m=0.2, wave_length_m=1.0)
    assert ahead(waves, 0, 5, 10, 15, 20) == pytest.approx([0.0, 0.1, 0.2, 0.1, 0.0])
    profile = ahead(waves, *range(40))
    steepest = np.abs(np.diff(profile)).max() / CELL_M
    assert steepest == pytest.approx(math.pi * 0.2, rel=0.02)  # what `impossible` goes by


def test_obstacles_are_boxes_of_half_to_all_of_their_size_one_in_each_square() -> None:
    ground = Obstacles(obstacle_height_m=0.2, obstacle_size_m=0.4, seed=3, place="around")
    heights = whole(ground, 160)
    half = 0.5 * ground.obstacle_height_m
    found = []
    for i in range(-128, 128, 16):  # squares are 80 cm wide, 16 cells
        for j in range(-128, 128, 16):
            square = heights[160 + i : 160 + i + 16, 160 + j : 160 + j + 16]
            if max(abs(i + 8), abs(j + 8)) < 40:
                continue  # near the platform, which cuts them
            inside = np.argwhere(square > 0.0)
            (low_i, low_j), (high_i, high_j) = inside.min(axis=0), inside.max(axis=0)
            assert (square[low_i : high_i + 1, low_j : high_j + 1] == square.max()).all()
            assert len(inside) == (high_i - low_i + 1) * (high_j - low_j + 1)
            assert half < square.max() < 0.2
            found += [(high_i - low_i) * CELL_M, (high_j - low_j) * CELL_M]
    assert min(found) >= 0.2 - CELL_M
    assert max(found) <= 0.4 + 1e-9
    assert np.ptp(found) > 0.1


def test_mixed_ground_is_level_at_the_borders_of_its_squares_and_has_four_kinds_of_them() -> None:
    ground = Mixed(place="around", seed=5)
    heights = whole(ground, 400)
    assert not heights[::40].any()  # 2 m are 40 cells
    assert not heights[:, 20::40].any()  # one square has its middle where y is 0
    squares = [heights[i : i + 40, j : j + 40] for i in range(0, 800, 40) for j in range(20, 780, 40)]
    level = [not square.any() for square in squares]
    below = [bool((square < -1e-9).any()) for square in squares]  # only rough ground goes below
    assert np.mean(level) == pytest.approx(0.25, abs=0.1)
    assert np.mean(below) == pytest.approx(0.25, abs=0.1)


@pytest.mark.parametrize("kind", PLACED)
def test_what_is_ahead_leaves_everything_behind_level_and_what_is_around_does_not(kind: str) -> None:
    ahead_alone, around = whole(KINDS[kind]()), whole(KINDS[kind](place="around"))
    assert not ahead_alone[: 100 + EDGE + 1].any()
    assert ahead_alone[100 + EDGE + 1 :].any()
    assert not around[100 - EDGE : 101 + EDGE, 100 - EDGE : 101 + EDGE].any()
    for side in (around[:80], around[121:], around[:, :80], around[:, 121:]):
        assert side.any()


@pytest.mark.parametrize("kind", ["slope", "stairs", "gaps", "waves"])
def test_what_is_around_is_the_same_on_all_sides(kind: str) -> None:
    heights = whole(KINDS[kind](place="around"))
    assert np.array_equal(heights, heights[::-1])
    assert np.array_equal(heights, heights.T)
    assert heights[101 + EDGE :, 100].tolist() == ahead(KINDS[kind](), *range(1, 81))


@pytest.mark.parametrize("kind", sorted(KINDS))
def test_a_terrain_has_the_heights_of_its_kind(kind: str) -> None:
    terrain = Terrain(kind=kind)
    assert type(terrain.ground) is KINDS[kind]
    grid = make_grid(terrain, EXTENT)
    spacing = terrain.spacing_m()
    expected = KINDS[kind]().heights(spacing, np.round(grid.x_m / spacing).astype(int)[:, None], np.zeros((1, 1), int))
    column = grid.heights_m[:, len(grid.y_m) // 2]
    assert column == pytest.approx(np.broadcast_to(expected, (len(grid.x_m), 1)).ravel(), abs=1e-6)


# Tiles


@pytest.mark.parametrize("kind", sorted(KINDS))
def test_a_tile_is_level_from_its_rim_on(kind: str) -> None:
    nodes, rim = np.arange(-60, 61), 50
    ground = KINDS[kind].of_difficulty(1.0, 0.3235, **({"place": "around"} if kind in PLACED else {}))
    heights = np.zeros((121, 121)) + ground.tile_heights(CELL_M, nodes[:, None], nodes[None, :], rim)
    outside = np.maximum(np.abs(nodes[:, None]), np.abs(nodes[None, :])) >= rim
    assert np.ptp(heights[outside]) == 0.0
    assert not heights[40:81, 40:81].any()  # the platform stays


def test_a_tile_of_stairs_ends_as_high_as_its_last_step() -> None:
    stairs = Stairs(place="around", direction="down", step_height_m=0.1, step_depth_m=0.3)
    # From the platform's edge at 20 to the rim at 50 there are 30 cells, five steps of six.
    assert stairs.tile_heights(CELL_M, np.array([[60]]), np.array([[0]]), 50).item() == pytest.approx(-0.5)


# Difficulty


def test_difficulty_goes_linearly_from_easy_to_hard_in_shares_of_the_leg() -> None:
    # Stairs: 0.15 to 0.6 of the leg high, 40 to 30 cm deep whatever the leg.
    half = Stairs.of_difficulty(0.5, 0.4)
    assert (half.step_height_m, half.step_depth_m) == (pytest.approx(0.375 * 0.4), pytest.approx(0.35))
    assert Slope.of_difficulty(0.25, 0.4).grade_deg == pytest.approx(10.0)  # 5 to 25 degrees, whatever the leg
    assert Flat.of_difficulty(1.0, 0.4) == Flat()


def test_what_is_given_wins_over_difficulty() -> None:
    stairs = Stairs.of_difficulty(1.0, 0.4, step_height_m=0.05, direction="down")
    assert (stairs.step_height_m, stairs.direction) == (0.05, "down")
    assert stairs.step_depth_m == pytest.approx(0.3)


def test_a_size_beyond_what_the_kind_takes_ends_there() -> None:
    assert Stairs.of_difficulty(1.0, 1.5).step_height_m == 0.5
    assert Gaps.of_difficulty(0.0, 0.1).gap_m == 0.05


@pytest.mark.parametrize("spec", [GO2, G1], ids=lambda spec: spec.name)
@pytest.mark.parametrize("kind", sorted(KINDS))
def test_every_kind_suits_a_robot_at_every_difficulty(kind: str, spec) -> None:
    for difficulty in np.linspace(0.0, 1.0, 10):
        ground = KINDS[kind].of_difficulty(float(difficulty), spec.base_height_m)
        assert [*ground.impossible(), *ground.unfit(walker_of(spec))] == []


@pytest.mark.parametrize("difficulty", [-0.1, 1.1, math.nan])
def test_a_difficulty_beyond_its_ends_is_refused(difficulty: float) -> None:
    with pytest.raises(SurefootError, match=r"difficulty of \S+; valid: 0 to 1"):
        Rough.of_difficulty(difficulty, 0.3)


def test_a_robot_is_judged_by_its_hips_and_its_longest_sole() -> None:
    assert walker_of(GO2) == Walker("unitree_go2", 0.3235, 2 * GO2.sole_radius_m)
    assert walker_of(G1).sole_m == pytest.approx(0.19, abs=0.005)


def test_impossible_sizes_are_refused() -> None:
    for kind, sizes in ((Gaps, {"gap_m": 0.0}), (Stones, {"stone_m": 3.0}), (Waves, {"wave_length_m": 0.1})):
        with pytest.raises(ValidationError):
            kind(**sizes)
    (mistake,) = Waves(wave_height_m=1.0, wave_length_m=2.0).impossible()
    assert mistake == (
        "wave_height_m",
        "is 1: waves 2 m long would be as steep as 58 degrees; valid: up to 45, a height of 0.64 m.",
    )
    assert list(Waves(wave_height_m=0.6, wave_length_m=2.0).impossible()) == []


def test_words_say_sizes_and_whether_it_is_all_around() -> None:
    said = [
        Gaps().words(),
        Stones(place="around").words(),
        Waves().words(),
        Obstacles().words(),
        Mixed(place="around").words(),
        Stairs(place="around", direction="down").words(),
    ]
    assert said == [
        "gaps 20 cm wide, one every 80 cm",
        "stepping stones of 30 cm, 15 cm apart, all around",
        "waves 10 cm high, 1.5 m long",
        "obstacles up to 10 cm high and 40 cm long",
        "mixed: 4 cm rough, obstacles of 10 cm, waves of 10 cm, all around",
        "stairs down, steps 15 cm high, 30 cm deep, all around",
    ]
