"""CI services see a test for each scenario in each engine, with what the gate says of it."""

from dataclasses import replace
from xml.etree import ElementTree

import pytest
from tests.unit import evaluation_rig as rig

from surefoot.evaluation.judging.gate import judge
from surefoot.evaluation.judging.gate_file import Gate
from surefoot.evaluation.report.junit import junit_xml
from surefoot.evaluation.report.page import suite_verdict


def parsed(evaluation, verdict=None):
    return ElementTree.fromstring(junit_xml(evaluation, verdict or suite_verdict(evaluation)))


@pytest.fixture
def made():
    return rig.evaluation()


def test_there_is_a_suite_for_each_engine_and_a_test_for_each_scenario(made):
    root = parsed(made)
    assert [suite.get("name") for suite in root] == list(rig.ENGINES)
    names = [scenario.name for scenario in rig.SUITE.scenarios]
    assert all([case.get("name") for case in suite.findall("testcase")] == names for suite in root)


def test_counts_are_those_of_the_tests_below(made):
    root = parsed(made)
    assert {name: root.get(name) for name in ("tests", "failures", "errors", "skipped")} == {
        "tests": "12",
        "failures": "6",
        "errors": "0",
        "skipped": "0",
    }
    assert len(root.findall(".//failure")) == 6
    assert sum(int(suite.get("failures")) for suite in root) == 6


def test_a_failure_says_how_many_succeeded_and_why_others_did_not(made):
    failure = parsed(made).find(".//testcase[@name='stairs_up']/failure")
    assert "20 of 100 trials succeeded" in failure.get("message")
    assert "fell (80)" in failure.text


def test_each_test_carries_its_interval(made):
    properties = parsed(made).find(".//testcase[@name='stairs_up']/properties")
    values = {item.get("name"): item.get("value") for item in properties}
    assert values == {
        "trials": "100",
        "successes": "20",
        "interval_low": "0.133367",
        "interval_high": "0.288829",
        "threshold": "0.85",
    }


def test_what_did_not_run_is_an_error_and_not_a_success(made):
    broken = replace(made.outcomes[0], outcomes=(), error="The engine \x1b[31mended\x00.")
    root = parsed(replace(made, outcomes=(broken, *made.outcomes[2:])))
    assert root.get("errors") == "2"
    messages = [error.get("message") for error in root.findall(".//error")]
    assert "flat_forward in mujoco could not run: The engine \ufffd[31mended\ufffd." in messages
    assert any("flat_forward in physx did not run" in message for message in messages)


def test_what_the_gate_only_reports_is_skipped_where_it_falls_short(made):
    gate = Gate(version=1, name="mine", description="Flat ground.", scenarios={"flat_forward": 0.9}, others="report")
    root = parsed(made, judge(made.outcomes, gate))
    assert (root.get("failures"), root.get("skipped")) == ("0", "6")
