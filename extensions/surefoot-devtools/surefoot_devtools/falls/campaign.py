"""All rows of the table of falls: each rule that does not damp, in each walk, beside walks without a fault."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from surefoot.evaluation.statistics import wilson_interval
from surefoot.report import commit
from surefoot_bridge.bundle import Bundle, load_bundle
from surefoot_bridge.contract import Contract
from surefoot_bridge.errors import SurefootError
from surefoot_bridge.safety import Response, Rule, Safety
from surefoot_bridge.stages import stage_of
from surefoot_devtools.campaign import Kept, on_all_processors

from .faults import fault_of_rule, rule_faults
from .walks import STAGE, WALKS, run_row, walk_of

NO_FAULT = "none"
"""Rule of the rows in which there is no fault."""

TRIALS = 50
"""Robots of a row."""

MOST_FALLS_IN_A_ROW = 1
"""What a row of the table may have at most."""

LARGEST_FALL_RATE = 0.01
"""What the upper end of the interval of the fall rate of all rows with a fault may be at most."""

FALL_FIGURES = ("rows", "trials", "falls", "fall_rate_upper", "most_falls_in_a_row", "falls_without_fault", "complete")
"""Figures of a campaign."""


@dataclass(frozen=True)
class FallPlan:
    """What is to be run.

    Attributes:
        folder: The bundle.
        rules: Rules whose faults come; all that do not damp the robot where it is empty.
        walks: Names of the walks.
        trials: Robots of a row.
        seed: Draws what they differ in.
    """

    folder: Path
    rules: tuple[str, ...] = ()
    walks: tuple[str, ...] = tuple(WALKS)
    trials: int = TRIALS
    seed: int = 0


@dataclass(frozen=True)
class FallRow:
    """A row of the table.

    Attributes:
        rule: The rule; :data:`NO_FAULT` for a walk without a fault.
        walk: Name of the walk.
        answer: What the rule answers.
        what: What the fault is.
        lasts_s: How long it lasts [s]; it may come and go in that time.
        burst_s: How long it is on at a time [s]; None for all the time.
        trials: Robots.
        acted: In how many of them the rule acted.
        falls: How many fell or were damped.
        stood: How many stood in the end.
    """

    rule: str
    walk: str
    answer: str
    what: str
    lasts_s: float
    burst_s: float | None
    trials: int
    acted: int
    falls: int
    stood: int


def rules_without_damping(contract: Contract) -> tuple[Rule, ...]:
    """Return the rules of a contract's robot whose answer is not damping."""
    rules = Safety(contract, stage_of(STAGE).limits(contract)).rules
    return tuple(rule for rule in rules if rule.response < Response.DAMP)


def answer_of(rule: Rule) -> str:
    """Return what a rule answers, as the table has it."""
    lasting = rule.response == Response.HOLD or math.isfinite(rule.doubted_s)
    return f"{rule.response.name.lower()}{', then stand' if lasting else ''}"


def run_falls(
    plan: FallPlan,
    *,
    kept: Path | None = None,
    processes: int | None = None,
    progress: Callable[[int, int, str], None] = lambda *_: None,
) -> dict[str, Any]:
    """Run all rows. Ctrl-C ends it early, with a result of the rows until then.

    Args:
        plan: What is to be run.
        kept: File for rows that are done, written whole after each: a campaign that was interrupted goes on with it.
        processes: Number of processes; one for each processor by default.
        progress: Is told how many rows are done, of how many, and the last one.

    Returns:
        The result, as :func:`summary` has it.

    Raises:
        SurefootError: If the bundle is refused, or a rule or a walk is unknown.
    """
    bundle = load_bundle(plan.folder, runtime="numpy")
    known = tuple(rule.name for rule in rules_without_damping(bundle.contract))
    for name in plan.rules:
        fault_of_rule(bundle.contract, name)
    missing = set(known) - set(rule_faults(bundle.contract))
    if missing:
        raise SurefootError(
            f"No fault makes {', '.join(sorted(missing))} act; add one to surefoot_devtools.falls.faults."
        )
    for name in plan.walks:
        walk_of(name)
    keys = [(rule, walk) for walk in plan.walks for rule in (NO_FAULT, *(plan.rules or known))]
    made_of = {"bundle": bundle.identity, "commit": commit(), "trials": plan.trials, "seed": plan.seed}
    done = Kept(kept, FallRow, made_of)
    rows = {(row.rule, row.walk): row for row in done.rows if (row.rule, row.walk) in keys}
    if left := [key for key in keys if key not in rows]:
        for row in on_all_processors(_row, left, prepare=_begin, plan=plan, processes=processes):
            rows[row.rule, row.walk] = row
            done.add(row)
            progress(len(rows), len(keys), f"{row.rule}, {row.walk}: {row.falls} of {row.trials} fell")
    result = summary([rows[key] for key in keys if key in rows], planned=len(keys))
    if result["complete"]:
        done.remove()
    return {"bundle": plan.folder.resolve().name, **result}


def summary(rows: Iterable[FallRow], *, planned: int) -> dict[str, Any]:
    """Return what rows say together, ready for JSON.

    Args:
        rows: The rows.
        planned: How many were to be run.
    """
    rows = list(rows)
    faulty = [row for row in rows if row.rule != NO_FAULT]
    trials, falls = sum(row.trials for row in faulty), sum(row.falls for row in faulty)
    upper = wilson_interval(falls, trials).high
    most = max((row.falls for row in faulty), default=0)
    complete = len(rows) == planned
    silent = [f"{row.rule}, {row.walk}" for row in faulty if row.acted < row.trials]
    return {
        "ok": complete and most <= MOST_FALLS_IN_A_ROW and upper <= LARGEST_FALL_RATE and not silent,
        "complete": complete,
        "rows": len(rows),
        "trials": trials,
        "falls": falls,
        "fall_rate_upper": upper,
        "most_falls_in_a_row": most,
        "falls_without_fault": sum(row.falls for row in rows if row.rule == NO_FAULT),
        "did_not_act": silent,
        "by_row": [asdict(row) for row in rows],
    }


_loaded: tuple[FallPlan, Bundle] | None = None  # of a process of the pool


def _begin(plan: FallPlan) -> None:
    global _loaded
    _loaded = (plan, load_bundle(plan.folder, runtime="numpy"))


def _row(key: tuple[str, str]) -> FallRow:
    assert _loaded is not None
    rule_name, walk_name = key
    plan, bundle = _loaded
    fault = None if rule_name == NO_FAULT else fault_of_rule(bundle.contract, rule_name)
    rules = {rule.name: rule for rule in rules_without_damping(bundle.contract)}
    outcome = run_row(bundle, walk_of(walk_name), fault, trials=plan.trials, seed=plan.seed)
    bursts = fault is not None and fault.burst_s < fault.every_s
    return FallRow(
        rule=rule_name,
        walk=walk_name,
        answer="-" if fault is None else answer_of(rules[rule_name]),
        what="" if fault is None else fault.what,
        lasts_s=0.0 if fault is None else fault.lasts_s,
        burst_s=fault.burst_s if fault is not None and bursts else None,
        trials=plan.trials,
        acted=int(outcome.acted.sum()),
        falls=int(outcome.fell.sum()),
        stood=int(outcome.stood.sum()),
    )
