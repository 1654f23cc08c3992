"""What the engine itself must hold: the values it was given, restored values, and the motion that follows from them."""

from __future__ import annotations

import mujoco
import numpy as np

from surefoot.randomization.bodies import BODY_PARAMETERS, Bodies, compose_reference
from surefoot.randomization.nominal_model import read_nominal_model

from .bench import FLIGHT_HEIGHT_M, Bench
from .readback import EngineReadback
from .row import ProofRow, at_most

INERTIAL = (*BODY_PARAMETERS, "armature")
"""Parameters that enter the joint-space inertia."""

_PRECISION = 2e-5
"""Largest difference, relative to the largest value, that single precision explains."""


def check_engine(bench: Bench, names: list[str], readback: EngineReadback) -> list[ProofRow]:
    """Check readback, restoration and motion of the parameters that the engine or a kernel holds."""
    bench.randomization.reset(bench.everyone)
    rows = _readback_rows(bench, names, readback, "the engine holds the value")
    saved = bench.randomization.state_dict()
    values = bench.table.values.clone()
    bench.randomization.reset(bench.everyone)
    bench.randomization.load_state_dict(saved)
    for name in names:
        columns = bench.layout.column_slice(name)
        lost = (bench.table.values[:, columns] != values[:, columns]).any(dim=1).sum()
        rows.append(at_most(name, "restored from a checkpoint", float(lost), 0.0, "environments with another value"))
    rows += _readback_rows(bench, names, readback, "restored from a checkpoint")
    rows += _motion_rows(bench, names)
    return rows


def _readback_rows(bench: Bench, names: list[str], readback: EngineReadback, check: str) -> list[ProofRow]:
    """Compare what the engine holds with the table."""
    rows = []
    bodies = [_bodies_of(bench, env) for env in range(bench.num_envs)]
    for name in names:
        if name in BODY_PARAMETERS:
            found = readback.bodies()
            difference = max(
                _relative(getattr(found, field), np.array([getattr(body, field) for body in bodies]))
                for field in ("mass_kg", "com_m", "inertia_kgm2")
            )
        elif (held := readback.held(name)) is not None:
            difference = _relative(held, bench.table.view(name).cpu().numpy())
        else:
            difference = 0.0 if _reads_table(bench) else np.inf
        rows.append(at_most(name, check, difference, _PRECISION, "difference of what the reader holds, relative"))
    return rows


def _reads_table(bench: Bench) -> bool:
    """Tell whether the kernels of actuators and sensors read the table's own memory."""
    memory = bench.table.warp_values.ptr
    return all(reader.table.ptr == memory for reader in (bench.env.actuator, bench.env.proprioception))


def _bodies_of(bench: Bench, env: int) -> Bodies:
    """Compose the bodies of an environment from the table, in NumPy."""
    model = read_nominal_model(bench.spec)
    values = {name: bench.table.view(name)[env].cpu().numpy().astype(np.float64) for name in BODY_PARAMETERS}
    return compose_reference(model, model.body_names.index(bench.spec.base_body), values)


def _relative(found: np.ndarray, expected: np.ndarray) -> float:
    return float(np.abs(found - expected).max() / max(np.abs(expected).max(), 1e-12))


def compile_model(bench: Bench, env: int) -> mujoco.MjModel:
    """Compile the robot with the inertial values of an environment as a MuJoCo model of its own."""
    spec = mujoco.MjSpec.from_file(str(bench.spec.mjcf_path))
    bodies = _bodies_of(bench, env)
    for index, name in enumerate(read_nominal_model(bench.spec).body_names):
        body = spec.body(name)
        inertia = bodies.inertia_kgm2[index]
        body.mass = bodies.mass_kg[index]
        body.ipos = bodies.com_m[index]
        body.iquat = [1.0, 0.0, 0.0, 0.0]
        body.inertia = [0.0, 0.0, 0.0]
        body.fullinertia = [inertia[0, 0], inertia[1, 1], inertia[2, 2], inertia[0, 1], inertia[0, 2], inertia[1, 2]]
    for index, name in enumerate(bench.spec.joint_names):
        spec.joint(name).armature = float(bench.table.view("armature")[env, index])
    return spec.compile()


def _motion_rows(bench: Bench, names: list[str]) -> list[ProofRow]:
    """Compare accelerations in flight, under gravity and a torque on every joint, with MuJoCo C's.

    Only what enters the inertia is random; the torque is a feed-forward effort, so that no gain, delay or friction
    takes part.
    """
    drawn = {name: bench.table.view(name).cpu().numpy().copy() for name in INERTIAL}
    none = np.zeros(bench.num_envs)
    bench.put(stiffness=none, damping=none, coulomb_friction=none, **drawn)
    bench.fly()
    torque = 0.05 * np.array(bench.spec.joint_values("effort_limit_nm")) * (-1.0) ** np.arange(bench.spec.num_joints)
    velocity, steps = bench.one_call(torque)  # (num_envs, 6 + num_joints)
    worst = 0.0
    for env in range(bench.num_envs):
        model = compile_model(bench, env)
        model.opt.timestep = bench.env.physics_dt
        data = mujoco.MjData(model)
        data.qpos[2] = FLIGHT_HEIGHT_M
        data.qpos[7:] = bench.default_pose
        data.qfrc_applied[6:] = torque
        mujoco.mj_step(model, data, nstep=steps)
        # MuJoCo's base velocity is that of the frame's origin; rotation and joints tell the inertia.
        expected, found = data.qvel[3:], velocity[env, 3:]
        worst = max(worst, _relative(found, expected))
    return [
        at_most(
            name,
            "moves as MuJoCo C does",
            worst,
            2e-3,
            "velocities that test torques give differ from those of a model compiled at these values, relative",
        )
        for name in names
        if name in INERTIAL
    ]
