"""Changes inertia and contact parameters of some worlds of a running Newton simulation and prints what came of it.

A process holds one simulator at most, so the tests of test_newton_derived.py run this in a child process per robot.
With a number of worlds as second argument it prints the time of an update instead.
"""

import time
from functools import partial

import mujoco
import numpy as np
import warp as wp
from tests.references.newton_inertia import principal_moments
from tests.sim.children import answer

from surefoot.engines import install_shims, make_physics_cfg
from surefoot.randomization.newton_inertia.tree import model_with_fields
from surefoot_devtools.benchmarking.counting import count_launches
from surefoot_robots import get_robot

NUM_WORLDS = 6
CHANGED = [4, 1]
DERIVED = ("body_subtreemass", "dof_invweight0", "body_invweight0")
COPIED = ("body_mass", "body_ipos", "body_inertia", "dof_armature")
FIELDS = (*DERIVED, *COPIED, "body_iquat", "jnt_solref", "geom_friction", "geom_solref")
KINEMATICS = ("body_pos", "body_quat", "jnt_pos", "jnt_axis", "qpos0")
LEG_LINK = {"unitree_go2": "FL_calf", "unitree_g1": "left_knee_link"}


def main(robot: str, num_worlds: str = "") -> dict:
    """Run the probe, or with a number of worlds the stopwatch."""
    install_shims()
    from isaaclab.app import launch_simulation
    from isaaclab.scene import InteractiveScene
    from isaaclab.sim import SimulationCfg, SimulationContext

    from surefoot.robot_checks.isaaclab_engine import _scene_cfg

    physics = make_physics_cfg("newton_mjwarp")
    cfg = SimulationCfg(dt=0.005, device="cpu", physics=physics, use_newton_actuators=False, save_logs_to_file=False)
    with launch_simulation(cfg, {"device": "cpu", "headless": True}):
        sim = SimulationContext(cfg)
        scene_cfg = _scene_cfg(get_robot(robot))
        scene_cfg.num_envs = int(num_worlds or NUM_WORLDS)
        InteractiveScene(scene_cfg)
        sim.reset()
        from isaaclab_newton.physics import NewtonManager

        solver = NewtonManager._solver
        return stopwatch(solver) if num_worlds else Probe(robot, sim, solver).run()


class Probe:
    """One robot's worlds, and the questions to them."""

    def __init__(self, robot: str, sim, solver) -> None:
        from surefoot.randomization.newton_inertia.derived import DerivedInertia

        self.spec = get_robot(robot)
        self.sim, self.solver, self.newton = sim, solver, solver.model
        self.inertia = DerivedInertia(solver)
        self.changed = wp.array(np.isin(np.arange(NUM_WORLDS), CHANGED), dtype=wp.bool, device="cpu")
        self.geoms = np.flatnonzero(solver.mj_model.geom_bodyid > 0)  # of the robot; the ground is the world's

    def run(self) -> dict:
        """Return what the tests ask for."""
        return {**self.changed_inertia(), **self.joint_space_inertia(), **self.changed_contacts()}

    def changed_inertia(self) -> dict:
        """Change some worlds and hold them against MuJoCo C, Newton's own recomputation and their neighbours."""
        before = self.rows()
        change_inertia(self.solver, CHANGED, LEG_LINK[self.spec.name])
        launches = count_kernels(lambda: self.inertia.update(self.changed))
        ours = self.rows()
        others = [world for world in range(NUM_WORLDS) if world not in CHANGED]
        judges = {world: self.judge(world) for world in CHANGED}
        stock_launches = count_kernels(lambda: notify(self.solver))
        stock = self.rows()
        return {
            "untouched_fields_changed": [
                field for field in ours if not np.array_equal(ours[field][others], before[field][others])
            ],
            "fields_changed": [field for field in ours if not np.allclose(ours[field], before[field], rtol=1e-3)],
            "error_to_mujoco": {
                field: max(relative_error(ours[field][world], getattr(judge, field)) for world, judge in judges.items())
                for field in (*DERIVED, *COPIED)
            },
            "mean_inertia_error_to_mujoco": max(
                relative_error(ours["meaninertia"][world], judge.stat.meaninertia) for world, judge in judges.items()
            ),
            "error_to_newton": {
                field: relative_error(ours[field], stock[field]) for field in ours if field != "body_iquat"
            },
            "newton_error_to_mujoco": {
                field: max(
                    relative_error(stock[field][world], getattr(judge, field)) for world, judge in judges.items()
                )
                for field in DERIVED
            },
            "inertia_tensor_error": max(self.inertia_tensor_error(ours, world) for world in CHANGED),
            "inverse_mass_error": float(
                np.abs(self.newton.body_mass.numpy() * self.newton.body_inv_mass.numpy() - 1).max()
            ),
            "launches": launches,
            "stock_launches": stock_launches,
        }

    def joint_space_inertia(self) -> dict:
        """Step and compare M at the start of the step with MuJoCo C's, in a changed world and in another."""
        self.sim.step(render=False)
        data = self.solver.mjw_data
        start = data.qpos.numpy().copy()
        self.sim.step(render=False)
        errors = {}
        for world in (CHANGED[0], 0):
            model = self.judge(world)
            judge = mujoco.MjData(model)
            judge.qpos[:] = start[world]
            mujoco.mj_forward(model, judge)
            scale = np.abs(judge.M).max()
            errors[world] = float(np.abs(data.M.numpy()[world].ravel()[: judge.M.size] - judge.M).max() / scale)
        return {"mass_matrix_error": errors[CHANGED[0]], "other_mass_matrix_error": errors[0]}

    def changed_contacts(self) -> dict:
        """Change friction and contact gains of one world and read them from live contacts."""
        before = self.rows()
        switched = self.inertia.use_contact_gains()
        self.inertia.update_shapes(wp.ones(NUM_WORLDS, dtype=wp.bool, device="cpu"))
        same = self.rows()
        shapes = self.solver.mjc_geom_to_newton_shape.numpy()[CHANGED[0], self.geoms]
        for name, value in {"mu": 0.37, "ke": 4e4}.items():
            parameter = getattr(self.newton, f"shape_material_{name}")
            values = parameter.numpy()
            values[shapes] = value
            parameter.assign(values)
        launches = count_kernels(lambda: self.inertia.update_shapes(self.changed))
        ours = self.rows()
        live, of_others = self.contacts_of_a_fall()
        from newton import ModelFlags

        stock_launches = count_kernels(lambda: self.solver.notify_model_changed(ModelFlags.SHAPE_PROPERTIES))
        stock = self.rows()
        return {
            "shapes_switched": switched,
            "gains_switch_error": relative_error(same["geom_solref"], before["geom_solref"]),
            "live_contacts": sorted(live),
            "live_contacts_of_others": sorted(of_others),
            "shape_error_to_newton": max(relative_error(ours[f], stock[f]) for f in ("geom_friction", "geom_solref")),
            "shape_launches": launches,
            "stock_shape_launches": stock_launches,
        }

    def contacts_of_a_fall(self) -> tuple[set, set]:
        """Friction and solref of all contacts of half a second, in the changed world and in the others."""
        seen: tuple[set, set] = (set(), set())
        data = self.solver.mjw_data
        for _ in range(100):
            self.sim.step(render=False)
            count = int(data.nacon.numpy()[0])
            columns = (data.contact.friction.numpy()[:count, :1], data.contact.solref.numpy()[:count])
            for world, row in zip(
                data.contact.worldid.numpy(), np.hstack(columns).astype(float).round(5).tolist(), strict=False
            ):
                seen[int(world != CHANGED[0])].add(tuple(row))
        return seen

    def rows(self) -> dict[str, np.ndarray]:
        """The solver's arrays, each with a row for each world."""
        rows = {field: getattr(self.solver.mjw_model, field).numpy().copy() for field in FIELDS}
        return {**rows, "meaninertia": self.solver.mjw_model.stat.meaninertia.numpy().copy()}

    def judge(self, world: int) -> mujoco.MjModel:
        """MuJoCo C's model with Newton's parameters of one world, after mj_setConst."""
        solver, newton = self.solver, self.newton
        bodies = solver.mjc_body_to_newton.numpy()[world, 1:]
        model = model_with_fields(
            solver.mj_model,
            **{field: getattr(solver.mjw_model, field).numpy()[world] for field in KINEMATICS},
            dof_armature=newton.joint_armature.numpy()[solver.mjc_dof_to_newton_dof.numpy()[world]],
            body_sameframe=np.zeros(solver.mj_model.nbody),
            body_simple=np.zeros(solver.mj_model.nbody),
        )
        model.body_mass[1:] = newton.body_mass.numpy()[bodies]
        model.body_ipos[1:] = newton.body_com.numpy()[bodies]
        for body, inertia in enumerate(newton.body_inertia.numpy()[bodies], start=1):
            moments, axes = principal_moments(inertia)
            model.body_inertia[body] = moments
            mujoco.mju_mat2Quat(model.body_iquat[body], axes.flatten())
        mujoco.mj_setConst(model, mujoco.MjData(model))
        return model

    def inertia_tensor_error(self, rows: dict[str, np.ndarray], world: int) -> float:
        """Largest error of the tensor that principal moments and axes make, relative to each body's largest moment."""
        bodies = self.solver.mjc_body_to_newton.numpy()[world, 1:]
        worst = 0.0
        for body, inertia in enumerate(self.newton.body_inertia.numpy()[bodies], start=1):
            axes = np.zeros(9)
            mujoco.mju_quat2Mat(axes, rows["body_iquat"][world, body].astype(float))
            moments = rows["body_inertia"][world, body].astype(float)
            tensor = axes.reshape(3, 3) @ np.diag(moments) @ axes.reshape(3, 3).T
            worst = max(worst, float(np.abs(tensor - inertia).max() / moments[0]))
        return worst


def change_inertia(solver, worlds: list[int], leg_link: str) -> None:
    """Base 1.3 times as heavy with its centre of mass moved, a leg link 0.8 times, turned inertia, more armature."""
    newton = solver.model
    arrays = [newton.body_mass, newton.body_com, newton.body_inertia, newton.joint_armature]
    mass, com, inertia, armature = (values.numpy() for values in arrays)
    angle = 0.3
    turn = np.array([[np.cos(angle), -np.sin(angle), 0], [np.sin(angle), np.cos(angle), 0], [0, 0, 1]])
    for world in worlds:
        bodies = solver.mjc_body_to_newton.numpy()[world, 1:]
        base = bodies[0]
        (leg,) = [body for body in bodies if newton.body_label[body].rsplit("/", 1)[-1] == leg_link]
        mass[base], mass[leg] = 1.3 * mass[base], 0.8 * mass[leg]
        com[base] += [0.03, -0.01, 0.02]
        inertia[base] = 1.3 * turn @ inertia[base] @ turn.T
        inertia[leg] *= 0.8
        joints = solver.mjc_dof_to_newton_dof.numpy()[world, 6:]
        armature[joints] = 1.5 * armature[joints] + 0.001
    for array, values in zip(arrays, (mass, com, inertia, armature), strict=True):
        array.assign(values)


def notify(solver) -> None:
    """Newton's own recomputation of all worlds."""
    from newton import ModelFlags

    solver.notify_model_changed(ModelFlags.BODY_INERTIAL_PROPERTIES | ModelFlags.JOINT_DOF_PROPERTIES)


def count_kernels(work) -> int:
    """Run something and count Warp kernels launched, newly or as recorded."""
    return count_launches(work).kernels.total()


def relative_error(values, expected) -> float:
    """Largest difference of two arrays, relative to each expected element (to 1e-6 of the largest where it is 0)."""
    values, expected = np.asarray(values, dtype=float), np.asarray(expected, dtype=float)
    floor = 1e-6 * max(np.abs(expected).max(), 1e-30)
    return float((np.abs(values - expected) / np.maximum(np.abs(expected), floor)).max())


def stopwatch(solver) -> dict:
    """Best time [ms] of an update of 1, 10 and 100 % of the worlds, and of Newton's recomputation of all."""
    from surefoot.randomization.newton_inertia.derived import DerivedInertia

    inertia, worlds = DerivedInertia(solver), int(solver.model.world_count)
    order = np.random.default_rng(0).permutation(worlds)

    def best_ms(work, repeats: int) -> float:
        work()
        times = []
        for _ in range(repeats):
            start = time.perf_counter()
            work()
            times.append(1e3 * (time.perf_counter() - start))
        return min(times)

    counts = sorted({max(1, round(share * worlds)) for share in (0.01, 0.1, 1.0)})
    masks = {count: wp.array(order < count, dtype=wp.bool, device="cpu") for count in counts}
    return {
        "worlds": worlds,
        "update_ms": {count: best_ms(partial(inertia.update, mask), 50) for count, mask in masks.items()},
        "shapes_ms": {count: best_ms(partial(inertia.update_shapes, mask), 50) for count, mask in masks.items()},
        "notify_ms": best_ms(lambda: notify(solver), 10),
    }


if __name__ == "__main__":
    answer(main)
