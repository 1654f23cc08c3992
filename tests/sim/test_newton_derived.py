"""Inertial and contact parameters of some worlds of a running Newton simulation, against MuJoCo C and Newton itself."""

import pytest
from tests.sim.children import ask

pytestmark = pytest.mark.sim

# Without the parts that collide less; every contact of the changed world has the new friction and gains.
NOMINAL_CONTACTS = {
    "unitree_go2": {(0.6, 0.01, 1.0), (0.8, 0.01, 1.0)},
    "unitree_g1": {(0.6, 0.01, 1.0), (1.0, 0.01, 1.0)},
}


@pytest.fixture(scope="module", params=NOMINAL_CONTACTS)
def seen(request: pytest.FixtureRequest) -> dict:
    """What the probe saw of one robot."""
    return {"robot": request.param, **ask("newton_derived_probe", request.param)}


def test_derived_constants_equal_those_of_mujocos_set_const(seen: dict) -> None:
    assert max(seen["error_to_mujoco"].values()) < 1e-6
    assert seen["mean_inertia_error_to_mujoco"] < 1e-6
    assert seen["inertia_tensor_error"] < 1e-6
    assert seen["inverse_mass_error"] < 1e-6


def test_all_fields_equal_newtons_own_recomputation_of_all_worlds(seen: dict) -> None:
    """To the accuracy of Newton's, which is in single precision throughout."""
    assert max(seen["error_to_newton"].values()) < 1e-5
    assert max(seen["newton_error_to_mujoco"].values()) > max(seen["error_to_mujoco"].values())


def test_worlds_that_were_not_named_keep_every_bit(seen: dict) -> None:
    assert seen["untouched_fields_changed"] == []
    assert set(seen["fields_changed"]) >= {
        "body_mass",
        "body_ipos",
        "body_inertia",
        "body_iquat",
        "body_subtreemass",
        "body_invweight0",
        "dof_armature",
        "dof_invweight0",
        "meaninertia",
    }


def test_the_next_step_has_the_joint_space_inertia_of_mujoco(seen: dict) -> None:
    assert seen["mass_matrix_error"] < 1e-6
    assert seen["other_mass_matrix_error"] < 1e-6


def test_an_update_takes_three_launches_where_newton_takes_hundreds(seen: dict) -> None:
    assert seen["launches"] == 3
    assert seen["stock_launches"] > 300
    assert seen["shape_launches"] == 1


def test_switching_to_contact_gains_alone_changes_nothing(seen: dict) -> None:
    assert seen["shapes_switched"] > 0
    assert seen["gains_switch_error"] < 1e-6


def test_live_contacts_of_the_changed_world_alone_have_its_friction_and_stiffness(seen: dict) -> None:
    """Four times the stiffness at the same damping is half the damping ratio."""
    assert [tuple(contact) for contact in seen["live_contacts"]] == [(0.37, 0.01, 0.5)]
    others = {tuple(contact) for contact in seen["live_contacts_of_others"]}
    assert others
    assert others <= NOMINAL_CONTACTS[seen["robot"]]
    assert seen["shape_error_to_newton"] == 0.0
