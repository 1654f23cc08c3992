"""Modes, requests and responses of the state machine."""

import math
from dataclasses import fields, replace

import numpy as np
import pytest
from batches import arrays, assert_alike, robot
from contracts import quadruped_contract
from garbage import garbage
from machine_cases import LYING, POLICY, Robot, mode, robot_in
from safety_cases import CONTRACT, POSE, TICK_S, Watch, command, good_report

from surefoot_bridge.control import Machine
from surefoot_bridge.errors import SurefootError
from surefoot_bridge.safety import Response
from surefoot_bridge.state import Mode, Request, flat, joint_command


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
    (Mode.STAND, Request.PASSIVE): Mode.SIT,
    (Mode.STAND, Request.DAMPED): Mode.DAMPED,
    (Mode.WALK, Request.WALK): Mode.WALK,
    (Mode.WALK, Request.STAND): Mode.STOP,
    (Mode.WALK, Request.SIT): Mode.STOP,
    (Mode.WALK, Request.PASSIVE): Mode.STOP,
    (Mode.WALK, Request.DAMPED): Mode.DAMPED,
    (Mode.SIT, Request.SIT): Mode.SIT,
    (Mode.SIT, Request.STAND): Mode.STAND,
    (Mode.SIT, Request.PASSIVE): Mode.PASSIVE,
    (Mode.SIT, Request.DAMPED): Mode.DAMPED,
    (Mode.DAMPED, Request.DAMPED): Mode.DAMPED,
    (Mode.DAMPED, Request.RELEASE): Mode.PASSIVE,
    (Mode.STOP, Request.WALK): Mode.WALK,
    (Mode.STOP, Request.STAND): Mode.STOP,
    (Mode.STOP, Request.SIT): Mode.STOP,
    (Mode.STOP, Request.PASSIVE): Mode.STOP,
    (Mode.STOP, Request.DAMPED): Mode.DAMPED,
    (Mode.CROUCH, Request.STAND): Mode.CROUCH,
    (Mode.CROUCH, Request.SIT): Mode.CROUCH,
    (Mode.CROUCH, Request.PASSIVE): Mode.CROUCH,
    (Mode.CROUCH, Request.DAMPED): Mode.DAMPED,
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
    if expected is None and start != Mode.CROUCH:  # which moves
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


@pytest.mark.parametrize("response", [Response.STOP, Response.HOLD, Response.STAND])
def test_a_robot_that_safety_stops_may_be_asked_to_stand_but_not_to_walk(response: Response) -> None:
    robot = Robot().to(Request.STAND)
    robot.step(Request.WALK, response=response)
    assert (mode(robot), bool(robot.state.refused)) == (Mode.STAND, True)
    robot.step(Request.WALK)
    robot.step(Request.STAND, response=response)
    assert (mode(robot), bool(robot.state.refused)) == (
        Mode.CROUCH if response == Response.STAND else Mode.STOP,
        False,
    )


def test_a_report_or_a_policy_that_is_garbage_leaves_nothing_behind() -> None:
    robot = Robot(joints=POSE).to(Request.STAND)
    robot.joints = np.array([math.nan, math.inf, 0.2])
    robot.step(Request.WALK)
    for number in (math.nan, math.inf, 1.7e308, -1.7e308):
        told = robot.step(policy=command(target=number, velocity=number, stiffness=number))
        assert np.isfinite(flat(told)).all()
    robot.joints = POSE
    np.testing.assert_array_equal(robot.run(1.0)[-1], flat(POLICY))
    told = robot.step(policy=command(target=[math.nan, 0.1, 0.2]))  # in place of it stands what was told last
    np.testing.assert_array_equal(told.joint_pos_rad, [0.9, 0.1, 0.2])


def test_single_robots_and_a_batch_are_driven_alike_bit_for_bit() -> None:
    contract, num, rng = quadruped_contract(), 16, np.random.default_rng(11)
    pose = tuple(0.1 * i for i in range(12))
    held = replace(contract.handling, stand_rad=pose, sit_rad=pose[::-1], crouch_rad=pose, stand_s=0.1, sit_s=0.2)
    machine = Machine(replace(contract, handling=held))
    batch, singles, modes = machine.initial((num,)), [machine.initial(()) for _ in range(num)], set()
    for tick in range(400):
        if tick % 100 == 99:  # most are damped by then, and stay so for long
            batch = machine.reset(batch, np.ones(num, dtype=bool))
            singles = [machine.reset(single, np.ones((), dtype=bool)) for single in singles]
        report = robot_reports(rng, num)
        policy = garbage(rng, rng.normal(size=(num, 60)), 0.001)
        request = np.where(rng.random(num) < 0.2, rng.choice([1, 2, 3, 3, 3, 3, 4, 5, 6, 6], num), 0)
        response = np.where(rng.random(num) < 0.03, rng.choice([1, 2, 2, 3, 3, 4, 4, 4, 5, 6], num), 0)
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
    machine = Machine(CONTRACT)
    state = machine.initial((2,))
    report = replace(good_report(), joint_pos_rad=np.zeros((2, 3)))
    policy = np.zeros((2, 15))
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
        ({"response": 7}, r"response holds 7; valid: 0 \(none\), 1 \(clamp\)"),
        ({"request": 1.0}, "request is float64 of shape"),
        ({"request": np.zeros(2, int)}, r"request is int64 of shape \(2,\)"),
        ({"policy": replace(POLICY, joint_pos_rad=np.zeros(4))}, r"policy_command has shape \(16,\)"),
    ],
)
def test_a_step_with_an_unknown_code_or_another_shape_is_refused(changes: dict, words: str) -> None:
    with pytest.raises(SurefootError, match=words):
        Robot().step(**changes)


def test_machine_and_safety_walk_hold_damp_and_release_a_robot_together() -> None:
    """The loop as it is meant: step, check, send, remember what was sent."""
    watch, machine = Watch(), Machine(CONTRACT)
    state, response, joints, last = machine.initial(()), Response.NONE, LYING, None
    script = {0: Request.STAND, 260: Request.WALK, 700: Request.STAND, 1300: Request.RELEASE, 1301: Request.RELEASE}
    walked, modes = 0, []
    for tick in range(1400):
        report = good_report(tick, joint_pos_rad=joints, sequence=1000 + tick)
        asked, state = machine.step(
            state, report, script.get(tick, Request.KEEP), flat(POLICY), response, tick * TICK_S
        )
        verdict = watch.check(
            joint_command(asked),
            report=report,
            walking=state.mode in (Mode.WALK, Mode.STOP),
            policy_failed=500 <= tick < 520,
            operator_stop=tick == 1100,
            operator_release=tick in (1300, 1301),
        )
        state, response = machine.sent(state, verdict.sent), verdict.response
        if last is not None and tick not in (1100, 1101):  # damping comes at once
            assert (np.abs(verdict.command.joint_pos_rad - last) <= 0.1502).all()
        last = verdict.command.joint_pos_rad
        joints = joints + 0.2 * (verdict.command.joint_pos_rad - joints)  # a robot that follows
        walked += int(state.mode == Mode.WALK)
        modes.append(int(state.mode))
        if 500 <= tick < 507:  # 40 ms are 8 ticks
            assert verdict.response == Response.HOLD
    assert walked == 440 - (700 - 508)
    changed = [tick for tick in range(1, 1400) if modes[tick] != modes[tick - 1]]
    assert [(tick, Mode(modes[tick]).name) for tick in changed] == [
        (260, "WALK"),
        (508, "CROUCH"),  # a policy that fails for 40 ms
        (570, "STAND"),  # after 60 ticks of the crouch's motion
        (1101, "DAMPED"),
        (1302, "PASSIVE"),
    ]
