"""The ground as kernels read it, and the heights that a critic sees around a robot."""

import math
from types import SimpleNamespace

import numpy as np
import pytest
import torch
import warp as wp

from surefoot.envs.height_scan import HeightScan
from surefoot.symmetry import ObservationSlice, build_mirror_map
from surefoot.terrains.ground_array import GroundArray, ground_height, make_ground_array
from surefoot.terrains.height_grid import HeightGrid
from surefoot.terrains.scan_pattern import NUM_RAYS, RAYS_ACROSS, RAYS_ALONG, mirrored_rays, ray_offsets_m
from surefoot_robots import get_robot

SPEC = get_robot("unitree_go2")


@wp.kernel
def sample(ground: GroundArray, places: wp.array(dtype=wp.vec2f), heights: wp.array(dtype=float)) -> None:
    index = wp.tid()
    heights[index] = ground_height(ground, places[index][0], places[index][1])


def sampled(grid: HeightGrid | None, x: np.ndarray, y: np.ndarray) -> np.ndarray:
    wp.init()
    places = wp.array(np.stack((x, y), axis=1).astype(np.float32), dtype=wp.vec2f, device="cpu")
    heights = wp.zeros(len(x), dtype=wp.float32, device="cpu")
    wp.launch(sample, dim=len(x), inputs=[make_ground_array(grid, "cpu"), places], outputs=[heights], device="cpu")
    return heights.numpy()


def grid_of(height, half_m: float = 5.0, spacing_m: float = 0.05) -> HeightGrid:
    nodes = spacing_m * np.arange(-round(half_m / spacing_m), round(half_m / spacing_m) + 1)
    heights = np.zeros((len(nodes), len(nodes))) + height(nodes[:, None], nodes[None, :])
    return HeightGrid(heights_m=heights, spacing_m=spacing_m, origin_xy_m=(nodes[0], nodes[0]))


def scan(grid: HeightGrid | None, *, x: float = 0.0, y: float = 0.0, z: float = 0.0, yaw: float = 0.0) -> np.ndarray:
    """What a robot sees whose base is ``z`` above where it would be on the plane, (ahead, left)."""
    wp.init()
    pose = np.array([[x, y, z + SPEC.base_height_m, 0.0, 0.0, math.sin(yaw / 2), math.cos(yaw / 2)]], dtype=np.float32)
    data = SimpleNamespace(root_link_pose_w=SimpleNamespace(warp=wp.array(pose, dtype=wp.transformf, device="cpu")))
    robot = SimpleNamespace(device="cpu", num_instances=1, data=data)
    seen = HeightScan(robot, make_ground_array(grid, "cpu"), SPEC.base_height_m).read()
    assert seen.shape == (1, NUM_RAYS)
    return seen[0].numpy().reshape(RAYS_ALONG, RAYS_ACROSS)


# The ground on the device


def test_the_ground_on_the_device_is_the_grid() -> None:
    draw = np.random.default_rng(0)
    grid = HeightGrid(heights_m=draw.uniform(-0.2, 0.2, (30, 50)), spacing_m=0.05, origin_xy_m=(40.0, -1.0))
    x, y = draw.uniform(39.0, 42.5, 4000), draw.uniform(-2.0, 2.5, 4000)  # beyond all its borders, too
    x32, y32 = x.astype(np.float32).astype(float), y.astype(np.float32).astype(float)
    assert np.abs(sampled(grid, x, y) - grid.height(x32, y32)).max() < 1e-4  # 4e-6 m of rounding, at slopes up to 8


def test_without_a_grid_the_ground_is_the_plane() -> None:
    assert sampled(None, np.array([0.0, 1e6]), np.array([3.0, -1e6])).tolist() == [0.0, 0.0]


def test_a_place_that_is_no_number_has_ground_at_zero_and_an_infinite_one_that_of_the_border() -> None:
    grid = grid_of(lambda x, y: 0.1 + 0.0 * x * y)
    heights = sampled(grid, np.array([np.nan, 0.0, np.inf]), np.array([0.0, np.nan, -np.inf]))
    assert heights.tolist() == pytest.approx([0.0, 0.0, 0.1])


# The scan


def test_places_are_in_rows_from_behind_to_ahead_and_from_right_to_left() -> None:
    places = ray_offsets_m().reshape(RAYS_ALONG, RAYS_ACROSS, 2)
    assert NUM_RAYS == 187
    assert places[0, 0].tolist() == pytest.approx([-0.8, -0.5])
    assert places[-1, 0].tolist() == pytest.approx([0.8, -0.5])
    assert places[-1, -1].tolist() == pytest.approx([0.8, 0.5])
    assert places[8, 5].tolist() == pytest.approx([0.0, 0.0])


def test_level_ground_is_zero_for_a_robot_that_stands_on_it() -> None:
    assert np.abs(scan(None)).max() < 1e-6
    assert scan(None, z=0.1) == pytest.approx(np.full((RAYS_ALONG, RAYS_ACROSS), 0.1), abs=1e-6)


def test_a_step_up_ahead_is_nearer_and_a_slope_to_the_left_falls_away() -> None:
    seen = scan(grid_of(lambda x, y: np.where(x > 0.35, 0.15, 0.0) + 0.0 * y))
    assert seen[:12] == pytest.approx(0.0, abs=1e-6)  # up to 0.3 m ahead
    assert seen[12:] == pytest.approx(-0.15, abs=1e-6)  # from 0.4 m on
    seen = scan(grid_of(lambda x, y: -0.2 * y + 0.0 * x))
    assert seen[3] == pytest.approx(0.2 * np.linspace(-0.5, 0.5, RAYS_ACROSS), abs=1e-6)


def test_the_scan_turns_with_the_heading() -> None:
    grid = grid_of(lambda x, y: 0.1 * x + 0.0 * y)
    seen = scan(grid, yaw=math.pi / 2)  # faces y: what lies along x is to its right
    assert seen[0] == pytest.approx(0.1 * np.linspace(-0.5, 0.5, RAYS_ACROSS), abs=1e-6)
    assert np.ptp(seen, axis=0) == pytest.approx(0.0, abs=1e-6)
    assert scan(grid, x=2.0)[8, 5] == pytest.approx(-0.2, abs=1e-6)


def test_over_a_void_or_without_a_place_heights_are_finite_and_clipped() -> None:
    assert scan(grid_of(lambda x, y: -9.0 + 0.0 * x * y)).tolist() == np.full((RAYS_ALONG, RAYS_ACROSS), 1.0).tolist()
    assert scan(grid_of(lambda x, y: 9.0 + 0.0 * x * y)).max() == -1.0
    for place in ({"z": np.nan}, {"x": np.nan}, {"yaw": np.nan}, {"x": np.inf}, {"z": np.inf}):
        assert np.isfinite(scan(grid_of(lambda x, y: 0.1 * x * y), **place)).all()


def test_a_scan_in_the_mirror_is_that_of_the_mirrored_ground() -> None:
    rough = np.random.default_rng(1).uniform(-0.1, 0.1, (201, 201))
    grid, mirrored = (grid_of(lambda x, y, heights=heights: heights) for heights in (rough, rough[:, ::-1]))
    mirror = build_mirror_map(SPEC, [ObservationSlice("height_scan", "height_scan", NUM_RAYS)])
    seen = torch.tensor(scan(grid, yaw=0.0).ravel())[None]
    # Cells are cut along one diagonal, which a mirror turns; nodes, where the rays look, are the same.
    assert mirror.mirror(seen)[0].numpy() == pytest.approx(scan(mirrored).ravel(), abs=2e-5)
    assert np.array(mirrored_rays())[mirrored_rays()].tolist() == list(range(NUM_RAYS))
