"""How live trials are judged and what is told of them, without a live trial."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from surefoot_bridge.errors import SurefootError
from surefoot_bridge.safety import Response
from surefoot_devtools.fault_injection import FAULTS, LIVE_FAULTS, fault_of
from surefoot_devtools.fault_injection.live import LIVE_FIGURES, LivePlan, Repeated, live_summary
from surefoot_devtools.fault_injection.live_judgement import Measured, judge, most
from surefoot_devtools.fault_injection.live_process import LiveOrder, Member
from surefoot_devtools.fault_injection.live_trial import LiveResult
from surefoot_devtools.fault_injection.page import fault_page, live_page, table_lines
from surefoot_devtools.fault_injection.wire import AT_THE_ROBOT

START_S, TRANSIT_S, IDLE_S = 100.0, 0.001, 0.0005
ALLOWANCE_S = TRANSIT_S + IDLE_S
BUNDLE = Path("bundle")


def measured(damped_s=None, *, responses=(), rules=(), ended_by="It was told to end at once.", **robot):
    """A trial of 2 s, 1 s of it before the fault, in which the robot is damped from some time after the fault on."""
    sent = START_S + np.arange(-1.0, 1.0, 0.002)
    from_s = np.inf if damped_s is None else START_S + damped_s
    arrivals = [(at, at + TRANSIT_S, bool(at + TRANSIT_S >= from_s)) for at in sent.tolist()]
    of_robot = {"arrivals": arrivals, "tilted_s": None, "ignored": 0, "notes": [], "lagged": [], **robot}
    bridge = {
        "responses": [(START_S - 4.0, 0), *((START_S + at, code) for at, code in responses)],
        "rules": [(START_S + at, rule) for at, rule in rules],
        "modes": [
            (START_S - 4.0, "passive", "start"),
            (START_S - 3.9, "stand", "stand"),
            (START_S - 2.0, "walk", "walk"),
        ],
        "ages": [(START_S - 0.5, 0.002)],
        "ended_by": ended_by,
    }
    return Measured(START_S, of_robot, bridge, {"ticks": [(at, IDLE_S) for at in sent.tolist()]})


class TestJudge:
    def test_a_robot_is_damped_when_the_first_command_comes_after_which_all_damp(self):
        found = judge(fault_of("encoder_jump"), measured(0.0411, rules=[(0.04, "joint_position")]))
        assert found.safe, found.notes
        assert found.safe_after_s == pytest.approx(0.043, abs=1e-6)
        assert (found.worst, found.rules) == ("damp", ("joint_position",))
        assert found.allowance_s == pytest.approx(ALLOWANCE_S)

    def test_it_is_not_safe_when_that_is_later_than_the_stated_time_and_the_allowance(self):
        within_s = fault_of("encoder_jump").within_s + ALLOWANCE_S
        for late_s, safe in ((-0.003, True), (0.003, False)):
            found = judge(fault_of("encoder_jump"), measured(within_s + late_s, rules=[(0.04, "joint_position")]))
            assert found.safe is safe, found.notes
        assert "damp was due within 0.044 s and 0.002 s for transport and scheduling; it came 0.0" in found.notes[0]

    def test_a_robot_that_is_not_damped_at_all_is_not_safe(self):
        found = judge(fault_of("encoder_jump"), measured(rules=[(0.04, "joint_position")]))
        assert not found.safe
        assert found.safe_after_s is None

    def test_what_made_reports_late_counts_where_the_robot_has_the_fault(self):
        found = judge(fault_of("reports_stop"), measured(0.1, rules=[(0.1, "report_lost")]))
        assert found.allowance_s == pytest.approx(ALLOWANCE_S + 0.002)

    def test_a_robot_is_held_when_the_command_comes_that_was_sent_so(self):
        hold = int(Response.HOLD)
        found = judge(fault_of("nan_once"), measured(responses=[(0.004, hold)], rules=[(0.004, "report_not_finite")]))
        assert found.safe, found.notes
        assert found.safe_after_s == pytest.approx(0.004 + TRANSIT_S, abs=1e-6)
        assert found.worst == "hold"

    def test_a_hold_that_was_over_before_the_fault_does_not_count(self):
        found = judge(
            fault_of("nan_once"), measured(responses=[(-0.5, 2), (-0.4, 0)], rules=[(0.004, "report_not_finite")])
        )
        assert not found.safe

    def test_a_hold_for_another_reason_is_not_the_one_that_is_waited_for(self):
        told = measured(
            responses=[(0.1, 2), (0.2, 0), (0.503, 2)], rules=[(0.1, "report_stale"), (0.502, "operator_lost")]
        )
        found = judge(fault_of("operator_silent"), told)
        assert found.safe, found.notes
        assert found.safe_after_s == pytest.approx(0.504 + TRANSIT_S, abs=1e-6)

    def test_a_robot_that_the_guardian_damps_needs_no_rule(self):
        told = measured(0.1, ended_by="The guardian damps unitree_go2: the loop is silent.")
        found = judge(fault_of("loop_stalls_long"), told)
        assert found.safe, found.notes
        assert (found.worst, found.rules) == ("damp", ("guardian",))
        killed = judge(LIVE_FAULTS["process_killed"], replace(told, bridge=None))
        assert killed.safe, killed.notes

    def test_another_rule_than_the_expected_ones_is_a_fault(self):
        found = judge(fault_of("encoder_jump"), measured(0.03, rules=[(-0.1, "joint_position"), (0.02, "tilt")]))
        assert found.notes == ("None of the rules joint_position acted; these did: tilt.",)

    def test_a_robot_that_falls_must_be_damped_soon_whatever_else_it_may_do(self):
        fault, fallen = fault_of("encoder_offset"), {"tilted_s": START_S + 0.3}
        assert judge(fault, measured(0.49, **fallen)).safe
        late = judge(fault, measured(0.51, **fallen))
        assert late.fell
        assert late.notes == (
            "The robot was tilted beyond the limit 0.300 s after the fault began and damped after 0.511 s.",
        )

    def test_a_robot_that_was_damped_or_did_not_walk_before_the_fault_shows_nothing(self):
        told = measured(-0.5, rules=[(0.04, "joint_position")])
        assert told.bridge is not None
        told.bridge["modes"] = told.bridge["modes"][:2]
        assert judge(fault_of("encoder_jump"), told).notes == (
            "The robot did not walk when the fault began; its modes: passive (start), stand (stand).",
            "The robot was damped before the fault began.",
        )

    def test_a_clock_that_goes_back_does_not_say_that_the_robot_was_stopped_before(self):
        told = measured(0.001, rules=[(-0.999, "clock_jump_back")])
        assert told.bridge is not None
        told.bridge["modes"].append((START_S - 0.998, "damped", "safety: clock_back, clock_jump_back"))
        assert judge(fault_of("loop_clock_back"), told).notes == ()
        assert judge(fault_of("encoder_jump"), told).notes[0].startswith("The robot did not walk when the fault began")

    def test_commands_with_a_wrong_checksum_are_told(self):
        found = judge(fault_of("reports_twice"), measured(ignored=2))
        assert found.notes == ("2 commands had a wrong checksum or header.",)

    @pytest.mark.parametrize(("late_s", "at_s", "stalled"), [(0.03, 0.02, True), (0.03, 0.5, False)])
    def test_the_computer_stood_still_where_the_idle_loop_was_later_than_the_allowance(self, late_s, at_s, stalled):
        told = measured(0.03, rules=[(0.02, "joint_position")])
        told.idle["ticks"].append((START_S + at_s, late_s))
        found = judge(fault_of("encoder_jump"), told)
        assert found.stalled is stalled
        for lagged_s, lags in ((0.02, True), (-1.1, False)):
            assert judge(fault_of("encoder_jump"), measured(0.03, lagged=[START_S + lagged_s])).stalled is lags

    def test_a_robot_that_was_damped_early_may_have_been_so_for_a_computer_that_stood_still_early(self):
        told = measured(-0.5, lagged=[START_S - 3.0])
        assert judge(fault_of("encoder_jump"), told).stalled

    def test_most_is_what_999_of_1000_are_at_most(self):
        assert most([0.001 * i for i in range(1, 1001)]) == pytest.approx(0.999)
        assert most([]) == 0.0


def test_processes_are_killed_in_live_trials_only():
    assert set(LIVE_FAULTS) - set(FAULTS) == {"process_killed", "process_hung"}
    assert set(AT_THE_ROBOT) <= set(FAULTS)
    with pytest.raises(SurefootError, match="Unknown fault 'process_killed'"):
        fault_of("process_killed")


def result(**changes):
    good = LiveResult(
        "reports_stop", 0, "robot", True, 0.105, 0.003, 0.001, False, "damp", ("report_lost",), False, 2000, 0, True,
        (), 0.0002, 0.0001, 0.0015,
    )  # fmt: skip
    return replace(good, **changes)


def test_a_summary_counts_what_was_good_and_tells_what_was_not_and_what_was_repeated():
    plan = LivePlan(BUNDLE, ("reports_stop", "nan_once"))
    bad = result(fault="nan_once", outside=3, notes=("1.0 s: torque",), loop_late_s=None)
    told = live_summary(plan, [result(), bad], [Repeated("nan_once", "The computer stood still.")])
    assert {name: told[name] for name in LIVE_FIGURES} == {
        "kinds": 2,
        "trials": 2,
        "safe": 2,
        "commands": 4000,
        "commands_outside_limits": 3,
        "logs": 2,
        "logs_readable": 2,
        "repeated": 1,
        "largest_allowance_s": 0.003,
        "largest_idle_late_s": 0.0001,
        "largest_loop_late_s": 0.0002,
        "largest_transit_s": 0.0015,
        "complete": True,
    }
    assert not told["ok"]
    assert [row["repeated"] for row in told["by_kind"]] == [0, 1]
    assert [row["fault"] for row in told["not_safe"]] == ["nan_once", "nan_once"]
    assert live_summary(plan, [result(), result(fault="nan_once")], [])["ok"]


def test_a_run_that_was_cut_short_before_anything_was_done_still_makes_a_report_and_a_page():
    told = live_summary(LivePlan(BUNDLE), [], [])
    assert (told["ok"], told["complete"], told["trials"], told["largest_allowance_s"]) == (False, False, 0, None)
    assert "in 0 of 0 trials" in live_page(report(told), "B")


def report(told):
    origin = {"commit": "c0ffee", "machine": "a computer", "date": "2026-01-02T03:04:05"}
    figures = {name: told[name] for name in LIVE_FIGURES}
    return {"figures": figures, "rows": [*told["by_kind"], *told["not_safe"]], "provenance": origin}


def test_a_page_has_the_table_of_the_simulated_trials_and_that_of_the_live_ones():
    plan = LivePlan(BUNDLE, ("reports_stop",))
    told = report(live_summary(plan, [result()], [Repeated("reports_stop", "The computer stood still.")]))
    row = {"name": "nan_once", "what": "Once.", "safe_state": "hold", "within_s": 0.024, "slowest_s": None, "safe": 4,
           "trials": 5, "fell": 1}  # fmt: skip
    names = ("kinds", "trials", "safe", "commands", "commands_outside_limits", "logs", "logs_readable")
    simulated = {"bundle": "B", "stage": "outdoor", "by_kind": [row], **dict.fromkeys(names, 5)}
    page = fault_page(simulated, told["provenance"], told)
    assert "| `nan_once` | Once. | `hold` | 0.024 | - | 4 of 5 | 1 |" in page
    assert (
        "| `reports_stop` | No report comes any more. | robot | `damp` | 0.164 | 0.003 | 0.105 | 1 of 1 | 0 |" in page
    )
    assert "and that were repeated: 1. Commit" in page
    assert "Commit c0ffee, a computer, 2026-01-02." in page
    assert "In real time" not in fault_page(simulated, told["provenance"])
    assert table_lines([row]) == ["nan_once                 hold    0.024      -     4/5"]


def test_a_process_of_a_trial_that_fails_says_why(tmp_path):
    order = LiveOrder(str(tmp_path / "none"), "unitree_go2", 1, "outdoor", "reports_stop", 0, str(tmp_path))
    with Member("live_bridge", order) as member, pytest.raises(SurefootError) as raised:
        member.await_said("begins", 60.0)
    assert str(raised.value).startswith("live_bridge ended with status 1 and did not say 'begins'. It said: ")
    assert str(tmp_path / "none") in str(raised.value)
