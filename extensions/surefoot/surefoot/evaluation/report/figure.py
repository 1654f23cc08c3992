"""A figure of a report, and the motion that figures show."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
from markupsafe import Markup

from surefoot.evaluation.results.exemplars import exemplars
from surefoot.evaluation.results.result import Evaluation
from surefoot.evaluation.trials.outcome import TrialOutcome
from surefoot.evaluation.trials.recording import Recording
from surefoot_bridge.errors import SurefootError
from surefoot_bridge.safety import Response

Recordings = dict[tuple[str, str, str], Recording]
"""By scenario, engine and role."""


class Figure(NamedTuple):
    """A picture and what it shows."""

    picture: Markup
    caption: str


def load_recordings(
    evaluation: Evaluation, folder_of: Callable[[str, str], Path]
) -> tuple[Recordings, tuple[str, ...]]:
    """Read the motions of the trials that a report shows, each up to where its trial was over.

    Args:
        evaluation: The evaluation.
        folder_of: Folder of the recordings of a scenario in an engine.

    Returns:
        The recordings, and why some that are there are not among them, for the reader of the report.
    """
    found: Recordings = {}
    refused = []
    for outcome in evaluation.outcomes:
        for role, number in exemplars(outcome).items():
            path = folder_of(outcome.scenario, outcome.engine) / f"{role}.npz"
            if not path.is_file():
                continue
            try:
                recording = Recording.load(path)
            except SurefootError as error:
                refused.append(str(error))
                continue
            trial = next(trial for trial in outcome.outcomes if trial.number == number)
            if recording.number == number:  # else it was left behind by another run
                found[outcome.scenario, outcome.engine, role] = until_over(recording, trial)
    return found, tuple(refused)


def until_over(recording: Recording, trial: TrialOutcome) -> Recording:
    """Return a motion up to the fall, or to where safety stopped the robot: nothing counts after that.

    Of a search for the largest push, the motion is of the last round, and the measures are of the last that was
    survived: they say nothing of when it fell.
    """
    over = recording.response >= Response.DAMP
    fall_s = trial.measures.get("time_to_fall_s")
    if fall_s is not None and trial.success == recording.success:
        over |= recording.time_s >= fall_s
    if not over.any():
        return recording
    kept = int(np.argmax(over)) + 1
    return dataclasses.replace(recording, **{name: getattr(recording, name)[:kept] for name in recording.arrays()})


def period_s(recording: Recording) -> float:
    """Return the time between two rows of a recording [s]; of one with a single row, that row's time."""
    return float(recording.time_s[1] - recording.time_s[0]) if recording.num_steps > 1 else float(recording.time_s[0])


def moving(command: np.ndarray) -> np.ndarray:
    """Return whether commands (T, 3) ask a robot to step, (T,)."""
    from surefoot.evaluation.measure_catalogue import MOVING_SPEED, MOVING_YAW_RATE

    return (np.hypot(command[:, 0], command[:, 1]) > MOVING_SPEED) | (np.abs(command[:, 2]) > MOVING_YAW_RATE)


def of_role(recordings: Recordings, scenario: str, engines: Sequence[str], role: str) -> list[Recording]:
    """Return the recordings of a role in a scenario, an engine after the other."""
    return [recordings[key] for engine in engines if (key := (scenario, engine, role)) in recordings]
