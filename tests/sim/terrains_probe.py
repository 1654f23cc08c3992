"""Puts robots on the terrains of scenarios in one engine and prints what it saw as one line of JSON.

A process holds one simulator at most, so the tests of test_terrains.py run this in a child process per engine.
"""

import time

import numpy as np
import torch
from tests.sim.children import answer, open_task

from surefoot.engines.solver_overflow import SolverOverflow
from surefoot.evaluation.scenarios.ground import lay_out
from surefoot.evaluation.scenarios.scenario import Scenario
from surefoot.terrains.isaac_ground import IsaacGround, Tile
from surefoot.terrains.terrain import Terrain

TERRAINS = [
    Terrain(),
    Terrain(kind="rough", roughness_m=0.04),
    Terrain(kind="slope", grade_deg=15.0),
    Terrain(kind="slope", grade_deg=15.0, direction="down"),
    Terrain(kind="stairs", step_height_m=0.15),
    Terrain(kind="stairs", step_height_m=0.15, direction="down"),
    Terrain(kind="obstacles"),
    Terrain(kind="gaps"),
    Terrain(kind="stones", place="around"),
    Terrain(kind="waves", place="around"),
    Terrain(kind="mixed", place="around"),
]
NUM_RAYS = 500
BESIDE_M = {"ovphysx": 25.0, "newton_mjwarp": 3.0}
"""Where the plane is free of robots; Newton's model is of one robot, and rays in it see 5 m of a plane."""
STANDING_STEPS = 50
STUMBLING_STEPS = 50
STARTS = np.array([(0.0, 0.0), (0.0, 0.0), (2.6, 0.33)])
"""Where each terrain's robots start [m]: two in the same place, and one where the terrain is what it is."""


def main(physics: str) -> dict:
    """Run every probe; the keys of the result are what the tests ask for."""
    ground = lay_out(make_scenario(terrain) for terrain in TERRAINS)

    def put_ground(cfg):
        cfg.sim.enable_scene_query_support = True  # for PhysX's rays
        cfg.scene.num_envs = len(TERRAINS) * len(STARTS)
        ground.put_into(cfg)

    begun = time.perf_counter()
    with open_task(physics, put_ground) as env:
        seen = {
            "physics": physics,
            "open_s": time.perf_counter() - begun,
            "terrains": [name(terrain) for terrain in TERRAINS],
        }
        seen["ray_error_m"] = ray_errors(ground, make_ray(env, physics), BESIDE_M[physics])
        robots = Robots(env, ground)
        seen["standing"] = robots.stand()
        seen["stumbling"] = robots.stumble()
    return seen


def make_scenario(terrain: Terrain) -> Scenario:
    command = {"at_s": 0.0, "velocity": (0.5, 0.0, 0.0)}
    return Scenario(name="probe", description="Probe.", terrain=terrain, commands=[command], length_s=4.0)


def name(terrain: Terrain) -> str:
    return f"{terrain.kind} {terrain.direction}"


def make_ray(env, physics: str):
    """Return a function that says at which height a ray from 20 m above meets the engine's own ground."""
    if physics == "ovphysx":
        physx = env.sim.physics_manager.get_physx_instance()

        def physx_ray(x: float, y: float) -> float:
            (hit,) = physx.raycast([x, y, 20.0], [0.0, 0.0, -1.0], 40.0)
            return hit["position"][2]

        return physx_ray
    import mujoco
    from isaaclab_newton.physics import NewtonManager

    model = NewtonManager._solver.mj_model  # what the solver's arrays were made of
    data, hit = mujoco.MjData(model), np.zeros(1, dtype=np.int32)
    mujoco.mj_forward(model, data)

    def newton_ray(x: float, y: float) -> float:
        start, down = np.array([x, y, 20.0]), np.array([0.0, 0.0, -1.0])
        return 20.0 - mujoco.mj_ray(model, data, start, down, None, 1, -1, hit)

    return newton_ray


def ray_errors(ground: IsaacGround, ray, beside_m: float) -> list[float]:
    """Largest difference between grid and engine on each terrain [m], over the whole of it."""
    draw, worst = np.random.default_rng(0), []
    for tile in ground.tiles:
        x = draw.uniform(tile.grid.x_m[0], tile.grid.x_m[-1], NUM_RAYS)
        y = draw.uniform(tile.grid.y_m[0], tile.grid.y_m[-1], NUM_RAYS)
        if tile.grid.is_flat:
            x, y = x + beside_m, y - beside_m
        places = np.stack((x, y), axis=1) + tile.origin_w[:2]
        heights = np.array([ray(*map(float, place)) for place in places])
        worst.append(float(np.abs(heights - tile.origin_w[2] - tile.grid.height(x, y)).max()))
    return worst


class Robots:
    """Robots at their starts on each terrain, in default pose."""

    def __init__(self, env, ground: IsaacGround) -> None:
        self.env, self.spec = env, env.robot_spec
        self.tiles: list[Tile] = [tile for tile in ground.tiles for _ in STARTS]
        self.starts = np.tile(STARTS, (len(ground.tiles), 1))
        self.origin_w = np.stack([tile.origin_w for tile in self.tiles])
        self.deepest_m = np.zeros(len(self.tiles))
        self.overflow, self.dropped = SolverOverflow(env), set()

    def place(self, lift_m: float) -> None:
        """Put all robots level above the highest ground under them, at rest."""
        robot, around = self.env.robot, np.linspace(-0.3, 0.3, 25)
        pose = robot.data.default_root_pose.torch.clone()
        for env, (tile, (x, y)) in enumerate(zip(self.tiles, self.starts, strict=True)):
            top = tile.grid.height(x + around[:, None], y + around).max()
            position = tile.origin_w + np.array([x, y, top + self.spec.base_height_m + lift_m])
            pose[env, :3] = torch.as_tensor(position, dtype=torch.float32)
        joint_pos = robot.data.default_joint_pos.torch.clone()
        robot.write_root_pose_to_sim_index(root_pose=pose)
        robot.write_root_velocity_to_sim_index(root_velocity=torch.zeros(len(pose), 6))
        robot.write_joint_position_to_sim_index(position=joint_pos)
        robot.write_joint_velocity_to_sim_index(velocity=torch.zeros_like(joint_pos))
        self.env.locomotion.reset(slice(None))

    def stand(self) -> dict:
        """Hold the default pose for a second."""
        self.place(0.002)
        zero = torch.zeros(len(self.tiles), self.spec.num_joints)
        begun = time.perf_counter()
        for _ in range(STANDING_STEPS):
            self._step(zero)
        weight_n = self.env.robot.data.body_mass.torch[0].sum().item() * 9.81
        base = self.env.robot.data.root_link_pos_w.torch.numpy() - self.origin_w
        return {
            "seconds": time.perf_counter() - begun,
            "weight_ratio": self._by_terrain(self.env.locomotion.foot_force_n.sum(dim=1).numpy() / weight_n),
            "fall_force_n": self._by_terrain(self.env.locomotion.fall_force_n.numpy()),
            "gap_m": self._by_terrain(np.abs(self._gaps()).max(axis=1)),
            "base_height_m": self._by_terrain(base[:, 2]),
            **self._worst(),
        }

    def stumble(self) -> dict:
        """Fall by 5 cm and thrash about for a second."""
        self.place(0.05)
        generator, finite = torch.Generator().manual_seed(1), True
        for _ in range(STUMBLING_STEPS):
            self._step(1.5 * torch.randn(len(self.tiles), self.spec.num_joints, generator=generator))
            finite &= bool(torch.isfinite(self.env.robot.data.joint_pos.torch).all())
        base = self.env.robot.data.root_link_pos_w.torch.numpy() - self.origin_w
        above = [
            float(z - tile.grid.height(x, y)) for tile, (x, y, z) in zip(self.tiles, base.astype(float), strict=True)
        ]
        return {"finite": finite, "base_above_ground_m": above, **self._worst()}

    def _step(self, action: torch.Tensor) -> None:
        self.env.simulate(action)
        self.deepest_m = np.maximum(self.deepest_m, -self._gaps().min(axis=1))
        self.dropped |= self.overflow.take().keys()

    def _worst(self) -> dict:
        return {
            "deepest_m": self._by_terrain(self.deepest_m),
            "dropped": sorted(self.dropped),
        }

    def _gaps(self) -> np.ndarray:
        """Distance from each spherical sole to the surface of the ground [m], negative inside, (num_envs, num_feet)."""
        centres = self.env.locomotion.foot_pos_w.numpy() - self.origin_w[:, None]
        offsets = np.linspace(-0.03, 0.03, 31)  # 2 mm apart: exact to 0.02 mm at the sole's radius
        gaps = np.empty(centres.shape[:2])
        for env, tile in enumerate(self.tiles):
            x = centres[env, :, 0, None, None] + offsets[:, None]
            y = centres[env, :, 1, None, None] + offsets
            rise = tile.grid.height(x, y) - centres[env, :, 2, None, None]  # (num_feet, 31, 31)
            distance = np.sqrt(offsets[:, None] ** 2 + offsets**2 + rise**2).min(axis=(1, 2))
            inside = rise[:, 15, 15] > 0.0
            gaps[env] = np.where(inside, -distance, distance) - self.spec.sole_radius_m
        return gaps

    def _by_terrain(self, values: np.ndarray) -> list[list[float]]:
        return values.reshape(len(TERRAINS), len(STARTS)).astype(float).tolist()


if __name__ == "__main__":
    answer(main)
