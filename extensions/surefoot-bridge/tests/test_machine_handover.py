"""Motions and hand-overs of the state machine, against numbers worked by hand."""

import math
from dataclasses import replace

import numpy as np
import pytest
from machine_cases import HANDOVER_S, LYING, POLICY, SIT, STAND, STAND_GAINS, Robot, mode, smooth
from safety_cases import CONTRACT, DAMPING, POSE, STIFFNESS, TICK_S, command

from surefoot_bridge.safety import Response
from surefoot_bridge.state import Mode, Request, flat


@pytest.mark.parametrize(("request_", "pose", "seconds"), [(Request.STAND, STAND, 1.0), (Request.SIT, SIT, 2.0)])
def test_a_motion_begins_where_the_joints_are_and_ends_in_the_pose_at_rest_both_times(request_, pose, seconds) -> None:
    robot = Robot()
    robot.step()
    targets = np.concatenate([flat(robot.step(request_))[None, :3], robot.run(seconds + 0.5)[:, :3]])
    np.testing.assert_array_equal(targets[0], LYING)
    ticks = round(seconds / TICK_S)
    x = np.arange(len(targets))[:, None] / ticks
    np.testing.assert_allclose(targets, LYING + smooth(x) * (pose - LYING), atol=1e-12)
    np.testing.assert_array_equal(targets[ticks:], np.broadcast_to(pose, targets[ticks:].shape))
    rate = np.abs(np.diff(targets, axis=0)) / TICK_S
    mean = np.abs(pose - LYING) / seconds
    assert (
        rate[0] <= 3.0 * mean / ticks * (1 + 1e-9)
    ).all()  # 3 x^2: the first tick goes at most 3 / ticks of the mean
    assert (rate[ticks - 1] <= 3.0 * mean / ticks * (1 + 1e-6)).all()
    assert (rate <= 1.5 * mean * (1 + 1e-9)).all()
    assert rate.max() == pytest.approx(1.5 * mean.max(), rel=1e-4)


def test_a_motion_starts_from_the_measured_pose_also_when_the_target_was_elsewhere() -> None:
    robot = Robot().to(Request.STAND, Request.WALK)  # joints LYING, targets the policy's
    robot.step(response=Response.STAND)
    np.testing.assert_array_equal(robot.state.start_rad, LYING)
    robot.joints = LYING + 1.0  # moves on; the start stays
    robot.run(0.2)
    np.testing.assert_array_equal(robot.state.start_rad, LYING)


def changes_of(told):
    """Largest change from row to row of targets and gains."""
    step = np.abs(np.diff(told, axis=0))
    return step[:, :3].max(axis=0), step[:, 6:9].max(axis=0), step[:, 9:12].max(axis=0)


def test_from_stand_to_walk_targets_and_gains_pass_without_a_jump() -> None:
    """The bound is 1.5 tick / hand-over of the distance: of a tick of 5 ms and 0.5 s, 1.5 %."""
    robot = Robot().to(Request.STAND)
    told = np.concatenate([flat(robot.step())[None], flat(robot.step(Request.WALK))[None], robot.run(1.0)])
    np.testing.assert_array_equal(told[0], told[1])  # the hand-over begins where it was
    np.testing.assert_array_equal(told[-1], flat(POLICY))
    for change, distance in zip(changes_of(told), (STAND - [0.9, -0.3, 0.0], 52.0 - 22.0, 4.2 - 0.52)):
        assert (change <= 0.015 * np.abs(distance) * (1 + 1e-9)).all()
        assert change.max() == pytest.approx(0.015 * np.abs(distance).max(), rel=1e-3)  # and the bound is tight
    ticks = round(HANDOVER_S / TICK_S)
    x = np.arange(-1, len(told) - 1)[:, None] / ticks
    np.testing.assert_allclose(told, told[0] + smooth(x) * (flat(POLICY) - told[0]), atol=1e-12)


def test_from_walk_to_stand_targets_and_gains_pass_without_a_jump() -> None:
    told = np.concatenate([flat(POLICY)[None], stopped(Robot(joints=POSE)).told_last[None]])
    robot = stopped(Robot(joints=POSE))
    told = np.concatenate([told, robot.run(1.5)])
    np.testing.assert_array_equal(told[0], told[1])
    np.testing.assert_array_equal(told[-1, :3], STAND)
    target, stiffness, damping = changes_of(told)
    policy, moved = np.array([0.9, -0.3, 0.0]), np.abs(STAND - POSE)
    # Of the distance between what was told and where the joints are, and of the motion, which takes half of stand_s for
    # half of the way from sitting: 1.5 % a tick as well.
    assert (target <= 0.015 * (np.abs(policy - POSE) + moved) * (1 + 1e-9)).all()
    assert (stiffness <= 0.015 * np.abs(STAND_GAINS[0] - STIFFNESS) * (1 + 1e-9)).all()
    assert (damping <= 0.015 * np.abs(STAND_GAINS[1] - DAMPING) * (1 + 1e-9)).all()


def stopped(robot):
    """A robot that walked until its policy brought it to rest, at the first tick of standing."""
    robot.to(Request.STAND, Request.WALK)
    robot.step(Request.STAND)
    for _ in range(round(1.0 / TICK_S)):
        told = flat(robot.step())
        if mode(robot) == Mode.STAND:
            break
    robot.told_last = told
    return robot


@pytest.mark.parametrize(("way", "expected_s"), [(0.0, 0.5), (0.2, 0.5), (0.45, 0.75), (0.6, 1.0), (0.9, 1.0)])
def test_a_walking_robot_stands_in_the_share_of_time_that_its_way_is_of_that_from_sitting(way, expected_s) -> None:
    """From sitting it is 0.6 rad, which takes 1 s; a hand-over takes 0.5."""
    robot = stopped(Robot(joints=STAND + way))
    assert robot.state.motion_s == pytest.approx(expected_s)
    robot.run(expected_s - 2 * TICK_S)
    robot.step(Request.WALK)
    assert robot.state.refused
    robot.run(3 * TICK_S)
    robot.step(Request.WALK)
    assert not robot.state.refused


def test_a_robot_that_walks_in_its_standing_pose_stands_after_a_control_period_where_nothing_is_handed_over() -> None:
    at_once = replace(CONTRACT, gains=replace(CONTRACT.gains, handover_s=0.0))
    robot = stopped(Robot(at_once, joints=STAND))
    assert robot.state.motion_s == pytest.approx(CONTRACT.timing.control_period_s)
    np.testing.assert_array_equal(robot.run(0.1)[-1, :3], STAND)


def test_a_policy_that_moves_during_the_hand_over_adds_its_own_motion_and_no_more() -> None:
    robot, rng = Robot(joints=POSE).to(Request.STAND), np.random.default_rng(5)
    own, told, asked = 0.05, [flat(robot.step())], np.array([0.9, -0.3, 0.0])
    for tick in range(150):
        asked = np.clip(asked + rng.uniform(-own, own, 3), -1.0, 1.0)
        told.append(flat(robot.step(Request.WALK if tick == 0 else Request.KEEP, command(target=asked))))
    target, _, _ = changes_of(np.array(told))
    assert (target <= own + 0.015 * (1.0 + np.abs(STAND))).all()
    np.testing.assert_array_equal(told[-1][:3], asked)


def test_gains_rise_from_nothing_over_the_hand_over_when_a_passive_robot_stands_up() -> None:
    robot = Robot()
    robot.step()
    told = np.concatenate([flat(robot.step(Request.STAND))[None], robot.run(0.6)])
    np.testing.assert_array_equal(told[0, 6:12], np.zeros(6))
    np.testing.assert_allclose(told[50, 6:9], STAND_GAINS[0] / 2, rtol=1e-12)
    np.testing.assert_array_equal(told[-1, 6:9], STAND_GAINS[0])
    assert (np.diff(told[:, 6:12], axis=0) <= 0.015 * np.concatenate(STAND_GAINS) * (1 + 1e-9)).all()


def test_without_a_hand_over_time_the_new_command_comes_at_once() -> None:
    at_once = replace(CONTRACT, gains=replace(CONTRACT.gains, handover_s=0.0))
    robot = Robot(at_once).to(Request.STAND)
    np.testing.assert_array_equal(flat(robot.step(Request.WALK)), flat(POLICY))


def test_a_held_walking_robot_keeps_its_targets_and_takes_the_gains_of_standing() -> None:
    robot = Robot(joints=POSE).to(Request.STAND, Request.WALK)
    before = flat(robot.step())
    told = robot.run(1.0, policy=command(target=1.5), response=Response.HOLD)
    assert mode(robot) == Mode.WALK
    np.testing.assert_array_equal(told[:, :3], np.broadcast_to(before[:3], told[:, :3].shape))
    np.testing.assert_array_equal(told[-1], np.concatenate([before[:3], np.zeros(3), *STAND_GAINS, np.zeros(3)]))
    assert (np.abs(np.diff(told[:, 6:9], axis=0)) <= 0.015 * np.abs(STAND_GAINS[0] - STIFFNESS) * (1 + 1e-9)).all()
    back = np.concatenate([told[-1:], robot.run(1.0)])  # as from stand to walk
    np.testing.assert_array_equal(back[0], back[1])
    np.testing.assert_array_equal(back[-1], flat(POLICY))
    assert (changes_of(back)[1] <= 0.015 * np.abs(STAND_GAINS[0] - STIFFNESS) * (1 + 1e-9)).all()


def test_the_hand_over_after_a_hold_takes_as_long_as_the_hold() -> None:
    for ticks in (1, 10, 40):
        robot = Robot(joints=POSE).to(Request.STAND, Request.WALK)
        robot.run(ticks * TICK_S, response=Response.HOLD)
        moved = command(target=[0.95, -0.3, 0.0])
        told = robot.run((ticks + 1) * TICK_S, policy=moved)
        assert told[0, 0] == 0.9
        assert (told[1:-1, 0] < 0.95 - 1e-6).all()
        np.testing.assert_array_equal(told[-1], flat(moved))


def test_a_hold_in_the_middle_of_a_hand_over_does_not_shorten_it() -> None:
    robot = Robot(joints=POSE).to(Request.STAND)
    robot.step(Request.WALK)
    robot.run(0.1)
    robot.run(0.05, response=Response.HOLD)
    told = robot.run(1.0)
    assert changes_of(told)[0].max() <= 1.5 * TICK_S / (0.4 + 0.05 - TICK_S) * 0.9
    assert not np.array_equal(told[80], told[81])
    np.testing.assert_array_equal(told[-1], flat(POLICY))


def test_a_hold_stops_a_motion_which_goes_on_afterwards() -> None:
    robot = Robot()
    robot.step(Request.STAND)
    before = robot.run(0.3)[-1]
    held = robot.run(5.0, response=Response.HOLD)
    np.testing.assert_array_equal(held, np.broadcast_to(before, held.shape))
    after = robot.run(0.8)
    assert np.abs(after[0, :3] - before[:3]).max() <= 0.0075 * np.abs(STAND - LYING).max() * (1 + 1e-9)
    np.testing.assert_array_equal(after[-1, :3], STAND)


def test_the_next_hand_over_begins_from_what_was_sent() -> None:
    robot = Robot(joints=POSE).to(Request.STAND, Request.WALK)
    sent = command(target=[0.5, 0.5, 0.5], stiffness=10.0, damping=1.0)
    robot.state = robot.machine.sent(robot.state, flat(sent))
    np.testing.assert_array_equal(flat(robot.step(response=Response.STAND)), flat(sent))
    robot.state = robot.machine.sent(robot.state, flat(sent))
    np.testing.assert_array_equal(robot.step(response=Response.HOLD).joint_pos_rad, np.full(3, 0.5))


@pytest.mark.parametrize("jump", [1e6, -1e6, math.nan, math.inf, -math.inf, 0.0])
def test_a_jump_of_the_clock_moves_a_target_by_a_control_period_at_most(jump: float) -> None:
    robot = Robot()
    robot.step(Request.STAND)
    before = robot.run(0.3)[-1]
    after = flat(robot.step(time_s=robot.time_s + jump))
    assert (np.abs(after - before)[:3] <= 1.5 * 0.02 / 1.0 * np.abs(STAND - LYING) * (1 + 1e-9)).all()
    robot.run(3.0)
    np.testing.assert_array_equal(flat(robot.step())[:3], STAND)
