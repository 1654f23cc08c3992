"""What leaves the safety layer is within the limits, against numbers worked by hand and against garbage."""

import math
from dataclasses import fields, replace

import numpy as np
import pytest
from contracts import quadruped_contract
from garbage import random_tick
from safety_cases import DAMPING, LIMITS, POSE, STIFFNESS, TICK_S, Watch, command

from surefoot_bridge.safety import Response, Safety
from surefoot_bridge.state import flat

# Joint c: torque allowed 18.976 N m, target rate 30.02 rad/s, in a tick of 5 ms 0.1501 rad.
STIFF = np.array([200.0, 20.0, 21.0])


def of_c(number):
    return np.array([number, 0.1, 0.2])


def test_a_command_within_all_limits_leaves_as_it_came() -> None:
    told = command(target=of_c(0.31), velocity=0.5, torque=1.0)
    verdict = Watch().check(told)
    assert verdict.response == Response.NONE
    np.testing.assert_array_equal(flat(verdict.command), flat(told))


def test_of_a_command_only_what_is_beyond_its_limits_is_changed() -> None:
    told = command(target=of_c(2.5), velocity=0.5, torque=1.0)
    verdict = Watch().check(told)
    assert verdict.response == Response.CLAMP
    np.testing.assert_allclose(verdict.command.joint_pos_rad, of_c(0.4501), rtol=1e-12)
    np.testing.assert_array_equal(flat(verdict.command)[3:], flat(told)[3:])
    watch = Watch()  # what no policy chooses is held; a robot that has stood so for long enough goes on, with the rest
    for _ in range(1 + round(LIMITS.longest_hold_s / TICK_S)):
        far = command(target=of_c(2.5), velocity=[0.0, 50.0, -50.0], damping=[0.52, -1.0, 1e6])
        verdict = watch.check(far, walking=False)
    assert verdict.response == Response.STAND
    np.testing.assert_allclose(verdict.command.joint_pos_rad, of_c(0.9004), rtol=1e-12)
    np.testing.assert_array_equal(verdict.command.joint_vel_rad_s, [0.0, 20.0, -20.01])
    np.testing.assert_array_equal(verdict.command.stiffness_nm_per_rad, STIFFNESS)
    # b: 47.42 N m s/rad is 23.71 N m at 0.5 rad/s; with the velocity it asks for too much, and is lowered.
    np.testing.assert_allclose(verdict.command.damping_nms_per_rad, [0.52, 0.0, 0.8 * 23.71 / 20.01], rtol=1e-12)


def test_a_target_moves_no_faster_than_its_rate_and_arrives() -> None:
    watch, targets = Watch(), []
    for _ in range(4):  # the joint follows, so that no torque stands in the way
        told = watch.check(command(target=of_c(0.7)), measured={"joint_pos_rad": of_c(targets[-1] if targets else 0.3)})
        targets.append(told.command.joint_pos_rad[0])
    np.testing.assert_allclose(targets, [0.4501, 0.6002, 0.7, 0.7], rtol=1e-12)


def test_a_pause_is_not_made_up_for() -> None:
    watch = Watch()
    watch.check()
    verdict = watch.check(command(target=of_c(1.9)), time_s=0.405, walking=False)
    assert verdict.command.joint_pos_rad[0] == pytest.approx(0.3 + 30.02 * 0.02, rel=1e-12)


def test_two_checks_at_once_have_the_move_of_one() -> None:
    watch = Watch()
    for _ in range(2):
        verdict = watch.check(command(target=of_c(1.9)), time_s=0.0)
        assert verdict.command.joint_pos_rad[0] == pytest.approx(0.4501, rel=1e-12)


def test_an_action_moves_a_target_at_once_and_again_in_the_next_control_step() -> None:
    """By two thirds of the largest move, as in training at most, each 20 ms; from 0.3 to 0.7 and back."""
    watch = Watch()
    for _ in range(4):
        watch.check()
    for step in range(3):
        target = of_c(0.7 if step % 2 == 0 else 0.3)
        for _ in range(4):
            verdict = watch.check(command(target=target), measured={"joint_pos_rad": of_c(0.5)})
            assert watch.names(verdict) == []
            np.testing.assert_array_equal(verdict.command.joint_pos_rad, target)
    watch.check(command(target=of_c(0.3)), measured={"joint_pos_rad": of_c(0.5)})
    verdict = watch.check(command(target=of_c(0.7)), measured={"joint_pos_rad": of_c(0.5)})  # too soon: 5 ms later
    assert watch.names(verdict) == ["target_rate"]
    assert verdict.command.joint_pos_rad[0] == pytest.approx(0.3 + 30.02 * 0.025 - 0.4, rel=1e-12)


def test_too_much_torque_moves_the_target_towards_the_joint() -> None:
    verdict = Watch().check(command(target=of_c(0.45), stiffness=STIFF))
    assert verdict.command.joint_pos_rad[0] == pytest.approx(0.3 + 18.976 / 200.0, rel=1e-12)
    assert verdict.command.stiffness_nm_per_rad[0] == 200.0
    verdict = Watch().check(command(target=of_c(0.45), stiffness=STIFF), measured={"joint_vel_rad_s": [2.0, 0.0, 0.0]})
    assert verdict.command.joint_pos_rad[0] == pytest.approx(0.3 + (18.976 + 0.52 * 2.0) / 200.0, rel=1e-12)


def test_where_damping_alone_asks_for_too_much_the_joint_brakes_with_all_that_is_allowed() -> None:
    moving = {"joint_vel_rad_s": [15.0, 0.0, 0.0]}
    for target, expected in ((0.25, 0.3), (0.3, 0.3), (0.31, 0.31)):  # the last one brakes itself with 2 N m
        told = command(target=of_c(target), stiffness=STIFF, damping=[2.0, 0.5, 0.51])  # 2 * 15 = 30 N m
        verdict = Watch().check(told, measured=moving)
        assert verdict.command.joint_pos_rad[0] == pytest.approx(expected, rel=1e-12)
        assert verdict.command.damping_nms_per_rad[0] == pytest.approx(18.976 / 15.0, rel=1e-12)
        assert verdict.command.stiffness_nm_per_rad[0] == 200.0


def test_damping_and_stiffness_that_cancel_each_other_are_left_alone() -> None:
    told = command(target=of_c(0.44), stiffness=STIFF, damping=[2.0, 0.5, 0.51])  # 28 - 30 N m
    verdict = Watch().check(told, measured={"joint_vel_rad_s": [15.0, 0.0, 0.0]})
    assert verdict.response == Response.NONE
    np.testing.assert_array_equal(flat(verdict.command), flat(told))


def test_a_joint_that_is_out_of_reach_of_its_target_gets_less_stiffness() -> None:
    watch = Watch()
    watch.check()
    verdict = watch.check(measured={"joint_pos_rad": of_c(1.5)})  # the encoder jumps; the target may reach 0.6002
    assert verdict.command.joint_pos_rad[0] == pytest.approx(0.6002, rel=1e-12)
    assert verdict.command.stiffness_nm_per_rad[0] == pytest.approx(18.976 / (1.5 - 0.6002), rel=1e-12)


def test_a_hold_keeps_the_targets_that_were_last_allowed_and_asks_for_no_motion() -> None:
    watch = Watch()
    watch.check(command(target=of_c(0.45)))
    verdict = watch.check(command(target=of_c(0.7), velocity=1.0, torque=2.0), lateness_s=1.0)
    assert verdict.response == Response.HOLD
    np.testing.assert_array_equal(verdict.command.joint_pos_rad, of_c(0.45))
    np.testing.assert_array_equal(verdict.command.joint_vel_rad_s, np.zeros(3))
    np.testing.assert_array_equal(verdict.command.torque_nm, np.zeros(3))
    np.testing.assert_array_equal(verdict.command.stiffness_nm_per_rad, STIFFNESS)
    np.testing.assert_array_equal(verdict.command.damping_nms_per_rad, DAMPING)


def test_a_hold_after_a_clamp_goes_back_to_the_targets_before_it() -> None:
    watch = Watch()
    assert watch.check(command(target=of_c(0.7))).command.joint_pos_rad[0] == pytest.approx(0.4501, rel=1e-12)
    verdict = watch.check(command(target=of_c(0.7)), lateness_s=1.0)
    assert verdict.response == Response.HOLD
    np.testing.assert_allclose(verdict.command.joint_pos_rad, POSE, rtol=1e-12)


def test_a_held_target_that_gave_way_to_a_push_comes_back() -> None:
    watch, targets = Watch(), []
    for tick in range(8):
        position = of_c(0.3 if tick in (0, 6, 7) else 1.4)
        verdict = watch.check(measured={"joint_pos_rad": position}, lateness_s=0.0 if tick == 0 else 1.0)
        targets.append(verdict.command.joint_pos_rad[0])
    assert targets[1] > 0.45  # towards the joint
    assert max(targets) == pytest.approx(1.4 - 18.976 / 22.0, rel=1e-12)
    assert targets[-1] == pytest.approx(0.3, rel=1e-12)


def test_a_joint_without_stiffness_is_not_held_but_followed_and_held_from_there_when_it_gets_some() -> None:
    watch, limp, targets = Watch(), command(stiffness=[0.0, 20.0, 21.0]), []
    for tick in range(6):
        joints = of_c(0.3 + 0.1 * min(tick, 3))
        told = limp if tick < 4 else command()
        verdict = watch.check(told, measured={"joint_pos_rad": joints}, lateness_s=1.0)
        targets.append(verdict.command.joint_pos_rad)
    np.testing.assert_allclose(np.array(targets)[:, 0], [0.3, 0.4, 0.5, 0.6, 0.6, 0.6], rtol=1e-12)
    np.testing.assert_array_equal(np.array(targets)[:, 1:], np.broadcast_to(POSE[1:], (6, 2)))


def test_the_first_target_counts_from_where_the_joint_is() -> None:
    told = command(target=[-1.1, 1.2, 1.9])
    verdict = Watch().check(told, measured={"joint_pos_rad": [-1.0, 1.1, 1.95]})
    assert verdict.response == Response.NONE
    np.testing.assert_array_equal(flat(verdict.command), flat(told))
    verdict = Watch().check(command(target=-1.5), measured={"joint_pos_rad": [-1.0, -1.45, -1.45]})
    assert verdict.command.joint_pos_rad[0] == pytest.approx(-1.1501, rel=1e-12)


def test_damping_that_is_lowered_to_the_limit_leaves_no_gain_undefined() -> None:
    """Rounding may leave the torque a hair above the limit where no stiffness is left to give."""
    safety, rng = Safety(quadruped_contract(), LIMITS), np.random.default_rng(4)
    inputs, _ = random_tick(rng, 12, (1000,), 0, 0.0)
    report = replace(inputs.report, joint_vel_rad_s=rng.uniform(-19.0, 19.0, (1000, 12)))
    zeros, damping = np.zeros((1000, 12)), rng.uniform(2.0, 40.0, (1000, 12))
    told = np.concatenate([report.joint_pos_rad, zeros, zeros + 20.0, damping, zeros], axis=-1)
    out = flat(safety.check(safety.initial((1000,)), inputs._replace(report=report), told).command)
    assert np.isfinite(out).all()


def test_damp_and_zero_let_the_targets_follow_the_joints_without_stiffness() -> None:
    watch = Watch()
    verdict = watch.check(
        measured={"joint_pos_rad": of_c(0.4), "joint_vel_rad_s": [10.0, 1.0, 0.0]}, operator_stop=True
    )
    np.testing.assert_allclose(verdict.command.joint_pos_rad, of_c(0.4), rtol=1e-12)
    np.testing.assert_array_equal(verdict.command.stiffness_nm_per_rad, np.zeros(3))
    np.testing.assert_allclose(verdict.command.damping_nms_per_rad, [18.976 / 10.0, 3.0, 3.0], rtol=1e-12)
    for _ in range(401):
        verdict = watch.check(measured={"imu_quat_wxyz": [0.0, 1.0, 0.0, 0.0]})
    assert verdict.response == Response.ZERO
    np.testing.assert_array_equal(flat(verdict.command)[3:], np.zeros(12))


def test_in_place_of_what_is_not_finite_stands_what_was_told_last() -> None:
    watch = Watch()
    watch.check(command(damping=[0.6, 0.7, 0.8]))
    verdict = watch.check(command(stiffness=[math.nan, 10.0, 11.0], damping=[math.inf, 0.1, -math.inf]))
    assert verdict.response == Response.HOLD
    np.testing.assert_array_equal(verdict.command.stiffness_nm_per_rad, [22.0, 10.0, 11.0])
    np.testing.assert_array_equal(verdict.command.damping_nms_per_rad, [0.6, 0.1, 0.8])


def test_a_first_report_that_is_garbage_gives_a_command_that_is_none() -> None:
    watch = Watch()
    verdict = watch.check(command(target=math.nan), measured={"joint_pos_rad": np.full(3, math.nan)})
    assert verdict.response == Response.HOLD
    np.testing.assert_array_equal(verdict.command.joint_pos_rad, POSE)
    np.testing.assert_array_equal(verdict.command.stiffness_nm_per_rad, STIFFNESS)


@pytest.mark.parametrize("share", [0.003, 0.05, 0.5])
def test_whatever_comes_in_what_leaves_is_finite_and_within_the_limits(share: float) -> None:
    """1000 trials of 25 ticks each."""
    contract, rng, shape = quadruped_contract(), np.random.default_rng(round(1e4 * share)), (1000,)
    safety, n = Safety(contract, LIMITS), 12
    state, last, last_s, seen_responses = safety.initial(shape), None, np.full(shape, np.nan), set()
    moved = np.zeros((*shape, n))
    bounds = safety.bounds
    for tick in range(25):
        inputs, told = random_tick(rng, n, shape, tick, share)
        verdict = safety.check(state, inputs, told)
        state = verdict.state
        out = flat(verdict.command)
        assert np.isfinite(out).all()
        assert ((out >= bounds.command_low) & (out <= bounds.command_high)).all()
        q, dq = state.seen.joint_pos_rad, state.seen.joint_vel_rad_s
        with np.errstate(over="ignore"):
            asked = (
                out[:, 2 * n : 3 * n] * (out[:, :n] - q)
                + out[:, 3 * n : 4 * n] * (out[:, n : 2 * n] - dq)
                + out[:, 4 * n :]
            )
        assert (np.abs(asked) <= bounds.torque_nm * (1 + 1e-9)).all()
        sane = np.isfinite(inputs.time_s)
        with np.errstate(invalid="ignore", over="ignore"):
            step = np.where(sane & ~np.isnan(last_s), np.clip(inputs.time_s - last_s, 0.0, 1.0), 0.0)
        if last is not None:
            known = ~np.isnan(last_s)
            moved = np.maximum(moved - bounds.rate_rad_s * step[:, None], 0.0) + np.abs(out[:, :n] - last)
            moved[~known] = 0.0
            assert (moved <= bounds.rate_rad_s * 0.02 * (1 + 1e-6)).all()
        last, last_s = out[:, :n], np.where(sane, inputs.time_s, last_s)
        codes = verdict.response
        np.testing.assert_array_equal(
            codes, np.maximum(np.where(verdict.active, safety_codes(safety), 0).max(-1), codes)
        )
        limp = codes >= Response.DAMP
        assert (out[limp, 2 * n : 3 * n] == 0.0).all()
        assert (out[codes == Response.ZERO, 2 * n :] == 0.0).all()
        seen_responses |= set(codes.tolist())
    assert seen_responses >= {Response.HOLD, Response.STAND, Response.DAMP}


def safety_codes(safety):
    return np.array([rule.response for rule in safety.rules])


def test_the_torque_is_judged_at_the_report_where_it_can_be_trusted_and_at_the_last_one_otherwise() -> None:
    watch = Watch()
    watch.check(measured={"joint_pos_rad": of_c(0.4)})
    for changes in ({"wrong_crc": True}, {"measured": {"joint_pos_rad": of_c(math.nan)}}):
        verdict = watch.check(**changes)
        np.testing.assert_array_equal(verdict.state.seen.joint_pos_rad, of_c(0.4))
    verdict = watch.check(measured={"joint_pos_rad": of_c(0.5)})
    np.testing.assert_array_equal(verdict.state.seen.joint_pos_rad, of_c(0.5))


def test_a_verdict_shares_no_memory_with_the_next_state_or_the_command() -> None:
    for told in (command(), command(target=3.0)):
        verdict = (watch := Watch()).check(told)
        remembered = watch.state.seen.command.copy()
        for item in fields(verdict.command):
            getattr(verdict.command, item.name)[:] = -7.0
        verdict.response[...], verdict.active[...] = 4, True
        np.testing.assert_array_equal(watch.state.seen.command, remembered)
        assert watch.state.response < 4
        assert not watch.state.active.all()
        assert not (flat(told) == -7.0).any()
