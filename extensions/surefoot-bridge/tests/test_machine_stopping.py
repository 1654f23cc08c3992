"""How a walking robot comes to a stand: asked to, or by safety; every motion waits for the one before it."""

import numpy as np
import pytest
from machine_cases import CROUCH, HANDLING, POLICY, STAND, STAND_GAINS, SWINGING, Robot, mode
from safety_cases import FALLS, POSE, TICK_S

from surefoot_bridge.control.transitions import CROUCHED_S, LEVEL_RAD, RAMP_S, STOP_S, TILTED_STOP_S, velocity_share
from surefoot_bridge.safety import Response
from surefoot_bridge.state import Mode, Request, flat


def walking(**options):
    return Robot(**{"joints": POSE, **options}).to(Request.STAND, Request.WALK)


def modes_of(robot, seconds, **changes):
    """Names of the modes that a robot goes through, each with the time since now at which it began [s]."""
    start_s, found = robot.time_s, []
    for _ in range(round(seconds / TICK_S)):
        before = mode(robot)
        robot.step(**changes)
        if mode(robot) != before:
            found.append((mode(robot).name, round(robot.time_s - start_s, 3)))
    return found


def test_a_walking_robot_that_safety_stops_goes_on_by_its_policy_until_it_rests_and_then_stands() -> None:
    robot = walking()
    told = robot.step(response=Response.STOP)
    assert mode(robot) == Mode.STOP
    np.testing.assert_array_equal(flat(told), flat(POLICY))  # the policy goes on: nothing freezes, nothing jumps
    # It is quiet all along: the ramp of 0.4 s, and the tick after it.
    assert modes_of(robot, 2.0, response=Response.STOP) == [("STAND", 0.41)]
    np.testing.assert_array_equal(robot.run(1.0)[-1, :3], STAND)
    assert mode(robot) == Mode.STAND  # also once the cause has gone


def test_a_robot_that_does_not_come_to_rest_is_caught_in_a_crouch_and_stands_after_a_bounded_time() -> None:
    for measured in (SWINGING, {"imu_ang_vel_rad_s": (0.0, 0.6, 0.0)}, {"joint_vel_rad_s": (np.nan, 0.0, 0.0)}):
        robot = walking()
        robot.measured = measured
        robot.step(response=Response.STOP)
        (crouch, crouch_s), (stand, stand_s) = modes_of(robot, 3.0)
        assert (crouch, crouch_s) == ("CROUCH", pytest.approx(STOP_S, abs=3 * TICK_S))
        assert (stand, stand_s) == ("STAND", pytest.approx(STOP_S + CROUCHED_S, abs=5 * TICK_S))


@pytest.mark.parametrize(("tilt_rad", "stop_s"), [(0.9 * LEVEL_RAD, STOP_S), (1.1 * LEVEL_RAD, TILTED_STOP_S)])
def test_a_robot_that_leans_is_caught_sooner_for_it_may_slide_down_a_slope(tilt_rad, stop_s) -> None:
    for axis in (1, 2):  # roll, pitch
        quat_wxyz = np.eye(4)[0] * np.cos(tilt_rad / 2.0) + np.eye(4)[axis] * np.sin(tilt_rad / 2.0)
        robot = walking()
        robot.measured = {**SWINGING, "imu_quat_wxyz": quat_wxyz}
        robot.step(response=Response.STOP)
        assert modes_of(robot, stop_s + 0.1) == [("CROUCH", pytest.approx(stop_s, abs=3 * TICK_S))]


def test_a_robot_crouches_in_the_pose_with_the_gains_and_within_the_time_that_its_contract_says() -> None:
    robot = walking()
    robot.measured = SWINGING
    robot.step(response=Response.STAND)
    told = robot.run(HANDLING.crouch_s + 2 * TICK_S, response=Response.STAND)
    assert mode(robot) == Mode.CROUCH
    np.testing.assert_array_equal(told[-1, :3], CROUCH)
    np.testing.assert_array_equal(told[-1, 6:12], np.concatenate(STAND_GAINS))


def test_a_robot_has_come_to_rest_when_it_was_quiet_for_half_a_stride() -> None:
    robot = walking()
    robot.measured = SWINGING
    robot.step(response=Response.STOP)
    robot.run(0.5)
    robot.measured = {}
    assert modes_of(robot, 1.0) == [("STAND", pytest.approx(0.2, abs=2 * TICK_S))]


def test_the_velocity_of_a_stopping_robot_falls_to_nothing_along_a_ramp() -> None:
    robot = walking()
    assert velocity_share(robot.state) == 1.0
    robot.step(response=Response.STOP)
    robot.measured = SWINGING
    shares = [float(velocity_share(robot.step() and robot.state)) for _ in range(100)]
    np.testing.assert_allclose(shares, np.maximum(1.0 - np.arange(1, 101) * TICK_S / RAMP_S, 0.0), atol=1e-9)


def test_a_robot_whose_policy_cannot_be_trusted_stands_without_it_and_without_a_jump() -> None:
    robot = walking()
    before = flat(robot.step())
    told = [flat(robot.step(response=Response.STAND))]
    assert mode(robot) == Mode.CROUCH
    told = np.array([*told, *robot.run(2.5, response=Response.STAND)])
    assert mode(robot) == Mode.STAND
    np.testing.assert_array_equal(told[0], before)
    np.testing.assert_array_equal(told[-1, :3], STAND)
    assert np.abs(np.diff(told[:, 6:9], axis=0)).max() <= 1.5 * TICK_S / HANDLING.crouch_s * (52.0 - 22.0) * (1 + 1e-9)


@pytest.mark.parametrize(
    ("request_", "way"),
    [
        (Request.STAND, ["STOP", "STAND"]),
        (Request.SIT, ["STOP", "STAND", "SIT"]),
        (Request.PASSIVE, ["STOP", "STAND", "SIT", "PASSIVE"]),
    ],
)
def test_a_walking_robot_that_is_asked_to_sit_stops_and_stands_first(request_: Request, way: list) -> None:
    robot = walking()
    robot.step(request_)
    assert not robot.state.refused
    assert ["STOP", *(name for name, _ in modes_of(robot, 6.0))] == way


def test_a_robot_becomes_limp_only_when_it_has_sat_down() -> None:
    """Asked to stand, sit and be passive in one go: the sit of 2 s is not cut short."""
    robot = Robot().to(Request.STAND)
    robot.step(Request.SIT)
    robot.step()
    robot.run(0.5)
    robot.step(Request.PASSIVE)
    assert (mode(robot), bool(robot.state.refused)) == (Mode.SIT, False)
    ((name, when_s),) = modes_of(robot, 3.0)
    assert (name, when_s) == ("PASSIVE", pytest.approx(2.0 - 0.5, abs=4 * TICK_S))


def test_a_released_robot_becomes_limp_only_when_the_damping_has_lowered_it() -> None:
    for measured, limp_s in (({}, 1.0), (SWINGING, 3.0), ({"joint_vel_rad_s": (np.nan, 0.0, 0.0)}, 3.0)):
        robot = walking()
        robot.step(response=Response.DAMP)
        robot.measured = measured
        robot.step(Request.RELEASE)
        assert (mode(robot), bool(robot.state.refused)) == (Mode.DAMPED, False)
        assert modes_of(robot, 3.5) == [("PASSIVE", pytest.approx(limp_s, abs=3 * TICK_S))]


def test_a_release_is_forgotten_when_the_robot_is_damped_again() -> None:
    robot = Robot().to(Request.STAND)
    for again in ({"request": Request.DAMPED}, {"response": Response.DAMP}):
        robot.step(Request.DAMPED)
        robot.step(Request.RELEASE)
        robot.step(**again)
        assert modes_of(robot, 4.0) == []
        assert mode(robot) == Mode.DAMPED


def test_who_changes_his_mind_on_the_way_to_rest_is_obeyed() -> None:
    robot = walking()
    robot.step(Request.PASSIVE)
    robot.run(0.1)
    robot.step(Request.WALK)
    assert (mode(robot), bool(robot.state.refused)) == (Mode.WALK, False)
    assert modes_of(robot, 1.0) == []
    robot.step(Request.SIT)
    robot.run(0.5)
    robot.step(Request.STAND)  # it stands up only now: then it does not sit
    assert modes_of(robot, 4.0) == []
    assert mode(robot) == Mode.STAND


def test_a_stop_by_safety_ends_where_the_operator_wanted_to_go() -> None:
    robot = walking()
    robot.step(Request.SIT)
    assert [name for name, _ in modes_of(robot, 5.0, response=Response.STOP)] == ["STAND", "SIT"]


def test_safety_that_stops_walking_does_not_stop_the_motions_of_standing_and_sitting() -> None:
    for response in (Response.STOP, Response.STAND):
        robot = Robot()
        robot.step(Request.STAND)
        np.testing.assert_array_equal(robot.run(1.1, response=response)[-1, :3], STAND)


def test_a_humanoid_that_safety_stops_balances_by_its_policy_for_it_falls_without() -> None:
    robot = Robot(FALLS, joints=POSE).to(Request.STAND, Request.WALK)
    robot.step(response=Response.STOP)
    assert modes_of(robot, 5.0, response=Response.STOP) == []
    assert mode(robot) == Mode.STOP
    robot.step(Request.STAND)  # its operator has hung it up
    assert mode(robot) == Mode.STAND


def test_a_hand_over_to_the_policy_that_a_stop_meets_goes_on() -> None:
    robot = Robot(joints=POSE).to(Request.STAND)
    robot.step(Request.WALK)
    told = [robot.run(0.1)[-1]]
    told.append(flat(robot.step(response=Response.STOP)))
    told.extend(robot.run(0.1))
    assert np.abs(np.diff(np.array(told), axis=0))[:, :3].max() <= 0.015 * np.abs(STAND - [0.9, -0.3, 0.0]).max() * 1.01
