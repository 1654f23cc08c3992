"""Differences between engines, on outcomes that are made by hand."""

from dataclasses import replace

import pytest
from tests.unit.motion_rig import outcome

from surefoot.evaluation.judging.engine_comparison import SUCCESS, engine_differences, is_gap, largest
from surefoot.evaluation.statistics import newcombe_interval
from surefoot.evaluation.trials.outcome import ScenarioOutcome


def found(differences, measure, engine="b"):
    return next(item for item in differences if (item.measure, item.engine) == (measure, engine))


def test_success_rates_differ_with_newcombes_interval():
    differences = engine_differences([outcome("a", 98, 100), outcome("b", 60, 100)], "a")
    success = found(differences, SUCCESS)
    assert (success.value, success.reference_value) == (0.60, 0.98)
    assert success.difference == pytest.approx(-0.38)
    assert (success.low, success.high) == newcombe_interval(60, 100, 98, 100)
    assert success.clear
    assert is_gap(success, 5.0)


def test_a_difference_that_chance_explains_is_not_clear_and_no_gap():
    success = found(engine_differences([outcome("a", 20, 20), outcome("b", 19, 20)], "a"), SUCCESS)
    assert success.difference == pytest.approx(-0.05)
    assert not success.clear
    assert not is_gap(success, 5.0)


def test_a_clear_difference_of_fewer_points_is_no_gap():
    success = found(engine_differences([outcome("a", 3000, 3000), outcome("b", 2910, 3000)], "a"), SUCCESS)
    assert success.clear
    assert not is_gap(success, 5.0)


def test_measures_are_compared_trial_by_trial():
    # Between trials the speed error spreads from 0 to 0.39, but the second engine adds 0.01 to each trial.
    home = outcome("a", 40, 40, rms_vx_error=lambda n: 0.01 * n)
    other = outcome("b", 40, 40, rms_vx_error=lambda n: 0.01 * n + 0.01)
    error = found(engine_differences([home, other], "a"), "rms_vx_error")
    assert error.difference == pytest.approx(0.01)
    assert error.low == pytest.approx(0.01)
    assert error.high == pytest.approx(0.01)
    assert error.clear
    assert error.trials == 40
    assert (error.value, error.reference_value) == (pytest.approx(0.205), pytest.approx(0.195))


def test_only_trials_that_both_engines_measured_are_compared():
    home = outcome("a", 20, 20, recovery_s=lambda n: 1.0 if n != 3 else None)
    other = outcome("b", 20, 30, recovery_s=lambda n: 9.0 if n >= 20 else 1.5 if n != 4 else None)
    recovery = found(engine_differences([home, other], "a"), "recovery_s")
    assert recovery.trials == 18
    assert recovery.difference == pytest.approx(0.5)


def test_too_few_trials_have_a_difference_without_an_interval():
    home, other = outcome("a", 3, 3, climb_m=lambda n: 1.0), outcome("b", 3, 3, climb_m=lambda n: 2.0)
    climb = found(engine_differences([home, other], "a"), "climb_m")
    assert climb.difference == 1.0
    assert climb.low is None
    assert climb.high is None
    assert not climb.clear


def test_what_could_not_run_or_ran_in_one_engine_only_is_left_out():
    failed = ScenarioOutcome(scenario="flat", engine="b", threshold=0.9, planned=9, outcomes=(), error="no engine")
    assert engine_differences([outcome("a", 9, 9), failed], "a") == ()
    assert engine_differences([outcome("a", 9, 9), outcome("b", 9, 9, scenario="rough")], "a") == ()


def test_trials_of_other_lengths_are_not_compared():
    home, shorter = outcome("a", 9, 9), replace(outcome("b", 0, 9), length_s=60.0)
    assert engine_differences([home, shorter], "a") == ()
    assert engine_differences([replace(home, length_s=60.0), shorter], "a") != ()


def test_the_largest_differences_come_success_first_and_then_for_their_size():
    def engine(name, successes, torque, height):
        return outcome(name, successes, 40, torque_rms_nm=lambda n: torque, base_height_mean_m=lambda n: height)

    differences = engine_differences([engine("a", 40, 5.0, 0.30), engine("b", 20, 8.0, 0.33)], "a")
    assert [item.measure for item in largest(differences, 9)] == [SUCCESS, "torque_rms_nm", "base_height_mean_m"]
    assert [item.measure for item in largest(differences, 2)] == [SUCCESS, "torque_rms_nm"]
    assert found(differences, "torque_rms_nm").size == pytest.approx(3.0 / 8.0)


def test_a_difference_between_values_that_concern_nobody_is_small():
    def engine(name, slip):
        return outcome(name, 40, 40, foot_slip_m_s=lambda n: slip)

    slip = found(engine_differences([engine("a", 0.001), engine("b", 0.005)], "a"), "foot_slip_m_s")
    assert slip.size == pytest.approx(0.04)  # 0.004 m/s over 0.1 m/s, not five times as much


def test_every_measure_can_be_compared():
    from surefoot.evaluation.measure_catalogue import MEASURES

    names = [name for name in MEASURES if name not in ("fell", "stopped_by_safety")]
    home, other = (outcome(name, 9, 9, **dict.fromkeys(names, lambda n: 1.0 + n)) for name in "ab")
    differences = engine_differences([home, other], "a")
    assert {item.measure for item in differences} == {SUCCESS, *names} - {"time_to_fall_s", "time_to_stop_s"}
    assert all(item.size == 0.0 for item in differences)
