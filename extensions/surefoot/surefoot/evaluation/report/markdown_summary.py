"""An evaluation in Markdown, short enough for a pull request."""

from __future__ import annotations

from collections.abc import Sequence

from surefoot.evaluation.judging.gate import GateVerdict
from surefoot.evaluation.results.result import Evaluation

from .engine_style import style_of
from .findings import red_flags
from .grades import Grades, grades_of
from .markdown_text import plain, table
from .verdict import MEANINGS, SYMBOLS, Cell, State, cells, headline
from .words import counted, title

_MOST_REASONS = 3


def markdown_summary(evaluation: Evaluation, verdict: GateVerdict, *, gated: bool) -> str:
    """Return the verdict, a table of scenarios by engines, why trials failed, and what to look at.

    Args:
        evaluation: The evaluation.
        verdict: What the gate, or the suite's own thresholds, say of it.
        gated: Whether somebody asked for a gate.
    """
    top, grades = headline(evaluation, verdict, gated=gated), grades_of(evaluation)
    evaluation = evaluation.judged
    rows = [(scenario.name, cells(evaluation, verdict, scenario.name)) for scenario in evaluation.suite.scenarios]
    found = {cell.state for _, row in rows for cell in row}
    meanings = "; ".join(f"{SYMBOLS[state]} {MEANINGS[state]}" for state in SYMBOLS if state in found)
    parts = [f"### {SYMBOLS[top.state]} {plain(top.sentence)}"]
    if grades is not None:
        parts += _graded(grades)
    if rows:
        parts += [
            plain(top.basis),
            table(
                ["Scenario", *(style_of(engine).label for engine in evaluation.engines)],
                [[title(name), *map(_cell, row)] for name, row in rows],
            ),
            f"{meanings}. Rate, 95 % interval, successes.",
        ]
    failures = [line for name, row in rows for line in _failures(name, row)]
    if failures:
        parts.append("\n".join(["**Why trials failed**", "", *failures]))
    flags = red_flags(evaluation)
    if flags:
        said = [f"- **{plain(flag.title)}** ({flag.sureness}). Try: {plain(flag.remedies[0])}" for flag in flags]
        parts.append("\n".join(["**What to look at**", "", *said]))
    return "\n\n".join(parts) + "\n"


def _graded(grades: Grades) -> list[str]:
    said = ["\n".join(f"- {plain(sentence)}" for sentence in grades.sentences)] if grades.sentences else []
    if grades.rows:
        head = ["Ground", "Engine", "Figure", *(f"friction {friction}" for friction in grades.frictions)]
        rows = [[row.title, row.engine, row.figure, *(level or "-" for level in row.levels)] for row in grades.rows]
        said += [table(head, rows), "At each friction: highest level that is mastered, and the quality there."]
    return said


def _cell(cell: Cell) -> str:
    if not cell.trials:
        return f"{cell.symbol} {cell.meaning}"
    shown = f"{cell.symbol} {cell.rate} ({cell.interval}, {cell.trials})"
    return shown if cell.counts else f"{shown}, not counted"


def _failures(name: str, row: Sequence[Cell]) -> list[str]:
    lines = []
    shown: tuple[State, ...] = ("fail", "unproven", "error")
    for cell in row:
        if cell.state not in shown:
            continue
        reasons = [f"{reason} ({counted(count, 'trial')})" for reason, count, _ in cell.failures[:_MOST_REASONS]]
        reasons += [note.splitlines()[0] for note in cell.notes if cell.state == "error"]
        if reasons:
            lines.append(f"- {title(name)}, {cell.engine}: {plain(', '.join(reasons))}")
    return lines
