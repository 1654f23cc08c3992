"""Grades in reports, files and refusals."""

import re
from dataclasses import replace

import pytest
from tests.unit import evaluation_rig as rig

from surefoot.evaluation.judging.gate import judge_evaluation
from surefoot.evaluation.judging.gate_file import STANDARD, check_gate
from surefoot.evaluation.report.grades import grades_of, mean_figure
from surefoot.evaluation.report.markdown_summary import markdown_summary
from surefoot.evaluation.report.page import ReportContent, render_page
from surefoot.evaluation.results.evaluation_file import evaluation_text, read_evaluation, write_evaluation
from surefoot.evaluation.scenarios.files import load_suite
from surefoot.evaluation.trials.outcome import Grade, ScenarioOutcome, Tried
from surefoot_bridge.errors import SurefootError

SUITE = """
version: 1
name: two
description: A grading and a search.
scenarios:
  - name: slope_up
    description: Up.
    terrain: {kind: slope, place: around}
    target: {ahead_m: 3.0}
    length_s: 9.0
    grading:
      levels: {field: grade_deg, sizes: [5.0, 10.0, 15.0]}
      frictions: [0.4, 0.8]
      tracking: {velocity: [1.0, 0.5, 1.0]}
      robogauge: slope_fd
  - name: half_stairs
    description: Where half fail.
    terrain: {kind: stairs}
    target: {ahead_m: 3.0}
    length_s: 9.0
    half_success: {levels: {field: step_height_m, sizes: [0.05, 0.10]}}
"""


def suite_of(tmp_path, text=SUITE, contract=None):
    (tmp_path / "two.yaml").write_text(text)
    return load_suite(tmp_path / "two.yaml", contract)


def searched(tmp_path, engines=("mujoco", "ovphysx")):
    """An evaluation of both searches, in which PhysX does a little worse."""
    outcomes = []
    for place, engine in enumerate(engines):
        common = {"engine": engine, "threshold": 0.85, "planned": 10, "outcomes": (rig.trial(0), rig.trial(1))}
        outcomes += [
            ScenarioOutcome(
                scenario="slope_up",
                tried=(
                    Tried(size=10.0, friction=0.4, successes=1, trials=5),
                    Tried(size=10.0, friction=0.8, successes=4, trials=5),
                ),
                grades=(
                    Grade(friction=0.4, level=0, quality=None, figure=0.0),
                    Grade(friction=0.8, level=2, quality=0.5, figure=0.5 - 0.1 * place),
                ),
                **common,
            ),
            ScenarioOutcome(
                scenario="half_stairs",
                tried=(Tried(size=0.05, friction=None, successes=5, trials=8),),
                half_at=0.0625,
                **common,
            ),
        ]
    return replace(rig.evaluation(), suite=suite_of(tmp_path), engines=engines, outcomes=tuple(outcomes))


def test_the_table_has_levels_and_quality_at_each_friction_and_the_figure_is_their_mean(tmp_path):
    grades = grades_of(searched(tmp_path))
    assert grades.frictions == ["0.4", "0.8"]
    assert [(row.engine, row.figure, row.levels) for row in grades.rows] == [
        ("MuJoCo", "0.250", ["0", "2 · 0.500"]),
        ("PhysX", "0.200", ["0", "2 · 0.500"]),
    ]
    assert mean_figure(searched(tmp_path), "mujoco", in_robogauge=True) == pytest.approx(0.25)
    assert "Half stairs in PhysX: success falls to one half at 6.25\u202fcm." in grades.sentences


def test_each_engine_has_a_heat_map_of_what_was_tried_side_by_side(tmp_path):
    maps = [str(figure.picture) for figure in grades_of(searched(tmp_path)).heat_maps]
    assert len(maps) == 2
    for drawn in maps:
        assert re.findall(r"<title>(.*?)</title>", drawn) == ["10.0°: 5 of 10 trials"]
        assert drawn.count("<rect") == 3  # the two levels that were not tried are empty


def test_a_report_of_searches_alone_has_no_verdict_and_one_of_both_keeps_them_apart(tmp_path):
    alone = searched(tmp_path)
    page = render_page(ReportContent(evaluation=alone, contract=rig.contract(), with_films=False))
    assert "Graded in MuJoCo and PhysX." in page
    assert 'class="matrix' not in page
    made = rig.evaluation(engines=("mujoco", "ovphysx"))
    suite = made.suite.model_copy(update={"scenarios": (*made.suite.scenarios, *alone.suite.scenarios)})
    both = replace(made, suite=suite, outcomes=(*made.outcomes, *alone.outcomes))
    page = render_page(ReportContent(evaluation=both, contract=rig.contract(), with_films=False))
    assert 'id="grades"' in page
    assert 'href="#stairs_up"' in page
    assert 'href="#slope_up"' not in page
    assert "| Slope up | MuJoCo | 0.250 | 0 | 2 · 0.500 |" in markdown_summary(
        both, judge_evaluation(both, STANDARD), gated=False
    )


def test_what_a_search_found_is_written_and_read_back(tmp_path):
    made = searched(tmp_path)
    write_evaluation(tmp_path / "evaluation.json", made)
    found = read_evaluation(tmp_path)
    assert [(item.tried, item.grades, item.half_at) for item in found.outcomes] == [
        (item.tried, item.grades, item.half_at) for item in made.outcomes
    ]
    assert evaluation_text(found) == (tmp_path / "evaluation.json").read_text()


def test_no_gate_judges_a_search(tmp_path):
    made = searched(tmp_path)
    rows = judge_evaluation(made, STANDARD).rows
    assert {(row.judgement, row.counts) for row in rows} == {("searched", False)}
    with pytest.raises(
        SurefootError, match="'two' has searches alone, which nothing passes or fails: leave out --gate"
    ):
        check_gate(STANDARD, made.suite)


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        (
            "field: grade_deg",
            "field: grade",
            r"'grade', no size \(did you mean grade_deg\?\); valid for slope ground",
        ),
        ("[5.0, 10.0, 15.0]", "[5.0, 15.0, 10.0]", "sizes\\[2\\] is 10, not above the 15 before"),
        ("[5.0, 10.0, 15.0]", "[5.0, 60.0]", "sizes\\[1\\] is 60: input should be less than or equal to 45"),
        ("frictions: [0.4, 0.8]", "frictions: [0.4, 9.0]", "frictions\\[1\\] is 9; it must be from 0.01 to 3"),
        ("frictions: [0.4, 0.8]", "frictions: [0.8, 0.8]", "has one of them twice"),
        ("frictions: [0.4, 0.8]", "frictions: [0.4, 0.8]\n      passes: 6", "is 6, more than the 5 trials on a level"),
        ("length_s: 9.0\n    grading", "length_s: 9.0\n    trials: 50\n    grading", "a grading has trials of its own"),
        (
            "target: {ahead_m: 3.0}\n    length_s: 9.0\n    grading",
            "length_s: 9.0\n    grading",
            "or a target to walk to",
        ),
        (
            "length_s: 9.0\n    grading",
            "length_s: 9.0\n    commands: [{at_s: 0.0, velocity: [0.1, 0.0, 0.0]}]\n    grading",
            "commands and target exclude each other",
        ),
        (
            "length_s: 9.0\n    grading",
            "length_s: 9.0\n    robot: {friction: 0.5}\n    grading",
            "grading exclude each other: its frictions are what it sweeps",
        ),
        ("velocity: [1.0, 0.5, 1.0]", "velocity: [1.0, 0.0, 1.0]", "give three numbers above 0"),
        (
            "length_s: 9.0\n    grading",
            "length_s: 9.0\n    success: {rms_vx_error: {max: 1}}\n    grading",
            "changes them always",
        ),
        ("sizes: [0.05, 0.10]", "sizes: [0.05, 0.35]", "sizes\\[1\\] is 0.35; unitree_go2 stands"),
    ],
)
def test_what_a_search_cannot_be_asked_is_refused_with_what_is_right(tmp_path, old, new, said):
    assert old in SUITE
    with pytest.raises(SurefootError, match=said):
        suite_of(tmp_path, SUITE.replace(old, new, 1), rig.contract())
