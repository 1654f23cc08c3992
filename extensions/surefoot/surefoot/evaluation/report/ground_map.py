"""How far over the ground of a scenario the trials came: its profile, and above it where each of them ended."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from surefoot.evaluation.scenarios.ground import scenario_grid
from surefoot.evaluation.scenarios.scenario import Scenario
from surefoot.evaluation.trials.outcome import ScenarioOutcome

from .engine_style import style_of
from .figure import Figure
from .svg import Axes, text, thinned
from .words import TIMES

_ROW, _PROFILE = 26.0, 56.0
_FAILED = "#b3261e"


def ground_figure(scenario: Scenario, outcomes: Sequence[ScenarioOutcome]) -> Figure | None:
    """Draw the ground ahead of the robot from the side, and above it, a row for each engine, where trials ended.

    Returns:
        The figure; None of flat ground, or where nothing ran.
    """
    ends = [
        (
            outcome,
            [
                (trial.measures["distance_m"], trial.success)
                for trial in outcome.outcomes
                if "distance_m" in trial.measures
            ],
        )
        for outcome in outcomes
    ]
    ends = [(outcome, places) for outcome, places in ends if places]
    if scenario.terrain.kind == "flat" or not ends:
        return None
    farthest = max(place for _, places in ends for place, _ in places)
    axes = Axes(x=(-0.5, max(2.0, 1.05 * farthest)), y=(0.0, 1.0), height=len(ends) * _ROW + _PROFILE + 24, left=50.0)
    parts = []
    for row, (outcome, places) in enumerate(ends):
        middle = axes.top + (row + 0.5) * _ROW
        style = style_of(outcome.engine)
        parts.append(f'<g class="g">{text(axes.left - 6, middle + 3.5, style.label, anchor="end")}')
        parts.append(f'<path d="M{axes.at(0, 0)[0]:.1f} {middle + 10:.1f}H{axes.width - axes.right:g}"/></g>')
        well = "".join(f"M{axes.at(place, 0)[0]:.1f} {middle + 10:.1f}v-13" for place, success in places if success)
        parts.append(f'<path d="{well}" stroke="{style.colour}" stroke-width="1.2" stroke-opacity=".55"/>')
        badly = "".join(
            f"M{axes.at(place, 0)[0] - 2.5:.1f} {middle - 10:.1f}l5 5m0-5l-5 5"
            for place, success in places
            if not success
        )
        parts.append(f'<path d="{badly}" stroke="{_FAILED}" stroke-width="1.3" fill="none"/>')
    parts.append(_profile(scenario, axes))
    parts.append(axes.grid(x_unit="m", y_ticks=False))
    caption = (
        "Where trials ended, by distance from the start: ticks succeeded, crosses failed. Below, the ground ahead."
    )
    return Figure(axes.figure(parts, label=caption), caption)


def _profile(scenario: Scenario, axes: Axes) -> str:
    """Draw the ground to scale as far as the panel's height allows, and say by how much it is stretched where not."""
    x = np.arange(axes.x[0], axes.x[1], 0.0125)
    height = scenario_grid(scenario).height(x, np.zeros_like(x))
    per_metre = (axes.width - axes.left - axes.right) / (axes.x[1] - axes.x[0])
    rise = float(height.max() - height.min())
    room = _PROFILE - 14
    # Steps to scale show; bumps of a few centimetres do not, and a long slope would leave the panel.
    stretch = min(room / (rise * per_metre), 4.0) if rise > 0.0 else 1.0
    floor = axes.height - axes.bottom - 4
    px, py = (x, height) if scenario.terrain.is_stepped() else thinned(x, height)
    points = [
        (axes.at(float(one), 0.0)[0], floor - (float(up) - float(height.min())) * per_metre * stretch)
        for one, up in zip(px, py, strict=True)
    ]
    kept = [point for i, point in enumerate(points) if not 0 < i < len(points) - 1 or not _level(points[i - 1 : i + 2])]
    path = "L".join(f"{a:.1f} {b:.1f}" for a, b in kept)
    said = f"{TIMES}{stretch:.1g}" if abs(stretch - 1.0) > 0.05 else ""
    note = f'<g class="g">{text(axes.left - 6, floor, said, anchor="end")}</g>'
    return f'<path class="e" d="M{path}V{axes.height - axes.bottom:g}H{points[0][0]:.1f}z"/>{note}'


def _level(three: list[tuple[float, float]]) -> bool:
    """Return whether the middle of three points lies on the line between the others."""
    (x0, y0), (x1, y1), (x2, y2) = three
    return abs((x1 - x0) * (y2 - y0) - (x2 - x0) * (y1 - y0)) < 1e-3
