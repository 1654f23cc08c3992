"""Severity, latching, and batches of the safety layer."""

import math
import warnings
from dataclasses import replace

import numpy as np
import pytest
from batches import arrays, assert_alike, robot
from contracts import quadruped_contract
from garbage import random_tick
from safety_cases import CONTRACT, FALLS, LIMITS, POSE, TICK_S, Watch, command, good_inputs, good_report

from surefoot_bridge.errors import SurefootError
from surefoot_bridge.safety import Response, Safety
from surefoot_bridge.state import each, flat

TILTED = {"imu_quat_wxyz": np.array([0.0, 1.0, 0.0, 0.0])}


def test_responses_are_ordered_by_severity() -> None:
    ladder = ["NONE", "CLAMP", "STOP", "HOLD", "STAND", "DAMP", "ZERO"]
    assert [response.name for response in sorted(Response)] == ladder


def test_nothing_happens_to_a_robot_that_is_well() -> None:
    watch = Watch()
    for _ in range(50):
        verdict = watch.check()
        assert (verdict.response, watch.names(verdict), watch.safety.events(verdict)) == (Response.NONE, [], ())


def test_the_most_severe_response_wins() -> None:
    faults = {
        Response.CLAMP: {"velocity_command": np.array([9.0, 0.0, 0.0])},
        Response.STOP: {"operator_age_s": 9.0},
        Response.HOLD: {"lateness_s": 9.0},
        Response.DAMP: {"operator_stop": True},
    }
    for number, worst in enumerate(faults, 1):
        at_once = {
            name: value for response, fault in faults.items() if response <= worst for name, value in fault.items()
        }
        watch = Watch()
        verdict = watch.check(**at_once)
        assert verdict.response == worst
        assert len(watch.names(verdict)) == number
    watch = Watch()
    for _ in range(401):
        verdict = watch.check(
            measured=TILTED, **{key: value for fault in faults.values() for key, value in fault.items()}
        )
    assert verdict.response == Response.ZERO
    assert watch.names(verdict) == [
        "velocity_command",
        "operator_stop",
        "operator_lost",
        "tilt",
        "fallen",
        "deadline",
    ]


def test_a_hold_ends_with_its_cause_and_begins_again_with_it() -> None:
    watch = Watch()
    for cause in (True, True, False, True, False, False):
        verdict = watch.check(policy_failed=cause)
        assert verdict.response == (Response.HOLD if cause else Response.NONE)
        assert [event.rule for event in watch.safety.events(verdict)] in ([], ["policy_failed"])


def test_a_hold_that_lasts_too_long_is_answered_by_standing() -> None:
    watch, longest = Watch(), round(LIMITS.longest_hold_s / TICK_S)
    watch.check()
    responses = [watch.check(lateness_s=1.0).response for _ in range(2 * longest)]
    assert responses == [Response.HOLD] * (longest - 1) + [Response.STAND] * (longest + 1)
    verdict = watch.check()
    assert verdict.response == Response.NONE
    # Ten times as long a time without a hold counts it off.
    for _ in range(5 * longest):
        watch.check()
    assert watch.state.held_s == pytest.approx(LIMITS.longest_hold_s / 2.0, abs=TICK_S)
    assert watch.check(lateness_s=1.0).response == Response.HOLD


def test_holds_that_come_again_and_again_are_one_long_hold() -> None:
    watch = Watch()
    responses = [watch.check(lateness_s=1.0 if tick % 2 else 0.0).response for tick in range(400)]
    first = responses.index(Response.STAND)
    # Of two ticks one is held, and the other takes a tenth of it back.
    assert first * TICK_S == pytest.approx(LIMITS.longest_hold_s / 0.45, abs=3 * TICK_S)


SHAKEN = command(target=POSE + np.array([0.7, 0.0, 0.0]))  # 30 rad/s let a target move by 0.6 rad in a control step


def shaken(tick):
    return SHAKEN if tick % 2 else command()


def test_a_policy_that_asks_for_what_no_trained_one_does_is_obeyed_for_a_control_step_at_most() -> None:
    longest = round(LIMITS.longest_doubt_s / TICK_S)
    watch = Watch()
    watch.check()
    responses = [int(watch.check(shaken(tick)).response) for tick in range(60)]
    first = responses.index(Response.STAND)
    assert set(responses[:first]) <= {Response.NONE, Response.CLAMP}
    assert longest <= first <= 4 * longest


def test_an_action_that_training_would_have_clipped_is_not_obeyed_at_all() -> None:
    watch, longest = Watch(), round(LIMITS.longest_hold_s / TICK_S)
    watch.check()
    verdicts = [watch.check(action=np.array([11.0, 0.0, 0.0])) for _ in range(2 * longest)]
    assert [int(v.response) for v in verdicts] == [Response.HOLD] * (longest - 1) + [Response.STAND] * (longest + 1)


def test_a_step_of_nonsense_twice_a_second_holds_the_robot_for_as_long_and_it_walks_on() -> None:
    watch, step = Watch(), round(CONTRACT.timing.control_period_s / TICK_S)
    responses = [int(watch.check(action=np.full(3, 11.0 * (tick % 100 < step))).response) for tick in range(1, 2000)]
    assert set(responses) == {Response.NONE, Response.HOLD}


BENT = {"joint_pos_rad": POSE + np.array([0.0, 0.0, 1.7])}  # 0.1 rad within the end of the range, which is 2


def beyond(rad):
    """A command to a bent robot whose target is so far beyond the end of the range."""
    return command(target=POSE + np.array([0.0, 0.0, 1.8 + rad]))


def test_targets_beyond_a_range_for_no_longer_than_a_trained_policys_are_clamped_however_often_they_come() -> None:
    """A trained policy asks for them: of 68 of 608 steps of a Go2 that walks, a target is beyond a joint's range."""
    watch, step = Watch(), round(0.06 / TICK_S)
    for tick in range(1000):
        is_beyond = tick % (8 * step) < step and tick >= step
        verdict = watch.check(beyond(0.1 if is_beyond else -0.1), measured=BENT)
        assert verdict.response == (Response.CLAMP if is_beyond else Response.NONE)


def test_a_target_beyond_its_range_is_clamped_for_a_while_and_then_doubted() -> None:
    watch = Watch()
    watch.check(beyond(-0.1), measured=BENT)
    responses = [int(watch.check(beyond(0.1), measured=BENT).response) for _ in range(100)]
    # The first finds it, 80 later it has lasted for 0.4 s, and that tick and three more are the doubt of 0.02 s.
    assert responses == [Response.CLAMP] * 83 + [Response.STAND] * 17


def test_a_command_far_beyond_its_range_is_not_obeyed_at_all_and_the_robot_stands() -> None:
    cases = (
        # A target 1.01 rad beyond asks for too much torque, too: the robot is held for as long as a doubt may last.
        (beyond(1.01), LIMITS.longest_doubt_s),
        (replace(beyond(-0.1), damping_nms_per_rad=np.array([0.5, -0.1, 0.5])), LIMITS.longest_hold_s),
        (replace(beyond(-0.1), stiffness_nm_per_rad=np.array([300.0, 20.0, 21.0])), LIMITS.longest_hold_s),
        (replace(beyond(-0.1), joint_vel_rad_s=np.array([21.0, 0.0, 0.0])), LIMITS.longest_hold_s),
    )
    for far, longest_s in cases:
        watch, longest = Watch(), round(longest_s / TICK_S)
        watch.check(beyond(-0.1), measured=BENT)
        verdicts = [watch.check(far, measured=BENT) for _ in range(longest)]
        assert "command_far" in watch.names(verdicts[0])
        assert [int(verdict.response) for verdict in verdicts] == [Response.HOLD] * (longest - 1) + [Response.STAND]
        for verdict in verdicts:
            np.testing.assert_allclose(verdict.command.joint_pos_rad, BENT["joint_pos_rad"], rtol=1e-12)
    watch = Watch()
    watch.check(beyond(-0.1), measured=BENT)
    assert watch.check(beyond(0.99), measured=BENT).response == Response.CLAMP


PULLED = command(target=POSE + np.array([0.15, 0.0, 0.0]), stiffness=[200.0, 20.0, 21.0])
"""Asks for 30 N m, of which 18.976 are allowed."""


def test_a_torque_beyond_the_stages_is_clamped_for_less_than_a_control_step_and_then_doubted() -> None:
    watch = Watch()
    watch.check()
    responses = [int(watch.check(PULLED).response) for _ in range(8)]
    assert responses == [Response.CLAMP] * 3 + [Response.STAND] * 5
    watch = Watch()
    responses = [int(watch.check(PULLED if tick % 40 < 3 else command()).response) for tick in range(1000)]
    assert set(responses) == {Response.NONE, Response.CLAMP}


def test_who_is_made_to_stand_is_held_at_the_targets_before_the_doubt_and_hands_them_over() -> None:
    watch = Watch()
    watch.check()
    verdicts = [watch.check(PULLED) for _ in range(round(LIMITS.longest_doubt_s / TICK_S))]
    assert verdicts[-2].command.joint_pos_rad[0] == pytest.approx(0.3 + 18.976 / 200.0)
    assert verdicts[-1].response == Response.STAND
    np.testing.assert_array_equal(verdicts[-1].command.joint_pos_rad, POSE)
    np.testing.assert_array_equal(verdicts[-1].handed_over[:3], POSE)
    assert verdicts[-2].handed_over is verdicts[-2].sent


def test_a_policy_does_not_stand_for_the_clamps_of_a_robot_that_it_does_not_drive() -> None:
    watch = Watch()
    responses = [int(watch.check(shaken(tick), walking=False).response) for tick in range(100)]
    assert Response.CLAMP in responses
    assert Response.STAND not in responses


def test_an_old_report_among_new_ones_is_no_reason_to_hold_a_robot_and_old_ones_alone_are() -> None:
    watch = Watch()
    for tick in range(200):  # every third comes after the one that follows it
        swapped = {"measured": {"sequence": 1000 + tick - 2}} if tick % 3 == 2 else {}
        assert watch.check(**swapped).response == Response.NONE
    responses = [watch.check(measured={"sequence": 7}).response for _ in range(5)]
    assert responses == [Response.NONE] * 4 + [Response.HOLD]  # after 20 ms


def test_a_humanoid_that_has_been_held_too_long_is_damped_for_it_does_not_stand_without_its_policy() -> None:
    watch = Watch(FALLS)
    responses = [int(watch.check(policy_failed=True).response) for _ in range(100)]
    assert set(responses) == {Response.HOLD, Response.DAMP}
    watch = Watch(FALLS)
    responses = [int(watch.check(lateness_s=1.0, walking=False).response) for _ in range(100)]
    assert set(responses) == {Response.HOLD, Response.STAND}


def test_of_a_humanoid_what_its_policy_asks_too_much_of_is_clamped_for_as_long_as_it_lasts() -> None:
    watch = Watch(FALLS)
    watch.check()
    assert {int(watch.check(shaken(tick)).response) for tick in range(100)} <= {Response.NONE, Response.CLAMP}


def test_a_robot_that_would_be_stopped_at_once_is_not_let_walk() -> None:
    watch = Watch()
    for tick in range(101):
        verdict = watch.check(walking=False, measured={"motor_temperature_c": np.full(3, 85.0)})
        assert verdict.response == Response.NONE
        assert watch.safety.forbids_walking(verdict.state) == (tick >= 100)  # its grace is 0.5 s
    assert watch.safety.against_walking(verdict.state) == ("motor_warm",)


def test_an_event_is_told_once_when_its_rule_begins_to_act() -> None:
    watch = Watch()
    verdicts = [watch.check(wrong_crc=cause) for cause in (False, True, True, True, False, True)]
    told = [[event.rule for event in watch.safety.events(verdict)] for verdict in verdicts]
    assert told == [[], ["report_crc"], [], [], [], ["report_crc"]]


def test_damp_is_left_by_the_operators_release_alone() -> None:
    watch = Watch()
    watch.check(operator_stop=True)
    for _ in range(300):
        assert watch.check().response == Response.DAMP
    assert watch.check(operator_stop=True, operator_release=True).response == Response.DAMP  # the stop is still given
    assert watch.check(operator_release=True).response == Response.DAMP  # the release must be given anew
    assert watch.check(operator_release=False).response == Response.DAMP
    verdict = watch.check(operator_release=True)
    assert (verdict.response, watch.names(verdict)) == (Response.NONE, [])
    assert (
        watch.check(operator_release=True, operator_stop=True).response == Response.DAMP
    )  # a held key does not release
    assert watch.check(operator_release=True).response == Response.DAMP


def test_zero_is_latched_and_not_softened_by_what_is_less_severe() -> None:
    watch = Watch()
    for _ in range(401):
        watch.check(measured=TILTED)
    assert watch.check().response == Response.ZERO
    assert watch.check(operator_stop=True).response == Response.ZERO
    assert watch.check(operator_release=True).response == Response.NONE


def test_a_release_accepts_a_robot_that_counts_from_the_start_again() -> None:
    watch = Watch()
    for tick in range(30):
        verdict = watch.check(
            report=good_report(tick, sequence=1000 if tick < 5 else 1, time_s=100.0 if tick < 5 else 1.0)
        )
    assert verdict.response == Response.DAMP
    assert {"report_order", "report_lost"} <= set(watch.names(verdict))
    restarted = good_report(30, sequence=2, time_s=1.0)
    verdict = watch.check(report=restarted, operator_release=True)
    assert (verdict.response, watch.names(verdict)) == (Response.NONE, [])


def test_reports_that_stay_away_hold_the_robot_first_and_damp_it_later() -> None:
    """Stale from 40 ms, lost 100 ms later: an age grows by 5 ms a tick."""
    watch = Watch()
    watch.check()
    last = good_report(0)
    found = [int(watch.check(report=last, report_age_s=0.005 * tick).response) for tick in range(1, 40)]
    # Repeated from tick 1 on: held after 20 ms (tick 5), lost after 100 ms (tick 21); in between it stands.
    held = min(round(LIMITS.longest_hold_s / TICK_S) - 1, 16)
    assert found == [0] * 4 + [Response.HOLD] * held + [Response.STAND] * (16 - held) + [Response.DAMP] * 19


def test_a_clock_that_goes_back_or_jumps_is_caught_on_both_sides() -> None:
    for changes in ({"time_s": -1.0}, {"measured": {"time_s": 99.0}}):
        watch = Watch()
        watch.check()
        assert watch.names(watch.check(**changes)) == ["clock_back", "clock_jump_back"]
        verdict = Watch().check(**changes)
        assert verdict.response == Response.NONE  # the first time may be any
    for changes, component in (({"time_s": 50.0}, "loop"), ({"measured": {"time_s": 150.0}}, "robot")):
        watch = Watch()
        watch.check()
        verdict = watch.check(**changes)
        (event,) = watch.safety.events(verdict)
        assert (event.rule, event.component, verdict.response) == ("clock_jump", component, Response.DAMP)
        assert event.message.startswith(
            "A clock jumps ahead (loop: this computer slept or was held up; robot: its clock"
        )
    for nothing in (math.nan, math.inf):
        watch = Watch()
        watch.check()
        assert watch.check(time_s=nothing).response == Response.DAMP


@pytest.mark.parametrize("share", [0.005, 0.1])
def test_single_robots_and_a_batch_are_judged_alike_bit_for_bit(share: float) -> None:
    safety, rng, num = Safety(quadruped_contract(), LIMITS), np.random.default_rng(7), 16
    batch, singles = safety.initial((num,)), [safety.initial(()) for _ in range(num)]
    for tick in range(40):
        inputs, told = random_tick(rng, 12, (num,), tick, share)
        verdict = safety.check(batch, inputs, told)
        alone = [safety.check(singles[i], robot(inputs, i), robot(told, i)) for i in range(num)]
        batch, singles = verdict.state, [single.state for single in alone]
        assert_alike(alone, verdict)
        events = tuple(replace(event, robot=(i,)) for i in range(num) for event in safety.events(alone[i]))
        assert repr(events) == repr(safety.events(verdict))  # of which some values are no number


def test_a_batch_of_any_shape_is_judged() -> None:
    safety = Safety(quadruped_contract(), LIMITS)
    inputs, told = random_tick(np.random.default_rng(3), 12, (2, 3), 0, 0.05)
    verdict = safety.check(safety.initial((2, 3)), inputs, told)
    assert (verdict.response.shape, verdict.command.joint_pos_rad.shape) == ((2, 3), (2, 3, 12))
    assert verdict.active.shape == (2, 3, len(safety.rules))
    assert safety.check(
        safety.initial((0,)), *random_tick(np.random.default_rng(3), 12, (0,), 0, 0.0)
    ).response.shape == (0,)


def test_a_reset_forgets_what_was_of_some_robots_alone() -> None:
    safety = Safety(quadruped_contract(), LIMITS)
    state = safety.initial((3,))
    for tick in range(5):
        inputs, told = random_tick(np.random.default_rng(tick), 12, (3,), tick, 0.0)
        state = safety.check(state, inputs._replace(operator_stop=np.ones(3, dtype=bool)), told).state
    assert state.latched.tolist() == [Response.DAMP] * 3
    after, anew = safety.reset(state, np.array([False, True, False])), safety.initial((3,))
    for now, before, first in zip(arrays(after), arrays(state), arrays(anew)):
        np.testing.assert_array_equal(now[1], first[1])
        np.testing.assert_array_equal(now[[0, 2]], before[[0, 2]])
        assert now.dtype == first.dtype


def test_a_state_is_not_changed_by_a_check() -> None:
    watch = Watch()
    for tick in range(4):
        state = watch.state
        before = [array.copy() for array in arrays(state)]
        watch.check(command(target=5.0 * tick), operator_stop=tick == 3, measured=TILTED if tick == 2 else {})
        for now, then in zip(arrays(state), before):
            np.testing.assert_array_equal(now, then)


def test_garbage_gives_no_warning() -> None:
    safety = Safety(quadruped_contract(), LIMITS)
    state, rng = safety.initial((50,)), np.random.default_rng(1)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for tick in range(20):
            state = safety.check(state, *random_tick(rng, 12, (50,), tick, 0.3)).state


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"action": np.zeros(2)}, r"action is given as \(2,\), .* demand \(3,\)"),
        ({"velocity_command": np.zeros(4)}, r"velocity_command is given as \(4,\)"),
        ({"lateness_s": np.zeros(2)}, r"lateness_s is given as \(2, 1\), .* demand \(1,\); one number"),
        ({"report": good_report(joint_pos_rad=np.zeros(4))}, r"report.joint_pos_rad is given as \(4,\)"),
        ({"report": good_report(imu_quat_wxyz=np.zeros(3))}, r"report.imu_quat_wxyz is given as \(3,\)"),
        ({"report": good_report(foot_force_n=np.zeros(3))}, r"report.foot_force_n is given as \(3,\)"),
        ({"report": good_report(sequence=np.zeros(2))}, r"report.sequence has shape \(2,\); the state demands \(\)"),
    ],
)
def test_an_array_of_another_shape_is_refused(changes: dict, words: str) -> None:
    watch = Watch()
    with pytest.raises(SurefootError, match=words):
        watch.safety.check(watch.state, good_inputs(0, **changes), flat(command()))


def test_a_command_of_another_shape_is_refused() -> None:
    watch = Watch()
    with pytest.raises(SurefootError, match=r"command is given as \(14,\), .* demand \(15,\)"):
        watch.safety.check(watch.state, good_inputs(), flat(replace(command(), torque_nm=np.zeros(2))))


def test_a_mask_of_another_shape_is_refused() -> None:
    safety = Watch().safety
    with pytest.raises(SurefootError, match="mask is bool of shape"):
        safety.reset(safety.initial((2,)), np.array([True]))


def test_plain_numbers_do_for_a_single_robot_in_either_precision() -> None:
    watch, told = Watch(), command()
    report = each(good_report(), lambda array: array if array.dtype == np.int64 else array.astype(np.float32))
    verdict = watch.check(
        each(told, lambda array: array.astype(np.float32)), report=report, action=np.zeros(3, np.float32)
    )
    assert verdict.response == Response.NONE
    assert verdict.command.joint_pos_rad.dtype == np.float64
