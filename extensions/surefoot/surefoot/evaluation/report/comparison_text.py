"""A comparison in words: what it says on the whole, and row by row."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any, NamedTuple

from surefoot.evaluation.judging.evaluation_comparison import Comparison, MeasureChange, RateChange
from surefoot.evaluation.measure_catalogue import MEASURES

from .engine_style import style_of
from .markdown_text import plain, table
from .words import counted, interval, listed, number, percent, points, title, unit_in_brackets

MOST_MEASURES = 30
HEAD = ("Scenario", "Engine", "A", "B", "Difference in points", "Change")
MEASURES_HEAD = ("Scenario", "Engine", "Measure", "A", "B", "Difference", "Change")


class Words(NamedTuple):
    """A comparison in words: the sentence on top, what it stands on, and both tables."""

    sentence: str
    basis: str
    rates: list[list[str]]
    measures: list[list[str]]
    left_out: str


def in_words(comparison: Comparison) -> Words:
    """Return a comparison in words."""
    rates = comparison.rates
    worse = list(dict.fromkeys(title(row.scenario) for row in comparison.worse))
    better = list(dict.fromkeys(title(row.scenario) for row in rates if row.change == "better"))
    said = [f"is {word} in {listed(names)}" for word, names in (("worse", worse), ("better", better)) if names]
    sentence = f"B {' and '.join(said)}." if said else "No success rate differs by more than chance explains."
    shown = comparison.measures[:MOST_MEASURES]
    shown_of_all = f"; the {len(shown)} largest are shown" if len(shown) < len(comparison.measures) else ""
    basis = (
        f"{counted(len(rates), 'success rate')} compared, with 95 % intervals of the difference (Newcombe). Better and "
        "worse hold for all rows together (Bonferroni); perhaps is said where a row stands out by itself, as about one "
        f"in twenty does by chance. Of {counted(comparison.tested, 'measure')}, "
        f"{len(comparison.measures)} differ by the 95 % interval of the difference of medians, where chance alone "
        f"would give about {comparison.tested / 20:.0f}{shown_of_all}."
    )
    return Words(
        sentence=sentence,
        basis=basis,
        rates=[_rate(row) for row in rates],
        measures=[_measure(row) for row in shown],
        left_out="; ".join(f"{what}: {why}" for what, why in comparison.left_out),
    )


def comparison_markdown(comparison: Comparison) -> str:
    """Return a comparison as Markdown."""
    words = in_words(comparison)
    parts = [
        f"### {plain(words.sentence)}",
        f"A is {plain(comparison.names[0])}, B is {plain(comparison.names[1])}. {plain(words.basis)}",
        table(HEAD, words.rates),
    ]
    if words.measures:
        parts.append(table(MEASURES_HEAD, words.measures))
    if words.left_out:
        parts.append(f"Not compared: {plain(words.left_out)}.")
    return "\n\n".join(parts) + "\n"


def comparison_rows(comparison: Comparison) -> list[dict[str, Any]]:
    """Return a comparison as records: success rates, then measures that differ."""
    rates = [{"measure": "success", **asdict(row)} for row in comparison.rates]
    return rates + [asdict(row) for row in comparison.measures]


def _rate(row: RateChange) -> list[str]:
    sides = [f"{percent(successes / trials)} ({successes} of {trials})" for successes, trials in (row.a, row.b)]
    ends = f"{points(row.interval.low)} to {points(row.interval.high)}"
    difference = f"{points(row.difference)} ({ends})"
    return [title(row.scenario), style_of(row.engine).label, *sides, difference, row.change]


def _measure(row: MeasureChange) -> list[str]:
    measure = MEASURES[row.measure]
    difference = f"{'+' if row.difference > 0 else ''}{number(row.difference)} ({interval(*row.interval)})"
    where = [title(row.scenario), style_of(row.engine).label, f"{measure.label}{unit_in_brackets(measure.unit)}"]
    return [*where, number(row.a), number(row.b), difference, row.change]
