"""When a report came, by the loop's clock, the robot's and the stamp of sending; and how the robot's clock goes."""

import numpy as np
import pytest

from surefoot_bridge.unitree.arrival import ArrivalTimes

UTC_S = 1.7e9  # the clock of the robot's computer is another one again
PERIOD_S = 0.002


def ages(arrivals, duration_s, *, rate=0.0, delay=lambda t: 0.0, within=lambda t: 0.0, begin_s=0.0):
    """Ages of reports when they are found [s]: of a robot whose clock is fast by a share and whose messages are slow.

    ``delay`` is what a message takes on the network, ``within`` how long it waits in the robot before it is sent [s].
    """
    found = []
    for t in begin_s + PERIOD_S * np.arange(round(duration_s / PERIOD_S)):
        sent_s = t + within(t)
        found_s = 100.0 + sent_s + delay(t)
        found.append(found_s - arrivals.received_s(found_s, t * (1.0 + rate), UTC_S + sent_s))
    return np.array(found)


def test_a_report_that_is_taken_at_once_came_when_it_was_found():
    assert ages(ArrivalTimes(), 0.1) == pytest.approx(0.0, abs=1e-6)


def test_a_report_that_waited_in_the_mailbox_is_as_old_as_it_is():
    arrivals = ArrivalTimes()
    ages(arrivals, 0.2)
    # The loop stood still for 3 s, and finds the report that came at the beginning of the pause.
    assert arrivals.received_s(103.2, 0.2, UTC_S + 0.2) == pytest.approx(100.2, abs=1e-3)


def test_a_slow_first_report_is_put_right_by_the_next():
    arrivals = ArrivalTimes()
    assert arrivals.received_s(100.5, 0.0, UTC_S) == 100.5  # nothing better is known
    assert arrivals.received_s(100.002, 0.002, UTC_S + 0.002) == pytest.approx(100.002)
    assert arrivals.received_s(100.104, 0.004, UTC_S + 0.004) == pytest.approx(100.004)


def test_a_pause_of_any_length_does_not_make_old_reports_new():
    arrivals = ArrivalTimes()
    ages(arrivals, 0.03)
    # An hour later; the clocks may have drifted by 0.72 s meanwhile, which nobody can know.
    assert arrivals.received_s(3700.0, 0.03, UTC_S + 0.03) < 101.0


@pytest.mark.parametrize("rate", [1e-4, -1e-4])
def test_clocks_that_drift_apart_are_followed(rate):
    arrivals = ArrivalTimes()
    found = ages(arrivals, 100.0, rate=rate)  # in which they drift by 10 ms
    assert found.min() >= -1e-9  # none comes from the future
    assert found.max() < 0.0005
    assert arrivals.rate == 0.0


@pytest.mark.parametrize("rate", [0.02, -0.02, 0.005, -0.005, 0.045, -0.045])
def test_a_clock_of_another_rate_does_not_make_reports_old_and_is_named(rate):
    arrivals = ArrivalTimes()
    found = ages(arrivals, 10.0, rate=rate)
    assert found.max() < 0.035  # below the 40 ms from which a report is old
    assert arrivals.rate == pytest.approx(rate, rel=0.01)  # a block of a slow clock ends with its least


def test_a_delay_that_grows_by_9_ms_a_second_is_seen_before_it_is_half_a_second():
    arrivals = ArrivalTimes()
    found = ages(arrivals, 10.0, delay=lambda t: 0.009 * t)
    # 9 ms/s less the allowance of 0.2 ms/s: 40 ms are reached after 4.6 s.
    assert np.argmax(found >= 0.04) * PERIOD_S == pytest.approx(0.04 / 0.0088, abs=0.1)
    assert found[-1] == pytest.approx(0.088, abs=0.001)
    assert arrivals.rate == 0.0  # which is no fault of the clock


def test_reports_that_wait_longer_and_longer_within_the_robot_are_named_within_a_second():
    arrivals = ArrivalTimes()
    ages(arrivals, 3.0)
    assert arrivals.rate == 0.0
    ages(arrivals, 2.0, begin_s=3.0, within=lambda t: 0.009 * (t - 3.0))
    assert arrivals.rate == pytest.approx(-0.009, rel=0.2)


def test_a_delay_that_comes_and_goes_is_neither_a_rate_nor_forgotten():
    arrivals = ArrivalTimes()
    ages(arrivals, 2.0)
    found = ages(arrivals, 2.0, begin_s=2.0, within=lambda t: 0.1)
    assert found == pytest.approx(0.1, abs=0.001)
    assert arrivals.rate == 0.0
    assert ages(arrivals, 2.0, begin_s=4.0) == pytest.approx(0.0, abs=0.0015)
    assert arrivals.rate == 0.0


def test_noise_is_no_rate():
    arrivals, rng = ArrivalTimes(), np.random.default_rng(3)
    rates = []
    for i in range(200):
        ages(
            arrivals, 0.1, begin_s=0.1 * i, within=lambda t: 0.02 * rng.random() ** 4, delay=lambda t: rng.random() ** 8
        )
        rates.append(arrivals.rate)
    assert set(rates) == {0.0}


@pytest.mark.parametrize("step_s", [60.0, -60.0])
def test_after_the_robots_clock_was_set_the_estimate_begins_anew(step_s):
    arrivals = ArrivalTimes()
    ages(arrivals, 1.0)
    sent_s, found_s = UTC_S + 1.0, 101.0
    assert arrivals.received_s(found_s, 1.0 + step_s, sent_s) == found_s
    assert arrivals.received_s(found_s + 0.052, 1.002 + step_s, sent_s + 0.002) == pytest.approx(found_s + 0.002)


def test_a_step_of_the_stamps_alone_is_no_matter():
    arrivals = ArrivalTimes()
    ages(arrivals, 1.0)
    assert arrivals.received_s(101.0, 1.0, UTC_S + 3601.0) == pytest.approx(101.0)
    assert arrivals.received_s(101.1, 1.002, UTC_S + 3601.002) == pytest.approx(101.002, abs=1e-4)
