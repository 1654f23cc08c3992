"""Height grids as the ground of MuJoCo models."""

import math

import mujoco
import numpy as np
import pytest

from surefoot.terrains.height_grid import HeightGrid
from surefoot.terrains.mujoco_ground import add_ground
from surefoot.terrains.shapes import Extent, make_grid
from surefoot.terrains.terrain import Terrain
from surefoot_robots import get_robot

EXTENT = Extent(behind_m=3.0, ahead_m=12.0, aside_m=5.0)
DOWN = np.array([0.0, 0.0, -1.0])
FOOT_FRICTION = 0.25
GROUND_FRICTION = 0.9


def world(grid: HeightGrid, *, ball_at: tuple[float, float] | None = None) -> mujoco.MjModel:
    """The ground, with a ball of 5 cm radius and foot-like contact above a place."""
    spec = mujoco.MjSpec()
    spec.option.timestep = 0.002
    add_ground(spec, grid, friction=GROUND_FRICTION)
    if ball_at is not None:
        body = spec.worldbody.add_body(pos=[*ball_at, float(grid.height(*ball_at)) + 0.06])
        body.add_freejoint()
        body.add_geom(
            type=mujoco.mjtGeom.mjGEOM_SPHERE,
            size=[0.05, 0.0, 0.0],
            mass=1.0,
            friction=[FOOT_FRICTION, 0.0, 0.0],
            contype=0,
            conaffinity=1,
            priority=1,
            condim=3,
            solref=[0.01, 1.0],
        )
    return spec.compile()


def rays(model: mujoco.MjModel, x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Heights at which rays from above meet the ground [m], (n,)."""
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    hit = np.zeros(1, dtype=np.int32)
    start = np.stack((x, y, np.full_like(x, 50.0)), axis=1)
    return np.array([50.0 - mujoco.mj_ray(model, data, point, DOWN, None, 1, -1, hit) for point in start])


@pytest.mark.parametrize(
    "terrain",
    [
        Terrain(kind="flat"),
        Terrain(kind="rough", roughness_m=0.1, seed=3),
        Terrain(kind="slope", grade_deg=30.0),
        Terrain(kind="slope", direction="down"),
        Terrain(kind="stairs"),
        Terrain(kind="stairs", direction="down", step_depth_m=0.28),
        Terrain(kind="obstacles"),
        Terrain(kind="gaps", gap_m=0.16),
        Terrain(kind="stones", place="around"),
        Terrain(kind="waves", place="around"),
        Terrain(kind="mixed"),
    ],
    ids=lambda terrain: f"{terrain.kind}-{terrain.direction}",
)
def test_rays_meet_the_ground_where_the_grid_says(terrain: Terrain) -> None:
    grid, draw = make_grid(terrain, EXTENT), np.random.default_rng(0)
    x, y = draw.uniform(grid.x_m[0], grid.x_m[-1], 2000), draw.uniform(grid.y_m[0], grid.y_m[-1], 2000)
    assert np.abs(rays(world(grid), x, y) - grid.height(x, y)).max() < 1e-5


def test_cells_are_cut_along_the_same_diagonal() -> None:
    heights = np.random.default_rng(5).uniform(-0.05, 0.05, (9, 6))
    grid, draw = HeightGrid(heights_m=heights, spacing_m=0.05, origin_xy_m=(0.3, -0.7)), np.random.default_rng(6)
    x, y = draw.uniform(grid.x_m[0], grid.x_m[-1], 500), draw.uniform(grid.y_m[0], grid.y_m[-1], 500)
    expected = grid.height(x, y)
    assert np.abs(rays(world(grid), x, y) - expected).max() < 1e-6
    other_diagonal = HeightGrid(heights_m=heights[::-1], spacing_m=0.05, origin_xy_m=grid.origin_xy_m)
    mirrored = other_diagonal.height(grid.x_m[0] + grid.x_m[-1] - x, y)
    assert np.abs(mirrored - expected).max() > 0.01  # what the test would see if the diagonal were the other one


def test_level_ground_above_zero_is_where_it_is() -> None:
    grid = HeightGrid(heights_m=np.full((3, 3), 0.2), spacing_m=0.05, origin_xy_m=(0.0, 0.0))
    assert rays(world(grid), np.array([0.05]), np.array([0.03])) == pytest.approx([0.2], abs=1e-7)


def test_flat_ground_is_an_endless_plane() -> None:
    model = world(make_grid(Terrain(), EXTENT))
    assert model.geom("ground").type == mujoco.mjtGeom.mjGEOM_PLANE
    assert model.nhfield == 0


@pytest.mark.parametrize("direction", ["up", "down"])
def test_feet_decide_what_friction_a_slope_has(direction: str) -> None:
    grade_deg = math.degrees(math.atan(FOOT_FRICTION)) + 5.0  # too steep for the ball, not for the ground's friction
    grid = make_grid(Terrain(kind="slope", direction=direction, grade_deg=grade_deg), EXTENT)
    model = world(grid, ball_at=(4.0, 0.0))
    data = mujoco.MjData(model)
    for _ in range(100):
        mujoco.mj_step(model, data)
    assert data.ncon > 0
    assert data.contact.friction[0, 0] == pytest.approx(FOOT_FRICTION)


def test_a_foot_stands_on_stairs_and_does_not_sink_in() -> None:
    grid = make_grid(Terrain(kind="stairs"), EXTENT)
    model = world(grid, ball_at=(2.06, 0.3))  # in the middle of a step
    data = mujoco.MjData(model)
    for _ in range(1500):
        mujoco.mj_step(model, data)
    x, y, z = data.qpos[:3]
    assert z - float(grid.height(x, y)) == pytest.approx(0.05, abs=5e-4)


def test_a_robot_stands_on_rough_ground_with_its_weight() -> None:
    robot = get_robot("unitree_go2")
    grid = make_grid(Terrain(kind="rough", roughness_m=0.02), EXTENT)
    scene = mujoco.MjSpec.from_file(str(robot.mjcf_path))
    scene.option.integrator = mujoco.mjtIntegrator.mjINT_IMPLICITFAST
    add_ground(scene, grid, friction=1.0)
    model = scene.compile()
    data = mujoco.MjData(model)
    start = np.array([3.0, 0.5])
    data.qpos[:3] = [*start, float(grid.height(*start)) + robot.base_height_m + 0.02]
    joints = [model.joint(name) for name in robot.joint_names]
    position, velocity = (
        [int(address[0]) for address in column]
        for column in ([joint.qposadr for joint in joints], [joint.dofadr for joint in joints])
    )
    target = np.array(robot.joint_values("default_joint_pos"))
    data.qpos[position] = target
    for _ in range(round(1.5 / model.opt.timestep)):
        data.qfrc_applied[velocity] = 40.0 * (target - data.qpos[position]) - 1.0 * data.qvel[velocity]
        mujoco.mj_step(model, data)
    force, total = np.zeros(6), np.zeros(3)
    for contact in range(data.ncon):
        mujoco.mj_contactForce(model, data, contact, force)
        total += data.contact.frame[contact].reshape(3, 3).T @ force[:3]
    weight_n = float(model.body_mass.sum()) * 9.81
    assert total[2] == pytest.approx(weight_n, rel=0.02)
    assert data.contact.dist[: data.ncon].min() > -0.002
    assert not grid.is_flat
