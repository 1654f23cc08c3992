"""A scenario's section: what it asks, what came of it, and the motion of two of its trials."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from surefoot.evaluation.judging.gate import GateVerdict
from surefoot.evaluation.results.exemplars import MEDIAN, WORST
from surefoot.evaluation.results.result import Evaluation
from surefoot.evaluation.scenarios.robot_fit import trial_limits
from surefoot.evaluation.scenarios.scenario import Scenario
from surefoot.evaluation.trials.outcome import ScenarioOutcome
from surefoot.evaluation.trials.recording import Recording
from surefoot_bridge.contract import Contract
from surefoot_bridge.safety import Response
from surefoot_bridge.safety.rules import safety_rules
from surefoot_robots import get_robot

from .curves import velocity_figures
from .engine_style import style_of
from .figure import Figure, Recordings, of_role
from .film import Drawn, FilmKey, telling_window
from .gait_figure import gait_figure
from .ground_map import ground_figure
from .measure_table import MeasureRow, measure_rows
from .push_polar import push_figure
from .setting import setting
from .torque_speed import torque_speed_figures
from .verdict import Cell, cells
from .words import THIN, counted, number, title, why

_RESPONSES = {
    Response.CLAMP: "It was clamped to its limit, and the robot went on.",
    Response.STOP: "The policy was told to stop.",
    Response.HOLD: "The last targets were held.",
    Response.DAMP: "The robot was damped, which ended the trial.",
    Response.ZERO: "The motors were switched off, which ended the trial.",
}


class Film(NamedTuple):
    """A film and what it shows."""

    url: str
    still: str
    caption: str


@dataclass(frozen=True, kw_only=True)
class ScenarioSection:
    """What a scenario's section is made of."""

    name: str
    title: str
    description: str
    setting: list[tuple[str, str]]
    cells: tuple[Cell, ...]
    interventions: list[str]
    films: list[Film]
    curves: list[Figure]
    curves_caption: str
    worst_curves: list[Figure]
    worst_caption: str
    gaits: list[Figure]
    motors: list[Figure]
    motors_caption: str
    push: Figure | None
    ground: Figure | None
    measures: list[MeasureRow]
    more_measures: list[MeasureRow]


def scenario_section(
    evaluation: Evaluation,
    scenario: Scenario,
    contract: Contract,
    verdict: GateVerdict,
    recordings: Recordings,
    films: Mapping[FilmKey, Drawn],
) -> ScenarioSection:
    """Make the section of a scenario."""
    outcomes = [evaluation.of(scenario.name, engine) for engine in evaluation.engines]
    ran = [outcome for outcome in outcomes if outcome is not None and outcome.trials]
    median = of_role(recordings, scenario.name, evaluation.engines, MEDIAN)
    worst = of_role(recordings, scenario.name, evaluation.engines, WORST)
    measures, more = measure_rows(scenario, outcomes)
    motors = [item for item in (*median, *worst) if median and item.engine == median[0].engine]
    of_search = ", the largest push survived" if scenario.largest_push is not None else ""
    return ScenarioSection(
        name=scenario.name,
        title=title(scenario.name),
        description=scenario.description,
        setting=setting(scenario),
        cells=cells(evaluation, verdict, scenario.name),
        interventions=_interventions(ran, contract),
        films=[
            Film(*films[key], _film_caption(scenario, recordings[key], key[2]))
            for role in (MEDIAN, WORST)
            for key in recordings
            if key in films and (key[0], key[2]) == (scenario.name, role)
        ],
        curves=velocity_figures(median) if median else [],
        curves_caption=f"Median trial{of_search}: {_numbers(median)}.",
        worst_curves=velocity_figures(worst) if worst else [],
        worst_caption=f"Worst trial{of_search}: {_numbers(worst)}.",
        gaits=[figure for item in median if (figure := gait_figure(item, contract)) is not None],
        motors=torque_speed_figures(motors, get_robot(contract.robot.name), contract) if motors else [],
        motors_caption=_motors_caption(motors),
        push=push_figure(evaluation.suite, scenario, ran, contract),
        ground=ground_figure(scenario, ran),
        measures=measures,
        more_measures=more,
    )


def filmed(evaluation: Evaluation, recordings: Recordings) -> dict[FilmKey, Recording]:
    """Return the recordings to be filmed: of each scenario the worst trial, in the engine in which it did worst.

    The median trial as well where it did what the worst failed at; else it shows the same, and drawing takes seconds.
    """
    chosen = {}
    for scenario in evaluation.suite.scenarios:
        ran = [
            outcome
            for engine in evaluation.engines
            if (outcome := evaluation.of(scenario.name, engine)) is not None
            and (scenario.name, engine, WORST) in recordings
        ]
        if ran:
            engine = min(ran, key=_rate).engine
            median, worst = ((scenario.name, engine, role) for role in (MEDIAN, WORST))
            if median in recordings and recordings[median].success and not recordings[worst].success:
                chosen[median] = recordings[median]
            chosen[worst] = recordings[worst]
    return chosen


def _rate(outcome: ScenarioOutcome) -> float:
    return outcome.successes / outcome.trials


def _numbers(recordings: list[Recording]) -> str:
    said = [
        f"{style_of(item.engine).label} {item.number}" + ("" if item.success else f" ({why(item.reason)})")
        for item in recordings
    ]
    return ", ".join(said)


def _film_caption(scenario: Scenario, recording: Recording, role: str) -> str:
    start, stop = telling_window(recording)
    ended = "succeeded" if recording.success else why(recording.reason)
    if scenario.largest_push is not None:
        force = float(np.linalg.norm(recording.push_force_w, axis=1).max())
        ended = f"a push of {number(force)}{THIN}N, {'survived' if recording.success else why(recording.reason)}"
    return (
        f"{role.capitalize()} trial, {style_of(recording.engine).label} {recording.number}: {ended}. "
        f"{number(start, 2)} to{THIN}{number(stop, 2)}{THIN}s"
    )


def _interventions(outcomes: Sequence[ScenarioOutcome], contract: Contract) -> list[str]:
    """Return what the safety layer did in each engine and why, a sentence for each rule, the most frequent first."""
    rules = {rule.name: rule for rule in safety_rules(contract, trial_limits(contract), ())}
    said = []
    for outcome in outcomes:
        acted = sum((Counter(trial.interventions) for trial in outcome.outcomes), Counter[str]())
        for name, times in acted.most_common():
            if name not in rules:  # of another version's safety layer
                continue
            trials = sum(name in trial.interventions for trial in outcome.outcomes)
            said.append(
                f"{style_of(outcome.engine).label}, in {trials} of {counted(outcome.trials, 'trial')}, "
                f"{counted(times, 'time')}: {rules[name].description} {_RESPONSES[rules[name].response]} "
                f"(rule {name})"
            )
    return said


def _motors_caption(recordings: list[Recording]) -> str:
    if not recordings:
        return ""
    return (
        f"Motors in {style_of(recordings[0].engine).label}, median and worst trial, sampled once a control step: "
        "darker is more often. Speed counts in the torque's direction, left of zero the motor brakes; the line "
        "is what it can deliver at nominal voltage."
    )
