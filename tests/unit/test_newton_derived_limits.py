"""What DerivedInertia does with contact parameters, and what it refuses."""

import mujoco
import numpy as np
import pytest
import warp as wp
from tests.references.newton_inertia import solref_of_gains
from tests.unit.newton_stand_in import PENDULUM, all_worlds, newton_stand_in, worlds

from surefoot.randomization.newton_inertia.derived import DerivedInertia
from surefoot_bridge.errors import SurefootError


def test_friction_and_contact_gains_of_changed_worlds_alone_reach_the_solver() -> None:
    solver = newton_stand_in(mujoco.MjModel.from_xml_string(PENDULUM), 3)
    inertia = DerivedInertia(solver)
    assert inertia.use_contact_gains() == 3
    assert solver.model.shape_material_kd.numpy().tolist() == [200.0] * 3  # 2 / 0.01 s
    assert solver.model.shape_material_ke.numpy() == pytest.approx([1e4] * 3)  # 1 / (0.01 s)^2
    solver.model.shape_material_mu.assign([0.3, 0.4, 0.5])
    solver.model.shape_material_ke.assign([1e4, 4e4, 1e4])
    inertia.update_shapes(worlds(solver, 1))
    friction, solref = solver.mjw_model.geom_friction.numpy()[:, 0], solver.mjw_model.geom_solref.numpy()[:, 0]
    assert friction[1] == pytest.approx([0.4, 0.005, 0.0001])
    assert friction[[0, 2], 0].tolist() == [1.0, 1.0]  # MuJoCo's default: the stand-in's start
    assert solref[1] == pytest.approx([0.01, 0.5])  # four times the stiffness, half the damping ratio
    assert solref[[0, 2]] == pytest.approx(np.full((2, 2), (0.02, 1.0)))


@pytest.mark.parametrize(("mujoco_contacts", "calls"), [(True, 0), (False, 2)])
def test_contacts_that_newton_keeps_from_earlier_steps_are_dropped(mujoco_contacts: bool, calls: int) -> None:
    solver, made = newton_stand_in(mujoco.MjModel.from_xml_string(PENDULUM), 1), []
    solver._use_mujoco_contacts = mujoco_contacts
    solver._invalidate_contact_fast_path = lambda: made.append(1)
    inertia = DerivedInertia(solver)
    inertia.update(all_worlds(solver))
    inertia.update_shapes(all_worlds(solver))
    assert len(made) == calls


def test_a_shape_that_the_model_gives_as_solref_keeps_it() -> None:
    solver = newton_stand_in(mujoco.MjModel.from_xml_string(PENDULUM), 1)
    DerivedInertia(solver).update_shapes(all_worlds(solver))
    assert solver.mjw_model.geom_solref.numpy()[0, 0] == pytest.approx([0.01, 1.0])


@pytest.mark.parametrize(
    ("gains", "solref"), [((2500.0, 100.0), (0.02, 1.0)), ((1e4, 100.0), (0.02, 0.5)), ((0.0, 1.0), (0.02, 1.0))]
)
def test_gains_make_the_solref_of_mujocos_definition(gains, solref) -> None:
    solver = newton_stand_in(mujoco.MjModel.from_xml_string(PENDULUM), 1)
    solver.model.mujoco.solref_mode.fill_(2)
    solver.model.shape_material_ke.fill_(gains[0])
    solver.model.shape_material_kd.fill_(gains[1])
    DerivedInertia(solver).update_shapes(all_worlds(solver))
    assert solver.mjw_model.geom_solref.numpy()[0, 0] == pytest.approx(solref)
    assert solref_of_gains(*gains) == pytest.approx(solref)


def test_direct_contact_gains_have_no_start_for_randomization() -> None:
    solver = newton_stand_in(mujoco.MjModel.from_xml_string(PENDULUM), 1)
    solver.model.mujoco.solref.fill_(wp.vec2(-100.0, -1.0))
    with pytest.raises(SurefootError, match=r"solref \[\[-100.0, -1.0\]\] have no time constant"):
        DerivedInertia(solver).use_contact_gains()


def test_a_mask_that_does_not_fit_is_refused() -> None:
    solver, other = (newton_stand_in(mujoco.MjModel.from_xml_string(PENDULUM), count) for count in (2, 3))
    with pytest.raises(SurefootError, match=r"The mask has shape \(3,\); there are 2 worlds"):
        DerivedInertia(solver).update(all_worlds(other))


def test_models_with_other_derived_quantities_are_refused_by_name() -> None:
    solver = newton_stand_in(mujoco.MjModel.from_xml_string(PENDULUM), 2)
    solver.mjw_model.ntendon = 2
    solver.model.body_flags.fill_(2)
    with pytest.raises(SurefootError, match=r"The model has tendons \(2\), kinematic bodies \(2\); inertia can be"):
        DerivedInertia(solver)


def test_a_body_whose_joint_space_inertia_the_solver_takes_as_diagonal_is_refused() -> None:
    """MuJoCo leaves the off-diagonal entries of a lone free body out of M; off its origin they would be needed."""
    body = "<body><freejoint/><geom size='1'/></body>"
    lone = mujoco.MjModel.from_xml_string(f"<mujoco><worldbody>{body}</worldbody></mujoco>")
    with pytest.raises(SurefootError, match=r"axes whose joint-space inertia MuJoCo takes as diagonal \(\d\)"):
        DerivedInertia(newton_stand_in(lone, 2))


def test_worlds_with_different_kinematics_are_refused() -> None:
    solver = newton_stand_in(mujoco.MjModel.from_xml_string(PENDULUM), 2)
    positions = solver.mjw_model.jnt_pos.numpy()
    positions[1] += 0.1
    solver.mjw_model.jnt_pos.assign(positions)
    with pytest.raises(SurefootError, match="The worlds differ in jnt_pos"):
        DerivedInertia(solver)
