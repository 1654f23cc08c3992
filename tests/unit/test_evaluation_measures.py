"""Measures of constructed motions, whose values are worked by hand."""

import math

import numpy as np
import pytest
import torch
from tests.unit.motion_rig import (
    CONTRACT,
    STEP_S,
    TICK_S,
    WEIGHT_N,
    F,
    J,
    batch,
    measures_of,
    play,
    push,
    truth,
    verdict,
)

from surefoot.evaluation.measures import MEASURES, MIN_SWING_S, MOVING_SPEED
from surefoot.playing import metrics
from surefoot_bridge.safety_rules import Response

FORWARD = (0.5, 0.0, 0.0)


def measured(measures, trial=0):
    return measures.outcomes()[trial].measures


def cycle(time_s, period_s):
    """Place of a control step in a cycle, in [0, 1): all its ticks are alike."""
    step, steps = math.ceil(time_s / STEP_S - 1e-6), round(period_s / STEP_S)
    return (step - 1) % steps / steps


def trot(time_s, swing_m=0.06):
    """A trot of 0.4 s: each diagonal pair stands for 0.2 s, then swings for 0.2 s in a triangle of that height."""
    phase = cycle(time_s, 0.4)
    heights, forces = np.zeros((F, 3)), np.zeros(F)
    for foot, offset in enumerate((0.0, 0.5, 0.5, 0.0)):
        place = (phase + offset) % 1.0
        if place < 0.5:
            forces[foot] = WEIGHT_N / 2.0
        else:
            heights[foot, 2] = swing_m * min(place - 0.5 + 0.05, 1.0 - place) * 4.0
    return {"foot_force_n": forces, "foot_pos_w": heights}


# How it ended


def test_every_measure_that_is_taken_is_declared_and_all_but_the_searched_one_are_taken():
    pushed = measures_of(batch(3, pushes=(push([1.0, 1.0, 1.0]),)))
    upright, over = [1.0, 0.0, 0.0, 0.0], [0.0, 1.0, 0.0, 0.0]
    play(
        pushed,
        4.0,
        lambda t: (
            trot(t) | {"base_lin_vel_w": [0.5, 0, 0], "base_quat_wxyz": [upright, upright, over if t > 3 else upright]}
        ),
        command=(0.5, 0.0, 0.1),
        safety=lambda t: verdict(3, np.where([False, t > 2, False], Response.DAMP, Response.NONE)),
    )
    taken = set().union(*(outcome.measures for outcome in pushed.outcomes()))
    assert taken == set(MEASURES) - {"largest_push_n"}


def test_a_fall_is_timed_to_the_tick_and_nothing_counts_from_it_on():
    def motion(time_s):
        down = time_s > 0.5 + 1e-9
        half = 1.001 / 2.0  # rad; the tilt limit is 1 rad
        return {
            "base_quat_wxyz": [math.cos(half), math.sin(half) * down, 0.0, 0.0] if down else [1.0, 0.0, 0.0, 0.0],
            "motor_torque_nm": 7.0 if down else 2.0,
            "base_lin_vel_w": [9.0 if down else 0.5, 0.0, 0.0],
            "base_pos_w": [9.0 if down else 0.5 * time_s, 0.0, 0.3],
        }

    (outcome,) = play(measures_of(batch()), 1.0, motion, command=FORWARD).outcomes()
    assert (outcome.success, outcome.reason) == (False, "fell")
    assert outcome.measures["fell"] == 1.0
    assert outcome.measures["stopped_by_safety"] == 0.0
    assert outcome.measures["time_to_fall_s"] == pytest.approx(0.505, abs=1e-12)  # the first tick after 0.5 s
    assert outcome.measures["torque_peak_nm"] == 2.0
    assert outcome.measures["rms_vx_error"] == 0.0
    assert outcome.measures["distance_m"] == pytest.approx(0.25, abs=1e-12)
    assert outcome.measures["path_m"] == pytest.approx(0.25, abs=1e-12)


def test_tilt_just_below_the_limit_is_no_fall():
    half = 0.999 / 2.0
    (outcome,) = play(
        measures_of(batch()), 0.1, lambda t: {"base_quat_wxyz": [math.cos(half), 0.0, math.sin(half), 0.0]}
    ).outcomes()
    assert outcome.success
    assert outcome.measures["tilt_max_rad"] == pytest.approx(0.999, abs=1e-9)


def test_a_body_that_touches_the_ground_with_more_than_the_contact_force_is_a_fall():
    outcomes = play(measures_of(batch(2)), 0.1, lambda t: {"body_force_n": [1.0, 1.01]}).outcomes()
    assert [outcome.reason for outcome in outcomes] == ["", "fell"]


@pytest.mark.parametrize("bad", [math.nan, math.inf, -math.inf])
@pytest.mark.parametrize(
    "name", ["base_pos_w", "base_quat_wxyz", "joint_vel_rad_s", "motor_torque_nm", "foot_vel_w", "motor_heat"]
)
def test_a_state_that_is_not_finite_is_a_fall_and_spoils_no_measure_of_any_trial(name, bad):
    def motion(time_s):
        value = np.copy(getattr(truth(2), name))
        if time_s > 0.1 + 1e-9:
            value[1] = bad
        return {name: value}

    healthy, broken = play(measures_of(batch(2)), 0.4, motion).outcomes()
    assert healthy.success
    assert (broken.success, broken.reason) == (False, "state not finite")
    assert 0.1 < broken.measures["time_to_fall_s"] <= 0.1 + STEP_S + 1e-9
    for outcome in (healthy, broken):
        assert all(math.isfinite(value) for value in outcome.measures.values())
    alone = play(measures_of(batch(1)), 0.4).outcomes()[0]
    assert healthy.measures == alone.measures


def test_a_stop_by_the_safety_layer_ends_a_trial_by_the_name_of_its_rule():
    def safety(time_s):
        stops = [False, time_s > 0.2 + 1e-9]
        return verdict(2, np.where(stops, Response.DAMP, Response.NONE), joint_velocity=stops)

    free, stopped = play(measures_of(batch(2)), 0.4, safety=safety).outcomes()
    assert free.success
    assert (stopped.success, stopped.reason) == (False, "stopped by safety: joint_velocity")
    assert stopped.measures["stopped_by_safety"] == 1.0
    assert stopped.measures["fell"] == 0.0
    assert stopped.measures["safety_interventions"] == 1.0
    assert stopped.measures["time_to_stop_s"] == pytest.approx(0.205, abs=1e-12)
    assert "time_to_fall_s" not in stopped.measures


def test_interventions_count_rules_that_begin_to_act_and_end_no_trial_by_themselves():
    def safety(time_s):
        at = round(time_s / TICK_S)
        return verdict(1, Response.CLAMP, target_rate=at in (3, 7), torque_asked=at == 7)

    (outcome,) = play(measures_of(batch()), 0.1, safety=safety).outcomes()
    assert outcome.success
    assert outcome.measures["safety_interventions"] == 3.0


def test_a_trial_that_ends_in_its_first_tick_has_no_measure_that_needs_time():
    (outcome,) = play(measures_of(batch()), 0.1, lambda t: {"body_force_n": 100.0}).outcomes()
    assert outcome.measures["time_to_fall_s"] == TICK_S
    assert "rms_vx_error" not in outcome.measures
    assert "torque_rms_nm" not in outcome.measures
    assert outcome.measures["distance_m"] == 0.0


# Success


def test_a_trial_succeeds_within_its_bounds_and_says_which_it_left():
    bounds = {"rms_vx_error": {"max": 0.25}, "distance_m": {"min": 0.5}}
    speeds = np.array([[0.5, 0, 0], [0.2, 0, 0], [0.3, 0, 0]])
    outcomes = play(
        measures_of(batch(3, success=bounds)),
        1.0,
        lambda t: {"base_lin_vel_w": speeds, "base_pos_w": speeds * t + [0.0, 0.0, 0.3]},
        command=FORWARD,
    ).outcomes()
    assert [outcome.reason for outcome in outcomes] == ["", "rms_vx_error above 0.25", "distance_m below 0.5"]
    assert [outcome.success for outcome in outcomes] == [True, False, False]
    assert [(outcome.number, outcome.seed) for outcome in outcomes] == [(0, 100), (1, 101), (2, 102)]


def test_a_bound_on_what_was_not_measured_is_not_met():
    (outcome,) = play(measures_of(batch(success={"foot_clearance_m": {"min": 0.01}})), 1.0).outcomes()
    assert outcome.reason == "foot_clearance_m not measured"


# Tracking


def test_errors_are_those_of_the_base_frame():
    # Heading 90 degrees left: a world velocity of (0, 0.4) is 0.4 forward.
    half = math.pi / 4.0
    motion = {
        "base_quat_wxyz": [math.cos(half), 0.0, 0.0, math.sin(half)],
        "base_lin_vel_w": [-0.1, 0.4, 0.0],
        "base_ang_vel_b": [0.0, 0.0, 0.3],
    }
    found = measured(play(measures_of(batch()), 1.0, lambda t: motion, command=(0.5, 0.0, 0.1)))
    assert found["rms_vx_error"] == pytest.approx(0.1, abs=1e-12)
    assert found["rms_vy_error"] == pytest.approx(0.1, abs=1e-12)
    assert found["rms_yaw_rate_error"] == pytest.approx(0.2, abs=1e-12)


def test_sway_counts_in_the_rms_but_not_in_the_steady_error():
    # Errors alternate between +0.3 and -0.1: RMS sqrt(0.05), mean 0.1.
    def motion(time_s):
        odd = math.ceil(time_s / STEP_S - 1e-6) % 2
        return {"base_lin_vel_w": [0.2 if odd else 0.6, 0.0, 0.0]}

    found = measured(play(measures_of(batch()), 1.0, motion, command=FORWARD))
    assert found["rms_vx_error"] == pytest.approx(math.sqrt(0.05), abs=1e-12)
    assert found["steady_vx_error"] == pytest.approx(0.1, abs=1e-12)
    assert found["command_share"] == pytest.approx(0.8, abs=1e-12)


def test_steady_errors_of_opposite_commands_do_not_cancel():
    # 1 s at +0.5 with 0.4, then 3 s at -0.5 with -0.3: mean errors +0.1 and -0.2, by time 0.25 * 0.1 + 0.75 * 0.2.
    def command(time_s):
        return (0.5, 0.0, 0.0) if time_s < 1.0 + 1e-9 else (-0.5, 0.0, 0.0)

    def motion(time_s):
        return {"base_lin_vel_w": [0.4 if time_s < 1.0 + 1e-9 else -0.3, 0.0, 0.0]}

    found = measured(play(measures_of(batch()), 4.0, motion, command=command))
    assert found["steady_vx_error"] == pytest.approx(0.175, abs=1e-12)
    assert found["command_share"] == pytest.approx((0.2 * 1.0 + 0.15 * 3.0) / (0.25 * 4.0), abs=1e-12)


def test_tracking_is_not_judged_while_it_settles_after_a_change_of_command_or_a_push():
    # Settling for 0.5 s after the start and after the change at 2 s; the push is from 3.0 to 3.2, so until 3.7.
    def command(time_s):
        return (0.5, 0.0, 0.0) if time_s < 2.0 + 1e-9 else (0.0, 0.0, 0.4)

    def motion(time_s):
        settles = time_s < 0.5 + 1e-9 or 2.0 < time_s - 1e-9 < 2.5 or 3.0 < time_s - 1e-9 < 3.7
        asked = command(time_s)
        return {
            "base_lin_vel_w": [9.0 if settles else asked[0] - 0.1, 0.0, 0.0],
            "base_ang_vel_b": [0.0, 0.0, 0.0 if settles else asked[2] / 2.0],
        }

    found = measured(play(measures_of(batch(pushes=(push([3.0]),), settle_s=0.5)), 5.0, motion, command=command))
    assert found["rms_vx_error"] == pytest.approx(0.1, abs=1e-12)
    assert found["turn_share"] == pytest.approx(0.5, abs=1e-12)


def test_a_robot_that_was_asked_for_nothing_has_no_share_of_it():
    found = measured(play(measures_of(batch()), 1.0))
    assert "command_share" not in found
    assert "turn_share" not in found


def test_distance_is_from_the_start_and_path_is_the_whole_way():
    # 1 s forward at 0.5 m/s and 1 s back.
    def motion(time_s):
        ahead = time_s < 1.0 + 1e-9
        return {
            "base_lin_vel_w": [0.5 if ahead else -0.5, 0.0, 0.0],
            "base_pos_w": [0.5 * (time_s if ahead else 2.0 - time_s), 0.3, 0.3],
        }

    found = measured(play(measures_of(batch()), 2.0, motion))
    assert found["path_m"] == pytest.approx(1.0, abs=1e-12)
    assert found["distance_m"] == pytest.approx(0.3, abs=1e-12)


def test_turning_counts_whole_turns_from_the_heading_at_the_start():
    start = np.array([3.0, -1.0])  # rad; 3.0 + 7.5 rad passes the jump of the angle twice
    rate = np.array([7.5, -2.0])

    def motion(time_s):
        half = (start + rate * time_s) / 2.0
        zero = np.zeros(2)
        return {"base_quat_wxyz": np.stack([np.cos(half), zero, zero, np.sin(half)], axis=1)}

    measures = play(measures_of(batch(2, varied={"yaw_rad": start})), 1.0, motion)
    assert measured(measures, 0)["turned_deg"] == pytest.approx(math.degrees(7.5), abs=1e-9)
    assert measured(measures, 1)["turned_deg"] == pytest.approx(-math.degrees(2.0), abs=1e-9)


def test_climb_and_height_are_of_the_ground_under_the_base():
    # Ground 0.1 + 0.2 x; the base 0.3 m above it at a speed of 1 m/s.
    def motion(time_s):
        return {"base_pos_w": [time_s, 0.0, 0.1 + 0.2 * time_s + 0.3]}

    found = measured(play(measures_of(batch(), ground_height=lambda x, y: 0.1 + 0.2 * x), 1.0, motion))
    assert found["climb_m"] == pytest.approx(0.2, abs=1e-12)
    assert found["base_height_mean_m"] == pytest.approx(0.3, abs=1e-12)
    assert found["base_height_spread_m"] == pytest.approx(0.0, abs=1e-7)


# Recovery


def _shoved(time_s, back_s, usual=0.0, sway=0.3):
    """Sideways velocity after a push from 1.0 to 1.2 s that is off by `sway` until `back_s`."""
    return {"base_lin_vel_w": [0.0, usual + (sway if 1.0 + 1e-9 < time_s < back_s + 1e-9 else 0.0), 0.0]}


def test_recovery_is_the_time_from_the_end_of_the_push_until_the_velocity_stays_back():
    found = measured(play(measures_of(batch(pushes=(push([1.0]),))), 4.0, lambda t: _shoved(t, back_s=1.9)))
    assert found["recovery_s"] == pytest.approx(0.7, abs=1e-9)


def test_being_back_for_less_than_half_a_second_is_no_recovery():
    def motion(time_s):  # off until 1.5, back until 1.9, off again until 2.2
        off = time_s < 1.5 + 1e-9 or 1.9 + 1e-9 < time_s < 2.2 + 1e-9
        return {"base_lin_vel_w": [0.0, 0.3 if off and time_s > 1.0 + 1e-9 else 0.0, 0.0]}

    found = measured(play(measures_of(batch(pushes=(push([1.0]),))), 4.0, motion))
    assert found["recovery_s"] == pytest.approx(1.0, abs=1e-9)


def test_recovery_is_to_the_error_that_was_usual_before_the_push():
    found = measured(play(measures_of(batch(pushes=(push([1.0]),))), 4.0, lambda t: _shoved(t, 1.9, usual=0.4)))
    assert found["recovery_s"] == pytest.approx(0.7, abs=1e-9)


def test_a_push_that_does_not_move_the_robot_needs_no_recovery():
    found = measured(play(measures_of(batch(pushes=(push([1.0]),))), 4.0, lambda t: _shoved(t, 1.9, sway=0.2)))
    assert found["recovery_s"] == 0.0


def test_who_never_recovers_is_told_the_time_until_the_end():
    found = measured(play(measures_of(batch(pushes=(push([1.0]),))), 4.0, lambda t: _shoved(t, back_s=9.0)))
    assert found["recovery_s"] == pytest.approx(2.8, abs=1e-9)


def test_of_several_pushes_the_longest_recovery_counts_for_each_trial_by_itself():
    # Trial 0 is pushed at 1.0 and 3.0 s, trial 1 at 1.0 s and after the end; off for 0.5 s after 1.2 and 0.3 after 3.2.
    def motion(time_s):
        first, second = 1.0 + 1e-9 < time_s < 1.7 + 1e-9, 3.0 + 1e-9 < time_s < 3.5 + 1e-9
        off = [[0.0, 0.4 * (first or second), 0.0], [0.0, 0.4 * (1.0 + 1e-9 < time_s < 1.3 + 1e-9), 0.0]]
        return {"base_lin_vel_w": off}

    measures = play(measures_of(batch(2, pushes=(push([1.0, 1.0]), push([3.0, 9.0])))), 5.0, motion)
    assert measured(measures, 0)["recovery_s"] == pytest.approx(0.5, abs=1e-9)
    assert measured(measures, 1)["recovery_s"] == pytest.approx(0.1, abs=1e-9)


def test_nobody_recovers_who_was_not_pushed_or_fell():
    assert "recovery_s" not in measured(play(measures_of(batch(pushes=(push([9.0]),))), 1.0))
    fall = play(measures_of(batch(pushes=(push([0.2]),))), 1.0, lambda t: {"body_force_n": 50.0 if t > 0.5 else 0.0})
    assert "recovery_s" not in measured(fall)


# Effort


def test_torque_peaks_are_of_any_tick_and_rms_is_over_time_and_motors():
    # Every fourth tick but the last of a step, one motor gives 6 N m, all others 2 N m all the time.
    def motion(time_s):
        torque = np.full(J, 2.0)
        torque[2] = -6.0 if round(time_s / TICK_S) % 4 == 2 else 2.0
        return {"motor_torque_nm": torque}

    measures = play(measures_of(batch()), 1.0, motion)
    found, loads = measured(measures), measures.joint_loads()
    limits = [CONTRACT.safety.torque_limit_nm[i] for i in CONTRACT.sdk_order]
    assert found["torque_peak_nm"] == 6.0
    assert found["torque_peak_share"] == pytest.approx(6.0 / limits[2], abs=1e-12)
    rms = math.sqrt((36.0 + 3 * 4.0) / 4.0)
    assert loads.torque_rms_nm[0, 2] == pytest.approx(rms, abs=1e-12)
    assert loads.torque_peak_nm[0].tolist() == [6.0 if joint == 2 else 2.0 for joint in range(J)]
    assert found["torque_rms_nm"] == pytest.approx(math.sqrt((11 * 4.0 + rms**2) / 12.0), abs=1e-12)


def test_cost_of_transport_is_positive_work_over_weight_and_way():
    # One motor gives 5 N m at 4 rad/s: 20 W; another brakes and counts nothing. 20 W at 0.5 m/s with 2 kg of payload.
    def motion(time_s):
        torque, speed = np.zeros(J), np.zeros(J)
        torque[:2], speed[:2] = (5.0, 5.0), (4.0, -4.0)
        return {"motor_torque_nm": torque, "joint_vel_rad_s": speed, "base_lin_vel_w": [0.5, 0.0, 0.0]}

    loaded = batch(varied={"payload_kg": np.array([2.0])})
    found = measured(play(measures_of(loaded), 1.0, motion, command=FORWARD))
    assert found["cost_of_transport"] == pytest.approx(20.0 / ((WEIGHT_N + 2.0 * 9.81) * 0.5), abs=1e-12)
    slow = measured(play(measures_of(batch()), 1.0, motion, command=(0.2, 0.0, 0.0)))
    assert "cost_of_transport" not in slow


def test_heat_of_a_run_of_full_length_is_the_largest_that_was_seen():
    hot = measured(play(measures_of(batch()), 10.0, lambda t: {"motor_heat": 0.3 if t < 2.0 else 0.1}))
    assert hot["motor_heat_max"] == pytest.approx(0.3, abs=1e-12)


def test_heat_of_a_shorter_run_is_extrapolated_as_if_it_went_on():
    # Torque 0.8 of the continuous one (half the limit) settles at 0.64; the rest of 600 s is 599 s, time constant 60 s.
    limits = np.array([CONTRACT.safety.torque_limit_nm[i] for i in CONTRACT.sdk_order])
    motion = {"motor_torque_nm": 0.4 * limits, "motor_heat": 0.01}
    found = measured(play(measures_of(batch(), whole_length_s=600.0), 1.0, lambda t: motion))
    assert found["motor_heat_max"] == pytest.approx(0.64 + (0.01 - 0.64) * math.exp(-599.0 / 60.0), abs=1e-6)
    weak = batch(varied={"motor_strength": np.full((1, J), 0.5)})  # delivers half of what its current would give
    found = measured(play(measures_of(weak, whole_length_s=1e9), 1.0, lambda t: motion))
    assert found["motor_heat_max"] == pytest.approx(4 * 0.64, abs=1e-5)


def test_heat_of_a_robot_that_fell_is_not_extrapolated():
    def motion(time_s):
        return {"motor_torque_nm": 20.0, "motor_heat": 0.01, "body_force_n": 9.0 if time_s > 0.5 else 0.0}

    found = measured(play(measures_of(batch(), whole_length_s=600.0), 1.0, motion))
    assert found["motor_heat_max"] == 0.01


def test_saturation_is_the_share_of_ticks_and_motors_that_gave_less_than_asked():
    def motion(time_s):
        cut = np.zeros(J, dtype=bool)
        cut[:3] = round(time_s / TICK_S) % 4 == 1  # in the first tick after each new target
        return {"torque_cut": cut}

    assert measured(play(measures_of(batch()), 1.0, motion))["saturation_share"] == pytest.approx(3 / 48, abs=1e-12)


def test_joints_are_at_their_limits_beyond_the_middle_nine_tenths_of_their_range():
    limits = [CONTRACT.safety.joint_pos_limit_rad[i] for i in CONTRACT.sdk_order]
    inside = np.array([limit.low + 0.051 * (limit.high - limit.low) for limit in limits])
    outside = np.array([limit.high - 0.049 * (limit.high - limit.low) for limit in limits])
    pose = np.where(np.arange(J) < 4, outside, inside)
    found = measured(play(measures_of(batch()), 1.0, lambda t: {"joint_pos_rad": pose}))
    assert found["joint_limit_share"] == pytest.approx(4 / 12, abs=1e-12)


def test_the_action_rate_is_that_of_the_targets_and_a_ramp_has_no_second_difference():
    found = measured(play(measures_of(batch()), 1.0, action=lambda step: 0.1 * step))
    assert found["action_rate"] == pytest.approx(0.25 * 0.1 / STEP_S, rel=1e-5)  # Go2: scale 0.25 rad
    assert found["action_jerk"] == pytest.approx(0.0, abs=1e-3)


def test_an_action_that_alternates_jerks_twice_as_much_as_it_changes():
    found = measured(play(measures_of(batch()), 1.0, action=lambda step: 0.5 * (-1) ** step))
    assert found["action_rate"] == pytest.approx(0.25 / STEP_S, rel=1e-6)
    assert found["action_jerk"] == pytest.approx(2 * 0.25 / STEP_S**2, rel=1e-6)


def test_an_action_counts_as_it_is_clipped_and_not_where_it_is_not_finite():
    found = measured(play(measures_of(batch()), 1.0, action=lambda step: 1e6 if step > 25 else math.nan))
    assert found["action_rate"] == 0.0
    clipped = measured(play(measures_of(batch()), 1.0, action=lambda step: 1e6 * (-1) ** step))
    assert clipped["action_rate"] == pytest.approx(2 * 10.0 * 0.25 / STEP_S, rel=1e-6)


# Gait


def test_a_trot_of_known_phase_has_its_frequency_duty_air_time_and_clearance():
    found = measured(play(measures_of(batch()), 4.0, trot, command=FORWARD))
    # 4 s hold 10 cycles of 0.4 s. Feet 0 and 3 stand first: their 10th swing has not landed at the end. Feet 1 and 2
    # start in the air: that swing's beginning was not seen, 9 follow. So 4 x 9 swings in 4 s of 4 feet.
    assert found["stride_hz"] == pytest.approx(4 * 9 / (4 * 4.0), abs=1e-12)
    assert found["duty_factor"] == pytest.approx(0.5, abs=1e-12)
    assert found["air_time_s"] == pytest.approx(0.2, abs=1e-12)
    # Heights at the steps of a swing: 0.06 * 4 * min(0.05 k, 0.5 - 0.05 (k - 1)) for k = 1 ... 10, highest at k = 5.
    assert found["foot_clearance_m"] == pytest.approx(0.06, abs=1e-6)
    assert found["gait_symmetry"] == pytest.approx(1.0, abs=1e-12)


def test_clearance_is_above_the_ground_under_the_foot():
    def motion(time_s):
        raised = trot(time_s)
        raised["foot_pos_w"] += [1.0, 0.0, 0.5]
        return raised | {"base_pos_w": [1.0, 0.0, 0.8]}

    found = measured(play(measures_of(batch(), ground_height=lambda x, y: 0.5 * x), 4.0, motion, command=FORWARD))
    assert found["foot_clearance_m"] == pytest.approx(0.06, abs=1e-6)


def test_a_limp_is_uneven_by_the_difference_of_the_air_times():
    # In each pair one foot swings for 0.1 s and the other for 0.3 s: |0.1 - 0.3| / 0.4 = 1/2 off.
    def motion(time_s):
        place = cycle(time_s, 0.4)
        short, long = place >= 0.75, place < 0.75
        forces = np.where([short, long, short, long], 0.0, 40.0)
        return {"foot_force_n": forces}

    found = measured(play(measures_of(batch()), 4.0, motion, command=FORWARD))
    assert found["gait_symmetry"] == pytest.approx(0.5, abs=1e-9)
    # Front left 0, front right 1: in the contract's order of feet, whatever the order of the robot's interface.
    assert CONTRACT.robot.foot_names[:2] == ("FL_foot", "FR_foot")


def test_a_leg_that_never_lifts_leaves_no_evenness():
    def motion(time_s):
        swings = cycle(time_s, 0.4) >= 0.5
        return {"foot_force_n": np.where([swings, False, swings, False], 0.0, 40.0)}

    found = measured(play(measures_of(batch()), 4.0, motion, command=FORWARD))
    assert found["gait_symmetry"] == pytest.approx(0.0, abs=1e-9)


def test_who_shuffles_on_all_feet_takes_no_steps():
    found = measured(play(measures_of(batch()), 1.0, command=FORWARD))
    assert found["stride_hz"] == 0.0
    assert found["duty_factor"] == 1.0
    assert not {"foot_clearance_m", "air_time_s", "gait_symmetry", "foot_impact_weights"} & set(found)


def test_a_gait_is_measured_while_turning_on_the_spot_but_not_while_standing():
    turning = measured(play(measures_of(batch()), 4.0, trot, command=(0.0, 0.0, -0.5)))
    assert turning["duty_factor"] == pytest.approx(0.5, abs=1e-12)
    assert "cost_of_transport" not in turning
    standing = measured(play(measures_of(batch()), 4.0, trot, command=(0.1, 0.0, 0.0)))
    assert not {"duty_factor", "stride_hz", "foot_clearance_m"} & set(standing)


def test_a_bounce_shorter_than_a_swing_is_none():
    def motion(time_s):  # off the ground for two steps, 0.04 s, every 0.4 s
        return {"foot_force_n": np.full(F, 0.0 if cycle(time_s, 0.4) >= 0.9 else 40.0)}

    assert measured(play(measures_of(batch()), 4.0, motion, command=FORWARD))["stride_hz"] == 0.0


def test_slip_is_the_speed_of_feet_that_stay_on_the_ground():
    # Feet that stand slide at 0.05 m/s, at 0.3 m/s where they land, and swing at 2 m/s.
    def motion(time_s):
        state, landing = trot(time_s), [cycle(time_s, 0.4) < 0.05, 0.5 <= cycle(time_s, 0.4) < 0.55]
        stands = state["foot_force_n"] > 0.0
        lands = np.array([landing[0], landing[1], landing[1], landing[0]])
        speed = np.where(stands, np.where(lands, 0.3, 0.05), 2.0)
        velocity = np.stack([0.6 * speed, 0.8 * speed, np.full(F, 9.0)], axis=1)
        return state | {"foot_vel_w": velocity}

    found = measured(play(measures_of(batch()), 4.0, motion, command=FORWARD))
    assert found["foot_slip_m_s"] == pytest.approx(0.05, abs=1e-12)


def test_an_impact_is_the_peak_after_landing_in_weights_with_the_payload():
    # Landing feet peak at 1.5 times the weight in one tick of the first step, and stand at 1.9 times it later on.
    weight_n = WEIGHT_N + 3.0 * 9.81

    def motion(time_s):
        state, place = trot(time_s), cycle(time_s, 0.4)
        stands, since = state["foot_force_n"] > 0.0, place % 0.5 * 0.4
        peak = since < STEP_S - 1e-6 and round(time_s / TICK_S) % 4 == 2
        state["foot_force_n"] = np.where(stands, weight_n * (1.5 if peak else 1.9 if since > 0.1 else 0.5), 0.0)
        return state

    loaded = batch(varied={"payload_kg": np.array([3.0])})
    found = measured(play(measures_of(loaded), 4.0, motion, command=FORWARD))
    assert found["foot_impact_weights"] == pytest.approx(1.5, abs=1e-9)


def test_height_and_tilt_spread_are_those_of_a_known_sway():
    # Height 0.3 +- 0.02 and roll +- 0.1 in turn: standard deviation 0.02, RMS tilt 0.1.
    def motion(time_s):
        sign = 1.0 if math.ceil(time_s / STEP_S - 1e-6) % 2 else -1.0
        return {
            "base_pos_w": [0.0, 0.0, 0.3 + 0.02 * sign],
            "base_quat_wxyz": [math.cos(0.05), math.sin(0.05) * sign, 0.0, 0.0],
        }

    found = measured(play(measures_of(batch()), 1.0, motion))
    assert found["base_height_mean_m"] == pytest.approx(0.3, abs=1e-12)
    assert found["base_height_spread_m"] == pytest.approx(0.02, abs=1e-12)
    assert found["tilt_rms_rad"] == pytest.approx(0.1, abs=1e-9)
    assert found["tilt_max_rad"] == pytest.approx(0.1, abs=1e-9)


# Batches


def test_a_trial_has_the_same_measures_alone_and_beside_others_that_end_at_other_times():
    rng = np.random.default_rng(3)
    velocity, torque = rng.normal(0.4, 0.2, (60 * 4, 3, 3)), rng.normal(0.0, 5.0, (60 * 4, 3, J))
    falls_s = [0.31, 9.0, 0.777]

    def motion(rows):
        def at(time_s):
            k = round(time_s / TICK_S) - 1
            return trot(time_s) | {
                "base_lin_vel_w": velocity[k, rows],
                "motor_torque_nm": torque[k, rows],
                "body_force_n": [50.0 * (time_s > falls_s[row]) for row in rows],
            }

        return at

    together = play(measures_of(batch(3)), 1.2, motion([0, 1, 2]), command=FORWARD).outcomes()
    assert [outcome.success for outcome in together] == [False, True, False]
    for row in range(3):
        (alone,) = play(measures_of(batch(1)), 1.2, motion([row]), command=FORWARD).outcomes()
        assert alone.measures == together[row].measures


def test_constants_and_figures_are_those_of_the_metrics_of_play():
    assert MOVING_SPEED == metrics.MOVING_SPEED
    assert MIN_SWING_S == metrics.MIN_SWING_S
    n, steps = 5, 200
    rng = np.random.default_rng(1)
    older = metrics.EpisodeMetrics(n, F, step_dt=STEP_S, robot_mass_kg=WEIGHT_N / 9.81, device="cpu")
    ours = measures_of(batch(n))
    ours._effort._tick_s = STEP_S  # metrics look once a control step
    ours._tick_s = STEP_S
    contacts = np.repeat(rng.random((steps // 5 + 1, n, F)) < 0.5, 5, axis=0)
    for step in range(steps):
        command = np.tile([0.5 if step < 120 else 0.1, 0.0, 0.0], (n, 1))
        state = truth(
            n,
            base_lin_vel_w=rng.normal(0.4, 0.2, (n, 3)),
            base_ang_vel_b=rng.normal(0.0, 0.2, (n, 3)),
            motor_torque_nm=rng.normal(0.0, 5.0, (n, J)),
            joint_vel_rad_s=rng.normal(0.0, 3.0, (n, J)),
            foot_force_n=np.where(contacts[step], 40.0, 0.0),
            foot_pos_w=rng.random((n, F, 3)),
            body_force_n=np.where((np.arange(n) == 2) & (step == 77), 20.0, 0.0),
        )
        ours.tick(state, verdict(n))
        ours.step(state, command, np.zeros((n, J), np.float32))
        as_tensor = {
            "command": command,
            "base_lin_vel_b": state.base_lin_vel_w,
            "base_ang_vel_b": state.base_ang_vel_b,
            "fell": state.body_force_n > 1.0,
            "foot_contact": state.foot_force_n > 1.0,
            "sole_height_m": state.foot_pos_w[..., 2],
            "joint_torque_nm": state.motor_torque_nm,
            "joint_vel": state.joint_vel_rad_s,
        }
        older.update(
            metrics.StepSample(**{name: torch.as_tensor(value) for name, value in as_tensor.items()}, settled=True)
        )
    rows, outcomes = older.rows(), ours.outcomes()
    for row, outcome in zip(rows, outcomes, strict=True):
        assert bool(outcome.measures["fell"]) == row["fell"]
        for name in ("rms_vx_error", "rms_vy_error", "rms_yaw_rate_error"):
            assert outcome.measures[name] == pytest.approx(row[name], rel=1e-6)
        if row["mean_swing_clearance_m"] is not None:
            assert outcome.measures["foot_clearance_m"] == pytest.approx(row["mean_swing_clearance_m"], rel=1e-6)
    one = metrics.EpisodeMetrics.joined([older])
    one._sums = {name: values[:1] for name, values in older._sums.items()}
    figures = one.figures()
    for name, other in {
        "cost_of_transport": "cost_of_transport",
        "duty_factor": "duty_factor",
        "stride_hz": "stride_frequency_hz",
        "torque_rms_nm": "rms_torque_nm",
    }.items():
        assert outcomes[0].measures[name] == pytest.approx(figures[other], rel=1e-6)


def test_what_is_kept_does_not_grow_with_length():
    def size(value, seen):
        if id(value) in seen:
            return 0
        seen.add(id(value))
        if isinstance(value, np.ndarray):
            return value.nbytes
        parts = list(vars(value).values()) if hasattr(value, "__dict__") else []
        return sum(size(part, seen) for part in parts)

    measures = measures_of(batch(3))
    play(measures, 0.1, trot, command=FORWARD)
    before = size(measures, set())
    play(measures, 2.0, trot, command=FORWARD)
    assert size(measures, set()) == before > 1000
