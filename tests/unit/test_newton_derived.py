"""Inertial parameters of single worlds against hand calculations, the NumPy reference and MuJoCo's mj_setConst."""

import mujoco
import numpy as np
import pytest
from tests.references.newton_inertia import derived, principal_moments
from tests.unit.newton_stand_in import ONE_PER_WORLD, PENDULUM, all_worlds, newton_stand_in, worlds

from surefoot.randomization.newton_inertia.derived import DerivedInertia
from surefoot.randomization.newton_inertia.tree import kinematic_tree, model_with_fields
from surefoot_bridge.state import rotation_matrix
from surefoot_robots import get_robot

# A free base with a ball joint, a slide, a welded body, an off-axis hinge and a static body beside it.
MIXED = """<mujoco><worldbody>
  <body pos="3 0 0"><geom size="0.1"/></body>
  <body pos="0 0 1" quat="0.8 0.6 0 0"><freejoint/>
    <inertial pos="0.1 0.02 -0.03" mass="5" fullinertia="0.05 0.06 0.07 0.004 -0.003 0.002"/><geom size="0.1"/>
    <body pos="0.3 0 0"><joint type="ball" pos="0 0.01 0"/>
      <inertial pos="0.1 0 0" mass="0.8" diaginertia="0.002 0.004 0.005"/>
      <body pos="0.2 0.1 0" quat="0.6 0 0.8 0">
        <inertial pos="0 0 0.05" mass="0.3" diaginertia="0.001 0.002 0.0015"/>
      </body>
      <body pos="0.2 0 0"><joint type="slide" axis="1 1 0" armature="0.2"/>
        <inertial pos="0 0.05 0" mass="0.4" diaginertia="0.001 0.001 0.001"/>
        <body pos="0 0 0.4"><joint axis="1 2 3" pos="0.02 0 0" armature="0.01"/>
          <inertial pos="0 0 0.1" mass="0.2" diaginertia="1e-4 1e-4 2e-5"/>
        </body>
      </body>
    </body>
  </body>
</worldbody></mujoco>"""


def model_of(name: str) -> mujoco.MjModel:
    if name == "mixed":
        return mujoco.MjModel.from_xml_string(MIXED)
    return mujoco.MjModel.from_xml_path(str(get_robot(name).mjcf_path))


def disturb(solver, worlds: list[int], seed: int) -> None:
    """Write random, physically possible inertial parameters of some worlds into Newton's model."""
    generator = np.random.default_rng(seed)
    model, newton = solver.mj_model, solver.model
    mass, com, inertia = newton.body_mass.numpy(), newton.body_com.numpy(), newton.body_inertia.numpy()
    armature = newton.joint_armature.numpy()
    bodies, dofs = model.nbody - 1, model.nv
    for world in worlds:
        rows = slice(world * bodies, (world + 1) * bodies)
        factor = generator.uniform(0.7, 1.4, bodies)
        mass[rows] *= factor
        com[rows] += generator.uniform(-0.03, 0.03, (bodies, 3))
        quaternions = generator.normal(size=(bodies, 4))
        turns = rotation_matrix(quaternions / np.linalg.norm(quaternions, axis=1, keepdims=True))
        inertia[rows] = factor[:, None, None] * turns @ inertia[rows] @ turns.transpose(0, 2, 1)
        armature[world * dofs : (world + 1) * dofs] *= generator.uniform(0.5, 2.0, dofs)
    newton.body_mass.assign(mass)
    newton.body_com.assign(com)
    newton.body_inertia.assign(0.5 * (inertia + inertia.transpose(0, 2, 1)))
    newton.joint_armature.assign(armature)


def parameters(solver, world: int) -> tuple[np.ndarray, ...]:
    """Mass, centre of mass, inertia (each with a row for the world) and armature in Newton's model."""
    model, newton = solver.mj_model, solver.model
    rows = slice(world * (model.nbody - 1), (world + 1) * (model.nbody - 1))
    padded = [
        np.concatenate([np.zeros_like(values[:1]), values[rows]]).astype(np.float64)
        for values in (newton.body_mass.numpy(), newton.body_com.numpy(), newton.body_inertia.numpy())
    ]
    return (*padded, newton.joint_armature.numpy()[world * model.nv : (world + 1) * model.nv].astype(np.float64))


def set_const(solver, world: int) -> mujoco.MjModel:
    """MuJoCo C's model with the parameters of one world of Newton's model, after mj_setConst."""
    mass, com, inertia, armature = parameters(solver, world)
    none = np.zeros(len(mass))  # MuJoCo C's short cuts for bodies whose frames coincide
    short_cuts = {"body_sameframe": none, "body_simple": none}
    model = model_with_fields(solver.mj_model, body_mass=mass, body_ipos=com, dof_armature=armature, **short_cuts)
    for body in range(1, model.nbody):
        moments, axes = principal_moments(inertia[body])
        model.body_inertia[body] = moments
        mujoco.mju_mat2Quat(model.body_iquat[body], axes.flatten())
    mujoco.mj_setConst(model, mujoco.MjData(model))
    return model


def world_rows(solver, world: int) -> dict[str, np.ndarray]:
    """Every array of the solver that has a row for each world, for one of them."""
    rows = {name: getattr(solver.mjw_model, name).numpy()[world].copy() for name in ONE_PER_WORLD}
    return {**rows, "meaninertia": solver.mjw_model.stat.meaninertia.numpy()[world].copy()}


def test_a_pendulum_has_the_constants_worked_out_by_hand() -> None:
    """About its hinge: 0.3 + 3 * 2^2 + 0.5 = 12.8 kg.m^2; the mass 2 m away moves by 2 per radian."""
    solver = newton_stand_in(mujoco.MjModel.from_xml_string(PENDULUM), 1)
    DerivedInertia(solver).update(all_worlds(solver))
    mjw_model = solver.mjw_model
    assert mjw_model.stat.meaninertia.numpy()[0] == pytest.approx(12.8)
    assert mjw_model.dof_invweight0.numpy()[0, 0] == pytest.approx(1.0 / 12.8)
    assert mjw_model.body_invweight0.numpy()[0, 1] == pytest.approx([4.0 / 3.0 / 12.8, 1.0 / 3.0 / 12.8])
    assert mjw_model.body_subtreemass.numpy()[0].tolist() == [3.0, 3.0]
    assert solver.model.body_inv_mass.numpy()[0] == pytest.approx(1.0 / 3.0)
    assert solver.model.body_inv_inertia.numpy()[0] == pytest.approx(np.diag([2.5, 1.0 / 0.3, 5.0]))


def test_a_joint_limit_in_units_of_force_keeps_its_stiffness_when_inertia_changes() -> None:
    """MuJoCo's stiffness in acceleration times inertia is the 10 kN.m/rad that Newton's model asks for."""
    solver = newton_stand_in(mujoco.MjModel.from_xml_string(PENDULUM), 1)
    solver.model.body_mass.assign([7.0])  # 0.3 + 7 * 2^2 + 0.5 = 28.8 kg.m^2
    DerivedInertia(solver).update(all_worlds(solver))
    time_constant_s, damping_ratio = solver.mjw_model.jnt_solref.numpy()[0, 0]
    free = 1.0 - 0.95  # 1 - solimp[1]
    assert (1.0 / (time_constant_s * damping_ratio) ** 2) * 28.8 / free == pytest.approx(1e4, rel=1e-5)
    assert (2.0 / time_constant_s) * 28.8 / free == pytest.approx(10.0, rel=1e-5)


@pytest.mark.parametrize(("mode", "solref"), [(1, (0.02, 1.0)), (2, (0.02, 1.0))])
def test_a_joint_limit_that_the_model_gives_as_solref_is_left_alone(mode: int, solref: tuple[float, float]) -> None:
    solver = newton_stand_in(mujoco.MjModel.from_xml_string(PENDULUM), 1)
    solver.model.mujoco.solreflimit_mode.fill_(mode)
    DerivedInertia(solver).update(all_worlds(solver))
    assert solver.mjw_model.jnt_solref.numpy()[0, 0] == pytest.approx(solref)


@pytest.mark.parametrize("name", ["mixed", "unitree_go2", "unitree_g1"])
def test_changed_worlds_equal_mujoco_and_the_reference_and_others_keep_every_bit(name: str) -> None:
    solver = newton_stand_in(model_of(name), 4)
    inertia = DerivedInertia(solver)
    disturb(solver, [1, 3], seed=4)
    before = [world_rows(solver, world) for world in range(4)]
    inertia.update(worlds(solver, 1, 3))

    for world in (0, 2):
        after = world_rows(solver, world)
        assert all(np.array_equal(after[field], before[world][field]) for field in after)
    for world in (1, 3):
        after, judge = world_rows(solver, world), set_const(solver, world)
        fields = ("body_mass", "body_ipos", "body_subtreemass", "body_inertia", "dof_armature")
        for field in (*fields, "dof_invweight0", "body_invweight0"):
            np.testing.assert_allclose(after[field], getattr(judge, field), rtol=2e-6, atol=1e-9, err_msg=field)
        assert after["meaninertia"] == pytest.approx(judge.stat.meaninertia, rel=2e-6)
        reference = derived(inertia.tree, *parameters(solver, world))
        np.testing.assert_allclose(after["body_subtreemass"], reference.subtree_mass, rtol=2e-6)
        np.testing.assert_allclose(after["dof_invweight0"], reference.dof_inverse_weight, rtol=2e-6)
        np.testing.assert_allclose(after["body_invweight0"], reference.body_inverse_weight, rtol=2e-6)
        assert after["meaninertia"] == pytest.approx(reference.mean_inertia, rel=2e-6)
        assert not np.allclose(after["body_invweight0"], before[world]["body_invweight0"], rtol=1e-2)


def test_principal_axes_give_back_the_inertia() -> None:
    solver = newton_stand_in(model_of("unitree_g1"), 2)
    disturb(solver, [0, 1], seed=7)
    DerivedInertia(solver).update(all_worlds(solver))
    for world in range(2):
        _, _, inertia, _ = parameters(solver, world)
        after = world_rows(solver, world)
        for body in range(1, solver.mj_model.nbody):
            moments, axes = after["body_inertia"][body].astype(float), rotation_matrix(after["body_iquat"][body])
            assert moments[0] >= moments[1] >= moments[2] > 0.0
            assert moments == pytest.approx(principal_moments(inertia[body])[0], rel=1e-6)
            error = axes @ np.diag(moments) @ axes.T - inertia[body]
            assert np.abs(error).max() < 1e-6 * moments[0]


def test_a_hundred_updates_with_the_same_parameters_do_not_drift() -> None:
    solver = newton_stand_in(model_of("unitree_go2"), 3)
    inertia, mask = DerivedInertia(solver), worlds(solver, 0, 2)
    disturb(solver, [0, 2], seed=1)
    inertia.update(mask)
    first = [world_rows(solver, world) for world in range(3)]
    for _ in range(100):
        inertia.update(mask)
    for world in range(3):
        after = world_rows(solver, world)
        assert all(np.array_equal(after[field], first[world][field]) for field in after)


def test_where_a_robot_stands_and_how_it_is_turned_changes_nothing() -> None:
    solver, moved = newton_stand_in(model_of("unitree_go2"), 2), model_of("unitree_go2")
    moved.qpos0[:7] = [80.0, -40.0, 3.0, 0.5, -0.5, 0.5, 0.5]
    other = newton_stand_in(moved, 2)
    for each in (solver, other):
        disturb(each, [0, 1], seed=2)
        DerivedInertia(each).update(all_worlds(each))
    for field in ("body_invweight0", "dof_invweight0", "body_subtreemass"):
        np.testing.assert_allclose(world_rows(other, 1)[field], world_rows(solver, 1)[field], rtol=1e-6)


def test_nothing_changes_for_no_worlds() -> None:
    solver = newton_stand_in(model_of("unitree_go2"), 2)
    disturb(solver, [0, 1], seed=3)
    inertia, before = DerivedInertia(solver), world_rows(solver, 0)
    inertia.update(worlds(solver))
    assert all(np.array_equal(value, before[name]) for name, value in world_rows(solver, 0).items())


def test_the_reference_inverts_the_mass_matrix_of_mujoco() -> None:
    model = model_of("mixed")
    tree = kinematic_tree(model)
    solver = newton_stand_in(model, 1)
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    mass_matrix = np.zeros((model.nv, model.nv))
    mujoco.mj_fullM(model, data, mass_matrix)
    found = derived(tree, *parameters(solver, 0)).mass_matrix
    np.testing.assert_allclose(found, mass_matrix, rtol=1e-5, atol=1e-6)
