"""Cost of rough ground: steps against Isaac Lab's stock rough task and against ours on flat ground, and the making.

``ratio_vs_stock_<num_envs>``
    Environment steps per second of our task whose actor and critic see a height scan, over those of the stock one.
``rough_over_flat_<num_envs>``
    Time of a control step of ours on rough ground, over that on flat ground.
``<side>_scan_share_<num_envs>``
    Share of a control step that is the height scan: looked up in the grid, or cast at the mesh.
``<side>_field_s``, ``<side>_field_peak_mb``, ``<side>_field_held_mb``
    Time and memory of making 10 x 20 tiles.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, replace
from typing import Any

from surefoot_devtools.benchmarking.environment import OUR_ROUGH_TASK, OUR_TASK
from surefoot_devtools.benchmarking.suite import both_sides, in_turn, run_module, side_figures
from surefoot_devtools.benchmarking.terrain_worker import MODULE, FieldMeasurement, FieldRequest
from surefoot_devtools.benchmarking.worker import Measurement

MOST_ROUGH_OVER_FLAT = 1.3
"""How much longer a control step on rough ground may take than one on flat ground."""


def measure_terrain(
    *,
    physics: str,
    device: str,
    num_envs: Sequence[int],
    seconds: float,
    repeats: int,
    report: Callable[[str], None],
) -> tuple[dict[str, float], list[dict[str, Any]]]:
    """Measure all of it; returns figures and one row for each measurement."""
    figures, rows = _fields(physics, report)
    for count in num_envs:
        requests = both_sides(
            kind="step", physics=physics, device=device, num_envs=count, seconds=seconds, our_task=OUR_ROUGH_TASK
        )
        requests["ours_flat"] = replace(requests["ours"], our_task=OUR_TASK)
        best, measured = in_turn(requests, repeats=repeats, report=report)
        rows += measured
        figures |= terrain_figures(best, count, report)
    return figures, rows


def terrain_figures(best: Mapping[str, Measurement], count: int, report: Callable[[str], None]) -> dict[str, float]:
    """Return the figures of the best measurements of each side with ``count`` environments."""
    figures = side_figures(best, count, report)
    over_flat = best["ours_flat"].env_steps_per_s / best["ours"].env_steps_per_s
    figures[f"rough_over_flat_{count}"] = over_flat
    report(f"{count:6d} environments  a step on rough ground takes {over_flat:.2f} times one on flat ground")
    for name in ("stock", "ours"):
        share = best[name].scan_share
        figures[f"{name}_scan_share_{count}"] = share
        report(f"{count:6d} environments  {name:19s}  height scan {100 * share:.1f} %")
    return figures


def holds(figures: Mapping[str, float], num_envs: Sequence[int], minimum_ratio: float) -> bool:
    """Tell whether ours is as fast as it must be, at every number of environments."""
    return all(
        figures[f"ratio_vs_stock_{count}"] >= minimum_ratio
        and figures[f"rough_over_flat_{count}"] <= MOST_ROUGH_OVER_FLAT
        for count in num_envs
    )


def _fields(physics: str, report: Callable[[str], None]) -> tuple[dict[str, float], list[dict[str, Any]]]:
    """Make both fields."""
    figures: dict[str, float] = {}
    rows: list[dict[str, Any]] = []
    for side in ("stock", "ours"):
        request = FieldRequest(side, physics)
        made = FieldMeasurement(**run_module(MODULE, request))
        rows.append({"name": f"{side}_field", **asdict(request), **asdict(made)})
        figures[f"{side}_field_s"] = made.seconds
        figures[f"{side}_field_peak_mb"] = made.peak_mb
        figures[f"{side}_field_held_mb"] = made.held_mb
        report(
            f"{side:6s} field of {made.area_m2:.0f} m2, {made.triangles} triangles: {made.seconds:.1f} s, at most "
            f"{made.peak_mb:.0f} MB, {made.held_mb:.0f} MB kept"
        )
    return figures, rows
