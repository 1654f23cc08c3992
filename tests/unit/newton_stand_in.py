"""A solver with the arrays and names of Newton's SolverMuJoCo that DerivedInertia binds, made from a MuJoCo model."""

from types import SimpleNamespace

import mujoco
import numpy as np
import warp as wp

from surefoot.randomization.newton_inertia.structs import SolverImpedance
from surefoot_bridge.state import rotation_matrix

PENDULUM = """<mujoco><worldbody><body pos="1 2 3">
  <joint axis="0 1 0" armature="0.5"/>
  <inertial pos="0 0 -2" mass="3" diaginertia="0.4 0.3 0.2"/>
  <geom size="0.1"/>
</body></worldbody></mujoco>"""

ONE_PER_WORLD = {
    "body_mass": wp.float32,
    "body_ipos": wp.vec3,
    "body_inertia": wp.vec3,
    "body_iquat": wp.quat,
    "body_subtreemass": wp.float32,
    "body_invweight0": wp.vec2,
    "body_pos": wp.vec3,
    "body_quat": wp.quat,
    "dof_armature": wp.float32,
    "dof_invweight0": wp.float32,
    "jnt_solimp": SolverImpedance,
    "jnt_solref": wp.vec2,
    "jnt_pos": wp.vec3,
    "jnt_axis": wp.vec3,
    "qpos0": wp.float32,
    "geom_friction": wp.vec3,
    "geom_solref": wp.vec2,
}


def array(values, dtype) -> wp.array:
    return wp.array(np.asarray(values), dtype=dtype, device="cpu")


def body_inertia(model: mujoco.MjModel) -> np.ndarray:
    """Rotational inertia of each body but the world in its own axes, shape (num_bodies - 1, 3, 3)."""
    axes = rotation_matrix(model.body_iquat)
    return np.einsum("bij,bj,bkj->bik", axes, model.body_inertia, axes)[1:]


def index(num_worlds: int, count: int, *, skipped: int = 0) -> wp.array:
    """Newton's elements of each world in a row; the first ``skipped`` of the solver's have none."""
    numbers = np.arange(num_worlds * (count - skipped)).reshape(num_worlds, -1)
    return array(np.pad(numbers, ((0, 0), (skipped, 0)), constant_values=-1), wp.int32)


def newton_stand_in(model: mujoco.MjModel, num_worlds: int) -> SimpleNamespace:
    """Build it; every world starts with the model's own parameters."""

    def repeat(values, dtype) -> wp.array:
        return array(np.tile(np.asarray(values), (num_worlds,) + (1,) * (np.ndim(values) - 1)), dtype)

    mjw_model = SimpleNamespace(ntendon=model.ntendon, nflex=model.nflex, ngeom=model.ngeom)
    for name, dtype in ONE_PER_WORLD.items():
        setattr(mjw_model, name, array(np.stack([getattr(model, name)] * num_worlds), dtype))
    mjw_model.stat = SimpleNamespace(meaninertia=repeat([model.stat.meaninertia], wp.float32))
    newton = SimpleNamespace(
        device="cpu",
        world_count=num_worlds,
        body_mass=repeat(model.body_mass[1:], wp.float32),
        body_com=repeat(model.body_ipos[1:], wp.vec3),
        body_inertia=repeat(body_inertia(model), wp.mat33),
        body_inv_mass=wp.zeros(num_worlds * (model.nbody - 1), dtype=wp.float32, device="cpu"),
        body_inv_inertia=wp.zeros(num_worlds * (model.nbody - 1), dtype=wp.mat33, device="cpu"),
        body_flags=repeat(np.ones(model.nbody - 1), wp.int32),
        joint_armature=repeat(model.dof_armature, wp.float32),
        joint_limit_ke=repeat(np.full(model.nv, 1e4), wp.float32),
        joint_limit_kd=repeat(np.full(model.nv, 10.0), wp.float32),
        mujoco=SimpleNamespace(
            solreflimit=repeat(np.full((model.nv, 2), (0.01, 1.0)), wp.vec2),
            solreflimit_mode=repeat(np.zeros(model.nv), wp.int32),
            solref=repeat(np.full((model.ngeom, 2), (0.01, 1.0)), wp.vec2),
            solref_mode=repeat(np.ones(model.ngeom), wp.int32),
        ),
    )
    for name, value in {"mu": 0.6, "mu_torsional": 0.005, "mu_rolling": 0.0001, "ke": 2500.0, "kd": 100.0}.items():
        setattr(newton, f"shape_material_{name}", repeat(np.full(model.ngeom, value), wp.float32))
    return SimpleNamespace(
        model=newton,
        mjw_model=mjw_model,
        mj_model=model,
        use_mujoco_cpu=False,
        _use_mujoco_contacts=True,
        mjc_body_to_newton=index(num_worlds, model.nbody, skipped=1),
        mjc_dof_to_newton_dof=index(num_worlds, model.nv),
        mjc_jnt_to_newton_dof=array(model.nv * np.arange(num_worlds)[:, None] + model.jnt_dofadr[None, :], wp.int32),
        mjc_geom_to_newton_shape=index(num_worlds, model.ngeom),
    )


def worlds(solver: SimpleNamespace, *which: int) -> wp.array:
    """Return a mask of some worlds."""
    return array(np.isin(np.arange(solver.model.world_count), which), wp.bool)


def all_worlds(solver: SimpleNamespace) -> wp.array:
    return worlds(solver, *range(solver.model.world_count))
