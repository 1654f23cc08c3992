"""Two evaluations side by side: what differs beyond chance is said, and nothing else is."""

import argparse
import json
from dataclasses import replace

import pytest
from tests.unit import evaluation_rig as rig

from surefoot.commands import compare as compare_command
from surefoot.evaluation.judging.evaluation_comparison import compare
from surefoot.evaluation.report.comparison_page import comparison_page
from surefoot.evaluation.report.comparison_text import comparison_markdown, in_words
from surefoot.evaluation.results.evaluation_file import write_evaluation
from surefoot_bridge.errors import SurefootError


def with_rates(**successes: tuple[int, int]):
    """Return an evaluation in MuJoCo with so many successes of so many trials of some scenarios."""
    outcomes = tuple(rig.outcome(name, "mujoco", successes=good, trials=n) for name, (good, n) in successes.items())
    return replace(rig.evaluation(engines=("mujoco",)), outcomes=outcomes)


def test_the_same_evaluation_differs_in_nothing():
    comparison = compare(rig.evaluation(), rig.evaluation())
    assert {row.change for row in comparison.rates} == {"no difference shown"}
    assert comparison.measures == ()
    assert in_words(comparison).sentence == "No success rate differs by more than chance explains."


def test_among_several_rows_one_that_stands_out_alone_is_only_perhaps_better():
    a = with_rates(stairs_up=(48, 80), flat_forward=(70, 80), shoves=(70, 80), largest_push=(70, 80))
    b = with_rates(stairs_up=(54, 70), flat_forward=(70, 80), shoves=(70, 80), largest_push=(70, 80))
    changes = {row.scenario: row.change for row in compare(a, b).rates}
    assert changes["stairs_up"] == "perhaps better"
    assert changes["shoves"] == "no difference shown"


def test_a_collapse_is_worse_and_its_scenario_is_named_on_top():
    comparison = compare(
        with_rates(stairs_up=(95, 100), shoves=(9, 10)), with_rates(stairs_up=(50, 100), shoves=(9, 10))
    )
    assert [row.scenario for row in comparison.worse] == ["stairs_up"]
    assert in_words(comparison).sentence == "B is worse in Stairs up."


def test_measures_that_moved_are_named_with_their_direction():
    found = {(row.scenario, row.measure): row for row in compare(rig.evaluation(), rig.evaluation(shift=0.05)).measures}
    row = found["flat_forward", "cost_of_transport"]
    assert row.change == "perhaps worse"
    assert row.b - row.a == pytest.approx(0.05)
    assert row.interval == pytest.approx((0.05, 0.05))  # trial by trial, of the same draws
    assert ("flat_forward", "stride_hz") not in found


def test_trials_of_other_draws_are_compared_as_samples():
    a, b = rig.evaluation(engines=("mujoco",)), rig.evaluation(engines=("mujoco",), shift=0.05)
    redrawn = tuple(
        replace(item, outcomes=tuple(replace(trial, seed=trial.seed + 1) for trial in item.outcomes))
        for item in b.outcomes
    )
    rows = compare(a, replace(b, outcomes=redrawn)).measures
    row = next(row for row in rows if (row.scenario, row.measure) == ("flat_forward", "cost_of_transport"))
    assert row.difference == pytest.approx(0.05)
    assert 0.04 < row.interval.low < 0.05 < row.interval.high < 0.06


def test_a_scenario_that_was_defined_otherwise_is_left_out_and_named():
    a, b = rig.evaluation(), rig.evaluation()
    first, *rest = b.suite.scenarios
    longer = first.model_copy(update={"length_s": 9.0})
    comparison = compare(a, replace(b, suite=b.suite.model_copy(update={"scenarios": (longer, *rest)})))
    assert comparison.left_out == (("flat_forward", "defined otherwise in B"),)
    assert len(comparison.rates) == 9


def test_trials_of_another_length_are_left_out_and_named():
    a, b = rig.evaluation(), rig.evaluation()
    first, *rest = b.outcomes
    comparison = compare(a, replace(b, outcomes=(replace(first, length_s=2.0), *rest)))
    assert comparison.left_out == ((f"{first.scenario} in {first.engine}", "trials are not as long in both"),)


def test_more_trials_and_another_threshold_make_no_other_scenario():
    b = rig.evaluation()
    scenarios = tuple(item.model_copy(update={"trials": 7, "threshold": 0.5}) for item in b.suite.scenarios)
    comparison = compare(rig.evaluation(), replace(b, suite=b.suite.model_copy(update={"scenarios": scenarios})))
    assert comparison.left_out == ()


def test_two_robots_are_not_compared():
    b = rig.evaluation()
    other = replace(b, policy=b.policy.model_copy(update={"robot": "unitree_g1"}))
    with pytest.raises(SurefootError, match="A is of unitree_go2, B of unitree_g1"):
        compare(rig.evaluation(), other)


def test_nothing_in_common_is_refused_with_the_reasons():
    with pytest.raises(SurefootError, match="stairs_up in mujoco: did not run in B"):
        compare(with_rates(stairs_up=(1, 2)), with_rates())


def test_both_files_are_called_a_and_b_in_markdown_and_on_the_page():
    comparison = compare(rig.evaluation(), rig.evaluation(shift=0.05), names=("old_run", "new_run"))
    text, page = comparison_markdown(comparison), comparison_page(comparison)
    assert "A is old\\_run, B is new\\_run." in text
    assert "| Stairs up | MuJoCo | 20\u202f% (20 of 100) | 20\u202f% (20 of 100) |" in text
    assert "A: old_run" in page
    assert "http" not in page
    assert "src=" not in page


@pytest.mark.parametrize(("successes", "status"), [(95, 0), (50, 1)])
def test_the_command_ends_with_1_where_a_success_rate_is_worse(tmp_path, capsys, successes, status):
    write_evaluation(tmp_path / "a" / "evaluation.json", with_rates(stairs_up=(95, 100)))
    write_evaluation(tmp_path / "b" / "evaluation.json", with_rates(stairs_up=(successes, 100)))
    parser = argparse.ArgumentParser()
    compare_command.add_arguments(parser)
    files = [str(tmp_path / name) for name in ("c.md", "c.html", "c.json")]
    arguments = ["--markdown", files[0], "--html", files[1], "--json", files[2]]
    args = parser.parse_args([str(tmp_path / "a"), str(tmp_path / "b"), *arguments])
    assert compare_command.run(args) == status
    assert (tmp_path / "c.md").read_text() == capsys.readouterr().out
    assert (tmp_path / "c.html").read_text().startswith("<!DOCTYPE html>")
    report = json.loads((tmp_path / "c.json").read_text())
    assert report["ok"] is (status == 0)
    assert report["figures"]["worse"] == status
    assert report["rows"][0]["scenario"] == "stairs_up"
