"""What measures say of a policy that a person should know: what it means, how sure it is, and what to try."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from surefoot.evaluation.measure_catalogue import MEASURES
from surefoot.evaluation.scenarios.scenario import Scenario
from surefoot.evaluation.statistics import Interval, median_interval, rate_interval
from surefoot.evaluation.trials.outcome import ScenarioOutcome, TrialOutcome

from .engine_gaps import find_gaps
from .red_flag import Finding, RedFlag, Sureness, raised
from .red_flag_rules import ENDED, FAILED, RATES, RULES, Condition, Rule

FEWEST_TRIALS = 6
"""Fewer trials have no interval of a median, and leave every finding no more than possible."""


def find_red_flags(
    outcomes: Sequence[ScenarioOutcome], scenarios: Sequence[Scenario], *, trained_in: str
) -> tuple[RedFlag, ...]:
    """Return what is wrong with a policy: between engines first, then in the order of the rules.

    Args:
        outcomes: What came of the scenarios in each engine.
        scenarios: The scenarios.
        trained_in: Engine that the policy was trained in.
    """
    found = find_gaps(outcomes, scenarios, trained_in=trained_in)
    flags = list(found)
    raised_in = {(flag.rule, engine) for flag in flags for engine in flag.engines}
    by_name = {scenario.name: scenario for scenario in scenarios}
    ran = [outcome for outcome in outcomes if outcome.trials and outcome.scenario in by_name]
    for rule in RULES:
        findings = []
        for engine in dict.fromkeys(outcome.engine for outcome in ran):
            if any((other, engine) in raised_in for other in rule.yields_to):
                continue
            findings += _findings(rule, [outcome for outcome in ran if outcome.engine == engine], by_name)
        if findings:
            flag = raised(rule.name, rule.title, rule.meaning, rule.remedies, findings)
            flags.append(flag)
            raised_in |= {(rule.name, engine) for engine in flag.engines}
    return tuple(flags)


def _findings(rule: Rule, outcomes: list[ScenarioOutcome], by_name: dict[str, Scenario]) -> list[Finding]:
    """Return where a rule's conditions hold in an engine."""

    def where(condition: Condition) -> list[Finding]:
        looked_at = [outcome for outcome in outcomes if condition.where(by_name[outcome.scenario])]
        return [finding for outcome in looked_at if (finding := _finding(condition, outcome)) is not None]

    if rule.provided is not None and not where(rule.provided):
        return []
    return [finding for condition in rule.conditions for finding in where(condition)]


def _finding(condition: Condition, outcome: ScenarioOutcome) -> Finding | None:
    """Return what was found where a condition holds; None where it does not, or nothing was measured."""
    name, limit, number = condition.measure, condition.limit, outcome.trials
    if name in RATES:
        count = sum(_counts(name, trial) for trial in outcome.outcomes)
        value = count / number
        ends = rate_interval(count, number, max(outcome.planned, number) if outcome.stopped_early else number)
        words = f"{count} of {number} trials {RATES[name]}; more than {limit:.0%} raises the flag"
    else:
        values = [trial.measures[name] for trial in outcome.outcomes if name in trial.measures]
        if not values:
            return None
        number, value, ends = len(values), float(np.median(values)), median_interval(values)
        measure = MEASURES[name]
        unit = "" if measure.unit == "-" else f" {measure.unit}"
        more = "more" if condition.trips == "above" else "less"
        words = f"{measure.label.lower()} {value:.3g}{unit}; {more} than {limit:.3g}{unit} raises the flag"
    if not (value > limit if condition.trips == "above" else value < limit):
        return None
    sureness = _sureness(condition, ends, number)
    return Finding(scenario=outcome.scenario, engine=outcome.engine, sureness=sureness, words=words)


def _counts(name: str, trial: TrialOutcome) -> bool:
    if name == FAILED:
        return not trial.success
    assert name == ENDED
    return bool(trial.measures.get("fell") or trial.measures.get("stopped_by_safety"))


def _sureness(condition: Condition, ends: Interval | None, number: int) -> Sureness:
    if ends is None or number < FEWEST_TRIALS:
        return "possible"
    beyond = ends.low > condition.limit if condition.trips == "above" else ends.high < condition.limit
    return "sure" if beyond else "likely"
