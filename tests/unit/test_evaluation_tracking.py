"""Measures of the way and of recovery from pushes, of constructed motions, whose values are worked by hand."""

import math

import numpy as np
import pytest
from tests.unit.motion_rig import (
    FORWARD,
    STEP_S,
    batch,
    measured,
    measures_of,
    play,
    push,
)

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
