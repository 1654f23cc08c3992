"""The search finds planted thresholds."""

import numpy as np
import pytest

from surefoot.evaluation.trials.push_search import PushSearch
from surefoot_bridge.errors import SurefootError


def searched(search: PushSearch, threshold: np.ndarray) -> PushSearch:
    while not search.done:
        search.tell(search.forces <= threshold)
    return search


def test_a_thousand_planted_thresholds_are_found_to_the_tolerance():
    threshold = np.random.Generator(np.random.Philox(0)).uniform(5.0, 395.0, 1000)
    search = searched(PushSearch(0.0, 400.0, 5.0, 1000), threshold)
    assert search.rounds == 7  # 400 / 2^7 = 3.125
    assert (search.largest_n <= threshold).all()
    assert (np.abs(threshold - search.forces) <= 3.125 / 2).all()


def test_each_trial_may_have_an_interval_of_its_own():
    search = searched(PushSearch([0.0, 100.0], [100.0, 116.0], 1.0), np.array([30.0, 110.0]))
    assert search.rounds == 7
    assert search.largest_n == pytest.approx([30.0, 110.0], abs=1.0)


def test_the_first_forces_are_the_middles():
    search = PushSearch(0.0, 80.0, 10.0, 2)
    assert search.forces.tolist() == [40.0, 40.0]
    search.tell([True, False])
    assert search.forces.tolist() == [60.0, 20.0]


def test_a_trial_that_survives_nothing_has_0_and_one_that_survives_all_the_largest_that_was_tried():
    search = searched(PushSearch(8.0, 72.0, 4.0, 2), np.array([-1.0, 1000.0]))
    assert search.largest_n.tolist() == [0.0, 68.0]


def test_an_interval_that_is_short_enough_needs_no_round():
    assert PushSearch(0.0, 5.0, 5.0, 1).done


@pytest.mark.parametrize(
    ("low", "high", "tolerance", "message"),
    [(5.0, 5.0, 1.0, "give low_n < high_n"), (0.0, 5.0, 0.0, "a tolerance above 0 N, not 0")],
)
def test_empty_intervals_and_no_tolerance_are_refused(low, high, tolerance, message):
    with pytest.raises(SurefootError, match=message):
        PushSearch(low, high, tolerance, 3)


def test_what_is_told_must_be_of_all_trials_and_before_the_end():
    search = PushSearch(0.0, 2.0, 1.0, 3)
    with pytest.raises(SurefootError, match=r"shape \(2,\) is told; the search has \(3,\)"):
        search.tell([True, True])
    search.tell([True, True, False])
    with pytest.raises(SurefootError, match="over after 1 rounds"):
        search.tell([True, True, False])
