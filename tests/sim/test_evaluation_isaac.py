"""Trials in PhysX and Newton through Isaac Lab, with the shipped policy driven by the robot's own code."""

import pytest
from tests.sim.children import ask

pytestmark = pytest.mark.sim


# Newton takes two minutes on two cores; `make proofs` has it.
@pytest.fixture(scope="module", params=["ovphysx", pytest.param("newton_mjwarp", marks=pytest.mark.slow)])
def seen(request: pytest.FixtureRequest) -> dict:
    """What the probe saw in one engine."""
    return {"physics": request.param, **ask("evaluation_isaac_probe", request.param)}


def test_the_engine_has_its_own_name_and_the_physics_step_of_training(seen: dict) -> None:
    assert seen["name"] == seen["physics"]
    assert seen["tick_s"] == pytest.approx(0.005)


def test_robots_start_at_rest_at_the_origin_with_a_sole_on_the_ground(seen: dict) -> None:
    assert seen["start_sole_m"] == pytest.approx([0.0] * len(seen["start_sole_m"]), abs=1e-5)
    assert seen["start_xy_m"] < 1e-6
    assert seen["start_speed"] < 1e-6
    assert seen["start_weight_n"] == pytest.approx([15.2 * 9.81] * len(seen["start_weight_n"]), rel=0.01)


def test_the_shipped_policy_walks_forward_without_a_fall(seen: dict) -> None:
    assert min(seen["forward_m"]) > 0.5 * 4.0 * 0.75  # less the time to get going
    assert max(seen["forward_m"]) < 0.5 * 4.0 * 1.15
    assert min(seen["height_m"]) > 0.25
    assert seen["body_force_n"] == 0.0
    assert seen["largest_response"] < 2  # safety clamps at most


def test_trials_of_a_scenario_succeed(seen: dict) -> None:
    assert seen["outcomes"] == [""] * len(seen["outcomes"])


def test_the_bridge_sees_what_the_environment_observes(seen: dict) -> None:
    assert seen["observation_error"] < 1e-5


def test_soles_are_where_the_environment_has_them_and_stand_still_while_they_carry(seen: dict) -> None:
    assert seen["sole_error_m"] < 1e-5
    assert seen["contact_speed_m_s"] < 0.5 * seen["swing_speed_m_s"]


def test_robots_at_one_place_do_not_touch_each_other(seen: dict) -> None:
    assert seen["weight_ratio"] == pytest.approx([1.0] * len(seen["weight_ratio"]), abs=0.05)
    assert seen["standing_specific_force"] == pytest.approx([9.81] * len(seen["weight_ratio"]), rel=0.05)


def test_the_same_trials_again_give_the_same_numbers(seen: dict) -> None:
    assert seen["again"] == 0.0


def test_trials_do_not_depend_on_how_many_others_are_read(seen: dict) -> None:
    assert seen["fewer"] == 0.0


def test_trials_after_other_payloads_start_the_same(seen: dict) -> None:
    if seen["physics"] == "newton_mjwarp":
        assert seen["after_payload"] == 0.0
    assert seen["after_payload_at_first"] < 1e-4


def test_the_engine_holds_payload_and_friction(seen: dict) -> None:
    assert seen["body_errors"]["mass_kg"] < 1e-4
    assert seen["body_errors"]["com_m"] < 1e-5
    assert seen["body_errors"]["inertia_kgm2"] < 1e-4
    assert seen["friction_error"] < 1e-6


def test_live_contacts_have_the_friction(seen: dict) -> None:
    if seen["physics"] == "newton_mjwarp":
        assert seen["contact_friction"] == pytest.approx(seen["friction"], abs=1e-6)
    slippery, sound = seen["slid_m"][: len(seen["slid_m"]) // 2], seen["slid_m"][len(seen["slid_m"]) // 2 :]
    assert min(slippery) > 0.02
    assert max(sound) < 0.5 * min(slippery)


def test_robots_start_at_the_origin_of_their_terrain_and_climb_it(seen: dict) -> None:
    """A slope of 15 degrees rises by 0.27 m for each metre beyond the platform."""
    assert seen["slope_start_sole_m"] == pytest.approx([0.0] * len(seen["slope_start_sole_m"]), abs=1e-4)
    assert seen["slope_start_xy_m"] < 1e-4
    assert min(seen["slope_forward_m"]) > 1.0
    assert min(seen["slope_height_m"]) > max(seen["height_m"]) + 0.03


def test_motors_deliver_their_strength(seen: dict) -> None:
    assert seen["strength_error"] < 1e-4
    assert seen["strength_reported_error"] < 1e-9
    assert not seen["cut_below_limit"]


def test_heat_and_battery_cut_torque(seen: dict) -> None:
    """A motor of heat 1.5 has half of its limit; a Go2's stall torque is its limit, so that voltage scales it."""
    share = seen["torque_share"]
    assert share[0] == pytest.approx(1.0, abs=0.01)
    assert share[1] == pytest.approx(0.5, abs=0.01)
    assert share[2] == pytest.approx(0.7, abs=0.01)
    assert seen["all_cut"]
    assert seen["start_heat"][1] == pytest.approx(1.5, abs=0.01)
    assert seen["temperature_c"][1] == pytest.approx(25.0 + 1.5 * 55.0, abs=1.0)
    assert seen["voltage"][2] == pytest.approx(0.7 - 0.1 * 0.005, abs=1e-6)
    assert seen["cold_ratio"] == pytest.approx(4.0)


def test_encoders_read_their_offset(seen: dict) -> None:
    assert seen["encoder_error"] < 1e-6


def test_a_push_gives_its_impulse_and_ends(seen: dict) -> None:
    assert seen["impulse_error_ns"] < 0.02 * seen["impulse_ns"]
    assert seen["impulse_after_ns"] < 0.02 * seen["impulse_ns"]


def test_what_the_engine_was_not_opened_for_is_refused(seen: dict) -> None:
    too_many, no_stairs = seen["refusals"]
    assert "12 trials" in too_many
    assert "stairs" in no_stairs
