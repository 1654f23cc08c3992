"""A scenario's section: what it asks, what came of it, and the motion of two of its trials."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from surefoot.evaluation.judging.gate import GateVerdict
from surefoot.evaluation.results.exemplars import MEDIAN, WORST
from surefoot.evaluation.results.result import Evaluation
from surefoot.evaluation.scenarios.scenario import Scenario
from surefoot.evaluation.trials.outcome import ScenarioOutcome
from surefoot.evaluation.trials.recording import Recording
from surefoot_bridge.contract import Contract
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
from .words import THIN, number, title, why


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
    """Return the recordings to be filmed: of each scenario those of the engine in which it did worst."""
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
            keys = [(scenario.name, engine, role) for role in (MEDIAN, WORST)]
            chosen |= {key: recordings[key] for key in keys if key in recordings}
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


def _motors_caption(recordings: list[Recording]) -> str:
    if not recordings:
        return ""
    return (
        f"Motors in {style_of(recordings[0].engine).label}, median and worst trial, sampled once a control step: "
        "darker is more often. Speed counts in the torque's direction, left of zero the motor brakes; the line "
        "is what it can deliver at nominal voltage."
    )
