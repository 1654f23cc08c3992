"""What a report finds: red flags with remedies, and where engines differ."""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

from surefoot.evaluation.judging.engine_comparison import SUCCESS, EngineDifference, engine_differences, is_gap, largest
from surefoot.evaluation.judging.engine_gaps import GAP_POINTS
from surefoot.evaluation.judging.red_flags import RedFlag, find_red_flags
from surefoot.evaluation.measure_catalogue import MEASURES
from surefoot.evaluation.results.result import Evaluation

from .engine_style import style_of, with_labels
from .words import counted, interval, listed, number, percent, points, title, unit_in_brackets

MOST_DIFFERENCES = 12


class DifferenceRow(NamedTuple):
    """A difference between two engines, in words."""

    scenario: str
    name: str
    measure: str
    engine: str
    value: str
    reference: str
    difference: str
    interval: str


class EngineGap(NamedTuple):
    """How engines differ: in a sentence for each, and the largest differences."""

    reference: str
    sentences: list[str]
    rows: list[DifferenceRow]
    clear: int


def red_flags(evaluation: Evaluation) -> tuple[RedFlag, ...]:
    """Return what the measures say of a policy that a person should know."""
    found = find_red_flags(evaluation.outcomes, evaluation.suite.scenarios, trained_in=evaluation.policy.trained_in)
    return tuple(replace(flag, evidence=tuple(map(with_labels, flag.evidence))) for flag in found)


def engine_gap(evaluation: Evaluation) -> EngineGap | None:
    """Return how engines differ from the one that the policy was trained in, or else from the first; None of one."""
    ran = [engine for engine in evaluation.engines if any(item.engine == engine for item in evaluation.outcomes)]
    if len(ran) < 2:
        return None
    reference = evaluation.policy.trained_in if evaluation.policy.trained_in in ran else ran[0]
    differences = engine_differences(evaluation.outcomes, reference)
    sentences = [
        _sentence([item for item in differences if (item.engine, item.measure) == (engine, SUCCESS)], reference)
        for engine in ran
        if any((item.engine, item.measure) == (engine, SUCCESS) for item in differences)
    ]
    home = {item.scenario: item for item in evaluation.outcomes if item.engine == reference and item.trials}
    others = [item for item in evaluation.outcomes if item.trials and item.scenario in home]
    unlike = dict.fromkeys(item.scenario for item in others if item.length_s != home[item.scenario].length_s)
    if unlike:
        sentences.append(
            f"Left out where trials are not as long as in {style_of(reference).label}: {listed([*map(title, unlike)])}."
        )
    return EngineGap(
        reference=style_of(reference).label,
        sentences=sentences,
        rows=[_row(item) for item in largest(differences, MOST_DIFFERENCES)],
        clear=sum(item.clear for item in differences),
    )


def _sentence(rates: list[EngineDifference], reference: str) -> str:
    ours, theirs = style_of(rates[0].engine).label, style_of(reference).label
    gaps = [title(item.scenario) for item in rates if is_gap(item, GAP_POINTS)]
    widest = max(rates, key=lambda item: abs(item.difference))
    if gaps:
        return f"{ours}: success differs clearly from {theirs}, by more than {GAP_POINTS:g} points, in {listed(gaps)}."
    where = f", in {title(widest.scenario)}" if widest.difference else ""
    return (
        f"{ours}: in none of {counted(len(rates), 'scenario')} does success differ clearly from {theirs} by more than "
        f"{GAP_POINTS:g} points; the widest difference is {points(widest.difference)} points{where}."
    )


def _row(item: EngineDifference) -> DifferenceRow:
    low, high = item.low or 0.0, item.high or 0.0  # only clear ones are shown, and those have an interval
    names = {"scenario": title(item.scenario), "name": item.scenario, "engine": style_of(item.engine).label}
    if item.measure == SUCCESS:
        return DifferenceRow(
            **names,
            measure="Success rate",
            value=percent(item.value),
            reference=percent(item.reference_value),
            difference=f"{points(item.difference)} points",
            interval=f"{points(low)} to {points(high)}",
        )
    measure = MEASURES[item.measure]
    return DifferenceRow(
        **names,
        measure=f"{measure.label}{unit_in_brackets(measure.unit)}",
        value=number(item.value),
        reference=number(item.reference_value),
        difference=("+" if item.difference > 0 else "") + number(item.difference),
        interval=interval(low, high),
    )
