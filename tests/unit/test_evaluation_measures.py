"""How trials end, what makes them a success, and that they do not depend on each other, on constructed motions."""

import math

import numpy as np
import pytest
import torch
from tests.unit.motion_rig import (
    FORWARD,
    STEP_S,
    TICK_S,
    WEIGHT_N,
    F,
    J,
    batch,
    measures_of,
    play,
    push,
    trot,
    truth,
    verdict,
)

from surefoot.evaluation.measure_catalogue import MEASURES, MIN_SWING_S, MOVING_SPEED
from surefoot.playing import metrics
from surefoot_bridge.safety import Response

# How it ended


def test_every_measure_that_is_taken_is_declared_and_all_but_those_of_searches_and_targets_are_taken():
    pushed = measures_of(batch(3, pushes=(push([1.0, 1.0, 1.0]),)))
    upright, over = [1.0, 0.0, 0.0, 0.0], [0.0, 1.0, 0.0, 0.0]
    play(
        pushed,
        4.0,
        lambda t: (
            trot(t) | {"base_lin_vel_w": [0.5, 0, 0], "base_quat_wxyz": [upright, upright, over if t > 3 else upright]}
        ),
        command=np.array([(0.5, 0.0, 0.1), (0.5, 0.0, 0.1), (0.0, 0.0, 0.0)]),
        safety=lambda t: verdict(3, np.where([False, t > 2, False], Response.DAMP, Response.NONE)),
    )
    taken = set().union(*(outcome.measures for outcome in pushed.outcomes()))
    assert taken == set(MEASURES) - {"largest_push_n", "target_reached", "time_to_target_s"}


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
    assert outcome.interventions == {"target_rate": 2, "torque_asked": 1}


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
            "stands": state.body_force_n <= 1.0,
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
