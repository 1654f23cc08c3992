"""A run's last words say whether it is known that its robot is damped, and its exit status does too."""

from dataclasses import replace

import pytest

from surefoot_bridge.runtime import LoopReport, Outcome
from surefoot_bridge.runtime.jitter import JitterCounter
from surefoot_bridge.runtime.outcome import Rest
from surefoot_bridge.state import Mode

WORDS = "IT IS NOT KNOWN WHETHER THE ROBOT IS DAMPED: no report of it has come for 2.0 s."


@pytest.fixture
def in_order():
    report = LoopReport(
        "It rests.", True, 10, 1.0, Mode.PASSIVE, (), (), 0, (), JitterCounter(("read",), 0.02).result()
    )
    return Outcome(report, "", None, None, ())


def test_a_robot_that_is_not_known_to_be_damped_is_the_last_thing_said_and_no_success(in_order):
    in_doubt = replace(in_order, rest=Rest(known=False, words=WORDS))
    assert in_doubt.describe().splitlines()[-1] == WORDS
    assert in_doubt.status == 1
    assert in_doubt.figures["known_damped"] == 0.0


def test_a_robot_whose_reports_show_the_damping_or_that_is_simulated_is_a_run_in_order(in_order):
    known = replace(in_order, rest=Rest(known=True, words="The robot is damped."))
    assert known.describe().splitlines()[-1] == "The robot is damped."
    assert [known.status, in_order.status, replace(known, signals=("SIGINT",)).status] == [0, 0, 130]
    assert in_order.figures["known_damped"] == 1.0
