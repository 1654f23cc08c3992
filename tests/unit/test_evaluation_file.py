"""evaluation.json holds every trial, is the same bytes for the same trials, and is refused where it was changed."""

import json
import re
from dataclasses import replace
from pathlib import Path

import pytest
from tests.unit import evaluation_rig as rig

from surefoot.evaluation.results import evaluation_file
from surefoot.evaluation.results.evaluation_file import (
    evaluation_schema,
    evaluation_text,
    read_evaluation,
    write_evaluation,
)
from surefoot.evaluation.results.evaluation_form import FILE_NAME
from surefoot.evaluation.results.result import success_interval
from surefoot.evaluation.scenarios.scenario import Bound
from surefoot.evaluation.statistics import wilson_interval
from surefoot_bridge.errors import SurefootError

PUBLISHED = Path(evaluation_file.__file__).with_name("evaluation.schema.json")


@pytest.fixture
def path(tmp_path):
    write_evaluation(tmp_path / FILE_NAME, rig.evaluation())
    return tmp_path / FILE_NAME


def changed(path: Path, change) -> Path:
    data = json.loads(path.read_text())
    change(data)
    path.write_text(json.dumps(data))
    return path


def test_what_is_read_is_written_again_byte_for_byte(path):
    assert evaluation_text(read_evaluation(path)) == path.read_text()


def test_every_trial_is_read_back_with_its_seed_of_64_bits_and_nine_digits_of_each_measure(path):
    found, made = read_evaluation(path), rig.evaluation()
    assert found.suite == made.suite
    assert found.policy == made.policy
    for one, other in zip(found.outcomes, made.outcomes, strict=True):
        assert [trial.seed for trial in one.outcomes] == [trial.seed for trial in other.outcomes]
        assert one.successes == other.successes
        for mine, theirs in zip(one.outcomes, other.outcomes, strict=True):
            assert mine.measures == pytest.approx(theirs.measures, rel=5e-9)


def test_the_length_of_trials_is_read_back_where_it_is_not_the_scenarios_own(tmp_path):
    made = rig.evaluation()
    outcomes = (replace(made.outcomes[0], length_s=2.5), *made.outcomes[1:])
    write_evaluation(tmp_path / FILE_NAME, replace(made, outcomes=outcomes))
    assert [item.length_s for item in read_evaluation(tmp_path).outcomes[:2]] == [2.5, None]


def test_what_safety_did_in_each_trial_is_read_back_and_may_be_missing(tmp_path):
    made = rig.evaluation()
    first = made.outcomes[0]
    acted = replace(first.outcomes[1], interventions={"target_rate": 2})
    outcomes = (replace(first, outcomes=(first.outcomes[0], acted, *first.outcomes[2:])), *made.outcomes[1:])
    write_evaluation(tmp_path / FILE_NAME, replace(made, outcomes=outcomes))
    assert [trial.interventions for trial in read_evaluation(tmp_path).outcomes[0].outcomes[:2]] == [
        {},
        {"target_rate": 2},
    ]
    older = changed(tmp_path / FILE_NAME, lambda data: data["results"][0]["trials"].pop("interventions"))
    assert read_evaluation(older.parent).outcomes[0].outcomes[1].interventions == {}


def test_it_holds_no_time_no_machine_and_no_path(path):
    text = path.read_text()
    assert not re.search(r"\d{4}-\d{2}-\d{2}|\d{2}:\d{2}:\d{2}", text)
    assert "/" not in re.sub(r'"(unit|description)": "[^"]*"', "", text)


def test_a_folder_with_one_may_be_named(path):
    assert read_evaluation(path.parent).engines == rig.ENGINES


def test_a_bound_that_is_open_on_one_side_is_left_out_and_read_as_open(path):
    bound = json.loads(path.read_text())["suite"]["scenarios"][0]["success"]["rms_vx_error"]
    assert bound == {"max": 0.25}
    assert read_evaluation(path).suite.scenarios[0].success["rms_vx_error"] == Bound(max=0.25)


def test_totals_stand_in_the_file_for_its_readers(path):
    result = json.loads(path.read_text())["results"][3]
    assert (result["scenario"], result["engine"]) == ("stairs_up", "mujoco")
    low, high = wilson_interval(20, 100)
    assert result["success"] == pytest.approx({"trials": 100, "successes": 20, "rate": 0.2, "low": low, "high": high})


def test_a_column_of_trials_is_one_line(path):
    lines = [line for line in path.read_text().splitlines() if '"reason": [' in line]
    assert len(lines) == 12
    assert all(line.endswith("],") for line in lines)


def test_a_scenario_that_did_not_get_its_turn_or_could_not_run_makes_it_incomplete(path):
    made = rig.evaluation()
    assert made.complete
    interrupted = replace(made, outcomes=made.outcomes[:-1])
    assert interrupted.missing == (("largest_push", "newton_mjwarp"),)
    assert '"complete": false' in evaluation_text(interrupted)
    broken = replace(made, outcomes=(*made.outcomes[:-1], replace(made.outcomes[-1], outcomes=(), error="no engine")))
    write_evaluation(path, broken)
    assert not read_evaluation(path).complete
    assert json.loads(path.read_text())["results"][-1]["success"]["low"] is None


def test_trials_that_stopped_early_have_the_interval_of_all_that_were_planned():
    stopped = replace(rig.outcome("stairs_up", "mujoco", successes=0, trials=20), planned=100, stopped_early=True)
    low, high = success_interval(stopped)
    assert (low, high) == (0.0, pytest.approx(wilson_interval(80, 100).high))


def test_a_measure_that_is_no_finite_number_is_refused_with_its_trial():
    outcome = rig.outcome("stairs_up", "mujoco", successes=1, trials=2)
    bad = replace(outcome, outcomes=(outcome.outcomes[0], rig.trial(1, stride_hz=float("nan"))))
    with pytest.raises(SurefootError, match="stride_hz of trial 1 of stairs_up in mujoco is nan"):
        evaluation_text(replace(rig.evaluation(), outcomes=(bad,)))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda data: data["results"][0]["success"].update(successes=99), "its totals are not those of its trials"),
        (lambda data: data.update(complete=False), "its totals are not those of its trials"),
        (lambda data: data["results"][0]["trials"]["success"].pop(), "success has 99 entries for 100 trials"),
        (lambda data: data.update(date="today"), "date is unknown; valid: schema,"),
        (lambda data: data["policy"].pop("weights_sha256"), "policy.weights_sha256 is missing"),
        (lambda data: data.update(schema=2), r"is of schema 2; this surefoot reads 1\. Install a newer surefoot"),
    ],
)
def test_a_file_that_was_changed_is_refused_and_what_is_wrong_is_named(path, change, message):
    with pytest.raises(SurefootError, match=message):
        read_evaluation(changed(path, change))


def test_a_folder_without_one_is_refused_with_what_writes_it(tmp_path):
    with pytest.raises(SurefootError, match="surefoot verify writes it"):
        read_evaluation(tmp_path)


def test_the_published_schema_is_that_of_the_code():
    """Where it differs: python -m surefoot.evaluation.results.evaluation_file > evaluation.schema.json."""
    assert json.loads(PUBLISHED.read_text()) == evaluation_schema()


def test_a_file_is_valid_by_the_published_schema(path):
    validator = pytest.importorskip("jsonschema").Draft202012Validator(json.loads(PUBLISHED.read_text()))
    data = json.loads(path.read_text())
    validator.validate(data)
    data["results"][0]["trials"]["seed"][0] = "12"
    assert not validator.is_valid(data)
