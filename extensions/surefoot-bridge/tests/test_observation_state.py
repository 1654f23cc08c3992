"""What observations remember: resets, batches, memory that is not shared, and shapes that are refused."""

import itertools
from dataclasses import fields, replace

import numpy as np
import pytest
from contracts import quadruped_contract, small_contract
from reports import ACTION, COMMAND, REPORT, random_report

from surefoot_bridge.errors import SurefootError
from surefoot_bridge.policy import Observations, ObservationState
from surefoot_bridge.state import each


def test_a_reset_in_the_middle_of_a_batch_begins_those_robots_alone() -> None:
    rng, observations = np.random.default_rng(2), Observations(small_contract(history=3))
    mask = np.array([False, True, False, True])
    reports = [random_report(rng, (4,), 3) for _ in range(3)]
    commands, actions = rng.normal(size=(3, 4, 3)), rng.normal(size=(3, 4, 3))
    state = observations.initial((4,))
    for i in range(2):
        _, state = observations(state, reports[i], commands[i], actions[i])
    now = reports[2], commands[2], actions[2]
    seen, after = observations(observations.reset(state, mask), *now)
    undisturbed, _ = observations(state, *now)
    new, _ = observations(observations.initial((4,)), *now)
    np.testing.assert_array_equal(seen[~mask], undisturbed[~mask])
    np.testing.assert_array_equal(seen[mask], new[mask])
    assert (seen[mask] != undisturbed[mask]).any(axis=1).all()
    assert not after.fresh.any()


def test_a_robot_stays_due_for_a_reset_until_its_next_reading() -> None:
    observations = Observations(small_contract())
    state = observations.reset(observations.initial((3,)), np.array([True, False, False]))
    np.testing.assert_array_equal(state.fresh, [True, True, True])
    _, state = observations(state, random_report(np.random.default_rng(0), (3,), 3), np.zeros((3, 3)), np.zeros((3, 3)))
    state = observations.reset(state, np.array([True, False, False]))
    state = observations.reset(state, np.array([False, True, False]))
    np.testing.assert_array_equal(state.fresh, [True, True, False])


def test_what_was_not_a_number_before_a_reset_is_forgotten() -> None:
    observations = Observations(small_contract())
    void = each(REPORT, lambda array: np.full(array.shape, np.nan))
    _, state = observations(observations.initial(()), void, COMMAND, ACTION)
    broken, state = observations(state, void, COMMAND, np.full(3, np.nan))
    assert np.isnan(broken[observations.term_slices["last_action"]]).sum() == 3
    observation, _ = observations(observations.reset(state, np.array(True)), REPORT, COMMAND, np.full(3, np.nan))
    new, _ = observations(observations.initial(()), REPORT, COMMAND, ACTION)
    assert np.isfinite(new).all()
    np.testing.assert_array_equal(observation, new)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("batch_shape", [(5,), (2, 3)])
def test_single_robots_see_bit_for_bit_what_they_see_in_a_batch(batch_shape, dtype) -> None:
    rng, observations = np.random.default_rng(3), Observations(quadruped_contract())
    places = list(itertools.product(*map(range, batch_shape)))
    state = observations.initial(batch_shape)
    singles = {place: observations.initial(()) for place in places}
    for _ in range(6):
        mask = rng.random(batch_shape) < 0.3
        report = random_report(rng, batch_shape, 12, dtype)
        command, action = (rng.normal(size=(*batch_shape, width)).astype(dtype) for width in (3, 12))
        seen, state = observations(observations.reset(state, mask), report, command, action)
        for place in places:
            single = observations.reset(singles[place], mask[place])
            one = each(report, lambda array, place=place: array[place])
            alone, singles[place] = observations(single, one, command[place], action[place])
            assert alone.tobytes() == seen[place].tobytes()
            assert alone.dtype == seen.dtype == np.float32


def test_the_same_numbers_are_seen_alike_in_single_and_in_double_precision() -> None:
    observations = Observations(quadruped_contract())
    report = random_report(np.random.default_rng(7), (50,), 12, "float32")
    command, action = np.zeros((50, 3)), np.zeros((50, 12))
    single, _ = observations(observations.initial((50,)), report, command, action)
    double, _ = observations(
        observations.initial((50,)), each(report, lambda array: array.astype(np.float64)), command, action
    )
    assert single.tobytes() == double.tobytes()


@pytest.mark.parametrize("batch_shape", [(), (4,)])
def test_what_goes_in_is_not_changed_and_what_comes_out_shares_no_memory(batch_shape) -> None:
    rng, observations = np.random.default_rng(5), Observations(small_contract())
    report = random_report(rng, batch_shape, 3)
    command, action = rng.normal(size=(*batch_shape, 3)), rng.normal(size=(*batch_shape, 3))
    mask = np.ones(batch_shape, dtype=bool)
    initial = observations.initial(batch_shape)
    _, later = observations(initial, report, command, action)
    for state in (initial, later):
        read = [getattr(report, item.name) for item in fields(report)]
        went_in = [state.shown, state.fresh, command, action, mask, *read]
        for array in went_in:
            array.flags.writeable = False
        observation, following = observations(state, report, command, action)
        again = observations.reset(state, mask)
        came_out = [observation, following.shown, following.fresh, again.shown, again.fresh]
        for array, other in [*itertools.product(came_out, went_in), *itertools.combinations(came_out, 2)]:
            assert isinstance(array, np.ndarray)
            assert not np.shares_memory(array, other)


@pytest.mark.parametrize(
    ("changes", "name", "found", "expected"),
    [
        ({"imu_ang_vel_rad_s": np.zeros(4)}, "report.imu_ang_vel_rad_s", "(4,)", "(3,)"),
        ({"imu_quat_wxyz": np.zeros(3)}, "report.imu_quat_wxyz", "(3,)", "(4,)"),
        ({"joint_pos_rad": np.zeros(12)}, "report.joint_pos_rad", "(12,)", "(3,)"),
        ({"joint_vel_rad_s": np.zeros((1, 3))}, "report.joint_vel_rad_s", "(1, 3)", "(3,)"),
        ({"foot_force_n": np.zeros(0)}, "report.foot_force_n", "(0,)", "(2,)"),
    ],
)
def test_a_report_of_another_shape_is_refused_also_after_a_right_one(changes, name, found, expected) -> None:
    observations = Observations(small_contract())
    _, state = observations(observations.initial(()), REPORT, COMMAND, ACTION)
    with pytest.raises(SurefootError) as caught:
        observations(state, replace(REPORT, **changes), COMMAND, ACTION)
    assert str(caught.value) == (
        f"{name} has shape {found}; the contract and a state of batch shape () demand {expected}. "
        "Give what the contract describes, and begin with `initial` of its batch shape."
    )


def test_a_command_an_action_and_a_state_of_another_shape_are_refused() -> None:
    observations = Observations(small_contract())
    state = observations.initial(())
    with pytest.raises(SurefootError, match=r"^command has shape \(2,\); .* demand \(3,\)\."):
        observations(state, REPORT, np.zeros(2), ACTION)
    with pytest.raises(SurefootError, match=r"^last_action has shape \(\); .* demand \(3,\)\."):
        observations(state, REPORT, COMMAND, np.zeros(()))
    with pytest.raises(SurefootError, match=r"^report\..* has shape \(3,\); .* batch shape \(2,\) demand \(2, 3\)\."):
        observations(observations.initial((2,)), REPORT, COMMAND, ACTION)
    with pytest.raises(SurefootError, match=r"^state.shown has shape \(99,\); .* demand \(37,\)\."):
        observations(ObservationState(np.zeros(99, np.float32), np.array(False)), REPORT, COMMAND, ACTION)


@pytest.mark.parametrize("mask", [np.array([0, 1]), np.array(True), np.array([True]), np.array([0.0, 1.0])])
def test_a_mask_that_is_not_boolean_of_the_batch_shape_is_refused(mask) -> None:
    observations = Observations(small_contract())
    with pytest.raises(SurefootError) as caught:
        observations.reset(observations.initial((2,)), mask)
    assert str(caught.value) == (
        f"mask is {mask.dtype} of shape {mask.shape}; it must be bool of shape (2,), the batch shape of the state: "
        "True where an episode begins."
    )
