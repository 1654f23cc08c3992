"""How engines differ in what they say of a policy: by scenario and by measure, each difference with its interval."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from surefoot.evaluation.measure_catalogue import MEASURES
from surefoot.evaluation.statistics import median_interval, newcombe_interval
from surefoot.evaluation.trials.outcome import ScenarioOutcome

SUCCESS = "success"
"""Stands where a measure would, for the success rate."""

_COUNTED = ("fell", "stopped_by_safety")
"""Measures that are 0 or 1: they are rates, as success is."""

_LEFT_OUT = (*_COUNTED, "time_to_fall_s", "time_to_stop_s")
"""Success says it already."""

_SMALLEST = {
    "m/s": 0.1, "rad/s": 0.1, "m": 0.02, "deg": 10.0, "s": 0.05, "Hz": 0.2, "rad": 0.05, "N m": 2.0, "N": 10.0,
    "rad/s^2": 50.0, "weights": 0.2, "-": 0.05,
}  # fmt: skip
"""By unit, a value so small that a difference as large as itself would concern nobody. Only the order in which
differences are named depends on it. Assumption."""


@dataclass(frozen=True, kw_only=True)
class EngineDifference:
    """How far an engine is from another in a scenario and a measure.

    Attributes:
        scenario: Name of the scenario.
        measure: Name of the measure; :data:`SUCCESS` for the success rate.
        engine: The engine.
        reference: The engine that it is held against.
        value: Success rate or median of the measure in the engine.
        reference_value: The same in the other.
        difference: Engine less reference: of the rates, or the median of the differences trial by trial. Trials of the
            same number have the same draws in both.
        low: Low end of the 95 % interval of the difference; None where there are too few trials for one.
        high: High end.
        trials: How many trials stand behind it: pairs, or for the success rate the fewer of both sides.
    """

    scenario: str
    measure: str
    engine: str
    reference: str
    value: float
    reference_value: float
    difference: float
    low: float | None
    high: float | None
    trials: int

    @property
    def clear(self) -> bool:
        """Whether the interval leaves out 0."""
        return self.low is not None and self.high is not None and (self.low > 0.0 or self.high < 0.0)

    @property
    def size(self) -> float:
        """Absolute difference over the larger of both values; over what would concern nobody where both are small."""
        if self.measure == SUCCESS:
            return abs(self.difference)
        smallest = _SMALLEST[MEASURES[self.measure].unit]
        return abs(self.difference) / max(abs(self.value), abs(self.reference_value), smallest)


def engine_differences(outcomes: Sequence[ScenarioOutcome], reference: str) -> tuple[EngineDifference, ...]:
    """Return how each other engine differs from one, in the order of the outcomes; the success rate comes first.

    Args:
        outcomes: What came of scenarios in engines; those that could not run, and those whose trials were not as long
            in both engines, are left out.
        reference: The engine that others are held against, best the one that the policy was trained in.
    """
    ran = [outcome for outcome in outcomes if outcome.trials]
    at_home = {outcome.scenario: outcome for outcome in ran if outcome.engine == reference}
    return tuple(
        difference
        for outcome in ran
        if outcome.engine != reference
        and outcome.scenario in at_home
        and outcome.length_s == at_home[outcome.scenario].length_s
        for difference in _differences(outcome, at_home[outcome.scenario])
    )


def largest(differences: Sequence[EngineDifference], count: int) -> tuple[EngineDifference, ...]:
    """Return the clear differences that are largest for their size: success rates first, then measures."""
    clear = [difference for difference in differences if difference.clear]
    return tuple(sorted(clear, key=lambda item: (item.measure != SUCCESS, -item.size))[:count])


def _differences(outcome: ScenarioOutcome, home: ScenarioOutcome) -> Iterator[EngineDifference]:
    names = {"scenario": outcome.scenario, "engine": outcome.engine, "reference": home.engine}
    rate, home_rate = outcome.successes / outcome.trials, home.successes / home.trials
    # Trials of the same number share their draws; to take them as independent makes the interval a little too wide.
    low, high = newcombe_interval(outcome.successes, outcome.trials, home.successes, home.trials)
    yield EngineDifference(
        **names,
        measure=SUCCESS,
        value=rate,
        reference_value=home_rate,
        difference=rate - home_rate,
        low=low,
        high=high,
        trials=min(outcome.trials, home.trials),
    )
    by_number = {trial.number: trial.measures for trial in home.outcomes}
    pairs = [(trial.measures, by_number[trial.number]) for trial in outcome.outcomes if trial.number in by_number]
    for measure in MEASURES:
        if measure in _LEFT_OUT:
            continue
        values = np.array([(ours[measure], his[measure]) for ours, his in pairs if measure in ours and measure in his])
        if not len(values):
            continue
        apart = values[:, 0] - values[:, 1]
        value, home_value = np.median(values, axis=0).tolist()
        ends = median_interval(apart)
        yield EngineDifference(
            **names,
            measure=measure,
            value=value,
            reference_value=home_value,
            difference=float(np.median(apart)),
            low=None if ends is None else ends.low,
            high=None if ends is None else ends.high,
            trials=len(values),
        )


def is_gap(difference: EngineDifference, points: float) -> bool:
    """Return whether success rates differ clearly and by more than so many points of a hundred."""
    return difference.measure == SUCCESS and difference.clear and abs(difference.difference) * 100.0 > points - 1e-9
