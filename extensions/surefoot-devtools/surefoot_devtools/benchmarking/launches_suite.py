"""Launches, waits and allocations of a control step and of training: ours beside Isaac Lab's stock task.

What costs a simulation of thousands of robots its time on a GPU is not what the GPU computes but how often the host
asks it for something. That number is the same on a CPU, where it is counted.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from types import MappingProxyType
from typing import Any

from surefoot_devtools.benchmarking.environment import OUR_TASK
from surefoot_devtools.benchmarking.launches_worker import (
    CAPTURED,
    ITERATION,
    MODULE,
    STEP,
    TRAINING,
    UNPROVEN,
    LaunchesCount,
    LaunchesRequest,
)
from surefoot_devtools.benchmarking.suite import run_module

OUR_TASKS = (OUR_TASK, "Surefoot-Velocity-Flat-G1")

STEPS = 24
"""Control steps that are counted."""

BUDGET: Mapping[str, float] = MappingProxyType(
    {
        "launches_eager": 60.0,
        "waits": 0.0,
        "launches_terms": 8.0,
        "waits_terms": 0.0,
        "launches_captured": 10.0,
        "waits_captured": 0.0,
        "launches_training_with_graphs": 20.0,
        "waits_training": 0.0,
        "waits_unproven": 0.0,
    }
)
"""What may be asked of the device in a control step, kernel by kernel and as a graph, in all and by terms, and in
training beside it, where each region that a GPU records is one launch and waits for nothing."""

OF_TERMS = ("rewards", "terminations", "observations")
"""Managers whose launches and waits are those of terms."""

FIGURES = {
    STEP: "launches_eager",
    CAPTURED: "launches_captured",
    TRAINING: "launches_training",
    ITERATION: "launches_iteration",
}


def count_launches_of_tasks(
    *, physics: str, device: str, num_envs: int, report: Callable[[str], None]
) -> tuple[dict[str, float], list[dict[str, Any]]]:
    """Count ours and stock, each in a process of its own.

    Returns:
        Figures, of which ours are the largest of the tasks, and one row for each scope.
    """
    figures: dict[str, float] = {}
    rows: list[dict[str, Any]] = []
    common = (physics, device, num_envs, STEPS)
    requests = [LaunchesRequest("stock", *common), *(LaunchesRequest("ours", *common, our_task=it) for it in OUR_TASKS)]
    for request in requests:
        count = LaunchesCount(**run_module(MODULE, request))
        name = request.our_task if request.task == "ours" else "Isaac Lab's stock task"
        rows += [{"task": name, **row} for row in count.rows]
        of_task = figures_of(count)
        for figure, value in of_task.items():
            key = f"stock_{figure}" if request.task == "stock" else figure
            figures[key] = max(value, figures.get(key, 0.0))
        report(_table(name, count, of_task))
    return figures, rows


def figures_of(count: LaunchesCount) -> dict[str, float]:
    """Return what one task asks for in all."""
    figures: dict[str, float] = {}
    for phase, launches in FIGURES.items():
        figures[launches] = _sum(count, phase, "launches")
        for kind in ("waits", "allocations"):
            figures[kind if phase == STEP else f"{kind}_{phase}"] = _sum(count, phase, kind)
    for kind in ("launches", "waits"):
        figures[f"{kind}_terms"] = sum(
            row[kind] for row in count.rows if row["phase"] == STEP and row["manager"] in OF_TERMS
        )
    unproven = [row for row in count.rows if row["term"].startswith(UNPROVEN)]
    for phase in (TRAINING, ITERATION):
        regions = [row for row in unproven if row["phase"] == phase]
        figures[f"unproven_{phase}"] = sum(row["launches"] for row in regions)
        once = sum(row["runs"] for row in regions)
        figures[f"{FIGURES[phase]}_with_graphs"] = figures[FIGURES[phase]] - figures[f"unproven_{phase}"] + once
    figures["waits_unproven"] = sum(row["waits"] for row in unproven)
    return figures


def over_budget(figures: Mapping[str, float], budget: Mapping[str, float] = BUDGET) -> list[str]:
    """Return a line for each figure above what it may be."""
    return [
        f"{name} is {figures[name]:.1f} a control step, above {limit:.0f}"
        for name, limit in budget.items()
        if figures[name] > limit
    ]


def _sum(count: LaunchesCount, phase: str, kind: str) -> float:
    return sum(row[kind] for row in count.rows if row["phase"] == phase)


def _table(name: str, count: LaunchesCount, figures: Mapping[str, float]) -> str:
    lines = [f"{name}", f"  {'':48s} {'launches':>9s} {'waits':>7s} {'allocations':>12s}"]
    for phase in FIGURES:
        for row in sorted(_of_phase(count.rows, phase), key=lambda row: (row["manager"], -row["launches"])):
            where = f"{phase}  {row['manager']}  {row['term']}"
            lines.append(f"  {where:48s} {row['launches']:9.1f} {row['waits']:7.2f} {row['allocations']:12.1f}")
        lines.append(f"  waits: {count.waits.get(phase, {})}")
    lines += [f"  {name:48s} {value:9.1f}" for name, value in figures.items()]
    return "\n".join(lines)


def _of_phase(rows: Iterable[Mapping[str, Any]], phase: str) -> list[Mapping[str, Any]]:
    return [row for row in rows if row["phase"] == phase and (row["launches"] or row["waits"] or row["allocations"])]
