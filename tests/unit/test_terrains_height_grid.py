"""Heights, normals and triangles of a height grid."""

import subprocess
import sys

import numpy as np
import pytest

from surefoot.terrains.height_grid import HeightGrid
from surefoot.terrains.triangle_mesh import triangle_mesh
from surefoot_bridge.errors import SurefootError

CELL = HeightGrid(heights_m=[[0.0, 0.01], [0.02, 0.05]], spacing_m=0.05, origin_xy_m=(1.0, -2.0))
"""One cell: 0 at its corner, 2 cm one step along x, 1 cm one step along y, 5 cm at the opposite corner."""


def random_grid(nx: int = 7, ny: int = 5) -> HeightGrid:
    heights = np.random.default_rng(1).uniform(-0.1, 0.1, (nx, ny))
    return HeightGrid(heights_m=heights, spacing_m=0.04, origin_xy_m=(-0.1, 0.2))


def test_nodes_have_the_heights_that_were_given() -> None:
    grid = random_grid()
    assert np.allclose(grid.height(grid.x_m[:, None], grid.y_m[None, :]), grid.heights_m, atol=1e-9)


def test_the_diagonal_runs_from_the_corner_of_least_x_and_y_to_the_opposite_one() -> None:
    assert CELL.height(1.025, -1.975) == pytest.approx(0.025)  # middle of 0 and 5 cm, not of 1 and 2 cm


@pytest.mark.parametrize(
    ("along_x", "along_y", "height_m"),
    [(0.8, 0.2, 0.8 * 0.02 + 0.2 * 0.03), (0.2, 0.8, 0.8 * 0.01 + 0.2 * 0.04), (1.0, 0.5, 0.035), (0.5, 1.0, 0.03)],
)
def test_heights_are_linear_on_each_triangle(along_x: float, along_y: float, height_m: float) -> None:
    assert CELL.height(1.0 + 0.05 * along_x, -2.0 + 0.05 * along_y) == pytest.approx(height_m, abs=1e-8)


def test_ground_goes_on_beyond_the_border_at_the_height_of_the_border() -> None:
    assert CELL.height([-9.0, 9.0, 1.0], [-9.0, 9.0, 9.0]) == pytest.approx([0.0, 0.05, 0.01], abs=1e-8)


def test_heights_have_the_shape_to_which_places_broadcast() -> None:
    grid = random_grid()
    assert grid.height(np.zeros((3, 1)), np.zeros(4)).shape == (3, 4)
    assert grid.normal(np.zeros((3, 1)), np.zeros(4)).shape == (3, 4, 3)
    assert grid.height(0.0, 0.0).dtype == np.float64


def test_a_place_that_is_not_finite_has_no_finite_height() -> None:
    assert np.isnan(CELL.height(np.nan, 0.0))


def test_normals_stand_on_the_triangle_that_heights_are_of() -> None:
    grid, draw = random_grid(), np.random.default_rng(2)
    x = draw.uniform(grid.x_m[0], grid.x_m[-1] - 1e-3, 200)
    y = draw.uniform(grid.y_m[0], grid.y_m[-1] - 1e-3, 200)
    normal, height = grid.normal(x, y), grid.height(x, y)
    assert np.allclose(np.linalg.norm(normal, axis=1), 1.0)
    step = 1e-6
    for dx, dy in ((step, 0.0), (0.0, step)):
        same = np.allclose(grid.normal(x + dx, y + dy), normal, atol=1e-12)
        assert same, "a place lies on an edge: choose another seed"
        rise = grid.height(x + dx, y + dy) - height
        assert np.allclose(normal[:, 0] * dx + normal[:, 1] * dy + normal[:, 2] * rise, 0.0, atol=1e-14)


def test_the_normal_of_a_slope_leans_away_from_where_it_rises() -> None:
    slope = HeightGrid(heights_m=[[0.0, 0.0], [0.05, 0.05]], spacing_m=0.05, origin_xy_m=(0.0, 0.0))
    half = np.sqrt(0.5)
    assert slope.normal(0.02, 0.03) == pytest.approx([-half, 0.0, half])


def test_the_mesh_has_the_triangles_of_the_grid_seen_from_above() -> None:
    grid = random_grid()
    vertices, triangles = triangle_mesh(grid)
    assert vertices.dtype == np.float32
    assert len(triangles) == 2 * 6 * 4
    first, second, third = (vertices[triangles[:, corner]].astype(np.float64) for corner in range(3))
    doubled = np.cross(second - first, third - first)
    assert np.allclose(doubled[:, 2], grid.spacing_m**2, atol=1e-8)  # positive: counterclockwise from above
    for weights in ((0.6, 0.3, 0.1), (0.1, 0.2, 0.7)):
        point = weights[0] * first + weights[1] * second + weights[2] * third
        assert np.allclose(grid.height(point[:, 0], point[:, 1]), point[:, 2], atol=1e-7)
        assert np.allclose(
            grid.normal(point[:, 0], point[:, 1]), doubled / np.linalg.norm(doubled, axis=1)[:, None], atol=1e-4
        )


def test_the_part_around_a_way_reaches_beyond_it_and_has_the_same_heights() -> None:
    grid = random_grid(60, 40)  # 2.36 m by 1.56 m from (-0.1, 0.2) on
    part = grid.around(np.array([(0.9, 0.9), (1.1, 1.0)]), 0.3)
    assert part.x_m[[0, -1]] == pytest.approx([0.58, 1.38])  # the nodes next to 0.6 and 1.4
    assert part.y_m[[0, -1]] == pytest.approx([0.6, 1.28])
    x, y = np.linspace(0.6, 1.38, 30), np.linspace(0.61, 1.27, 30)
    assert part.height(x, y) == pytest.approx(grid.height(x, y), abs=1e-6)


def test_the_part_around_a_way_beyond_the_border_is_what_there_is() -> None:
    grid = random_grid(60, 40)
    assert grid.around(np.array([(50.0, 50.0)]), 0.3).heights_m.shape == (2, 2)
    assert np.array_equal(grid.around(np.array([(0.0, 0.0)]), 99.0).heights_m, grid.heights_m)


def test_heights_are_copied_and_cannot_be_written() -> None:
    heights = np.zeros((2, 2), dtype=np.float32)
    grid = HeightGrid(heights_m=heights, spacing_m=0.05, origin_xy_m=(0.0, 0.0))
    heights[0, 0] = 1.0
    assert grid.is_flat
    with pytest.raises(ValueError, match="read-only"):
        grid.heights_m[0, 0] = 1.0


@pytest.mark.parametrize(
    ("heights", "spacing_m", "message"),
    [
        (np.zeros((1, 3)), 0.05, r"shape \(1, 3\); valid: two axes of 2 to 4096 nodes"),
        (np.zeros((2, 4097)), 0.05, r"shape \(2, 4097\).*Make the terrain smaller"),
        ([[0.0, np.nan], [np.inf, 0.0]], 0.05, "2 heights are not finite"),
        (np.zeros((2, 2)), 0.06, r"spacing of 0.06 m; valid: above 0 up to 0.05 m"),
        (np.zeros((2, 2)), 0.0, "spacing of 0 m"),
    ],
)
def test_what_no_engine_takes_is_refused(heights: object, spacing_m: float, message: str) -> None:
    with pytest.raises(SurefootError, match=message):
        HeightGrid(heights_m=heights, spacing_m=spacing_m, origin_xy_m=(0.0, 0.0))


# A terrain is a part of scenario files, which pydantic reads; what is made of its heights needs none of that.
@pytest.mark.parametrize(
    ("modules", "heavy"),
    [
        ("height_grid, triangle_mesh, mujoco_ground", {"pydantic"}),
        ("shapes, height_grid, triangle_mesh, mujoco_ground, isaac_ground", set()),
    ],
)
def test_terrains_need_no_simulator_to_be_imported(modules: str, heavy: set[str]) -> None:
    code = f"import sys; from surefoot.terrains import {modules}; print(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    assert not {"torch", "warp", "mujoco", "pxr", "isaaclab", *heavy}.intersection(loaded)
