"""Many trials in all processes of the machine, and what they say together."""

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from surefoot.report import commit
from surefoot_bridge.bundle import Bundle, load_bundle
from surefoot_bridge.robots.model import RobotModel, robot_model
from surefoot_bridge.safety import StageLimits
from surefoot_bridge.stages import stage_of
from surefoot_devtools.campaign import Kept, on_all_processors

from .catalogue import FAULTS, fault_of
from .trial import TrialResult, run_trial

FIGURES = ("kinds", "trials", "safe", "commands", "commands_outside_limits", "logs", "logs_readable", "complete")
"""Figures of a campaign, by their names in what :func:`run_campaign` returns."""

STAGE = "outdoor"
"""Stage whose limits hold: the fastest that has limits of its own."""


@dataclass(frozen=True)
class Plan:
    """What is to be run.

    Attributes:
        folder: The bundle.
        trials: Number of trials; each fault has its turn.
        faults: Names of the faults.
        seed: Seed of the first trial.
        with_log: Whether runs are logged, and the logs read back.
    """

    folder: Path
    trials: int
    faults: tuple[str, ...] = tuple(FAULTS)
    seed: int = 0
    with_log: bool = True


def run_campaign(
    plan: Plan,
    *,
    kept: Path | None = None,
    processes: int | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> dict[str, Any]:
    """Run all trials. Ctrl-C ends it early, with a result of the trials until then.

    Args:
        plan: What is to be run.
        kept: File for trials that are done: a campaign that was interrupted goes on with them.
        processes: Number of processes; one for each processor by default.
        progress: Is told how many trials are done, of how many.

    Returns:
        The result, as :func:`summary` has it.

    Raises:
        SurefootError: If the bundle is refused, its robot is not offered, or a fault is unknown.
    """
    for name in plan.faults:
        fault_of(name)
    bundle = load_bundle(plan.folder, runtime="numpy")
    robot_model(bundle.contract.robot.name)
    made_of = {
        "bundle": bundle.identity,
        "commit": commit(),
        "faults": list(plan.faults),
        "seed": plan.seed,
        "with_log": plan.with_log,
    }
    done = Kept(kept, TrialResult, made_of)
    ran = {result.seed - plan.seed for result in done.rows}
    left = [number for number in range(plan.trials) if number not in ran]
    if left:
        for result in on_all_processors(_trial, left, prepare=_begin, plan=plan, processes=processes):
            done.add(result)
            if progress is not None:
                progress(len(done.rows), plan.trials)
    result = summary(plan, [result for result in done.rows if result.seed - plan.seed < plan.trials])
    if result["complete"]:
        done.remove()
    return result


def summary(plan: Plan, results: Sequence[TrialResult]) -> dict[str, Any]:
    """Return what trials say together, ready for JSON: totals, a row for each kind, and trials that were not safe.

    Args:
        plan: What was to be run.
        results: What was.
    """
    results = sorted(results, key=lambda result: result.seed)
    rows = [_row(name, [result for result in results if result.fault == name]) for name in plan.faults]
    bad = [r for r in results if not r.safe or r.outside or r.log_readable is False]
    return {
        "bundle": plan.folder.resolve().name,
        "stage": STAGE,
        "ok": not bad and len(results) == plan.trials,
        "complete": len(results) == plan.trials,
        "kinds": sum(row["trials"] > 0 for row in rows),
        "trials": len(results),
        "safe": sum(result.safe for result in results),
        "commands": sum(result.commands for result in results),
        "commands_outside_limits": sum(result.outside for result in results),
        "logs": sum(result.log_readable is not None for result in results),
        "logs_readable": sum(bool(result.log_readable) for result in results),
        "by_kind": rows,
        "not_safe": [asdict(result) for result in bad],
    }


def _row(name: str, results: Sequence[TrialResult]) -> dict[str, Any]:
    fault = fault_of(name)
    times = [result.safe_after_s for result in results if result.safe_after_s is not None]
    return {
        "name": name,
        "what": fault.what,
        "rules": list(fault.rules),
        "safe_state": fault.safe.name.lower(),
        "within_s": fault.within_s,
        "trials": len(results),
        "safe": sum(result.safe for result in results),
        "slowest_s": max(times) if times else None,
        "fell": sum(result.fell for result in results),
    }


_loaded: tuple[Plan, Bundle, RobotModel, StageLimits] | None = None  # of a process of the pool


def _begin(plan: Plan) -> None:
    global _loaded
    bundle = load_bundle(plan.folder, runtime="numpy")
    limits = stage_of(STAGE).limits(bundle.contract)
    _loaded = (plan, bundle, robot_model(bundle.contract.robot.name), limits)


def _trial(number: int) -> TrialResult:
    assert _loaded is not None
    plan, bundle, model, limits = _loaded
    fault = fault_of(plan.faults[number % len(plan.faults)])
    return run_trial(bundle, model, limits, fault, plan.seed + number, with_log=plan.with_log)
