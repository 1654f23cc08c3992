"""Modes, requests and responses of the state machine, and its hand-overs."""

import math
from dataclasses import fields, replace
from functools import lru_cache

import numpy as np
import pytest
from contracts import quadruped_contract
from safety_cases import CONTRACT, DAMPING, POSE, STIFFNESS, TICK_S, Watch, command, good_report
from test_safety import arrays, assert_alike, robot
from test_safety_clamp import garbage

from surefoot_bridge.errors import SurefootError
from surefoot_bridge.flat_command import flat
from surefoot_bridge.machine import Machine
from surefoot_bridge.machine_modes import HoldGains, Mode, Poses, Request
from surefoot_bridge.safety_rules import Response
from surefoot_bridge.state import JointCommand

# In the policy's order a, b, c; in the interface's c, a, b.
POSES = Poses(stand_rad=(0.4, 0.5, 0.6), sit_rad=(1.0, 1.1, 1.2), stand_s=1.0, sit_s=2.0)
GAINS = HoldGains((50.0, 51.0, 52.0), (4.0, 4.1, 4.2), (3.0, 3.1, 3.2))
STAND, SIT = np.array([0.6, 0.4, 0.5]), np.array([1.2, 1.0, 1.1])
STAND_GAINS = (np.array([52.0, 50.0, 51.0]), np.array([4.2, 4.0, 4.1]))
HANDOVER_S = 0.5  # of the contract
LYING = np.array([-0.5, 1.5, 1.8])
POLICY = command(target=[0.9, -0.3, 0.0], velocity=0.2, torque=0.3)


class Robot:
    """A machine with the state of one robot whose joints stay where they are put."""

    def __init__(self, contract=CONTRACT, joints=LYING):
        self.machine = Machine(contract, POSES, GAINS)
        self.state = self.machine.initial(())
        self.joints = np.array(joints)
        self.time_s = 0.0

    def step(self, request=Request.KEEP, policy=POLICY, response=Response.NONE, time_s=None):
        self.time_s += TICK_S
        report = good_report(joint_pos_rad=self.joints)
        told, self.state = self.machine.step(
            self.state, report, request, policy, response, self.time_s if time_s is None else time_s
        )
        return told

    def run(self, seconds, **changes):
        """Commands of some time, (ticks, 15)."""
        return np.array([flat(self.step(**changes)) for _ in range(round(seconds / TICK_S))])

    def to(self, *requests):
        """Go through modes, each until it is done."""
        for request in requests:
            self.step(request)
            assert not self.state.refused, request
            self.run(max(POSES.stand_s, POSES.sit_s) + 2 * TICK_S)
        return self


@lru_cache(maxsize=None)
def _way(start):
    robot = Robot().to(*WAYS[start])
    return robot.state, robot.time_s


def robot_in(start):
    """A robot that lies and has been in a mode for long."""
    robot = Robot()
    robot.state, robot.time_s = _way(start)
    return robot


def mode(robot):
    return Mode(int(robot.state.mode))


def smooth(x):
    x = np.clip(x, 0.0, 1.0)
    return 3 * x**2 - 2 * x**3


def test_a_passive_robot_has_no_gains_and_targets_where_its_joints_are() -> None:
    told = Robot().step()
    np.testing.assert_array_equal(flat(told), np.concatenate([LYING, np.zeros(12)]))


def test_a_damped_robot_has_damping_alone() -> None:
    told = Robot().to(Request.STAND).step(Request.DAMPED)
    np.testing.assert_array_equal(told.stiffness_nm_per_rad, np.zeros(3))
    np.testing.assert_array_equal(told.damping_nms_per_rad, [3.2, 3.0, 3.1])
    np.testing.assert_array_equal(told.torque_nm, np.zeros(3))


ALLOWED = {
    (Mode.PASSIVE, Request.PASSIVE): Mode.PASSIVE,
    (Mode.PASSIVE, Request.STAND): Mode.STAND,
    (Mode.PASSIVE, Request.SIT): Mode.SIT,
    (Mode.PASSIVE, Request.DAMPED): Mode.DAMPED,
    (Mode.PASSIVE, Request.RELEASE): Mode.PASSIVE,
    (Mode.STAND, Request.STAND): Mode.STAND,
    (Mode.STAND, Request.WALK): Mode.WALK,
    (Mode.STAND, Request.SIT): Mode.SIT,
    (Mode.STAND, Request.DAMPED): Mode.DAMPED,
    (Mode.WALK, Request.WALK): Mode.WALK,
    (Mode.WALK, Request.STAND): Mode.STAND,
    (Mode.WALK, Request.DAMPED): Mode.DAMPED,
    (Mode.SIT, Request.SIT): Mode.SIT,
    (Mode.SIT, Request.STAND): Mode.STAND,
    (Mode.SIT, Request.PASSIVE): Mode.PASSIVE,
    (Mode.SIT, Request.DAMPED): Mode.DAMPED,
    (Mode.DAMPED, Request.DAMPED): Mode.DAMPED,
    (Mode.DAMPED, Request.RELEASE): Mode.PASSIVE,
}
WAYS = {
    Mode.PASSIVE: (),
    Mode.STAND: (Request.STAND,),
    Mode.WALK: (Request.STAND, Request.WALK),
    Mode.SIT: (Request.SIT,),
    Mode.DAMPED: (Request.DAMPED,),
}


@pytest.mark.parametrize("start", Mode)
@pytest.mark.parametrize("request_", Request)
def test_a_request_is_obeyed_where_it_is_valid_and_refused_elsewhere(start: Mode, request_: Request) -> None:
    robot = robot_in(start)
    assert mode(robot) == start
    before = flat(robot.step())
    told = robot.step(request_)
    expected = start if request_ == Request.KEEP else ALLOWED.get((start, request_))
    assert mode(robot) == (start if expected is None else expected)
    assert robot.state.refused == (expected is None)
    if expected is None:
        np.testing.assert_array_equal(flat(told), before)


def test_walking_begins_only_when_the_robot_stands() -> None:
    robot = Robot()
    robot.step(Request.STAND)
    for _ in range(199):  # 1 s takes 200 ticks
        robot.step(Request.WALK)
        assert (mode(robot), bool(robot.state.refused)) == (Mode.STAND, True)
    robot.step()
    robot.step(Request.WALK)
    assert (mode(robot), bool(robot.state.refused)) == (Mode.WALK, False)


@pytest.mark.parametrize("start", Mode)
def test_safety_overrides_every_mode_and_every_request(start: Mode) -> None:
    for request in Request:
        robot = robot_in(start)
        robot.step(request, response=Response.DAMP)
        assert mode(robot) == Mode.DAMPED
        assert robot.state.refused == (request not in (Request.KEEP, Request.DAMPED))
        robot = robot_in(start)
        told = robot.step(request, response=Response.ZERO)
        assert mode(robot) == (Mode.DAMPED if start == Mode.DAMPED else Mode.PASSIVE)
        np.testing.assert_array_equal(flat(told), np.concatenate([LYING, np.zeros(12)]))
        for response in (Response.NONE, Response.CLAMP):
            robot = robot_in(start)
            robot.step(response=response)
            assert mode(robot) == start


def test_nothing_but_the_release_leaves_the_damped_mode() -> None:
    robot, rng = Robot().to(Request.DAMPED), np.random.default_rng(0)
    others = [request for request in Request if request != Request.RELEASE]
    for _ in range(500):
        robot.step(others[rng.integers(len(others))], response=Response(rng.integers(len(Response))))
        assert mode(robot) == Mode.DAMPED
    robot.step(Request.RELEASE, response=Response.DAMP)
    assert (mode(robot), bool(robot.state.refused)) == (Mode.DAMPED, True)
    robot.step(Request.RELEASE)
    assert mode(robot) == Mode.PASSIVE


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
    robot.step(Request.STAND)
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
    robot = Robot(joints=POSE).to(Request.STAND, Request.WALK)
    told = np.concatenate([flat(robot.step())[None], flat(robot.step(Request.STAND))[None], robot.run(1.5)])
    np.testing.assert_array_equal(told[0], told[1])
    np.testing.assert_array_equal(told[-1, :3], STAND)
    target, stiffness, damping = changes_of(told)
    policy, moved = np.array([0.9, -0.3, 0.0]), np.abs(STAND - POSE)
    # Of the distance between what was told and where the joints are, and of the motion: 1.5 / stand_s is 0.75 % a tick.
    assert (target <= (0.015 * np.abs(policy - POSE) + 0.0075 * moved) * (1 + 1e-9)).all()
    assert (stiffness <= 0.015 * np.abs(STAND_GAINS[0] - STIFFNESS) * (1 + 1e-9)).all()
    assert (damping <= 0.015 * np.abs(STAND_GAINS[1] - DAMPING) * (1 + 1e-9)).all()


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


def test_a_held_walking_robot_may_be_asked_to_stand_but_not_to_walk() -> None:
    robot = Robot().to(Request.STAND)
    robot.step(Request.WALK, response=Response.HOLD)
    assert (mode(robot), bool(robot.state.refused)) == (Mode.STAND, True)
    robot.step(Request.WALK)
    robot.step(Request.STAND, response=Response.HOLD)
    assert (mode(robot), bool(robot.state.refused)) == (Mode.STAND, False)


def test_the_next_hand_over_begins_from_what_was_sent() -> None:
    robot = Robot(joints=POSE).to(Request.STAND, Request.WALK)
    sent = command(target=[0.5, 0.5, 0.5], stiffness=10.0, damping=1.0)
    robot.state = robot.machine.sent(robot.state, sent)
    np.testing.assert_array_equal(flat(robot.step(Request.STAND)), flat(sent))
    robot.state = robot.machine.sent(robot.state, sent)
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


def test_a_report_or_a_policy_that_is_garbage_leaves_nothing_behind() -> None:
    robot = Robot(joints=POSE).to(Request.STAND)
    robot.joints = np.array([math.nan, math.inf, 0.2])
    robot.step(Request.WALK)
    for number in (math.nan, math.inf, 1.7e308, -1.7e308):
        told = robot.step(policy=command(target=number, velocity=number, stiffness=number))
        assert np.isfinite(flat(told)).all()
    robot.joints = POSE
    np.testing.assert_array_equal(robot.run(1.0)[-1], flat(POLICY))


def test_single_robots_and_a_batch_are_driven_alike_bit_for_bit() -> None:
    contract, num, rng = quadruped_contract(), 16, np.random.default_rng(11)
    pose = tuple(0.1 * i for i in range(12))
    machine = Machine(contract, Poses(pose, pose[::-1], 0.2, 0.3), HoldGains((50.0,) * 12, (4.0,) * 12, (3.0,) * 12))
    batch, singles, modes = machine.initial((num,)), [machine.initial(()) for _ in range(num)], set()
    for tick in range(250):
        report = robot_reports(rng, num)
        policy = JointCommand(*(garbage(rng, rng.normal(size=(num, 12)), 0.001) for _ in range(5)))
        request = np.where(rng.random(num) < 0.05, rng.integers(0, len(Request), num), 0)
        response = np.where(rng.random(num) < 0.03, rng.integers(0, len(Response), num), 0)
        time_s = garbage(rng, np.full(num, tick * TICK_S), 0.002)
        told, batch = machine.step(batch, report, request, policy, response, time_s)
        modes |= set(batch.mode.tolist())
        alone = [
            machine.step(singles[i], robot(report, i), request[i], robot(policy, i), response[i], time_s[i])
            for i in range(num)
        ]
        singles = [single for _, single in alone]
        assert_alike(alone, (told, batch))
    assert modes == {int(item) for item in Mode}


def robot_reports(rng, num):
    report = good_report()
    shapes = {item.name: getattr(report, item.name).shape for item in fields(report)}
    arrays_ = {name: np.zeros((num, *((12,) if shape == (3,) else shape))) for name, shape in shapes.items()}
    return replace(report, **{**arrays_, "joint_pos_rad": garbage(rng, rng.normal(size=(num, 12)), 0.001)})


def test_a_reset_makes_some_robots_passive_and_leaves_the_others() -> None:
    machine = Machine(CONTRACT, POSES, GAINS)
    state = machine.initial((2,))
    report = replace(good_report(), joint_pos_rad=np.zeros((2, 3)))
    policy = JointCommand(*(np.zeros((2, 3)) for _ in range(5)))
    for tick in range(3):
        _, state = machine.step(
            state, report, np.full(2, Request.STAND), policy, np.zeros(2, int), np.full(2, tick * TICK_S)
        )
    after = machine.reset(state, np.array([True, False]))
    assert after.mode.tolist() == [Mode.PASSIVE, Mode.STAND]
    for now, before, first in zip(arrays(after), arrays(state), arrays(machine.initial((2,)))):
        np.testing.assert_array_equal(now[0], first[0])
        np.testing.assert_array_equal(now[1], before[1])
        assert now.dtype == first.dtype


def test_a_state_is_not_changed_by_a_step_nor_by_writing_into_a_command() -> None:
    robot = Robot()
    for request in (Request.STAND, Request.KEEP, Request.DAMPED, Request.RELEASE):
        state, before = robot.state, [array.copy() for array in arrays(robot.state)]
        told = robot.step(request)
        after = [array.copy() for array in arrays(robot.state)]
        told.joint_pos_rad[:], told.stiffness_nm_per_rad[:] = -9.0, -9.0
        for now, then in zip(arrays(state) + arrays(robot.state), before + after):
            np.testing.assert_array_equal(now, then)
    assert (flat(robot.step(Request.STAND)) >= -0.5).all()


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"request": 7}, r"request holds 7; valid: 0 \(keep\), .* 6 \(release\)"),
        ({"request": -1}, "request holds -1"),
        ({"response": 5}, r"response holds 5; valid: 0 \(none\), 1 \(clamp\)"),
        ({"request": 1.0}, "request is float64 of shape"),
        ({"request": np.zeros(2, int)}, r"request is int64 of shape \(2,\)"),
        ({"policy": replace(POLICY, joint_pos_rad=np.zeros(4))}, r"policy_command.joint_pos_rad has shape \(4,\)"),
    ],
)
def test_a_step_with_an_unknown_code_or_another_shape_is_refused(changes: dict, words: str) -> None:
    with pytest.raises(SurefootError, match=words):
        Robot().step(**changes)


def test_poses_and_gains_that_do_not_fit_are_refused_all_at_once() -> None:
    with pytest.raises(SurefootError) as error:
        Machine(
            CONTRACT,
            replace(POSES, sit_rad=(0.0, 0.0), stand_rad=(0.0, 2.5, 0.0), stand_s=0.0),
            replace(GAINS, damped_nms_per_rad=(-1.0, 1.0, math.nan)),
        )
    for words in (
        "Poses or gains of made_up are refused:",
        "sit_rad has 2 entries for 3 joints.",
        "stand_rad has b at 2.5; its range is -2.0 to 2.0.",
        "stand_s is 0.0; it must be > 0.",
        "damped_nms_per_rad is (-1.0, 1.0, nan); each must be finite and >= 0.",
    ):
        assert words in str(error.value)


def test_machine_and_safety_walk_hold_damp_and_release_a_robot_together() -> None:
    """The loop as it is meant: step, check, send, remember what was sent."""
    watch, machine = Watch(), Machine(CONTRACT, POSES, GAINS)
    state, response, joints, last = machine.initial(()), Response.NONE, LYING, None
    script = {0: Request.STAND, 260: Request.WALK, 700: Request.STAND, 1300: Request.RELEASE, 1301: Request.RELEASE}
    walked, modes = 0, []
    for tick in range(1400):
        report = good_report(tick, joint_pos_rad=joints, sequence=1000 + tick)
        asked, state = machine.step(state, report, script.get(tick, Request.KEEP), POLICY, response, tick * TICK_S)
        verdict = watch.check(
            asked,
            report=report,
            walking=state.mode == Mode.WALK,
            policy_failed=500 <= tick < 520,
            operator_stop=tick == 1100,
            operator_release=tick in (1300, 1301),
        )
        state, response = machine.sent(state, verdict.command), verdict.response
        if last is not None and tick not in (1100, 1101):  # damping comes at once
            assert (np.abs(verdict.command.joint_pos_rad - last) <= 0.1502).all()
        last = verdict.command.joint_pos_rad
        joints = joints + 0.2 * (verdict.command.joint_pos_rad - joints)  # a robot that follows
        walked += int(state.mode == Mode.WALK)
        modes.append(int(state.mode))
        if 500 <= tick < 520:
            assert verdict.response == Response.HOLD
    assert walked == 440
    changed = [tick for tick in range(1, 1400) if modes[tick] != modes[tick - 1]]
    assert [(tick, Mode(modes[tick]).name) for tick in changed] == [
        (260, "WALK"),
        (700, "STAND"),
        (1101, "DAMPED"),
        (1301, "PASSIVE"),
    ]
