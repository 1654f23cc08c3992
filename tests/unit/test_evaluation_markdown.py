"""A pull request gets the verdict, a table and why trials failed; Weights & Biases gets the same as tables."""

from dataclasses import replace

import pytest
from tests.unit import evaluation_rig as rig

from surefoot.evaluation.judging.gate import judge
from surefoot.evaluation.judging.gate_file import Gate
from surefoot.evaluation.report.junit import junit_xml
from surefoot.evaluation.report.markdown_summary import markdown_summary
from surefoot.evaluation.report.markdown_text import plain, table
from surefoot.evaluation.report.page import suite_verdict
from surefoot.evaluation.report.wandb_tables import log_evaluation, tables
from surefoot.evaluation.report.words import DASH
from surefoot.evaluation.scenarios.scenario import RobotVariation


@pytest.fixture
def made():
    return rig.evaluation()


def test_the_verdict_comes_first(made):
    first = markdown_summary(made, suite_verdict(made), gated=True).splitlines()[0]
    assert first == "### ✕ Does not pass the gate: Stairs up and Shoves fall short (2 of 4 scenarios)."


def test_each_scenario_has_a_row_with_rate_interval_and_successes_in_each_engine(made):
    lines = markdown_summary(made, suite_verdict(made), gated=True).splitlines()
    assert "| Scenario | MuJoCo | PhysX | Newton |" in lines
    (row,) = [line for line in lines if line.startswith("| Stairs up")]
    cells = [cell.replace("\u202f", " ").strip() for cell in row.split("|")[2:-1]]
    assert cells[0] == f"✕ 20 % (13{DASH}29 %, 20 of 100)"
    assert len(cells) == 3


def test_reasons_of_failures_are_listed_for_what_fell_short_only(made):
    text = markdown_summary(made, suite_verdict(made), gated=True)
    assert "- Stairs up, MuJoCo: fell (80 trials)" in text
    assert "- Flat forward" not in text


def test_an_engine_that_does_not_count_says_so(made):
    gate = Gate(version=1, name="mine", description="MuJoCo only.", engines=("mujoco",))
    text = markdown_summary(made, judge(made.outcomes, gate), gated=True)
    assert text.count("not counted") == 8


def test_feet_that_grip_are_not_scored_in_physx_and_nothing_is_missing_there(made):
    *others, last = made.suite.scenarios
    gripping = last.model_copy(update={"robot": RobotVariation.model_validate({"rolling_friction_m": 0.01})})
    outcomes = tuple(item for item in made.outcomes if (item.scenario, item.engine) != ("largest_push", "ovphysx"))
    suite = made.suite.model_copy(update={"scenarios": (*others, gripping)})
    changed = replace(made, suite=suite, outcomes=outcomes)
    assert changed.complete
    assert set(changed.not_scored) == {("largest_push", "ovphysx")}
    lines = markdown_summary(changed, suite_verdict(changed), gated=True).splitlines()
    (row,) = [line for line in lines if line.startswith("| Largest push")]
    assert row.split("|")[3].strip().endswith(" not scored in this engine")
    assert "is not scored. PhysX has no rolling friction" in junit_xml(changed, suite_verdict(changed))


def test_a_bar_or_an_underscore_breaks_no_table():
    assert table(["a|b"], [["rms_vx_error above 0.2\nsecond line"]]) == (
        "| a\\|b |\n| --- |\n| rms\\_vx\\_error above 0.2 second line |"
    )
    assert plain("<b>`*`") == "\\<b>\\`\\*\\`"


def test_tables_hold_every_scenario_measure_and_trial(made):
    found = tables(made, suite_verdict(made))
    scenarios, measures, trials = (found[f"Evaluation/{name}"] for name in ("scenarios", "measures", "trials"))
    assert scenarios.rows[3][:4] == ["stairs_up", "mujoco", "fail", 0.2]
    assert len(trials.rows) == sum(outcome.trials for outcome in made.outcomes)
    row = next(row for row in measures.rows if row[:3] == ["flat_forward", "mujoco", "saturation_share"])
    assert row[3:] == ["-", 0.002, 0.002, 0.002, 100]
    for item in found.values():
        assert all(len(row) == len(item.columns) for row in item.rows)


def test_what_could_not_run_has_no_rate_but_a_reason(made):
    broken = replace(made.outcomes[0], outcomes=(), error="no engine")
    found = tables(made, suite_verdict(replace(made, outcomes=(broken, *made.outcomes[1:]))))
    assert found["Evaluation/scenarios"].columns[3] == "success_rate"
    row = tables(replace(made, outcomes=(broken,)), suite_verdict(replace(made, outcomes=(broken,))))
    assert row["Evaluation/scenarios"].rows[0][3] is None
    assert row["Evaluation/scenarios"].rows[0][-1] == "no engine"


def test_a_run_without_network_takes_the_tables_and_the_rates(made, tmp_path, monkeypatch):
    wandb = pytest.importorskip("wandb")
    monkeypatch.setenv("WANDB_SILENT", "true")
    with wandb.init(mode="offline", dir=tmp_path, project="tests") as run:
        log_evaluation(run, made, suite_verdict(made))
        assert run.summary["Evaluation/mujoco/stairs_up/success_rate"] == 0.2
        assert run.summary["Evaluation/passed"] is False
