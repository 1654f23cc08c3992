"""Measures of a scenario by engine: medians with intervals."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from surefoot.evaluation.measure_catalogue import MEASURES
from surefoot.evaluation.scenarios.scenario import Bound, Scenario
from surefoot.evaluation.statistics import median_interval
from surefoot.evaluation.trials.outcome import ScenarioOutcome

from .words import given, interval, number, spelt

COUNTED = ("fell", "stopped_by_safety")
"""Measures that are 0 or 1: what counts is of how many trials they are 1."""

FIRST = (
    "fell", "stopped_by_safety", "rms_vx_error", "rms_vy_error", "rms_yaw_rate_error", "cost_of_transport",
    "torque_peak_share", "motor_heat_max", "saturation_share", "foot_clearance_m", "foot_slip_m_s", "stride_hz",
    "tilt_rms_rad", "recovery_s", "largest_push_n",
)  # fmt: skip
"""What is shown at once, besides what the scenario bounds; the rest is below it."""


class MeasureRow(NamedTuple):
    """A measure in each engine: its value, and its interval where there are trials enough for one."""

    label: str
    unit: str
    bound: str
    description: str
    values: tuple[tuple[str, str], ...]


def measure_rows(
    scenario: Scenario, outcomes: Sequence[ScenarioOutcome | None]
) -> tuple[list[MeasureRow], list[MeasureRow]]:
    """Return the measures that are shown at once, and all others that were taken.

    Args:
        scenario: The scenario.
        outcomes: What came of it in each engine; None where it did not run.
    """
    taken = {name for outcome in outcomes if outcome for trial in outcome.outcomes for name in trial.measures}
    first, rest = [], []
    for name in MEASURES:
        if name in taken:
            (first if name in FIRST or name in scenario.success else rest).append(_row(name, scenario, outcomes))
    return first, rest


def median_in_words(values: Sequence[float]) -> tuple[str, str]:
    """Return the median of a sample and its 95 % interval, the latter empty where the sample is too small for one."""
    ends = median_interval(values)
    return number(float(np.median(values))), "" if ends is None or ends.low == ends.high else interval(*ends)


def _row(name: str, scenario: Scenario, outcomes: Sequence[ScenarioOutcome | None]) -> MeasureRow:
    measure, unit, factor = MEASURES[name], MEASURES[name].unit, 1.0
    if unit == "-" and name.endswith("_share"):
        unit, factor = "%", 100.0
    values = []
    for outcome in outcomes:
        sample = [trial.measures[name] for trial in outcome.outcomes if name in trial.measures] if outcome else []
        if not sample:
            values.append(("", ""))
        elif name in COUNTED:
            values.append((f"{sum(map(bool, sample))} of {len(sample)}", ""))
        else:
            values.append(median_in_words([factor * value for value in sample]))
    bound = _bound(scenario.success.get(name), factor)
    return MeasureRow(measure.label, "" if unit == "-" else spelt(unit), bound, measure.description, tuple(values))


def _bound(bound: Bound | None, factor: float) -> str:
    if bound is None:
        return ""
    low = f"≥ {given(factor * bound.min)}" if np.isfinite(bound.min) else ""
    high = f"≤ {given(factor * bound.max)}" if np.isfinite(bound.max) else ""
    return ", ".join(filter(None, (low, high)))
