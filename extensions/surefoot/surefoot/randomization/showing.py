"""The table of a task as a person would read it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from surefoot.engines import Physics, short_name
from surefoot.report import provenance, write_report
from surefoot_robots import get_robot

from .layout import TableLayout
from .parameter import Parameter, to_value
from .randomization import make_layout
from .support import support_of


def show(task: str, cfg: Any, physics: Physics, *, preset: str | None, report: Path | None) -> None:
    """Print each parameter's nominal value, range, distribution, occasion and support; write them as a report.

    Args:
        task: Task id.
        cfg: The task's environment, resolved; a preset replaces its ranges.
        physics: The engine, checked.
        preset: Ranges to show instead of the task's own.
        report: File of the report, or None.

    Raises:
        SurefootError: If there is no such preset, or a range cannot be meant.
    """
    if preset is not None:
        cfg.randomization.preset, cfg.randomization.ranges = preset, {}
    layout = make_layout(cfg.randomization, get_robot(cfg.robot_name), physics, initial_state=cfg.initial_state)
    rows = [_row(layout, parameter, physics) for parameter in layout.parameters]
    title = f"{task} in {short_name(physics)}, preset {cfg.randomization.preset}"
    table = Table("parameter", "unit", "for each", "nominal", "range", "drawn", "source", title=title)
    for row in rows:
        cells = [str(row[key]) for key in ("parameter", "unit", "over", "nominal", "range", "drawn", "source")]
        table.add_row(*cells, style=None if row["random"] else "dim")
    console = Console(width=max(Console().width, 140))
    console.print(table)
    random = sum(bool(row["random"]) for row in rows)
    console.print(f"{random} of {len(rows)} parameters are random, in {layout.num_columns} columns.")
    if report is not None:
        figures = {"parameters": len(rows), "random": random, "columns": layout.num_columns}
        write_report(report, ok=True, figures=figures, rows=rows, provenance=provenance(engine=physics))


def _row(layout: TableLayout, parameter: Parameter, physics: Physics) -> dict[str, Any]:
    resolved, support = layout.range_of(parameter.name), support_of(parameter.name, physics)
    random = layout.is_random(parameter.name)
    ends = [
        _span(
            [
                to_value(resolved.range.operation, nominal, draw)
                for nominal, draw in zip(parameter.nominal, draws, strict=True)
            ]
        )
        for draws in (resolved.low, resolved.high)
    ]
    how = resolved.range.distribution.replace("_", " ") + (", one for all" if resolved.range.shared else "")
    return {
        "parameter": parameter.name,
        "unit": parameter.unit,
        "over": parameter.over,
        "nominal": _span(parameter.nominal),
        "range": f"{ends[0]} to {ends[1]}, {how}" if random else support.reason or "as nominal",
        "drawn": parameter.occasion.replace("_", " ") if random else "",
        "source": resolved.range.source,
        "support": support.level,
        "random": random,
        "description": parameter.description,
    }


def _span(values: Any) -> str:
    """Write one number, or the smallest and largest of several."""
    low, high = min(values), max(values)
    return f"{low:.4g}" if low == high else f"{low:.3g}..{high:.3g}"
