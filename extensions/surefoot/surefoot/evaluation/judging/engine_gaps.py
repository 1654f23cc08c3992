"""Red flags of a policy that does better in one engine than in another, and what of the three causes it points to.

A policy that walks in one engine and not at all in another is read wrongly in the latter: its contract. One that is
worse on plain ground meets other physics. One that is as good on plain ground and differs where it is hard has no
margin there: its task did not train it for that.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from surefoot.engines import short_name
from surefoot.evaluation.measure_catalogue import MEASURES
from surefoot.evaluation.scenarios import traits
from surefoot.evaluation.scenarios.scenario import Scenario
from surefoot.evaluation.trials.outcome import ScenarioOutcome

from .engine_comparison import SUCCESS, EngineDifference, engine_differences, is_gap, largest
from .red_flag import Finding, RedFlag, Sureness, raised
from .red_flag_rules import LEAST_SHARE

AT_ONCE_S = 3.0
"""A robot that has fallen by then never walked [s]: suites ask for the first step at 1 s."""

GAP_POINTS = 5.0
"""How many points of a hundred the success of two engines may differ by."""

_NAMED = 3
"""How many differing measures are named with a gap of physics: the first few say where to look."""

_CONTRACT = (
    "engine_gap_contract",
    "Does not walk in one engine",
    "It walks in one engine; in another it falls within seconds or does not get ahead. Physics alone does not do that "
    "on flat ground: joints, signs, gains, frames or timing are another there than its contract says.",
    (
        "Compare joint order, signs, gains and the observation of the first steps in both engines.",
        "Hold the robot's model in that engine against its specification (`surefoot robots check`).",
    ),
)
_PHYSICS = (
    "engine_gap_physics",
    "Depends on the physics of one engine",
    "On flat ground with a nominal robot it does clearly worse in one engine than in another: it has learnt to use "
    "what is particular to one of them, and the robot is yet another.",
    (
        "Randomize what the measures below differ in: friction and restitution for slip and impacts, motor strength, "
        "joint friction and delay for torques and heat.",
        "Hold contact and actuator parameters of both engines against each other, and mend what differs.",
        "Train on in the engine in which it is worse.",
    ),
)
_TASK = (
    "engine_gap_task",
    "No margin where it is hard",
    "Engines agree on flat ground and differ where it is hard: there it is at the edge of what it can do, and small "
    "differences decide. Its task did not train it for that.",
    (
        "Put what these scenarios ask for into training: terrain, pushes, payload, delay, with a margin.",
        "Grow the ranges with a curriculum, so that they are mastered and not only met.",
    ),
)


def find_gaps(
    outcomes: Sequence[ScenarioOutcome], scenarios: Sequence[Scenario], *, trained_in: str
) -> tuple[RedFlag, ...]:
    """Return the flags of a policy that does better in one engine than in another.

    Args:
        outcomes: What came of the scenarios in each engine.
        scenarios: The scenarios.
        trained_in: Engine that the policy was trained in; others are held against it, or, where it was not run, against
            the first.
    """
    by_name = {scenario.name: scenario for scenario in scenarios}
    ran = [outcome for outcome in outcomes if outcome.trials and outcome.scenario in by_name]
    engines = list(dict.fromkeys(outcome.engine for outcome in ran))
    if len(engines) < 2:
        return ()
    reference = trained_in if trained_in in engines else engines[0]
    findings: dict[tuple[str, str, str, tuple[str, ...]], list[Finding]] = {_CONTRACT: [], _PHYSICS: [], _TASK: []}
    differences = engine_differences(ran, reference)
    for engine in engines:
        ours = [difference for difference in differences if difference.engine == engine]
        gaps = [difference for difference in ours if is_gap(difference, GAP_POINTS)]
        plain = [gap for gap in gaps if traits.is_plain(by_name[gap.scenario])]
        for gap in plain or gaps:
            worse = gap.engine if gap.difference < 0.0 else gap.reference
            outcome = next(item for item in ran if (item.scenario, item.engine) == (gap.scenario, worse))
            kind = _TASK if not plain else _CONTRACT if _does_not_walk(outcome) else _PHYSICS
            measured = [item for item in ours if item.scenario == gap.scenario and item.measure != SUCCESS]
            findings[kind].append(_finding(gap, worse, _telling(measured, outcome) if kind is _PHYSICS else ()))
    return tuple(raised(*kind, found) for kind, found in findings.items() if found)


def _telling(differences: Sequence[EngineDifference], worse: ScenarioOutcome) -> list[EngineDifference]:
    """Return what says most of a gap: the measures whose bounds trials failed, then the largest differences."""
    failed = {trial.reason.split(" ")[0] for trial in worse.outcomes if not trial.success}
    judged = [item for item in differences if item.measure in failed]
    others = [item for item in differences if item.measure not in failed]
    return [*judged, *largest(others, _NAMED)][:_NAMED]


def _does_not_walk(outcome: ScenarioOutcome) -> bool:
    """Whether most trials end before the robot can have walked, or do not get ahead."""
    return sum(_stays(trial.measures) for trial in outcome.outcomes) > outcome.trials / 2


def _stays(measures: Mapping[str, float]) -> bool:
    end_s = min(measures.get(name, math.inf) for name in ("time_to_fall_s", "time_to_stop_s"))
    return end_s < AT_ONCE_S or measures.get("command_share", 1.0) < LEAST_SHARE


def _finding(gap: EngineDifference, worse: str, named: Sequence[EngineDifference]) -> Finding:
    at_home = worse == gap.reference
    better = gap.engine if at_home else gap.reference

    def sides(item: EngineDifference) -> tuple[float, float]:
        return (item.reference_value, item.value) if at_home else (item.value, item.reference_value)

    here, there = sides(gap)
    words = f"success {here:.0%}, in {short_name(better)} {there:.0%}"
    for item in named:
        measure, (here, there) = MEASURES[item.measure], sides(item)
        unit = "" if measure.unit == "-" else f" {measure.unit}"
        words += f"; {measure.label.lower()} {here:.3g}{unit}, there {there:.3g}{unit}"
    nearest = min(abs(gap.low or 0.0), abs(gap.high or 0.0))
    sureness: Sureness = "sure" if nearest * 100.0 > GAP_POINTS else "likely"
    return Finding(scenario=gap.scenario, engine=worse, sureness=sureness, words=words)
