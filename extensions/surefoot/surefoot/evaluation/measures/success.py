"""What makes a trial a success."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from surefoot.evaluation.scenarios.scenario import Scenario
from surefoot.evaluation.trials.outcome import TrialOutcome


def judged(
    scenario: Scenario,
    number: int,
    seed: int,
    measures: Mapping[str, float],
    ended: str = "",
    interventions: Mapping[str, int] | None = None,
) -> TrialOutcome:
    """Return what came of a trial: a success if it ran to its end, or to its target, and no measure left its bounds.

    Args:
        scenario: Its scenario.
        number: Its number.
        seed: Its seed.
        measures: Its measures.
        ended: Why it ended before its time (``fell``); empty where it did not.
        interventions: How many times each rule of the safety layer began to act.
    """
    reason = ended or _shortfall(scenario, measures)
    return TrialOutcome(
        number=number,
        seed=seed,
        success=not reason,
        reason=reason,
        measures=dict(measures),
        interventions=dict(interventions or {}),
    )


def with_measure(scenario: Scenario, outcome: TrialOutcome, name: str, value: float) -> TrialOutcome:
    """Return an outcome with a measure that came from elsewhere, judged again; one that ended early stays failed.

    Args:
        scenario: The trial's scenario.
        outcome: What came of it.
        name: Name of the measure.
        value: Its value.
    """
    measures = {**outcome.measures, name: value}
    if outcome.measures.get("fell") or outcome.measures.get("stopped_by_safety"):
        return replace(outcome, measures=measures)
    return judged(scenario, outcome.number, outcome.seed, measures, interventions=outcome.interventions)


def _shortfall(scenario: Scenario, measures: Mapping[str, float]) -> str:
    """Return the first bound that does not hold, in the scenario's order; empty where all do."""
    if not measures.get("target_reached", 1.0):
        return "target not reached"
    for name, bound in scenario.success.items():
        if name not in measures:
            return f"{name} not measured"
        if measures[name] < bound.min:
            return f"{name} below {bound.min:g}"
        if measures[name] > bound.max:
            return f"{name} above {bound.max:g}"
    return ""
