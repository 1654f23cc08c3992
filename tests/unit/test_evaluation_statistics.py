"""Intervals against published examples and exact enumeration, and verdicts against every continuation."""

import math
from itertools import product

import numpy as np
import pytest

from surefoot.evaluation.statistics import (
    certain_verdict,
    fewest_successes,
    fewest_trials,
    median_difference_interval,
    median_interval,
    newcombe_interval,
    rate_interval,
    wilson_interval,
)
from surefoot_bridge.errors import SurefootError

Z = 1.959963984540054


def binomial(successes: int, trials: int, rate: float) -> float:
    return math.comb(trials, successes) * rate**successes * (1 - rate) ** (trials - successes)


@pytest.mark.parametrize(
    ("successes", "trials", "low", "high"),
    [(81, 263, 0.2553, 0.3662), (15, 148, 0.0624, 0.1605), (0, 20, 0.0, 0.1611), (1, 29, 0.0061, 0.1718)],
)
def test_wilsons_interval_is_that_of_newcombes_examples(successes, trials, low, high):
    """Newcombe, Statistics in Medicine 1998, 17, 857-872, table I, method 3."""
    interval = wilson_interval(successes, trials)
    assert interval == pytest.approx((low, high), abs=5e-5)
    assert wilson_interval(trials - successes, trials) == pytest.approx((1 - high, 1 - low), abs=5e-5)


@pytest.mark.parametrize("trials", range(1, 41))
def test_wilsons_interval_holds_the_rates_that_a_score_test_does_not_reject(trials):
    for successes, rate in product(range(trials + 1), np.linspace(0.003, 0.997, 143)):
        low, high = wilson_interval(successes, trials)
        accepted = abs(successes / trials - rate) <= Z * math.sqrt(rate * (1 - rate) / trials)
        assert (low <= rate <= high) == accepted


def test_wilsons_interval_covers_the_true_rate_in_95_of_100_repetitions():
    """By enumeration of all outcomes of 100 trials: on average over rates, and nowhere in [0.1, 0.9] far from it."""
    intervals = [wilson_interval(successes, 100) for successes in range(101)]

    def coverage(rate: float) -> float:
        return sum(binomial(k, 100, rate) for k, (low, high) in enumerate(intervals) if low <= rate <= high)

    assert np.mean([coverage(rate) for rate in np.linspace(0.001, 0.999, 999)]) == pytest.approx(0.95, abs=0.005)
    assert min(coverage(rate) for rate in np.linspace(0.1, 0.9, 801)) > 0.92


@pytest.mark.parametrize(("planned", "threshold"), [(40, 0.85), (40, 0.9), (50, 0.9), (100, 0.85), (100, 0.9)])
def test_a_policy_at_the_threshold_passes_the_gate_once_in_twenty_times_at_most(planned, threshold):
    needed = fewest_successes(planned, threshold)
    assert sum(binomial(k, planned, threshold) for k in range(needed, planned + 1)) < 0.05


def test_without_trials_the_rate_may_be_anything():
    assert wilson_interval(0, 0) == (0.0, 1.0)


@pytest.mark.parametrize(("successes", "trials"), [(-1, 3), (4, 3)])
def test_impossible_counts_are_refused(successes, trials):
    with pytest.raises(SurefootError, match=f"^{successes} successes of {trials} trials: successes must be from 0 to"):
        wilson_interval(successes, trials)


@pytest.mark.parametrize("confidence", [0.0, 1.0, 95.0])
def test_impossible_confidences_are_refused(confidence):
    with pytest.raises(SurefootError, match="is impossible; it must be above 0 and below 1"):
        wilson_interval(1, 3, confidence)


def test_a_threshold_needs_so_many_trials_and_so_many_successes():
    assert [fewest_trials(threshold) for threshold in (0.5, 0.85, 0.9, 0.95)] == [4, 22, 35, 73]
    assert fewest_successes(100, 0.85) == 92
    assert fewest_successes(100, 0.90) == 96
    assert fewest_successes(40, 0.90) == 40
    assert fewest_successes(40, 0.85) == 39
    assert fewest_successes(34, 0.90) is None
    assert fewest_successes(35, 0.90) == 35


@pytest.mark.parametrize("planned", [1, 4, 7, 12])
@pytest.mark.parametrize("threshold", [0.2, 0.5, 0.7, 0.85])
def test_a_verdict_is_certain_exactly_when_all_continuations_agree(planned, threshold):
    def final(successes: int) -> str:
        return "pass" if wilson_interval(successes, planned).low > threshold else "fail"

    for ran in range(planned + 1):
        for successes in range(ran + 1):
            rest = product((0, 1), repeat=planned - ran)
            verdicts = {final(successes + sum(outcomes)) for outcomes in rest}
            expected = verdicts.pop() if len(verdicts) == 1 else None
            assert certain_verdict(successes, ran - successes, planned, threshold) == expected


def test_a_certain_verdict_never_changes_again():
    for successes, failures in product(range(41), repeat=2):
        verdict = certain_verdict(successes, failures, 40, 0.85) if successes + failures < 40 else None
        if verdict is not None:
            assert certain_verdict(successes + 1, failures, 40, 0.85) == verdict
            assert certain_verdict(successes, failures + 1, 40, 0.85) == verdict


def test_more_trials_than_planned_are_refused():
    with pytest.raises(SurefootError, match=r"3 successes and 2 failures are no part of 4 planned trials\."):
        certain_verdict(3, 2, 4, 0.5)


def test_the_interval_of_a_stopped_scenario_holds_those_of_all_its_continuations():
    low, high = rate_interval(18, 20, 40)
    ends = [wilson_interval(18 + more, 40) for more in range(21)]
    assert (low, high) == (min(end.low for end in ends), max(end.high for end in ends))
    assert rate_interval(36, 40, 40) == wilson_interval(36, 40)


@pytest.mark.parametrize(
    ("first", "second", "low", "high"),
    [
        ((56, 70), (48, 80), 0.0524, 0.3339),
        ((9, 10), (3, 10), 0.1705, 0.8090),
        ((6, 7), (2, 7), 0.0582, 0.8062),
        ((5, 56), (0, 29), -0.0381, 0.1926),
        ((0, 10), (0, 20), -0.1611, 0.2775),
        ((0, 10), (0, 10), -0.2775, 0.2775),
        ((10, 10), (0, 20), 0.6791, 1.0000),
        ((10, 10), (0, 10), 0.6075, 1.0000),
    ],
)
def test_the_interval_of_a_difference_is_that_of_newcombes_examples(first, second, low, high):
    """Newcombe, Statistics in Medicine 1998, 17, 873-890, table II, method 10."""
    assert newcombe_interval(*first, *second) == pytest.approx((low, high), abs=5e-5)
    assert newcombe_interval(*second, *first) == pytest.approx((-high, -low), abs=5e-5)


def test_a_difference_needs_trials_on_both_sides():
    with pytest.raises(SurefootError, match="not 3 and 0"):
        newcombe_interval(1, 3, 0, 0)


@pytest.mark.parametrize(("number", "rank"), [(6, 1), (8, 1), (9, 2), (10, 2), (20, 6), (50, 18), (100, 40)])
def test_the_median_lies_between_the_values_of_these_ranks(number, rank):
    """The ranks of the sign test at 5 %, two-sided: its critical values 0, 0, 1, 1, 5, 17, 39, plus one."""
    shuffled = np.random.Generator(np.random.Philox(1)).permutation(np.arange(1.0, number + 1))
    assert median_interval(shuffled) == (rank, number + 1 - rank)


@pytest.mark.parametrize("number", range(6, 15))
def test_the_medians_interval_keeps_its_confidence_and_no_narrower_one_does(number):
    """By enumeration: each value of a sample lies below or above the true median with equal probability."""
    low, high = median_interval(np.arange(number, dtype=float))
    below, above = int(low), number - 1 - int(high)
    kept = narrower = 0
    for sides in product((0, 1), repeat=number):
        smaller = number - sum(sides)
        kept += below < smaller < number - above
        narrower += below + 1 < smaller < number - above - 1
    assert narrower / 2**number < 0.95 <= kept / 2**number


def test_five_values_are_too_few_for_the_median():
    assert median_interval([1.0, 2.0, 3.0, 4.0, 5.0]) is None
    assert median_interval([]) is None


def test_the_difference_of_medians_has_the_interval_of_large_samples():
    """The median of n normal numbers has a standard deviation of sqrt(pi / 2 n)."""
    generator = np.random.Generator(np.random.Philox(3))
    first, second = generator.normal(5.0, 1.0, 800), generator.normal(3.0, 1.0, 800)
    low, high = median_difference_interval(first, second, seed=0)
    assert low < 2.0 < high
    assert high - low == pytest.approx(2 * Z * math.sqrt(2 * math.pi / 2 / 800), rel=0.15)


def test_the_difference_of_medians_is_the_same_for_the_same_seed_and_moves_with_a_sample():
    first, second = np.linspace(0.0, 1.0, 30), np.linspace(0.0, 2.0, 25)
    interval = median_difference_interval(first, second, seed=4)
    assert interval == median_difference_interval(first, second, seed=4)
    assert interval != median_difference_interval(first, second, seed=5)
    assert median_difference_interval(first + 3.0, second, seed=4) == pytest.approx(np.add(interval, 3.0))


@pytest.mark.parametrize(("sample", "message"), [([], "needs values on both sides"), ([1.0, math.nan], "not finite")])
def test_samples_without_values_or_with_missing_ones_are_refused(sample, message):
    with pytest.raises(SurefootError, match=message):
        median_difference_interval([1.0, 2.0], sample, seed=0)
