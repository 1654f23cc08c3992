"""Pushes seen from above: from which direction the robot withstands how much."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from surefoot.evaluation.scenarios.scenario import LargestPush, Scenario, Suite
from surefoot.evaluation.statistics import median_interval
from surefoot.evaluation.trials.outcome import ScenarioOutcome
from surefoot.evaluation.trials.sampling import draw_batch
from surefoot_bridge.contract import Contract

from .engine_style import style_of
from .figure import Figure
from .svg import picture, text, ticks

_WIDTH, _HEIGHT, _RADIUS = 340.0, 300.0, 122.0
_FAILED = "#b3261e"
_SPREAD_RAD = 0.2
"""Directions of pushes that differ by less are one: a picture of them shows nothing."""


def push_figure(
    suite: Suite, scenario: Scenario, outcomes: Sequence[ScenarioOutcome], contract: Contract
) -> Figure | None:
    """Draw the largest push survived by direction, or, of pushes from any direction, which were survived.

    Args:
        suite: The suite, whose seed the pushes were drawn with.
        scenario: A scenario.
        outcomes: What came of it in each engine.
        contract: The policy's contract.

    Returns:
        The figure; None where the scenario has no pushes from several directions, or nothing ran.
    """
    ran = [outcome for outcome in outcomes if outcome.trials]
    if not ran:
        return None
    if scenario.largest_push is not None:
        return _largest(scenario.largest_push, ran)
    if not scenario.pushes:
        return None
    forces = [_first_forces(suite, scenario, outcome, contract) for outcome in ran]  # (trials, 2) each
    angles = np.concatenate([np.arctan2(force[:, 1], force[:, 0]) for force in forces])
    if abs(np.exp(1j * angles).mean()) > math.cos(_SPREAD_RAD):
        return None
    return _survived(ran, forces)


def _largest(search: LargestPush, outcomes: Sequence[ScenarioOutcome]) -> Figure | None:
    from surefoot.evaluation.measure_catalogue import MEASURES

    directions = np.radians(search.direction_deg)
    lines, values = [], []
    for outcome in outcomes:
        rows = []
        for index, direction in enumerate(directions):
            found = [
                trial.measures["largest_push_n"]
                for trial in outcome.outcomes
                if trial.number % len(directions) == index and "largest_push_n" in trial.measures
            ]
            if found:
                low, high = median_interval(found) or (min(found), max(found))
                rows.append((float(direction), float(np.median(found)), low, high))
        if rows:
            lines.append((style_of(outcome.engine), sorted(rows)))
            values += [row[3] for row in rows]
    if not values:
        return None
    scale, parts = _rings(max(values))
    for style, rows in lines:
        corners = [_at(scale * force, direction) for direction, force, _, _ in rows]
        path = "M" + "L".join(f"{x:.1f} {y:.1f}" for x, y in corners) + ("z" if len(corners) > 2 else "")
        dashes = f' stroke-dasharray="{style.dashes}"' if style.dashes else ""
        parts.append(
            f'<path d="{path}" fill="{style.colour}" fill-opacity=".06" stroke="{style.colour}" '
            f'stroke-width="1.6"{dashes}/>'
        )
        for direction, _, low, high in rows:
            (x0, y0), (x1, y1) = _at(scale * low, direction), _at(scale * high, direction)
            parts.append(
                f'<path d="M{x0:.1f} {y0:.1f}L{x1:.1f} {y1:.1f}" stroke="{style.colour}" stroke-width="3.4" '
                'stroke-opacity=".45"/>'
            )
    caption = (
        f"{MEASURES['largest_push_n'].label} [N] for {search.duration_s:g} s, by the direction in which it pushes; "
        "robot faces up. Median, and its 95 % interval where there are 6 trials or more, else the range."
    )
    return Figure(picture(_WIDTH, _HEIGHT, parts, label=caption), caption)


def _survived(outcomes: Sequence[ScenarioOutcome], forces: Sequence[np.ndarray]) -> Figure:
    scale, parts = _rings(max(float(np.hypot(*force.T).max()) for force in forces))
    for outcome, force in zip(outcomes, forces, strict=True):
        colour = style_of(outcome.engine).colour
        for trial, (forward, left) in zip(outcome.outcomes, force.tolist(), strict=True):
            x, y = _at(scale * math.hypot(forward, left), math.atan2(left, forward))
            if trial.success:
                parts.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="2.6" fill="none" stroke="{colour}"/>')
            else:
                parts.append(f'<path d="M{x - 3:.1f} {y - 3:.1f}l6 6m0-6l-6 6" stroke="{_FAILED}" stroke-width="1.8"/>')
    caption = "First push of each trial [N], by the direction in which it pushes; robot faces up. Crosses failed."
    return Figure(picture(_WIDTH, _HEIGHT, parts, label=caption), caption)


def _first_forces(suite: Suite, scenario: Scenario, outcome: ScenarioOutcome, contract: Contract) -> np.ndarray:
    numbers = np.array([trial.number for trial in outcome.outcomes], dtype=np.int64)
    return draw_batch(suite, scenario, numbers, contract).pushes[0].force_b[:, :2]


def _at(radius: float, direction_rad: float) -> tuple[float, float]:
    """Return where something is: forward is up, left is left."""
    return _WIDTH / 2 - radius * math.sin(direction_rad), _HEIGHT / 2 - radius * math.cos(direction_rad)


def _rings(largest: float) -> tuple[float, list[str]]:
    """Return units of the picture for a newton, and rings with their forces."""
    rings = [value for value in ticks(0.0, 1.02 * largest, 4) if value > 0.0] or [largest]
    if rings[-1] < largest:
        rings.append(2 * rings[-1] - (rings[-2] if len(rings) > 1 else 0.0))
    scale = _RADIUS / rings[-1]
    parts = [f'<circle cx="{_WIDTH / 2:g}" cy="{_HEIGHT / 2:g}" r="{scale * value:.1f}"/>' for value in rings]
    for degrees in range(0, 180, 45):
        (x0, y0), (x1, y1) = _at(_RADIUS, math.radians(degrees)), _at(_RADIUS, math.radians(degrees + 180))
        parts.append(f'<path d="M{x0:.1f} {y0:.1f}L{x1:.1f} {y1:.1f}"/>')
    for value in rings:
        x, y = _at(scale * value, math.radians(-22.5))
        shown = f"{value:g} N" if value == rings[-1] else f"{value:g}"
        parts.append(text(x, y + 3.5, shown, anchor="middle"))
    for name, degrees, anchor in (
        ("forward", 0, "middle"),
        ("left", 90, "end"),
        ("back", 180, "middle"),
        ("right", -90, "start"),
    ):
        x, y = _at(_RADIUS + 8, math.radians(degrees))
        parts.append(text(x, y + {0: 0.0, 180: 8.0}.get(degrees, 3.5), name, anchor=anchor))
    return scale, [f'<g class="g">{"".join(parts)}</g>']
