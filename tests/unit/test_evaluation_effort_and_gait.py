"""Measures of motors and feet, of constructed motions, whose values are worked by hand."""

import math

import numpy as np
import pytest
from tests.unit.motion_rig import (
    CONTRACT,
    FORWARD,
    STEP_S,
    TICK_S,
    WEIGHT_N,
    F,
    J,
    batch,
    cycle,
    measured,
    measures_of,
    play,
    trot,
)

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


def test_feet_are_counted_down_while_the_robot_is_to_stand_and_has_settled():
    # One of four feet is up for half of the time: 7 of 8 are down. What it does in the first second is not judged.
    def motion(time_s):
        up = cycle(time_s, 0.4) >= 0.5 or time_s <= 1.0
        return {"foot_force_n": np.where([up, False, False, False], 0.0, 40.0)}

    trials = batch(settle_s=1.0)
    assert measured(play(measures_of(trials), 5.0, motion))["feet_down_share"] == pytest.approx(0.875, abs=1e-9)
    assert "feet_down_share" not in measured(play(measures_of(trials), 5.0, motion, command=(0.1, 0.0, 0.0)))


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
