"""How many robots fall when a rule stops them: faults, rows, and what they say together."""

from dataclasses import replace

import numpy as np
import pytest
from tests.fixtures.shipped import GO2_BUNDLE

from surefoot_bridge.bundle import load_bundle
from surefoot_bridge.errors import SurefootError
from surefoot_bridge.safety import Safety
from surefoot_bridge.stages import stage_of
from surefoot_devtools.falls.campaign import NO_FAULT, FallPlan, FallRow, rules_without_damping, run_falls, summary
from surefoot_devtools.falls.faults import LONG_S, RuleFault, fault_of_rule, rule_faults
from surefoot_devtools.falls.page import fall_lines, falls_page
from surefoot_devtools.falls.walks import WALKS, run_row


@pytest.fixture(scope="module")
def bundle():
    return load_bundle(GO2_BUNDLE, runtime="numpy")


def row(rule, falls, trials=50, acted=None):
    return FallRow(rule, "medium", "stop", "What.", 2.0, None, trials, trials if acted is None else acted, falls, 0)


def test_every_rule_that_does_not_damp_has_a_fault_that_makes_it_act(bundle) -> None:
    rules = {rule.name for rule in rules_without_damping(bundle.contract)}
    assert rules == set(rule_faults(bundle.contract))
    assert {"operator_lost", "motor_warm", "policy_failed", "report_crc", "deadline", "target_rate"} <= rules
    assert not {"operator_stop", "report_lost", "tilt", "motor_hot", "fallen"} & rules


def test_a_fault_comes_and_goes_in_the_time_that_it_lasts() -> None:
    fault = RuleFault("report_crc", "What.", 1.2, burst_s=0.08, every_s=0.5)
    times = [(-0.002, None), (0.0, 0), (0.078, 0), (0.08, None), (0.5, 1), (0.58, None), (1.0, 2), (1.2, None)]
    assert [fault.burst(passed_s) for passed_s, _ in times] == [burst for _, burst in times]
    assert RuleFault("policy_failed", "What.", LONG_S).burst(1.9) == 0


def test_a_table_falls_short_by_a_row_with_two_falls_by_the_rate_of_all_and_by_a_rule_that_did_not_act() -> None:
    good = [row("operator_lost", 0), row("motor_warm", 1), *[row("policy_failed", 0)] * 10, row(NO_FAULT, 3)]
    found = summary(good, planned=13)
    # Of 600 robots one fell: (p + z^2/2n + z sqrt(p (1 - p)/n + z^2/4n^2)) / (1 + z^2/n) with z = 1.96 is 0.0094.
    assert (found["trials"], found["falls"], found["most_falls_in_a_row"]) == (600, 1, 1)
    assert found["fall_rate_upper"] == pytest.approx(0.00937, abs=1e-5)
    assert (found["ok"], found["falls_without_fault"]) == (True, 3)
    assert not summary(good, planned=14)["ok"]
    assert not summary(good[:2], planned=2)["ok"]  # one of 100
    assert not summary([*good[:-1], row("deadline", 2)], planned=13)["ok"]
    silent = summary([*good[:-1], row("deadline", 0, acted=49)], planned=13)
    assert (silent["ok"], silent["did_not_act"]) == (False, ["deadline, medium"])


def test_a_page_has_each_rule_with_its_answer_and_each_row_with_how_long_its_fault_lasts(bundle) -> None:
    rows = [row(NO_FAULT, 0), row("operator_lost", 1), replace(row("report_crc", 0), burst_s=0.08)]
    result = {"bundle": "Go2", **summary(rows, planned=3)}
    rules = Safety(bundle.contract, stage_of("field").limits(bundle.contract)).rules
    page = falls_page(result, {"commit": "c", "machine": "m", "date": "2026-11-29T00:00:00"}, rules)
    for rule in rules:
        assert f"| `{rule.name}` | {rule.description} |" in page
    assert "| `operator_lost` | The operator's heartbeat stayed away. | 0 | stop |" in page
    assert "| `policy_failed` | The policy gave no action. | 0 | hold, then stand |" in page
    assert "| `velocity_command` | The velocity command is beyond what stage and training allow. | 0 | clamp |" in page
    assert "| `command_far` | The command to the joints is far beyond its range. | 0 | hold, then stand |" in page
    assert "| `command_range` | The command to the joints is beyond its range. | 0 | clamp, then stand |" in page
    assert "| `target_rate` | The target of a joint moves too fast. | 0 | clamp, then stand |" in page
    assert "| no fault | stop |" in page
    assert "| `report_crc` | stop | What. | 2, 0.08 each | 0 of 50 |" in page
    assert fall_lines(result["by_row"])[1].startswith("operator_lost        medium      stop ")


def test_an_unknown_rule_or_walk_is_refused_by_name(bundle) -> None:
    with pytest.raises(SurefootError, match=r"Unknown rule with a fault 'tilt'; valid: action_not_finite"):
        fault_of_rule(bundle.contract, "tilt")
    with pytest.raises(SurefootError, match="Unknown walk 'sprint'; valid: still"):
        run_falls(FallPlan(GO2_BUNDLE, walks=("sprint",)))


@pytest.mark.parametrize("rule", ["operator_lost", "policy_failed"])
def test_walking_robots_that_safety_stops_stand_in_the_end_and_do_not_fall(bundle, rule: str) -> None:
    outcome = run_row(bundle, WALKS["medium"], rule_faults(bundle.contract)[rule], trials=3, seed=0)
    assert outcome.acted.all()
    assert not outcome.fell.any()
    assert np.asarray(outcome.stood).all()


def test_a_campaign_that_was_interrupted_goes_on_with_the_rows_that_are_done(tmp_path) -> None:
    kept, plan = tmp_path / "rows", FallPlan(GO2_BUNDLE, ("operator_lost",), ("still",), trials=2)
    seen = []

    def stop(done: int, planned: int, last: str) -> None:
        seen.append((done, planned, last))
        if done == 1:
            raise KeyError("as if it was killed")

    with pytest.raises(KeyError):
        run_falls(plan, kept=kept, processes=1, progress=stop)
    result = run_falls(plan, kept=kept, processes=1, progress=stop)
    assert [done for done, _, _ in seen] == [1, 2]
    assert (result["complete"], result["rows"], kept.exists()) == (True, 2, False)
