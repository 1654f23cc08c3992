"""The gate passes, fails or could not run, and says why."""

import pytest
from tests.fixtures.shipped import TASKS

from surefoot.evaluation.judging.gate import judge
from surefoot.evaluation.judging.gate_file import STANDARD, Gate, check_gate, load_gate
from surefoot.evaluation.scenarios.files import load_suite
from surefoot.evaluation.statistics import rate_interval, wilson_interval
from surefoot.evaluation.trials.outcome import ScenarioOutcome, TrialOutcome
from surefoot_bridge.errors import SurefootError


def outcome(successes: int, trials: int = 100, **changes) -> ScenarioOutcome:
    trial_outcomes = tuple(
        TrialOutcome(number=i, seed=i, success=i < successes, reason="" if i < successes else "fell")
        for i in range(trials)
    )
    values = {"scenario": "walk", "engine": "mujoco", "threshold": 0.85, "planned": 100, "outcomes": trial_outcomes}
    return ScenarioOutcome(**{**values, **changes})


def gate(**changes) -> Gate:
    return Gate.model_validate({"version": 1, "name": "own", "description": "Own.", **changes})


@pytest.mark.parametrize(("successes", "code"), [(92, 0), (91, 1), (100, 0), (0, 1)])
def test_92_of_100_put_the_lower_bound_above_085(successes, code):
    verdict = judge([outcome(successes)], STANDARD)
    assert verdict.exit_code == code
    assert verdict.passed == (code == 0)
    assert verdict.rows[0].interval == wilson_interval(successes, 100)


def test_a_verdict_says_what_was_needed_and_why_trials_failed():
    assert judge([outcome(95)], STANDARD).rows[0].sentence == (
        "walk in mujoco passes: 95 of 100 trials succeeded and 92 of 100 put the lower bound above 0.85."
    )
    assert judge([outcome(80)], STANDARD).reasons == (
        "walk in mujoco fails: 80 of 100 trials succeeded and 92 of 100 put the lower bound above 0.85. "
        "Failures: fell (20).",
    )


def test_one_failure_fails_the_gate_whatever_else_passed_or_did_not_run():
    passed, failed = outcome(100), outcome(50, scenario="run")
    broken = outcome(0, 0, scenario="jump", error="The engine stopped.")
    assert judge([passed, failed], STANDARD).exit_code == 1
    assert judge([passed, failed, broken], STANDARD).exit_code == 1
    assert judge([passed, broken], STANDARD).exit_code == 2


def test_what_could_not_run_says_so():
    verdict = judge([outcome(0, 0, error="The engine stopped.")], STANDARD)
    assert verdict.reasons == ("walk in mujoco could not run: The engine stopped.",)
    assert verdict.rows[0].judgement == "could not run"


def test_what_an_engine_cannot_run_as_it_is_meant_is_said_and_does_not_count():
    reason = "PhysX has no rolling friction."
    verdict = judge([outcome(100)], gate(engines=["mujoco", "ovphysx"]), not_scored={("walk", "ovphysx"): reason})
    assert verdict.exit_code == 0
    row = verdict.of("walk", "ovphysx")
    assert (row.judgement, row.counts) == ("not scored", False)
    assert row.sentence == "walk in physx is not scored. PhysX has no rolling friction."


def test_a_scenario_that_is_missing_in_an_engine_could_not_run():
    both = [outcome(100), outcome(100, scenario="run"), outcome(100, engine="ovphysx")]
    verdict = judge(both, STANDARD)
    assert verdict.exit_code == 2
    assert verdict.of("run", "ovphysx").sentence == (
        "run in physx did not run: run a suite that has it in that engine, or change the gate."
    )


def test_a_run_that_was_interrupted_before_a_scenario_could_not_run_it():
    assert judge([outcome(100)], STANDARD).exit_code == 0
    assert judge([outcome(100)], STANDARD, scenarios=["walk", "run"]).exit_code == 2
    assert judge([outcome(100)], STANDARD, engines=["mujoco", "ovphysx"]).exit_code == 2


def test_nothing_is_no_proof():
    assert judge([], STANDARD).exit_code == 2


def test_trials_that_are_missing_leave_the_verdict_open_unless_they_cannot_change_it():
    assert judge([outcome(25, 25)], STANDARD).rows[0].judgement == "undecided"
    assert judge([outcome(25, 25)], STANDARD).exit_code == 2
    assert judge([outcome(92, 92)], STANDARD).exit_code == 0
    assert judge([outcome(41, 50)], STANDARD).exit_code == 1  # 9 failures: at most 91 of 100


def test_trials_that_stopped_early_have_the_interval_of_all_that_could_have_followed():
    row = judge([outcome(92, 92, stopped_early=True)], STANDARD).rows[0]
    assert row.passed
    assert row.interval == rate_interval(92, 92, 100)
    assert "(of 100 planned, whose outcome could not change the verdict)" in row.sentence


def test_too_few_trials_are_said_to_be_too_few():
    row = judge([outcome(20, 20, planned=20)], STANDARD).rows[0]
    assert row.sentence == (
        "walk in mujoco fails: 20 of 20 trials succeeded and no number of 20 would put the lower bound above 0.85: "
        "plan at least 22."
    )


def test_a_gate_has_thresholds_of_its_own():
    assert judge([outcome(70)], gate(scenarios={"walk": 0.5})).exit_code == 0
    assert judge([outcome(92)], gate(scenarios={"walk": 0.9})).exit_code == 1


def test_scenarios_that_a_gate_does_not_name_may_be_reported_only():
    outcomes = [outcome(100), outcome(0, scenario="run")]
    assert judge(outcomes, gate(scenarios={"walk": 0.9})).exit_code == 1
    verdict = judge(outcomes, gate(scenarios={"walk": 0.9}, others="report"))
    assert verdict.exit_code == 0
    assert [row.counts for row in verdict.rows] == [True, False]
    assert verdict.reasons == ()


def test_a_scenario_or_engine_that_a_gate_names_must_have_run():
    assert judge([outcome(100)], gate(scenarios={"run": 0.9})).exit_code == 2
    assert judge([outcome(100)], gate(engines=["mujoco", "ovphysx"])).exit_code == 2


def test_an_engine_that_does_not_count_is_reported_only():
    outcomes = [outcome(100), outcome(0, engine="ovphysx")]
    assert judge(outcomes, gate(engines=["mujoco"])).exit_code == 0
    assert judge(outcomes, gate()).exit_code == 1


def test_two_outcomes_of_one_scenario_are_refused():
    with pytest.raises(SurefootError, match="walk in mujoco has two outcomes"):
        judge([outcome(1), outcome(2)], STANDARD)


def test_an_unknown_verdict_is_refused_with_those_that_there_are():
    with pytest.raises(SurefootError, match="Unknown verdict 'run in mujoco'; valid: walk in mujoco"):
        judge([outcome(1)], STANDARD).of("run", "mujoco")


def test_a_gate_is_read_from_a_file(tmp_path):
    file = tmp_path / "gate.yaml"
    file.write_text("version: 1\nname: ci\ndescription: For CI.\nengines: [mujoco]\nscenarios:\n  walk: 0.9\n")
    assert load_gate(file) == gate(name="ci", description="For CI.", engines=["mujoco"], scenarios={"walk": 0.9})
    assert load_gate("standard") is STANDARD


def test_a_gate_may_name_engines_in_short(tmp_path):
    file = tmp_path / "gate.yaml"
    file.write_text("version: 1\nname: ci\ndescription: For CI.\nengines: [physx, newton]\n")
    assert load_gate(file).engines == ("ovphysx", "newton_mjwarp")


def test_the_gate_of_flat_ground_names_scenarios_of_the_standard_suite():
    flat = load_gate(TASKS / "velocity" / "gates" / "flat.yaml")
    assert flat.scenarios.keys() <= {scenario.name for scenario in load_suite("standard", None).scenarios}
    assert flat.engines == ("mujoco", "ovphysx", "newton_mjwarp")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "engines: [bullet]",
            "line 4: engines is ['bullet']: Unknown engine 'bullet'; valid: mujoco, physx, newton.",
        ),
        ("engines: []", "line 4: engines is []; it must hold at least 1."),
        ("scenarios: {walk: 90}", "line 4: scenarios is {'walk': 90}: the threshold of walk is 90; it must be above 0"),
        (
            "tolerance: 0.9",
            "line 4: tolerance is unknown; valid: version, name, description, engines, scenarios, others.",
        ),
        ("others: ignore", "line 4: others is 'ignore'; it must be 'count' or 'report'."),
    ],
)
def test_a_wrong_gate_is_refused_with_its_line(tmp_path, text, message):
    file = tmp_path / "gate.yaml"
    file.write_text(f"version: 1\nname: ci\ndescription: For CI.\n{text}\n")
    with pytest.raises(SurefootError) as caught:
        load_gate(file)
    assert message in str(caught.value)


def test_a_gate_that_came_with_the_tasks_is_known_by_its_name():
    assert load_gate("flat").name == "flat"
    check_gate(load_gate("flat"), load_suite("standard", None))


def test_a_scenario_that_no_suite_has_is_refused_with_the_nearest_name_before_a_trial_runs():
    with pytest.raises(SurefootError, match=r"'flat_fwd'; valid: flat_forward, .* The gate 'own' asks for it"):
        check_gate(gate(scenarios={"flat_fwd": 0.9}), load_suite("quick", None))
