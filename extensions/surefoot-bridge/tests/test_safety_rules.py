"""Every rule trips at its limit, after its grace and not a tick before."""

import math
import re
from dataclasses import replace

import numpy as np
import pytest
from safety_cases import CONTRACT, LIMITS, POSE, TICK_S, Watch, command

from surefoot_bridge.contract import Interval
from surefoot_bridge.errors import SurefootError
from surefoot_bridge.robots import ALARMS
from surefoot_bridge.safety import Response, Safety, StageLimits

GOOD_TICKS = 3
SMALL = 1e-9


def first(number, others=0.0):
    return np.array([number, others, others])


def above(number):
    return float(np.nextafter(number, np.inf))


def below(number):
    return float(np.nextafter(number, -np.inf))


def measured(name, make=first):
    return lambda value: {"measured": {name: make(value)}}


def given(name, make=float):
    return lambda value: {name: make(value)}


def told(**make):
    return lambda value: {"told": command(**{name: function(value) for name, function in make.items()})}


def leaning(angle):
    return np.array([math.cos(angle / 2), 0.0, math.sin(angle / 2), 0.0])


def alarm(name):
    return lambda value: {"alarms": np.array([value and name == each for each in ALARMS])}


def of_joint_c(value):
    return np.array([False, value, False, False])  # the IMU comes before the joints


def target_of_c(value):
    return np.array([value, 0.1, 0.2])


# Joint c comes first in the interface's order: torque limit 23.72, of which 0.8 are 18.976; stiffness 22; speed 20.02;
# rate of targets 30.02, in a control step of 20 ms 0.6004; range -2 to 2. Three good ticks come before, with reports
# 1000 to 1002.
CASES = {
    # name: (what is given, value that trips, value that just does not, seconds of grace, response)
    "action_not_finite": (given("action", first), math.inf, 1e300, 0.0, "hold"),
    "action_range": (given("action", first), above(10.0), 10.0, 0.0, "hold"),
    "policy_failed": (given("policy_failed", bool), True, False, 0.0, "hold"),
    "velocity_command": (given("velocity_command", first), above(0.3), 0.3, 0.0, "clamp"),
    "operator_stop": (given("operator_stop", bool), True, False, 0.0, "damp"),
    "operator_lost": (given("operator_age_s"), 0.5, below(0.5), 0.0, "stop"),
    "command_not_finite": (told(damping=first), math.nan, 1e300, 0.0, "hold"),
    "command_far": (told(target=target_of_c), above(3.0), 3.0, 0.0, "hold"),
    "command_range": (told(target=target_of_c), above(2.0), 2.0, 0.0, "clamp"),
    "target_rate": (told(target=target_of_c), 0.9004 + SMALL, 0.9004 - SMALL, 0.0, "clamp"),
    "torque_asked": (told(torque=first), above(18.976), 18.975, 0.0, "clamp"),
    "joint_position": (measured("joint_pos_rad"), 2.087 + SMALL, 2.087 - SMALL, 0.02, "damp"),
    "joint_velocity": (measured("joint_vel_rad_s"), -20.02, -below(20.02), 0.02, "damp"),
    "joint_torque": (measured("joint_torque_nm"), -23.72, -below(23.72), 0.1, "damp"),
    "motor_warm": (measured("motor_temperature_c"), 80.0, below(80.0), 0.5, "stop"),
    "motor_hot": (measured("motor_temperature_c"), 90.0, below(90.0), 0.5, "damp"),
    "tilt": (measured("imu_quat_wxyz", leaning), 1.0 + SMALL, 1.0 - SMALL, 0.04, "damp"),
    "fallen": (measured("imu_quat_wxyz", leaning), 1.0 + SMALL, 1.0 - SMALL, 2.0, "zero"),
    "free_fall": (measured("imu_lin_acc_m_s2"), 3.0, 3.0 + SMALL, 0.15, "damp"),
    "battery_low": (measured("battery_share", float), 0.2, above(0.2), 2.0, "stop"),
    "report_not_finite": (measured("imu_ang_vel_rad_s"), math.nan, 1e300, 0.0, "hold"),
    "report_quaternion": (measured("imu_quat_wxyz", lambda x: [x, 0, 0, 0]), 0.95 - SMALL, 0.95 + SMALL, 0.0, "hold"),
    "report_crc": (given("wrong_crc", bool), True, False, 0.0, "hold"),
    "report_order": (measured("sequence", int), 1001, 1002, 0.02, "hold"),
    "report_repeated": (measured("sequence", int), 1002, 1003, 0.02, "hold"),
    "sensor_frozen": (given("frozen", of_joint_c), True, False, 0.0, "hold"),
    "report_stale": (given("report_age_s"), 0.04, below(0.04), 0.0, "hold"),
    "report_lost": (given("report_age_s"), 0.04, below(0.04), 0.1, "damp"),
    "clock_back": (given("time_s"), 0.01 - SMALL, 0.01, 0.0, "hold"),
    "clock_jump": (given("time_s"), 0.51 + SMALL, 0.51 - SMALL, 0.0, "damp"),
    "clock_jump_back": (given("time_s"), -0.49 - SMALL, -0.49 + SMALL, 0.0, "damp"),
    "other_commander": (alarm("other_commander"), True, False, 0.0, "damp"),
    "own_controller": (alarm("own_controller"), True, False, 0.0, "damp"),
    "other_variant": (alarm("other_variant"), True, False, 0.0, "damp"),
    "robot_clock_rate": (alarm("robot_clock_rate"), True, False, 0.1, "stop"),
    "motor_fault": (alarm("motor_fault"), True, False, 0.1, "stop"),
    "motor_link": (alarm("motor_link"), True, False, 0.1, "stop"),
    "battery_silent": (alarm("battery_silent"), True, False, 0.1, "stop"),
    "deadline": (given("lateness_s"), 0.02, below(0.02), 0.0, "hold"),
}


SAID = {  # with a unit wherever there is one; of what is yes or no, nothing but the name of the part
    "action_not_finite": "inf",
    "action_range": "#, limit #",
    "velocity_command": "# m/s beyond it",
    "operator_lost": "# s, limit # s",
    "command_not_finite": "nan",
    "command_far": "# rad beyond it, # rad allowed",
    "command_range": "# rad beyond it",
    "target_rate": "# rad/s, limit # rad/s",
    "torque_asked": "# N m, limit # N m",
    "joint_position": "# rad beyond it, # rad allowed",
    "joint_velocity": "# rad/s, limit # rad/s",
    "joint_torque": "# N m, limit # N m",
    **dict.fromkeys(["motor_warm", "motor_hot"], "# degrees Celsius, limit # degrees Celsius"),
    **dict.fromkeys(["tilt", "fallen"], "# rad, limit # rad"),
    "free_fall": "# m/s^2, limit # m/s^2",
    "battery_low": "# of #, limit # of #",
    "report_not_finite": "nan",
    "report_quaternion": "#, limit #",
    **dict.fromkeys(["report_stale", "clock_back", "clock_jump", "clock_jump_back", "deadline"], "# s, limit # s"),
}


def good_watch():
    watch = Watch()
    for _ in range(GOOD_TICKS):
        assert watch.names(watch.check()) == []
    return watch


def test_the_cases_are_all_rules() -> None:
    assert sorted(CASES) == sorted(rule.name for rule in Watch().safety.rules)


@pytest.mark.parametrize("name", CASES)
def test_a_rule_trips_at_its_limit_and_to_the_tick_after_its_grace(name: str) -> None:
    make, trips, _, grace_s, response = CASES[name]
    watch = good_watch()
    rule = watch.safety.rules[watch.safety.rule(name)]
    assert (rule.grace_s, rule.response) == (grace_s, Response[response.upper()])
    ticks = round(grace_s / TICK_S)
    for _ in range(ticks):
        assert name not in watch.names(watch.check(**make(trips)))
    verdict = watch.check(**make(trips))
    assert name in watch.names(verdict)
    assert verdict.response >= Response[response.upper()]
    (event,) = [event for event in watch.safety.events(verdict) if event.rule == name]
    said = event.message[len(rule.description) :].rpartition(":")[2].strip(" .")
    assert re.sub(r"(?<![\w^])-?\d[\d.e+-]*", "#", said) == SAID.get(name, event.component)


@pytest.mark.parametrize(
    "name", [name for name in CASES if name not in ("report_repeated", "report_order", "clock_back")]
)
def test_a_rule_does_not_trip_just_short_of_its_limit(name: str) -> None:
    make, _, short, grace_s, _ = CASES[name]
    watch = good_watch()
    for tick in range(round(grace_s / TICK_S) + 2):
        assert name not in watch.names(watch.check(**make(short))), tick
        if grace_s == 0.0:
            return  # what stays at its limit may break another rule of the pair in the next tick


@pytest.mark.parametrize(("name", "value"), [("report_order", 1002), ("report_repeated", 1003), ("clock_back", 0.01)])
def test_a_rule_about_the_tick_before_does_not_trip_just_short_of_its_limit(name: str, value: float) -> None:
    assert name not in good_watch().names(good_watch().check(**CASES[name][0](value)))


@pytest.mark.parametrize("name", [name for name in CASES if CASES[name][3] > 0.0])
def test_a_condition_that_pauses_for_a_tick_begins_its_grace_anew(name: str) -> None:
    make, trips, _, grace_s, _ = CASES[name]
    watch = good_watch()
    for _ in range(round(grace_s / TICK_S)):
        watch.check(**make(trips))
    watch.check()
    if name != "report_repeated":  # after a new report the old number is out of order
        for _ in range(round(grace_s / TICK_S)):
            assert name not in watch.names(watch.check(**make(trips)))
        assert name in watch.names(watch.check(**make(trips)))


@pytest.mark.parametrize("place", range(3))
def test_a_limit_is_that_of_the_joint(place: int) -> None:
    """The interface has the joints c, a, b with speeds 20.02, 20 and 20.01."""
    limit = (20.02, 20.0, 20.01)[place]
    for speed, trips in ((limit, True), (below(limit), False)):
        watch, velocity = good_watch(), np.zeros(3)
        velocity[place] = speed
        for _ in range(4):
            watch.check(measured={"joint_vel_rad_s": velocity})
        verdict = watch.check(measured={"joint_vel_rad_s": velocity})
        assert ("joint_velocity" in watch.names(verdict)) == trips
        if trips:
            (event,) = [event for event in watch.safety.events(verdict) if event.rule == "joint_velocity"]
            assert (event.index, event.component, event.value, event.limit) == (place, "cab"[place], limit, limit)
            assert event.message == f"A joint is too fast. {'cab'[place]}: {limit:.6g} rad/s, limit {limit:.6g} rad/s."


def test_an_action_is_named_by_the_joint_that_it_moves() -> None:
    verdict = (watch := good_watch()).check(action=np.array([0.0, 0.0, 11.0]))  # the policy's third joint is c
    (event,) = watch.safety.events(verdict)
    assert (event.rule, event.component, event.index, event.robot, event.time_s) == ("action_range", "c", 0, (), 0.015)


def test_an_excess_is_said_as_what_is_beyond_the_range_and_not_beside_a_limit_of_nothing() -> None:
    verdict = (watch := good_watch()).check(velocity_command=np.array([0.55, 0.0, 0.0]))
    (event,) = [event for event in watch.safety.events(verdict) if event.rule == "velocity_command"]
    assert event.message.endswith("training allow. lin_vel_x_m_s: 0.25 m/s beyond it.")  # 0.3 of 0.55 is allowed


def test_rules_about_walking_wait_until_the_robot_walks_but_not_longer() -> None:
    watch = good_watch()
    for _ in range(200):
        verdict = watch.check(measured={"motor_temperature_c": first(80.0)}, action=first(math.nan), walking=False)
        assert watch.names(verdict) == []
    verdict = watch.check(measured={"motor_temperature_c": first(80.0)}, action=first(0.0), walking=True)
    assert watch.names(verdict) == ["motor_warm"]


@pytest.mark.parametrize("blind", [{"wrong_crc": True}, {"report_age_s": 0.1}])
def test_a_report_that_says_nothing_of_now_neither_begins_nor_ends_nor_prolongs_a_condition(blind) -> None:
    watch, tilted = good_watch(), {"imu_quat_wxyz": leaning(2.0)}
    for _ in range(30):
        assert "tilt" not in watch.names(watch.check(measured=tilted, **blind))
    watch = good_watch()
    for tick in range(39):  # 40 ms of tilt, 30 checks without any report in between
        lasting = tick == 0 or tick > 30
        verdict = watch.check(measured=tilted if lasting else {}, **({} if lasting else blind))
        assert ("tilt" in watch.names(verdict)) == (tick == 38)
    verdict = watch.check(**blind)
    assert "tilt" in watch.names(verdict)


def test_a_tilt_is_the_angle_between_the_verticals_whatever_the_yaw_and_the_length() -> None:
    for angle in np.linspace(0.0, math.pi, 50):
        for yaw in (0.0, 1.0, 3.0):
            tilted = np.array([math.cos(angle / 2), math.sin(angle / 2), 0.0, 0.0])
            turned = np.array([math.cos(yaw / 2), 0.0, 0.0, math.sin(yaw / 2)])
            w, x, y, z = turned
            quat = np.array([[w, -x, -y, -z], [x, w, -z, y], [y, z, w, -x], [z, -y, x, w]]) @ tilted
            watch = Watch()
            verdict = watch.check(measured={"imu_quat_wxyz": 1.04 * quat})
            at = sum(len(rule.limit) for rule in watch.safety.rules[: watch.safety.rule("tilt")])
            assert verdict.values[at] == pytest.approx(angle, abs=2e-8)


def test_a_robot_without_foot_sensors_is_judged_too() -> None:
    assert Watch().check(measured={"foot_force_n": np.zeros(0)}).response == Response.NONE
    verdict = (watch := Watch()).check(measured={"foot_force_n": [3.0, math.nan]})
    assert watch.safety.events(verdict)[0].component == "foot_force_n right"


def test_a_stage_that_does_not_fit_the_contract_is_refused() -> None:
    with pytest.raises(
        SurefootError, match=r"largest_command has 2 numbers; the contract's command has 3: lin_vel_x_m_s"
    ):
        Safety(CONTRACT, StageLimits(largest_command=(0.3, 0.3)))
    fast = tuple(Interval(0.5, 1.0) for _ in range(3))
    with pytest.raises(
        SurefootError, match=r"allows lin_vel_x_m_s from -0.3 to 0.3, and the policy was trained from 0.5"
    ):
        Safety(replace(CONTRACT, command=replace(CONTRACT.command, trained=fast)), LIMITS)


def test_limits_that_bound_nothing_are_refused_all_at_once() -> None:
    with pytest.raises(SurefootError) as error:
        StageLimits((0.3, math.nan), torque_share=1.5, report_age_s=0.0, tilt_grace_s=-1.0, lowest_battery_share=1.0)
    for words in (
        "largest_command is (0.3, nan)",
        "torque_share is 1.5; it must be at most 1",
        "report_age_s is 0.0; it must be > 0",
        "tilt_grace_s is -1.0; it must be >= 0",
        "lowest_battery_share is 1.0",
    ):
        assert words in str(error.value)


def test_a_velocity_command_is_brought_within_stage_and_training() -> None:
    safety = Watch().safety  # the stage allows 0.3, 0.3, 0.5, and training had 1, 0.5, 1
    np.testing.assert_array_equal(safety.allowed_velocity(np.array([2.0, -2.0, 0.4])), [0.3, -0.3, 0.4])
    np.testing.assert_array_equal(safety.allowed_velocity(np.array([math.nan, math.inf, -math.inf])), [0.0, 0.0, 0.0])
    wide = Safety(CONTRACT, StageLimits(largest_command=(9.0, 9.0, 9.0)))
    np.testing.assert_array_equal(wide.allowed_velocity(np.full((2, 3), 5.0)), [[1.0, 0.5, 1.0]] * 2)


def test_an_unknown_rule_is_refused_with_the_nearest_names() -> None:
    with pytest.raises(SurefootError, match="Unknown safety rule 'tild'; valid: tilt"):
        Watch().safety.rule("tild")


def test_the_pose_of_the_cases_is_the_default_pose() -> None:
    np.testing.assert_array_equal(Watch().state.seen.joint_pos_rad, POSE)


def test_a_frozen_sensor_is_named_and_makes_the_report_count_as_lost() -> None:
    watch = good_watch()
    verdict = watch.check(frozen=np.array([True, False, False, True]))
    (event,) = watch.safety.events(verdict)
    assert (event.rule, event.component, event.response) == ("sensor_frozen", "IMU", Response.HOLD)
    assert event.message == "A sensor measures the same over and over. IMU."
    for _ in range(19):
        assert watch.names(watch.check(frozen=np.array([False, False, False, True]))) == ["sensor_frozen"]
    verdict = watch.check(frozen=np.array([False, False, False, True]))  # 0.1 s
    assert watch.names(verdict) == ["sensor_frozen", "report_lost"]
    assert verdict.response == Response.DAMP


def test_what_other_sensors_measure_is_judged_while_one_is_frozen() -> None:
    watch = good_watch()
    for _ in range(9):
        verdict = watch.check(measured={"imu_quat_wxyz": leaning(1.1)}, frozen=np.array([False, True, False, False]))
    assert watch.names(verdict) == ["tilt", "sensor_frozen"]
    assert verdict.response == Response.DAMP
