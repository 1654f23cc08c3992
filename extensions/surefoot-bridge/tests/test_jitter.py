import numpy as np
import pytest

from surefoot_bridge.runtime.jitter import Histogram, JitterCounter


def test_quantiles_of_a_histogram_are_within_a_bin_of_the_true_ones():
    durations = np.random.default_rng(0).lognormal(np.log(2e-4), 0.7, 20000)
    histogram = Histogram()
    for duration in durations.tolist():
        histogram.add(duration)
    spread = histogram.spread()
    for found, share in ((spread.median_s, 0.5), (spread.p99_s, 0.99), (spread.p999_s, 0.999)):
        assert found == pytest.approx(np.quantile(durations, share), rel=0.06)
    assert spread.mean_s == pytest.approx(durations.mean())
    assert spread.largest_s == durations.max()
    assert spread.count == 20000


def test_durations_beyond_the_bins_are_counted_at_their_ends():
    histogram = Histogram()
    for duration in (0.0, 1e-12, 100.0):
        histogram.add(duration)
    assert histogram.quantile(0.5) <= 1.1e-7
    assert histogram.spread().largest_s == 100.0
    assert Histogram().spread() == (0, 0.0, 0.0, 0.0, 0.0, 0.0) or Histogram().spread().count == 0


def test_a_tick_counts_its_phases_that_took_place_and_whether_it_was_late():
    counter = JitterCounter(("read", "infer"), late_s=0.02)
    counter.add(1.0, 0.0, (0.001, 0.002), asked_policy=True)
    counter.add(1.005, 0.02, (0.001, 0.0), asked_policy=False)
    result = counter.result()
    assert (result.phases["read"].count, result.phases["infer"].count) == (2, 1)
    assert result.tick.mean_s == pytest.approx(0.002)
    assert result.control_tick.mean_s == pytest.approx(0.003)
    assert result.period.mean_s == pytest.approx(0.005)
    assert result.late == 1
