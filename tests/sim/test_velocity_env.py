"""The velocity environments in each engine that runs on a CPU."""

import os

import pytest
from tests.sim.children import TASK, ask

pytestmark = pytest.mark.sim

CASES = [(TASK, "ovphysx"), (TASK, "newton_mjwarp")]


@pytest.fixture(scope="module", params=CASES, ids="-".join)
def seen(request: pytest.FixtureRequest) -> dict:
    """What the probe saw in one engine."""
    return {"physics": request.param[1], **ask("velocity_env_probe", *request.param)}


def test_joints_are_in_the_order_of_the_specification(seen: dict) -> None:
    assert seen["joint_names"] == seen["spec_joint_names"]


@pytest.mark.skipif(not hasattr(os, "SCHED_IDLE"), reason="only Linux has this scheduling policy")
def test_threads_of_the_engine_that_poll_take_no_time_from_those_that_simulate(seen: dict) -> None:
    assert seen["num_idle_threads"] == (seen["physics"] == "ovphysx")  # the one of PhysX that cooks shapes
    assert seen["num_busy_polling_threads"] == 0


def test_feet_carry_the_weight_of_a_standing_robot(seen: dict) -> None:
    assert seen["weight_ratio"] == pytest.approx([1.0] * len(seen["weight_ratio"]), abs=0.05)
    assert seen["standing_fall_force_n"] == 0.0


def test_soles_of_a_standing_robot_are_on_the_ground(seen: dict) -> None:
    assert seen["standing_sole_height_m"] < 0.003  # soft contacts sink by about a millimetre


def test_every_environment_moves_and_stays_finite_under_random_actions(seen: dict) -> None:
    assert seen["smallest_motion_rad"] > 0.02
    assert seen["finite"]


def test_feet_feel_what_the_contact_sensor_says(seen: dict) -> None:
    assert seen["foot_force_error_n"] < 1e-3
    assert seen["heaviest_foot_force_n"] > 10.0


def test_feet_are_where_the_articulation_has_them(seen: dict) -> None:
    assert seen["foot_position_error_m"] < 1e-6


def test_no_force_is_left_in_the_step_after_take_off(seen: dict) -> None:
    assert seen["foot_force_after_take_off_n"] == 0.0


def test_contact_reports_of_the_last_substep_alone_say_the_same(seen: dict) -> None:
    if seen["physics"] == "newton_mjwarp":
        assert "lean_force_error_n" not in seen  # its sensor reads once per control step anyway
    else:
        assert seen["contacts_lost"] > 20  # a contact that ends unseen must not leave its force behind
        assert seen["lean_force_error_n"] == 0.0


def test_a_push_in_flight_moves_the_base_by_velocity_times_time(seen: dict) -> None:
    assert seen["pushed_m"] == pytest.approx([0.5 * 0.02] * len(seen["pushed_m"]), abs=2e-4)


def test_mirrored_states_and_actions_lead_to_mirrored_observations(seen: dict) -> None:
    """In both engines to the accuracy of a contact solver that visits contacts in order, over 80 ms on the ground."""
    error = seen["mirror_error"]
    assert error["joint_pos"] < 0.01
    assert error["projected_gravity"] < 0.005
    assert error["base_lin_vel"] < 0.03


def test_the_short_drive_moves_joints_as_isaac_labs_own_does(seen: dict) -> None:
    if seen["handles_decimation"]:
        assert seen["physics"] == "newton_mjwarp"  # there the kernel is inside the engine's step, the only way
    else:
        assert seen["drive_difference_rad"] < 1e-5


def test_the_first_observation_of_an_episode_shows_nothing_of_the_one_before(seen: dict) -> None:
    """Neither after the time is over nor after a state that was not a number."""
    assert {2, 5} <= set(seen["begun_in"])
    assert seen["first_is_finite"]
    assert seen["first_sole_error_m"] < 1e-5
    assert seen["first_foot_error_m"] < 1e-5
    assert seen["first_joint_vel_error_rad_s"] == 0.0
    assert seen["first_unknown"] == dict.fromkeys(seen["first_unknown"], 0.0)
    assert seen["others_motor_torque_nm"] > 1.0


def test_an_environment_needs_neither_a_velocity_command_nor_joint_targets_nor_sensors() -> None:
    seen = {"observed": [4, 1 + 12], "is_finite": True, "moving": [True] * 4, "has_sensors": False}
    assert ask("bare_env_probe") == seen
