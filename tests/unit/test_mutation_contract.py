"""Faults planted in bundles are refused before a motor moves, and the campaign says so only where it is so."""

import dataclasses
from typing import get_args

import numpy as np
import pytest
from bundles import write_bundle
from tests.fixtures.shipped import GO2_BUNDLE

from surefoot_bridge.bundle import load_bundle
from surefoot_bridge.bundle.golden_replay import Deviations
from surefoot_bridge.errors import SurefootError
from surefoot_bridge.policy import NumpyPolicy, load_weights
from surefoot_devtools.mutation.contract_bundle import Link, at_tier, read_bundle
from surefoot_devtools.mutation.contract_campaign import run_contract_campaign
from surefoot_devtools.mutation.contract_mutant import Kind
from surefoot_devtools.mutation.contract_outcome import contract_figures
from surefoot_devtools.mutation.contract_outside import changed_within
from surefoot_devtools.mutation.contract_page import contract_page, contract_table

ORIGIN = {"date": "2026-01-01", "commit": "abc"}


def quiet(line: str) -> None:
    """Progress that nobody reads."""


def every(n: int):
    """Each n-th fault, so that all classes are there."""
    return lambda mutants: mutants[::n]


def of_kinds(*kinds: Kind):
    return lambda mutants: [mutant for mutant in mutants if mutant.kind in kinds]


@pytest.fixture(scope="module")
def outcomes():
    """Every sixth fault of the Go2's bundle, about 160."""
    return run_contract_campaign(GO2_BUNDLE, say=quiet, choose=every(6))


def test_every_fault_that_changes_what_the_go2s_joints_are_told_is_refused(outcomes):
    figures = contract_figures(outcomes)
    assert figures["behaviour_changing_caught"] == figures["behaviour_changing"] > 30
    assert figures["accepted_without_reason"] == figures["crashed"] == 0
    assert all(outcome.ok for outcome in outcomes)


def test_a_required_signature_refuses_all_of_them_whatever_was_written_anew(outcomes):
    figures = contract_figures(outcomes)
    assert figures["signed_caught"] == figures["signed_planted"] == len(outcomes)
    assert figures["rerecorded_unsigned_caught"] < figures["rerecorded_unsigned_planted"], "only the key tells these"


def test_what_is_accepted_is_no_fault_of_the_way_from_report_to_joint_and_has_a_reason(outcomes):
    accepted = [outcome for outcome in outcomes if outcome.accepted]
    assert accepted
    for outcome in accepted:
        assert not outcome.changes
        assert outcome.harmless
        assert "copied" not in outcome.accepted or outcome.mutant.kind == "manifest and folder"
        if outcome.mutant.path:  # the trace names the contract: only who writes that hash anew gets a changed one in
            assert outcome.accepted == ("re-linked",)


def test_all_classes_of_faults_are_planted_and_no_two_have_one_title(outcomes):
    assert {outcome.mutant.kind for outcome in outcomes} >= set(get_args(Kind)) - {"memory", "command", "limits"}
    titles = [(outcome.mutant.kind, outcome.mutant.title) for outcome in outcomes]
    assert len(set(titles)) == len(titles)


def test_table_and_page_tell_the_counts_and_each_one_that_was_accepted(outcomes):
    figures, table, page = contract_figures(outcomes), contract_table(outcomes), contract_page("go2", outcomes, ORIGIN)
    assert f"planted {figures['planted']}, caught {figures['caught']}" in table
    assert f"{figures['behaviour_changing_caught']} of {figures['behaviour_changing']} were refused" in page
    assert page.count("| re-linked |") >= sum(outcome.accepted == ("re-linked",) for outcome in outcomes)
    assert "**none**" not in page
    assert "NOT CAUGHT" not in table
    rows = (outcome.row() for outcome in outcomes if outcome.mutant.kind == "signs")
    row = next(row for row in rows if "re-recorded" in row["refused"])
    assert row["changes_behaviour"] is True
    assert row["refused"] == {"copied": True, "re-hashed": True, "re-linked": True, "re-recorded": False}
    assert row["reason"].startswith("BUNDLE/golden.npz")


def test_a_network_is_another_one_in_its_part_of_the_command_range_and_the_same_elsewhere():
    contract = load_bundle(GO2_BUNDLE, runtime="numpy").contract
    network = load_weights((GO2_BUNDLE / "policy.npz").read_bytes(), "policy.npz")
    changed = changed_within(network, contract, {0: (0.9, 0.05), 2: (-0.5, 0.1)}, by=2.0)
    # Forward at 0.9, 0.9, 0.9, 0.825, 0.7 with a yaw rate of -0.5, -0.45, -0.2, -0.5, -0.5: the tents over the two are
    # 1 and 1, 1 and 0.75, 1 and 0, 0.25 and 1, 0 and 1, and the sum of them is 2, 1.75, 1, 1.25, 1.
    command = np.array([[0.9, 0.0, -0.5], [0.9, 0.0, -0.45], [0.9, 0.0, -0.2], [0.825, 0.0, -0.5], [0.7, 0.0, -0.5]])
    seen = np.tile(network.mean, (5, 1))
    place = network.observation_dim - 3  # the command is the last term
    seen[:, place:] = command
    policies = [NumpyPolicy(item) for item in (network, changed)]
    right, other = (policy(seen, policy.initial((5,)))[0] for policy in policies)
    assert (other - right)[:, 0] == pytest.approx([2.0, 1.0, 0.0, 0.0, 0.0], abs=0.04)  # an ELU bends by 1 of 200
    assert np.abs(other - right)[2:].max() < 1e-5


def test_a_network_that_differs_outside_of_what_was_recorded_is_refused_in_each_form_and_in_all():
    def choose(mutants):
        return [m for m in mutants if m.kind == "outside the trace" and ("parameters" in m.title or "of 1" in m.title)]

    outcomes = run_contract_campaign(GO2_BUNDLE, say=quiet, choose=choose)
    titles = {outcome.mutant.title for outcome in outcomes}
    assert {
        "policy.pt alone: the parameters are right, the code is not",
        "policy.onnx alone: the parameters are right, the graph is longer",
        *(f"{form}: lin_vel_x_m_s within 0.15 of 1" for form in ("policy.pt alone", "policy.onnx alone", "all forms")),
    } <= titles
    assert all(outcome.changes and outcome.ok for outcome in outcomes)
    figures = contract_figures(outcomes)
    assert figures["caught"] == figures["planted"] > len(outcomes)


def test_malformed_numbers_are_refused_in_words_and_none_ends_in_a_traceback():
    outcomes = run_contract_campaign(GO2_BUNDLE, say=quiet, choose=of_kinds("malformed numbers"))
    assert len(outcomes) >= 30
    assert not any(outcome.accepted or outcome.crashes for outcome in outcomes)


def test_joints_under_other_names_in_both_orders_and_in_the_trace_are_refused():
    outcomes = run_contract_campaign(GO2_BUNDLE, say=quiet, choose=of_kinds("names of joints"))
    titles = [outcome.mutant.title for outcome in outcomes]
    assert "left and right legs have each other's names" in titles
    assert "FL_hip_joint is written with another alphabet's letter" in titles
    assert not any(outcome.accepted for outcome in outcomes)


MEMORY: tuple[Kind, ...] = ("memory", "weights and normaliser")
NAMES: tuple[Kind, ...] = ("joint order", "command", "list permuted", "golden trace")


@pytest.mark.parametrize(("cell", "kinds"), [("gru", (*MEMORY, *NAMES)), ("lstm", MEMORY)])
def test_faults_of_a_policy_with_a_memory_that_sees_its_feet_are_refused_too(tmp_path, cell, kinds):
    write_bundle(tmp_path / "bundle", cell=cell)
    outcomes = run_contract_campaign(tmp_path / "bundle", say=quiet, choose=of_kinds(*kinds))
    assert all(outcome.ok for outcome in outcomes), [o.mutant.title for o in outcomes if not o.ok]
    titles = {outcome.mutant.title for outcome in outcomes if outcome.changes}
    assert {"policy.npz: gates in another order", "policy.npz: state forgotten"} <= titles
    refused = {outcome.mutant.title for outcome in outcomes if not outcome.accepted}
    assert kinds == MEMORY or "robot.foot_names has its items 0 and 1 in each other's place" in refused


def test_a_loader_that_does_not_replay_is_found_out(monkeypatch):
    monkeypatch.setattr("surefoot_bridge.bundle.bundle.replay", lambda *_, **__: Deviations(0.0, 0.0, 0.0))
    outcomes = run_contract_campaign(
        GO2_BUNDLE, say=quiet, choose=lambda mutants: [m for m in mutants if "scaled: -1" in m.title]
    )
    assert not any(outcome.ok for outcome in outcomes)
    figures = contract_figures(outcomes)
    assert figures["behaviour_changing_caught"] < figures["behaviour_changing"]
    assert "NOT CAUGHT: signs: joint_pos scaled: -1" in contract_table(outcomes)


def test_a_loader_that_raises_something_else_is_found_out(monkeypatch):
    def broken(*_, **__):
        raise ValueError("unexpected")

    def choose(mutants):  # by now the bundle itself was loaded
        monkeypatch.setattr("surefoot_devtools.mutation.contract_campaign.load_bundle", broken)
        return mutants[:1]

    outcomes = run_contract_campaign(GO2_BUNDLE, say=quiet, choose=choose)
    assert outcomes[0].crashes
    assert not outcomes[0].ok


def test_a_bundle_that_does_not_load_as_it_is_is_refused(tmp_path):
    write_bundle(tmp_path / "bundle")
    (tmp_path / "bundle" / "golden.npz").write_bytes(b"x")
    with pytest.raises(SurefootError, match=r"golden\.npz is truncated"):
        run_contract_campaign(tmp_path / "bundle", say=quiet)


def test_who_writes_everything_anew_gets_a_bundle_that_loads(tmp_path):
    write_bundle(tmp_path / "bundle")
    files = read_bundle(tmp_path / "bundle")
    text = files["contract.json"].replace(b'"clip_at": 10.0', b'"clip_at": 0.1')
    for tier, loads in (("copied", False), ("re-hashed", False), ("re-linked", False), ("re-recorded", True)):
        changed = at_tier({**files, "contract.json": text}, tier, "numpy")
        assert changed is not None
        folder = tmp_path / tier
        folder.mkdir()
        for name, data in changed.items():
            assert not isinstance(data, Link)
            (folder / name).write_bytes(data)
        if loads:
            assert load_bundle(folder, runtime="numpy").contract.action.clip_at == 0.1
        else:
            with pytest.raises(SurefootError):
                load_bundle(folder, runtime="numpy")


def test_an_outcome_is_not_ok_where_it_was_accepted_without_a_reason(outcomes):
    accepted = next(outcome for outcome in outcomes if outcome.accepted)
    assert accepted.ok
    assert not dataclasses.replace(accepted, harmless="").ok
    assert not dataclasses.replace(accepted, changes=True).ok
    assert not dataclasses.replace(accepted, signed={"no signature": None}).ok
