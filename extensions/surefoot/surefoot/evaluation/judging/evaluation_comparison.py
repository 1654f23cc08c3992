"""Two evaluations side by side: which scenarios and measures differ by more than chance explains.

Trials of the same suite and seed share their draws. Measures are then compared trial by trial; success rates are taken
as independent, by which their intervals are rather too wide than too narrow.
"""

from __future__ import annotations

import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

import numpy as np

from surefoot.engines import short_name
from surefoot.evaluation.measure_catalogue import MEASURES
from surefoot.evaluation.results.result import Evaluation
from surefoot.evaluation.scenarios.scenario import Scenario
from surefoot.evaluation.statistics import (
    CONFIDENCE,
    Interval,
    median_difference_interval,
    median_interval,
    newcombe_interval,
)
from surefoot.evaluation.trials.outcome import ScenarioOutcome
from surefoot_bridge.errors import SurefootError

Change = Literal["better", "worse", "perhaps better", "perhaps worse", "differs", "no difference shown"]

FEWEST = 6
"""Values on each side for a difference of medians; fewer say nothing at 95 %."""


@dataclass(frozen=True, kw_only=True)
class RateChange:
    """How a success rate changed from A to B.

    Attributes:
        scenario: Name of the scenario.
        engine: Name of the engine.
        a: Successes and trials of A.
        b: Successes and trials of B.
        difference: Rate of B less that of A.
        interval: Its 95 % interval (Newcombe).
        change: ``better`` or ``worse`` where the difference would stand out among all rows together (Bonferroni);
            ``perhaps`` where it does in this row alone, which about one row in twenty does by chance.
    """

    scenario: str
    engine: str
    a: tuple[int, int]
    b: tuple[int, int]
    difference: float
    interval: Interval
    change: Change


@dataclass(frozen=True, kw_only=True)
class MeasureChange:
    """How a measure changed from A to B, where the 95 % interval of the change leaves 0 out.

    Attributes:
        scenario: Name of the scenario.
        engine: Name of the engine.
        measure: Name of the measure.
        a: Median of A.
        b: Median of B.
        difference: B less A: the median of the differences trial by trial where both had the same draws, else the
            difference of the medians.
        interval: Its interval, by order statistics or by a bootstrap.
        change: ``perhaps better``, ``perhaps worse``, or ``differs`` where neither way is better: among hundreds of
            measures some stand out by chance.
        size: The difference over the range of the middle half of both samples.
    """

    scenario: str
    engine: str
    measure: str
    a: float
    b: float
    difference: float
    interval: Interval
    change: Change
    size: float


@dataclass(frozen=True, kw_only=True)
class Comparison:
    """Two evaluations side by side.

    Attributes:
        names: What A and B are called.
        rates: Each scenario in each engine that both have.
        measures: Measures that differ, the largest difference first.
        tested: Number of measures that were compared.
        left_out: Scenarios and engines that cannot be compared, and why.
    """

    names: tuple[str, str]
    rates: tuple[RateChange, ...]
    measures: tuple[MeasureChange, ...]
    tested: int
    left_out: tuple[tuple[str, str], ...]

    @property
    def worse(self) -> tuple[RateChange, ...]:
        """Success rates that are lower in B, beyond what chance explains."""
        return tuple(row for row in self.rates if row.change == "worse")


def compare(a: Evaluation, b: Evaluation, *, names: tuple[str, str] = ("A", "B")) -> Comparison:
    """Set two evaluations side by side.

    Args:
        a: One evaluation, of the older policy as a rule.
        b: The other.
        names: What they are called.

    Raises:
        SurefootError: If they are of different robots, or no scenario can be compared.
    """
    if a.policy.robot != b.policy.robot:
        raise SurefootError(f"{names[0]} is of {a.policy.robot}, {names[1]} of {b.policy.robot}: compare one robot.")
    pairs, left_out = _pairs(a, b)
    if not pairs:
        why = "; ".join(f"{what}: {reason}" for what, reason in left_out)
        raise SurefootError(f"{names[0]} and {names[1]} have no scenario that can be compared. {why}.")
    rates = tuple(_rate(one, other, len(pairs)) for one, other in pairs)
    compared = [
        change for one, other in pairs for name in MEASURES if (change := _measure(name, one, other)) is not None
    ]
    shown = [change for change in compared if not change.interval.low <= 0.0 <= change.interval.high]
    return Comparison(
        names=names,
        rates=rates,
        measures=tuple(sorted(shown, key=lambda change: -change.size)),
        tested=len(compared),
        left_out=left_out,
    )


def _pairs(
    a: Evaluation, b: Evaluation
) -> tuple[list[tuple[ScenarioOutcome, ScenarioOutcome]], tuple[tuple[str, str], ...]]:
    """Return outcomes of the same scenario in the same engine, and which have no partner, with the reason."""
    scenarios = {item.name: item for item in a.suite.scenarios}, {item.name: item for item in b.suite.scenarios}
    pairs, left_out = [], []
    for name in dict.fromkeys((*scenarios[0], *scenarios[1])):
        missing = [label for label, known in zip("AB", scenarios, strict=True) if name not in known]
        if missing:
            left_out.append((name, f"not in {missing[0]}"))
            continue
        if _asked(scenarios[0][name]) != _asked(scenarios[1][name]):
            left_out.append((name, "defined otherwise in B"))
            continue
        for engine in dict.fromkeys((*a.engines, *b.engines)):
            found = a.of(name, engine), b.of(name, engine)
            absent = [label for label, item in zip("AB", found, strict=True) if item is None or not item.trials]
            if absent:
                left_out.append((f"{name} in {short_name(engine)}", f"did not run in {' and '.join(absent)}"))
            elif found[0] is not None and found[1] is not None:
                if found[0].length_s != found[1].length_s:
                    left_out.append((f"{name} in {short_name(engine)}", "trials are not as long in both"))
                    continue
                pairs.append((found[0], found[1]))
    return pairs, tuple(left_out)


def _asked(scenario: Scenario) -> Mapping[str, object]:
    """Return what makes a trial what it is: neither how many there are, nor which rate is enough."""
    return scenario.model_dump(exclude={"description", "trials", "threshold"})


def _rate(a: ScenarioOutcome, b: ScenarioOutcome, rows: int) -> RateChange:
    counts = (b.successes, b.trials, a.successes, a.trials)
    interval = newcombe_interval(*counts)
    among_all = newcombe_interval(*counts, confidence=1.0 - (1.0 - CONFIDENCE) / rows)
    change: Change = "no difference shown"
    if not interval.low <= 0.0 <= interval.high:
        change = "perhaps better" if interval.low > 0.0 else "perhaps worse"
    if not among_all.low <= 0.0 <= among_all.high:
        change = "better" if among_all.low > 0.0 else "worse"
    return RateChange(
        scenario=a.scenario,
        engine=a.engine,
        a=(a.successes, a.trials),
        b=(b.successes, b.trials),
        difference=b.successes / b.trials - a.successes / a.trials,
        interval=interval,
        change=change,
    )


def _measure(name: str, a: ScenarioOutcome, b: ScenarioOutcome) -> MeasureChange | None:
    samples = [
        {(trial.number, trial.seed): trial.measures[name] for trial in item.outcomes if name in trial.measures}
        for item in (a, b)
    ]
    if min(map(len, samples)) < FEWEST:
        return None
    medians = [float(np.median(list(sample.values()))) for sample in samples]
    apart = [samples[1][key] - value for key, value in samples[0].items() if key in samples[1]]
    difference = medians[1] - medians[0]
    interval = median_interval(apart) if len(apart) >= FEWEST else None
    if interval is not None:
        difference = float(np.median(apart))
    else:
        # The same rows give the same intervals, whatever else is compared.
        seed = zlib.crc32(f"{a.scenario}/{a.engine}/{name}".encode())
        interval = median_difference_interval(list(samples[1].values()), list(samples[0].values()), seed=seed)
    values = np.array([value for sample in samples for value in sample.values()])
    spread = float(np.subtract(*np.percentile(values, [75, 25])))
    better = MEASURES[name].better
    change: Change = "differs"
    if better != "neither":
        change = "perhaps better" if (difference > 0.0) == (better == "higher") else "perhaps worse"
    return MeasureChange(
        scenario=a.scenario,
        engine=a.engine,
        measure=name,
        a=medians[0],
        b=medians[1],
        difference=difference,
        interval=interval,
        change=change,
        size=abs(difference) / spread if spread > 0.0 else 0.0,
    )
