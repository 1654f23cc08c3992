"""Puts robots on a whole training field in one engine and prints what it saw as one line of JSON.

A process holds one simulator at most, so the tests of test_terrain_field.py run this in a child process per engine.
"""

import time

import numpy as np
import torch
from tests.sim.children import answer, open_task
from tests.sim.terrains_probe import make_ray

from surefoot.engines.solver_overflow import SolverOverflow
from surefoot.terrains.scan_pattern import ray_offsets_m

TASK = "Surefoot-Velocity-Rough-Go2"
NUM_ENVS = 40
"""Two on each column, on the hardest levels that the field has."""

NUM_RAYS = 4000
STANDING_STEPS, STUMBLING_STEPS = 50, 50


def main(physics: str) -> dict:
    """Run every probe; the keys of the result are what the tests ask for."""

    def change(cfg):
        cfg.sim.enable_scene_query_support = True  # for PhysX's rays
        cfg.scene.num_envs = NUM_ENVS
        cfg.initial_state = {}
        cfg.field.phases = {}  # robots stand on all columns from the start

    begun = time.perf_counter()
    with open_task(physics, change, task=TASK) as env:
        seen = {"open_s": time.perf_counter() - begun}
        seen["ray_error_m"] = ray_error(env, make_ray(env, physics))
        seen["starting"] = starting(env)
        seen["standing"] = standing(env)
        seen["scan_error_m"] = scan_error(env)
        seen["stumbling"] = stumbling(env)
    return seen


def ray_error(env, ray) -> float:
    """Largest difference between grid and engine [m] over the whole field."""
    draw, (low_x, high_x, low_y, high_y) = np.random.default_rng(0), env.field.bounds_w
    x, y = draw.uniform(low_x, high_x, NUM_RAYS), draw.uniform(low_y, high_y, NUM_RAYS)
    heights = np.array([ray(float(a), float(b)) for a, b in zip(x, y, strict=True)])
    return float(np.abs(heights - env.field.grid.height(x, y)).max())


def starting(env) -> dict:
    """Where the robots are after the reset."""
    place = env.robot.data.root_link_pos_w.torch - env.terrain_levels.origins_w
    return {
        "from_origin_m": place[:, :2].norm(dim=1).max().item(),
        "height_error_m": (place[:, 2] - env.robot_spec.base_height_m).abs().max().item(),
        "columns": env.terrain_levels.columns.unique().numel(),
    }


def standing(env) -> dict:
    """Hold the default pose for a second on the platforms."""
    for _ in range(STANDING_STEPS):
        env.simulate(torch.zeros(NUM_ENVS, env.robot_spec.num_joints))
    state = env.locomotion
    return {
        "sole_height_m": state.sole_height_m.abs().max().item(),
        "base_height_m": [state.base_height_m.min().item(), state.base_height_m.max().item()],
        "on_all_feet": bool(state.foot_contact.all()),
    }


def scan_error(env) -> float:
    """Largest difference between what the critic sees and the grid [m], of robots that stand on level ground."""
    position, quat = env.robot.data.root_link_pos_w.torch.numpy(), env.robot.data.root_link_quat_w.torch.numpy()
    x, y, z, w = quat.T.astype(float)
    yaw = np.arctan2(2 * (w * z + x * y), 1 - 2 * (y * y + z * z))
    ahead, left = ray_offsets_m().astype(float).T
    there_x = position[:, :1] + np.cos(yaw)[:, None] * ahead - np.sin(yaw)[:, None] * left
    there_y = position[:, 1:2] + np.sin(yaw)[:, None] * ahead + np.cos(yaw)[:, None] * left
    below = position[:, 2:3] - env.robot_spec.base_height_m - env.field.grid.height(there_x, there_y)
    return float(np.abs(env.height_scan.read().numpy() - np.clip(below, -1.0, 1.0)).max())


def stumbling(env) -> dict:
    """Thrash about on the hardest tiles, half way between platform and rim."""
    levels, field = env.terrain_levels, env.field
    origin = torch.as_tensor(field.origins_w[-1])[levels.columns.long()]
    pose = env.robot.data.default_root_pose.torch.clone()
    pose[:, :3] = origin
    pose[:, 0] += 1.8
    around = np.linspace(-0.3, 0.3, 13)
    x, y = (pose[:, axis].numpy().astype(float)[:, None, None] for axis in (0, 1))
    top = field.grid.height(x + around[:, None], y + around).max(axis=(1, 2))
    pose[:, 2] = torch.as_tensor(top + env.robot_spec.base_height_m + 0.05)
    env.robot.write_root_pose_to_sim_index(root_pose=pose)
    env.robot.write_root_velocity_to_sim_index(root_velocity=torch.zeros(NUM_ENVS, 6))
    env.locomotion.reset(slice(None))
    generator, finite = torch.Generator().manual_seed(1), True
    overflow, dropped = SolverOverflow(env), set()
    for _ in range(STUMBLING_STEPS):
        env.simulate(1.5 * torch.randn(NUM_ENVS, env.robot_spec.num_joints, generator=generator))
        finite &= bool(torch.isfinite(env.robot.data.joint_pos.torch).all())
        finite &= bool(torch.isfinite(env.height_scan.read()).all())
        dropped |= overflow.take().keys()
    place = env.robot.data.root_link_pos_w.torch.numpy().astype(float)
    return {
        "finite": finite,
        "dropped": sorted(dropped),
        "base_above_ground_m": float((place[:, 2] - field.grid.height(place[:, 0], place[:, 1])).min()),
    }


if __name__ == "__main__":
    answer(main)
