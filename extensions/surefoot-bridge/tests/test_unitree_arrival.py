"""When a report came, by the loop's clock and the robot's tick."""

import pytest

from surefoot_bridge.unitree.arrival import ArrivalTimes


def test_a_report_that_is_taken_at_once_came_when_it_was_found():
    arrivals = ArrivalTimes()
    assert [arrivals.received_s(100.0 + t, t) for t in (0.0, 0.002, 0.004)] == pytest.approx([100.0, 100.002, 100.004])


def test_a_report_that_waited_in_the_mailbox_is_as_old_as_it_is():
    arrivals = ArrivalTimes()
    for i in range(100):
        arrivals.received_s(100.0 + 0.002 * i, 0.002 * i)
    # The loop stood still for 3 s, and finds the report that came at the beginning of the pause.
    assert arrivals.received_s(103.2, 0.2) == pytest.approx(100.2)


def test_a_slow_first_report_is_put_right_by_the_next():
    arrivals = ArrivalTimes()
    assert arrivals.received_s(100.5, 0.0) == 100.5  # nothing better is known
    assert arrivals.received_s(100.002, 0.002) == pytest.approx(100.002)
    assert arrivals.received_s(100.104, 0.004) == pytest.approx(100.004)


def test_a_pause_of_any_length_does_not_make_old_reports_new():
    arrivals = ArrivalTimes(window=10)
    for i in range(15):
        arrivals.received_s(0.002 * i, 0.002 * i)
    assert arrivals.received_s(3600.0, 0.03) == pytest.approx(0.03)


@pytest.mark.parametrize("drift", [1e-4, -1e-4])
def test_clocks_that_drift_apart_are_followed(drift):
    arrivals = ArrivalTimes()
    errors = []
    for i in range(50000):  # 100 s, in which they drift by 10 ms
        found_s = 0.002 * i
        errors.append(found_s - arrivals.received_s(found_s, found_s * (1.0 + drift)))
    assert min(errors) >= -1e-9  # none comes from the future
    assert max(errors) < 0.0005
