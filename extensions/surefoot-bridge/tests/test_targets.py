"""What the joints are told, against numbers worked by hand."""

import itertools
import math
from dataclasses import fields, replace

import numpy as np
import pytest
from contracts import quadruped_contract, small_contract

from surefoot_bridge.errors import SurefootError
from surefoot_bridge.policy import Targets, TargetState
from surefoot_bridge.state import each

HALF_LIFE_HZ = math.log(2.0) / (2.0 * math.pi * 0.02)
"""Cut-off at which the filter goes half the way in a control step of 0.02 s: exp(-2 pi f 0.02 s) = 1/2."""


def filtered(contract, low_pass_hz):
    return replace(contract, action=replace(contract.action, low_pass_hz=low_pass_hz))


def positions(targets, actions, state=None):
    """Position targets of one robot, step by step."""
    state, told = state or targets.initial(()), []
    for action in actions:
        command, state = targets(state, np.array(action))
        told.append(command.joint_pos_rad)
    return np.array(told)


def test_a_command_is_in_the_order_of_the_interface_with_the_gains_of_the_contract() -> None:
    # Of the joints a, b, c: 0.1 + 0.25 * 1, 0.2 - 0.26 * 1, 0.3 + 0.27 * 2; the interface has c, a, b.
    targets = Targets(small_contract())
    command, _ = targets(targets.initial(()), np.array([1.0, -1.0, 2.0], dtype=np.float32))
    np.testing.assert_allclose(command.joint_pos_rad, [0.84, 0.35, -0.06], rtol=1e-12)
    np.testing.assert_array_equal(command.joint_vel_rad_s, [0.0, 0.0, 0.0])
    np.testing.assert_array_equal(command.stiffness_nm_per_rad, [22.0, 20.0, 21.0])
    np.testing.assert_array_equal(command.damping_nms_per_rad, [0.52, 0.5, 0.51])
    np.testing.assert_array_equal(command.torque_nm, [0.0, 0.0, 0.0])


@pytest.mark.parametrize("name", quadruped_contract().robot.joint_names)
def test_an_action_moves_the_joint_of_its_name_and_no_other(name: str) -> None:
    contract = quadruped_contract()
    robot, targets = contract.robot, Targets(contract)
    in_sdk, in_policy = robot.sdk_joint_names.index(name), robot.joint_names.index(name)
    action = np.zeros(12)
    action[in_policy] = 1.0
    moved = positions(targets, [action])[0] - positions(targets, [np.zeros(12)])[0]
    assert np.flatnonzero(moved).tolist() == [in_sdk]
    assert moved[in_sdk] == pytest.approx(contract.action.scale_rad[in_policy])


def test_an_action_of_zero_asks_for_the_default_pose() -> None:
    told = positions(Targets(small_contract()), [[0.0, 0.0, 0.0]])
    np.testing.assert_allclose(told, [[0.3, 0.1, 0.2]], rtol=1e-15)


def test_a_target_goes_beyond_the_limits_unless_training_clamped_it_before_the_filter() -> None:
    # a: 0.1 + 0.25 * 9 = 2.35, of a range up to 2; of b and c nothing is asked. The filter goes half the way from 0.1.
    contract = small_contract()
    np.testing.assert_allclose(positions(Targets(contract), [[9.0, 0.0, 0.0]]), [[0.3, 2.35, 0.2]], rtol=1e-12)
    clamped = replace(contract, action=replace(contract.action, clamped_to_limits=True))
    np.testing.assert_allclose(positions(Targets(clamped), [[9.0, 0.0, 0.0]]), [[0.3, 2.0, 0.2]], rtol=1e-12)
    told = positions(Targets(filtered(clamped, HALF_LIFE_HZ)), [[0.0, 0.0, 0.0], [9.0, 0.0, 0.0]])
    np.testing.assert_allclose(told, [[0.3, 0.1, 0.2], [0.3, 1.05, 0.2]], rtol=1e-12)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_an_action_is_clipped_before_it_is_scaled(dtype: str) -> None:
    contract = small_contract()
    targets = Targets(replace(contract, action=replace(contract.action, clip_at=0.3)))
    told = positions(targets, [np.array([0.4, -1e9, 0.2], dtype)])[0]
    # 0.3 + 0.27 * 0.2, 0.1 + 0.25 * 0.3, 0.2 - 0.26 * 0.3
    np.testing.assert_allclose(told, [0.354, 0.175, 0.122], rtol=1e-7)
    np.testing.assert_allclose(told[1:], [0.175, 0.122], rtol=1e-15)


def test_without_a_filter_a_target_does_not_depend_on_those_before() -> None:
    told = positions(Targets(small_contract()), [[5.0, 5.0, 5.0], [1.0, -1.0, 2.0]])
    np.testing.assert_allclose(told[1], [0.84, 0.35, -0.06], rtol=1e-12)


def test_the_filter_starts_at_the_first_target_and_goes_half_the_way_at_its_half_life() -> None:
    targets = Targets(filtered(small_contract(), HALF_LIFE_HZ))
    told = positions(targets, [[4.0, 0.0, 0.0], *[[0.0, 0.0, 0.0]] * 3])
    # Joint a is the interface's second: from 0.1 + 0.25 * 4 back to 0.1.
    np.testing.assert_allclose(told[:, 1], [1.1, 0.6, 0.35, 0.225], rtol=1e-12)
    np.testing.assert_allclose(told[:, [0, 2]], [[0.3, 0.2]] * 4, rtol=1e-12)


@pytest.mark.parametrize("low_pass_hz", [0.5, 5.0, 25.0, 1e6])
def test_the_filter_is_exact_for_a_target_that_is_held(low_pass_hz: float) -> None:
    contract = filtered(small_contract(), low_pass_hz)
    told = positions(Targets(contract), [[0.0, 0.0, 0.0], *[[4.0, 0.0, 0.0]] * 6])[:, 1]
    time_s = 0.02 * np.arange(7)
    np.testing.assert_allclose(told, 0.1 + 1.0 - np.exp(-2.0 * math.pi * low_pass_hz * time_s), rtol=1e-12)
    twice = replace(contract, timing=replace(contract.timing, control_period_s=0.04))
    coarse = positions(Targets(twice), [[0.0, 0.0, 0.0], *[[4.0, 0.0, 0.0]] * 3])[:, 1]
    np.testing.assert_allclose(coarse, told[::2], rtol=1e-12)


def test_a_reset_in_the_middle_of_a_batch_starts_the_filter_of_those_robots_alone() -> None:
    targets = Targets(filtered(small_contract(), HALF_LIFE_HZ))
    far, near = np.full((3, 3), 4.0), np.zeros((3, 3))
    _, state = targets(targets.initial((3,)), far)
    command, after = targets(targets.reset(state, np.array([False, True, False])), near)
    np.testing.assert_allclose(command.joint_pos_rad[:, 1], [0.6, 0.1, 0.6], rtol=1e-12)
    command, _ = targets(after, far)
    np.testing.assert_allclose(command.joint_pos_rad[:, 1], [0.85, 0.6, 0.85], rtol=1e-12)


def test_a_reset_forgets_a_target_that_was_not_a_number() -> None:
    targets = Targets(filtered(small_contract(), HALF_LIFE_HZ))
    _, state = targets(targets.initial(()), np.full(3, np.nan))
    assert np.isnan(positions(targets, [np.zeros(3)], state)).all()
    told = positions(targets, [np.zeros(3)], targets.reset(state, np.array(True)))
    np.testing.assert_allclose(told, [[0.3, 0.1, 0.2]], rtol=1e-15)


@pytest.mark.parametrize("low_pass_hz", [None, 3.0])
@pytest.mark.parametrize("batch_shape", [(5,), (2, 3)])
def test_single_robots_are_told_bit_for_bit_what_they_are_told_in_a_batch(batch_shape, low_pass_hz) -> None:
    rng, targets = np.random.default_rng(1), Targets(filtered(quadruped_contract(), low_pass_hz))
    places = list(itertools.product(*map(range, batch_shape)))
    state = targets.initial(batch_shape)
    singles = {place: targets.initial(()) for place in places}
    for _ in range(6):
        mask = rng.random(batch_shape) < 0.3
        action = (8.0 * rng.normal(size=(*batch_shape, 12))).astype(np.float32)
        told, state = targets(targets.reset(state, mask), action)
        for place in places:
            alone, singles[place] = targets(targets.reset(singles[place], mask[place]), action[place])
            in_batch = each(told, lambda array, place=place: array[place])
            for item in fields(alone):
                assert getattr(alone, item.name).tobytes() == getattr(in_batch, item.name).tobytes()


@pytest.mark.parametrize("low_pass_hz", [None, 3.0])
@pytest.mark.parametrize("batch_shape", [(), (4,)])
def test_what_goes_in_is_not_changed_and_what_comes_out_shares_no_memory(batch_shape, low_pass_hz) -> None:
    targets = Targets(filtered(small_contract(), low_pass_hz))
    action, mask = np.ones((*batch_shape, 3)), np.ones(batch_shape, dtype=bool)
    initial = targets.initial(batch_shape)
    _, later = targets(initial, action)
    for state in (initial, later):
        went_in = [state.joint_pos_rad, state.fresh, action, mask]
        for array in went_in:
            array.flags.writeable = False
        told, following = targets(state, action)
        again = targets.reset(state, mask)
        came_out = [getattr(told, item.name) for item in fields(told)]
        came_out += [following.joint_pos_rad, following.fresh, again.joint_pos_rad, again.fresh]
        for array, other in [*itertools.product(came_out, went_in), *itertools.combinations(came_out, 2)]:
            assert isinstance(array, np.ndarray)
            assert not np.shares_memory(array, other)


def test_changing_a_command_does_not_change_the_next_one() -> None:
    targets = Targets(small_contract())
    command, state = targets(targets.initial(()), np.zeros(3))
    for item in fields(command):
        getattr(command, item.name)[:] = 99.0
    np.testing.assert_array_equal(targets(state, np.zeros(3))[0].stiffness_nm_per_rad, [22.0, 20.0, 21.0])


def test_an_action_and_a_state_of_another_shape_are_refused() -> None:
    targets = Targets(small_contract())
    with pytest.raises(SurefootError) as caught:
        targets(targets.initial((2,)), np.zeros(3))
    assert str(caught.value) == (
        "action has shape (3,); the contract and a state of batch shape (2,) demand (2, 3). "
        "Give what the contract describes, and begin with `initial` of its batch shape."
    )
    with pytest.raises(SurefootError, match=r"^action has shape \(12,\); .* demand \(3,\)\."):
        targets(targets.initial(()), np.zeros(12))
    with pytest.raises(SurefootError, match=r"^state.joint_pos_rad has shape \(12,\); .* demand \(3,\)\."):
        targets(TargetState(np.zeros(12), np.array(False)), np.zeros(3))
    with pytest.raises(SurefootError, match=r"^mask is int64 of shape \(1,\); it must be bool of shape \(2,\)"):
        targets.reset(targets.initial((2,)), np.array([1]))
