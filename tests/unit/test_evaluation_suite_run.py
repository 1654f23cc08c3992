"""A suite runs in worker processes, keeps what is finished, goes on where it was ended, and says what could not run."""

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from tests.fixtures.shipped import GO2_BUNDLE
from tests.unit import evaluation_rig as rig
from tests.unit.evaluation_rig import TINY_SUITE

from surefoot.cli import main
from surefoot.commands import verify as verify_command
from surefoot.evaluation.engines.choice import TrialAllocation
from surefoot.evaluation.report.page import suite_verdict
from surefoot.evaluation.results.bundle_evaluation import add_evaluation
from surefoot.evaluation.results.evaluation_file import evaluation_text, read_evaluation
from surefoot.evaluation.results.exemplars import exemplars, keep_exemplars
from surefoot.evaluation.running.messages import Answer, Request
from surefoot.evaluation.running.plan import plan_of
from surefoot.evaluation.running.request import VerifyRequest
from surefoot.evaluation.running.suite_run import SuiteRun
from surefoot.evaluation.running.verification import Verified, verify
from surefoot.evaluation.running.worker import TELLING_S
from surefoot.evaluation.trials.outcome import Grade, ScenarioOutcome, Searched, TrialOutcome, Tried
from surefoot_bridge.bundle import load_bundle, new_key, sign_bundle
from surefoot_bridge.errors import SurefootError


@pytest.fixture
def suite(tmp_path) -> Path:
    file = tmp_path / "tiny.yaml"
    file.write_text(TINY_SUITE)
    return file


def request(file: Path, folder: Path, **changes) -> VerifyRequest:
    values = {"bundle": GO2_BUNDLE, "suite": str(file), "engines": "mujoco", "gate": None, "folder": folder}
    return VerifyRequest(**{**values, "pages": False, **changes})


def test_the_same_bundle_and_suite_give_the_same_file_to_the_last_byte_with_one_process_or_two(suite, tmp_path):
    texts = []
    for processes in (1, 2):
        folder = tmp_path / str(processes)
        verified = verify(request(suite, folder, processes=processes))
        texts.append((folder / "evaluation.json").read_bytes())
        assert verified.evaluation.of("ahead", "mujoco").successes == 30
        assert verified.evaluation.of("shoved", "mujoco").successes == 0
    assert texts[0] == texts[1]


def test_a_second_run_goes_on_with_what_is_missing_and_starts_anew_what_was_changed(suite, tmp_path):
    said: list[str] = []
    verify(request(suite, tmp_path / "v", scenarios=("ahead",)))
    verified = verify(request(suite, tmp_path / "v"), say=said.append)
    assert verified.evaluation.complete
    assert "mujoco: 1 scenarios are finished already." in said
    assert verified.tally.trials == 30  # those of the other scenario
    suite.write_text(TINY_SUITE.replace("0.5, 0.0, 0.0", "0.4, 0.0, 0.0"))
    assert verify(request(suite, tmp_path / "v")).tally.trials == 30


def test_a_scenario_whose_verdict_is_certain_ends_and_gives_the_same_whatever_came_back_first(suite, tmp_path):
    outcomes = []
    for processes in (1, 2):
        folder = tmp_path / str(processes)
        plan = plan_of(request(suite, folder, processes=processes, trials=200, stop_early=True, scenarios=("shoved",)))
        (outcome,) = SuiteRun(plan, progress=lambda _: None, say=lambda _: None).run()
        outcomes.append(outcome)
    assert outcomes[0] == outcomes[1]
    assert outcomes[0].stopped_early
    assert 0 < outcomes[0].trials < 200


def test_where_no_trial_succeeded_the_next_step_is_to_look_at_one_gate_or_not(suite, tmp_path, capsys):
    for scenario, step in (("shoved", "surefoot replay"), ("ahead", "surefoot-bridge check")):
        asked = ["--suite", str(suite), "--scenario", scenario, "--no-pages", "--report", str(tmp_path / scenario)]
        assert main(["verify", str(GO2_BUNDLE), *asked]) == 0
        assert re.search(rf"Next: (\S*/)?{step} ", capsys.readouterr().out)


def test_the_report_of_a_search_says_the_median_of_the_largest_push_in_each_engine(tmp_path):
    made, path = rig.evaluation(), tmp_path / "report.json"
    tally = SimpleNamespace(trials=7)
    verified = Verified(evaluation=made, gate=suite_verdict(made), tally=tally, folder=tmp_path)
    verify_command._write_report(path, SimpleNamespace(gate=None, device="cpu"), verified, seconds=1.0)
    figures = json.loads(path.read_text())["figures"]
    medians = {name: value for name, value in figures.items() if name.endswith("_median_n")}
    assert medians == {
        f"{engine}_largest_push_median_n": np.median(
            [trial.measures["largest_push_n"] for trial in made.of("largest_push", engine).outcomes]
        )
        for engine in rig.ENGINES
    }


@pytest.mark.parametrize("processes", [1, 2])
def test_in_a_slow_engine_the_rest_of_the_trials_runs_where_the_first_leave_the_verdict_open(
    suite, tmp_path, monkeypatch, processes
):
    """10 of 10 have a lower bound of 0.722 and 30 of 30 one of 0.886; 0 of 10 cannot become a pass any more."""
    slow = TrialAllocation(processes, 10, 1, whole_length=True)
    monkeypatch.setattr("surefoot.evaluation.running.plan.allocate", lambda *_, **__: slow)
    for threshold, trials in ((0.7, 10), (0.8, 30)):
        suite.write_text(TINY_SUITE.replace("length_s: 1.0", f"length_s: 1.0\n    threshold: {threshold}"))
        said: list[str] = []
        verified = verify(request(suite, tmp_path / str(threshold), trials=30), say=said.append)
        ahead, shoved = (verified.evaluation.of(name, "mujoco") for name in ("ahead", "shoved"))
        assert (ahead.trials, ahead.planned, ahead.successes) == (trials, trials, trials)
        assert (shoved.trials, shoved.planned, shoved.successes) == (10, 10, 0)
        assert ("mujoco   ahead                        is open after 10 trials; all 30 run." in said) == (trials == 30)
        assert shoved.notes == ("10 trials of 30, which decide; this engine is slow on a CPU.",)
        assert verify(request(suite, tmp_path / str(threshold), trials=30)).tally.trials == 0  # all is kept


def test_the_median_and_the_worst_trial_are_recorded_and_no_other(suite, tmp_path):
    plan = plan_of(request(suite, tmp_path, pages=True, scenarios=("ahead",), trials=5))
    suite_run = SuiteRun(plan, progress=lambda _: None, say=lambda _: None)
    suite_run.run()
    folder = suite_run.store.recordings("ahead", "mujoco")
    assert sorted(path.name for path in folder.iterdir()) == ["median.npz", "worst.npz"]


def test_the_worst_trial_is_the_one_that_fell_first_and_the_median_is_in_the_middle(tmp_path):
    def trial(number, *, fall_s=None, error=0.1):
        measures = {"rms_vx_error": error, **({} if fall_s is None else {"time_to_fall_s": fall_s})}
        return TrialOutcome(number=number, seed=0, success=fall_s is None, reason="", measures=measures)

    trials = (trial(0, fall_s=3.0), trial(1, error=0.2), trial(2), trial(3, fall_s=1.0), trial(4, error=0.3))
    outcome = ScenarioOutcome(scenario="s", engine="mujoco", threshold=0.85, planned=5, outcomes=trials)
    assert exemplars(outcome) == {"median": 4, "worst": 3}
    for number in range(5):
        np.savez(tmp_path / f"{number}.npz", number=number)
    keep_exemplars(tmp_path, outcome)
    assert int(np.load(tmp_path / "worst.npz")["number"]) == 3


def test_a_worker_that_dies_is_named_with_its_log_and_the_next_request_gets_a_new_one(suite, tmp_path):
    plan = plan_of(request(suite, tmp_path))
    worker = plan.worker("mujoco", 0)
    assert worker.ask(Request("ahead", [0])).error == ""
    os.kill(worker.pid, signal.SIGKILL)
    assert "mujoco process ended with status -9" in worker.ask(Request("ahead", [0])).error
    assert worker.ask(Request("ahead", [0])).outcomes[0].success
    worker.finish()


def test_an_unknown_scenario_is_refused_by_the_worker_which_goes_on(suite, tmp_path):
    worker = plan_of(request(suite, tmp_path)).worker("mujoco", 0)
    assert "Unknown scenario 'ahaed'; valid: ahead" in worker.ask(Request("ahaed", [0])).error
    assert worker.ask(Request("ahead", [0])).outcomes[0].number == 0
    worker.finish()


def test_a_worker_says_how_far_it_is_once_a_second_at_most_in_control_periods_that_are_done(suite, tmp_path):
    suite.write_text(TINY_SUITE.replace("length_s: 1.0", "length_s: 8.0"))
    worker, shares = plan_of(request(suite, tmp_path, trials=50)).worker("mujoco", 0), []
    answer = worker.ask(Request("ahead", list(range(50))), shares.append)
    worker.finish()
    assert answer.error == ""
    assert 2 <= len(shares) <= answer.seconds / TELLING_S
    done = [round(400 * share) for share in shares]  # of the 400 periods of 0.02 s in 8 s
    assert shares == [periods / 400 for periods in done]
    assert done == sorted(set(done))  # never the same twice
    assert done[0] >= 1
    assert done[-1] <= 400  # the last one may be the one that is told


def test_an_answer_survives_its_line_to_the_last_bit():
    outcome = TrialOutcome(number=1, seed=2**64 - 1, success=False, reason="fell", measures={"a": 0.1 + 0.2})
    found = Searched(
        outcomes=(outcome,),
        tried=(Tried(size=0.1 + 0.2, friction=None, successes=1, trials=5),),
        grades=(Grade(friction=0.8, level=None, quality=1.0 / 3.0, figure=1.0 / 3.0),),
        half_at=0.1 + 0.7,
        notes=("Said.",),
    )
    answer = Answer(found, 1.5, {"physics_s": 0.1})
    assert Answer.from_json(answer.to_json()) == answer


@pytest.mark.parametrize("sent", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupted_run_leaves_a_partial_report(suite, tmp_path, sent):
    suite.write_text(TINY_SUITE.replace("length_s: 1.5", "length_s: 600.0").replace("force_n: 800.0", "force_n: 0.0"))
    surefoot = str(Path(sys.executable).with_name("surefoot"))
    command = [surefoot, "verify", str(GO2_BUNDLE), "--suite", str(suite), "--no-pages", "--report"]
    folder = tmp_path / "v"
    with subprocess.Popen([*command, str(folder), "--gate", "standard"], stdout=subprocess.PIPE, text=True) as process:
        deadline = time.monotonic() + 120.0
        while not (folder / "outcomes" / "mujoco" / "ahead.json").exists() and time.monotonic() < deadline:
            time.sleep(0.1)
        process.send_signal(sent)
        try:
            text, _ = process.communicate(timeout=60.0)
        finally:
            process.kill()
    assert process.returncode == 130
    assert "Interrupted" in text
    evaluation = read_evaluation(folder)
    assert not evaluation.complete
    assert evaluation.missing == (("shoved", "mujoco"),)
    assert json.loads((folder / "evaluation.json").read_text())["complete"] is False


def test_an_evaluation_goes_into_its_bundle_and_into_no_other(suite, tmp_path):
    folder = tmp_path / "bundle"
    shutil.copytree(GO2_BUNDLE, folder)
    verified = verify(request(suite, tmp_path / "v", bundle=folder))
    before = load_bundle(folder, runtime="numpy").identity
    identity = add_evaluation(folder, verified.evaluation)
    assert identity == load_bundle(folder, runtime="numpy").identity != before
    assert evaluation_text(read_evaluation(folder)) == evaluation_text(verified.evaluation)
    assert [path.name for path in tmp_path.iterdir() if path.name.startswith(".bundle")] == []
    other = verified.evaluation.policy.model_copy(update={"weights_sha256": "0" * 64})
    changed = type(verified.evaluation)(
        **{**vars(verified.evaluation), "policy": other},
    )
    with pytest.raises(SurefootError, match="of another policy"):
        add_evaluation(folder, changed)


def test_a_signed_bundle_is_verified_and_takes_its_evaluation_only_with_a_key_that_signs_it_anew(
    suite, tmp_path, capsys
):
    folder, (private, public) = tmp_path / "bundle", new_key()
    shutil.copytree(GO2_BUNDLE, folder)
    sign_bundle(folder, private)
    key = tmp_path / "key"
    key.write_text(private)
    asked = ["verify", str(folder), "--suite", str(suite), "--scenario", "ahead", "--no-pages", "--add-to-bundle"]
    asked += ["--report", str(tmp_path / "v"), "--device", "cpu"]
    assert main(asked) == 2
    assert "is signed, and a signature is of all of its files: sign it anew with --sign KEY" in capsys.readouterr().err
    assert main([*asked, "--sign", str(key)]) == 0
    bundle = load_bundle(folder, runtime="numpy", require_signature_by=public)
    assert f"which is bundle {bundle.identity} now" in capsys.readouterr().out
    assert read_evaluation(folder).of("ahead", "mujoco").successes == 30
