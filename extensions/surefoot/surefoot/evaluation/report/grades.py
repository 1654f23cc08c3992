"""Grades of a policy over levels of ground: a table, a picture of all figures, and heat maps of success by level."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from surefoot.evaluation.measures.quality import LEVEL_SHARE, QUALITY_SHARE
from surefoot.evaluation.results.result import Evaluation
from surefoot.evaluation.scenarios.scenario import Scenario
from surefoot.evaluation.trials.outcome import ScenarioOutcome

from .engine_style import style_of
from .figure import Figure
from .svg import picture, text
from .words import THIN, counted, given, listed, number, title

_UNITS = {"grade_deg": "°"}
"""Of searched fields that are no lengths in metres."""

_LEFT, _CELL, _ROW, _TOP = 128.0, 34.0, 22.0, 18.0
_BAR_FROM, _BAR_WIDTH = 128.0, 200.0
_DARK = 0.5
"""Share from which a cell is so dark that its number is white."""


@dataclass(frozen=True, kw_only=True)
class GradeRow:
    """A kind of ground in an engine, as the table has it."""

    title: str
    description: str
    engine: str
    figure: str
    levels: list[str]
    """At each friction of the suite; empty where it has not that friction."""


@dataclass(frozen=True, kw_only=True)
class Grades:
    """What the report says of searches over levels of ground."""

    frictions: list[str]
    rows: list[GradeRow]
    sentences: list[str]
    picture: Figure | None
    heat_maps: list[Figure]


def grades_of(evaluation: Evaluation) -> Grades | None:
    """Return what is to be said of searches; None where the suite has none, or none has run."""
    searched = [scenario for scenario in evaluation.suite.scenarios if scenario.is_searched]
    ran = [
        (scenario, outcome)
        for scenario in searched
        for engine in evaluation.engines
        if (outcome := evaluation.of(scenario.name, engine)) is not None and (outcome.tried or outcome.grades)
    ]
    if not ran:
        return None
    frictions = sorted({grade.friction for _, outcome in ran for grade in outcome.grades})
    rows = [_row(scenario, outcome, frictions) for scenario, outcome in ran if outcome.grades]
    return Grades(
        frictions=[given(friction) for friction in frictions],
        rows=rows,
        sentences=[*_means(evaluation), *(_half(scenario, outcome) for scenario, outcome in ran if not outcome.grades)],
        picture=_bars(searched, evaluation),
        heat_maps=[figure for engine in evaluation.engines if (figure := _heat_map(searched, evaluation, engine))],
    )


def mean_figure(evaluation: Evaluation, engine: str, *, in_robogauge: bool = False) -> float | None:
    """Return the mean over kinds of ground of the figures in an engine; None unless all were graded.

    Args:
        evaluation: The evaluation.
        engine: The engine.
        in_robogauge: Whether only courses count that RoboGauge has.
    """
    graded = [item for item in evaluation.suite.scenarios if item.grading]
    asked = [item for item in graded if not in_robogauge or (item.grading and item.grading.robogauge)]
    outcomes = [evaluation.of(item.name, engine) for item in asked]
    figures = [outcome.figure for outcome in outcomes if outcome is not None and outcome.figure is not None]
    return sum(figures) / len(figures) if figures and len(figures) == len(asked) else None


def _row(scenario: Scenario, outcome: ScenarioOutcome, frictions: Sequence[float]) -> GradeRow:
    by_friction = {grade.friction: grade for grade in outcome.grades}
    levels = []
    for friction in frictions:
        grade = by_friction.get(friction)
        quality = "" if grade is None or grade.quality is None else f"{grade.quality:.3f}"
        level = "" if grade is None or grade.level is None else f"{grade.level}"
        levels.append(" · ".join(part for part in (level, quality) if part))
    assert outcome.figure is not None
    return GradeRow(
        title=title(scenario.name),
        description=scenario.description,
        engine=style_of(outcome.engine).label,
        figure=f"{outcome.figure:.3f}",
        levels=levels,
    )


def _means(evaluation: Evaluation) -> list[str]:
    graded = [item.grading for item in evaluation.suite.scenarios if item.grading]
    public = sum(bool(grading.robogauge) for grading in graded)
    said = []
    for engine in evaluation.engines:
        named = (
            (mean_figure(evaluation, engine), counted(len(graded), "kind")),
            (mean_figure(evaluation, engine, in_robogauge=True), f"the {public} of them that RoboGauge has"),
        )
        parts = [f"{value:.3f} over {what}" for value, what in named if value is not None]
        if parts:
            said.append(f"In {style_of(engine).label} the mean figure is {listed(parts)}.")
    return said


def _half(scenario: Scenario, outcome: ScenarioOutcome) -> str:
    assert scenario.levels is not None
    where = style_of(outcome.engine).label
    if outcome.half_at is None:
        return f"{title(scenario.name)} in {where}: {' '.join(outcome.notes)}"
    size = size_text(scenario.levels.field, outcome.half_at)
    return f"{title(scenario.name)} in {where}: success falls to one half at {size}."


def size_text(field: str, size: float) -> str:
    """Return a size of ground with its unit."""
    unit = _UNITS.get(field)
    return f"{number(size)}{unit}" if unit else f"{number(100.0 * size)}{THIN}cm"


def _bars(searched: Sequence[Scenario], evaluation: Evaluation) -> Figure | None:
    graded = [scenario for scenario in searched if scenario.grading is not None]
    if not graded:
        return None
    step = 9.0 * len(evaluation.engines) + 7.0
    height = _TOP + step * len(graded)
    parts = []
    for value in (0.0, 0.25, 0.5, 0.75, 1.0):
        x = _BAR_FROM + value * _BAR_WIDTH
        parts.append(
            f'<g class="g"><path d="M{x:g} {_TOP - 3:g}V{height:g}"/>{text(x, 10.0, given(value), anchor="middle")}</g>'
        )
    for place, scenario in enumerate(graded):
        top = _TOP + place * step
        parts.append(text(_BAR_FROM - 6, top + step / 2, title(scenario.name), anchor="end"))
        for row, engine in enumerate(evaluation.engines):
            outcome = evaluation.of(scenario.name, engine)
            if outcome is None or outcome.figure is None:
                continue
            y = top + 9.0 * row
            shares = [grade.figure for grade in outcome.grades]
            parts.append(
                f'<rect x="{_BAR_FROM:g}" y="{y:.1f}" width="{outcome.figure * _BAR_WIDTH:.1f}" height="7" '
                f'fill="{style_of(engine).colour}" fill-opacity=".75"/>'
            )
            low, high = (_BAR_FROM + value * _BAR_WIDTH for value in (min(shares), max(shares)))
            if high > low:
                parts.append(f'<path d="M{low:.1f} {y + 3.5:.1f}H{high:.1f}" stroke="#1d2126" stroke-width="1"/>')
            parts.append(text(max(high, _BAR_FROM + outcome.figure * _BAR_WIDTH) + 4, y + 7, f"{outcome.figure:.2f}"))
    caption = "Figure of each kind of ground, mean over frictions; the line is from the worst friction to the best."
    return Figure(picture(_BAR_FROM + _BAR_WIDTH + 40, height + 4, parts, label=caption), caption)


def _heat_map(searched: Sequence[Scenario], evaluation: Evaluation, engine: str) -> Figure | None:
    """Draw the share of trials that reached the target, kinds of ground by levels; empty where none was tried."""
    found = [(scenario, scenario.levels, evaluation.of(scenario.name, engine)) for scenario in searched]
    rows = [
        (scenario, levels, outcome)
        for scenario, levels, outcome in found
        if scenario.grading and levels is not None and outcome is not None and outcome.tried
    ]
    if not rows:
        return None
    most = max(len(levels.sizes) for _, levels, _ in rows)
    parts = [text(_LEFT + (level + 0.5) * _CELL, 11.0, str(level + 1), anchor="middle") for level in range(most)]
    for place, (scenario, levels, outcome) in enumerate(rows):
        y = _TOP + place * _ROW
        parts.append(text(_LEFT - 6, y + 14, title(scenario.name), anchor="end"))
        for level, size in enumerate(levels.sizes):
            tried = [item for item in outcome.tried if item.size == size]
            successes, trials = sum(item.successes for item in tried), sum(item.trials for item in tried)
            parts.append(_cell(_LEFT + level * _CELL, y, size_text(levels.field, size), successes, trials))
    caption = (
        f"{style_of(engine).label}: trials that reached the target [%], by kind and level, all frictions together. "
        "Empty: the search did not need it."
    )
    return Figure(picture(_LEFT + most * _CELL + 4, _TOP + len(rows) * _ROW + 4, parts, label=caption), caption)


def _cell(x: float, y: float, size: str, successes: int, trials: int) -> str:
    box = f'<rect x="{x + 1:g}" y="{y + 1:g}" width="{_CELL - 2:g}" height="{_ROW - 2:g}"'
    if not trials:
        return f'{box} fill="none" stroke="#e2e5e9"/>'
    share = successes / trials
    place = f'x="{x + _CELL / 2:g}" y="{y + 14.5:g}" text-anchor="middle"'
    ink = "#fff" if share > _DARK else "#1d2126"
    return (
        f'<g><title>{size}: {successes} of {trials} trials</title>{box} fill="{_colour(share)}"/>'
        f'<text {place} style="fill:{ink}">{100 * share:.0f}</text></g>'
    )


def _colour(share: float) -> str:
    """Return a shade from a pale yellow, none, to a deep blue, all; it darkens, for those who tell no colours apart."""
    low, high = (250, 241, 208), (12, 66, 120)
    return "#" + "".join(f"{round(a + share * (b - a)):02x}" for a, b in zip(low, high, strict=True))


FORMULA = (
    f"A figure is {LEVEL_SHARE:g} times the share of levels below the one that is mastered and {QUALITY_SHARE:g} times "
    "the quality there, 0 where none is mastered; on flat ground it is the quality. The formula is RoboGauge's."
)
"""What a figure is, in words."""
