"""Runs the searches of a scenario over levels of its ground: a grading, or the search for one half."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple, Protocol

import numpy as np

from surefoot.evaluation.measures.quality import SAMPLE_S, QualityMeasures, figure, worst_half
from surefoot.evaluation.scenarios.grading import Grading, Levels
from surefoot.evaluation.scenarios.ground import on_level
from surefoot.evaluation.scenarios.scenario import Scenario
from surefoot.evaluation.trials.batch import TrialBatch
from surefoot.evaluation.trials.level_search import LevelSearch
from surefoot.evaluation.trials.outcome import Grade, Searched, TrialOutcome, Tried

MOVE_S, STAND_S, DIAGONAL_S = 5.0, 2.0, 3.0
"""How long a robot goes one way along an axis, stands then, and goes one way along a diagonal [s]."""

_SINGLE = 6  # ways along an axis
_DIAGONAL = 8


class BatchRunner(Protocol):
    """Runs trials of a scenario on one ground.

    Attributes:
        most: How many run side by side at most.
        period_s: Control period [s].
    """

    most: int
    period_s: float

    def draw(self, scenario: Scenario, numbers: np.ndarray) -> TrialBatch:
        """Draw trials, (N,) numbers."""
        ...

    def run(
        self, batch: TrialBatch, on_progress: Callable[[float], None]
    ) -> tuple[tuple[TrialOutcome, ...], QualityMeasures | None]:
        """Run at most :attr:`most` of them; the quality is None where the batch names no full speed."""
        ...


@dataclass
class _Share:
    """Tells how far the whole is, as if it had so many batches of one length; further ones show no progress."""

    tell: Callable[[float], None]
    parts: int
    over: int = 0

    def __call__(self, share: float) -> None:
        self.tell(min((self.over + share) / self.parts, 1.0))


def search_half(
    runner: BatchRunner, scenario: Scenario, levels: Levels, on_progress: Callable[[float], None]
) -> Searched:
    """Search for the size at which success falls to one half; between two levels it is on the line through both."""
    search, numbers = LevelSearch(len(levels.sizes)), np.arange(scenario.trials)
    share = _Share(on_progress, search.rounds)
    ran: dict[int, tuple[TrialOutcome, ...]] = {}
    while not search.done:
        level = int(search.levels[0])
        ran[level] = _run(runner, on_level(scenario, level), numbers, None, share)
        search.tell([_successes(ran[level]) >= 0.5 * len(ran[level])])
    highest = int(search.highest[0])
    tried = tuple(
        Tried(size=levels.sizes[level - 1], friction=None, successes=_successes(ran[level]), trials=len(ran[level]))
        for level in sorted(ran)
    )
    half_at, note = _half(levels, ran, highest)
    return Searched(outcomes=ran[max(highest, 1)], tried=tried, half_at=half_at, notes=note)


def grade(runner: BatchRunner, scenario: Scenario, grading: Grading, on_progress: Callable[[float], None]) -> Searched:
    """Search for the highest level that is mastered at each friction, and measure the quality there."""
    frictions, num_levels = grading.frictions, 0 if grading.levels is None else len(grading.levels.sizes)
    search = LevelSearch(num_levels, len(frictions))
    share = _Share(on_progress, 2 * search.rounds + len(frictions))
    ran = _search_levels(runner, scenario, grading, search, share)
    highest: list[int | None] = [None if grading.levels is None else int(level) for level in search.highest]
    tracked: dict[int, _Tracked] = {}
    for level in dict.fromkeys(level for level in highest if level != 0):
        mine = [index for index, found in enumerate(highest) if found == level]
        tracked |= _track(runner, on_level(scenario, level or 1), grading, mine, share)
    grades, shown = [], []
    for index, level in enumerate(highest):
        quality = tracked[index].quality if index in tracked else None
        value = figure(level, num_levels, quality or 0.0)
        grades.append(Grade(friction=frictions[index], level=level, quality=quality, figure=value))
        shown += tracked[index].outcomes if level is None else ran[index, level or 1]
    tried = [
        Tried(
            size=grading.levels.sizes[level - 1],
            friction=frictions[index],
            successes=_successes(outcomes),
            trials=len(outcomes),
        )
        for (index, level), outcomes in sorted(ran.items())
        if grading.levels is not None
    ]
    return Searched(outcomes=tuple(shown), tried=tuple(tried), grades=tuple(grades))


def _search_levels(
    runner: BatchRunner, scenario: Scenario, grading: Grading, search: LevelSearch, share: _Share
) -> dict[tuple[int, int], tuple[TrialOutcome, ...]]:
    """Search at all frictions at once, and return the trials by the friction's place in the grading and the level."""
    frictions, each = np.array(grading.frictions), grading.trials
    ran: dict[tuple[int, int], tuple[TrialOutcome, ...]] = {}
    while not search.done:
        wanted, mastered = search.levels, np.zeros(len(frictions), dtype=bool)
        for level in np.unique(wanted[wanted > 0]).tolist():
            mine = np.flatnonzero(wanted == level)
            numbers = (mine[:, None] * each + np.arange(each)).ravel()
            outcomes = _run(runner, on_level(scenario, level), numbers, frictions[numbers // each], share)
            for place, index in enumerate(mine.tolist()):
                ran[index, level] = outcomes[place * each : (place + 1) * each]
                mastered[index] = _successes(ran[index, level]) >= grading.passes
        search.tell(mastered)
    return ran


def tracking_commands(velocity: tuple[float, float, float], period_s: float) -> np.ndarray:
    """Return what is asked to measure the quality: six ways along the axes and eight diagonals, (num_steps, 14, 3).

    Args:
        velocity: Full speed forward and sideways [m/s], and of turning [rad/s].
        period_s: Control period [s].
    """
    forward, aside, _ = velocity
    steps = round((MOVE_S + STAND_S) / period_s)
    commands = np.zeros((steps, _SINGLE + _DIAGONAL, 3))
    ways = [sign * axis for axis in np.diag(velocity) for sign in (-1.0, 1.0)]
    commands[: round(MOVE_S / period_s), :_SINGLE] = np.array(ways) + 0.0  # no zero is negative
    diagonals = [(x, y, 0.0) for x in (-forward, forward, 0.0) for y in (-aside, aside, 0.0) if x or y]
    turned = round(DIAGONAL_S / period_s)
    commands[:turned, _SINGLE:] = np.array(diagonals)
    commands[turned : 2 * turned, _SINGLE:] = -np.array(diagonals)
    return commands


class _Tracked(NamedTuple):
    """Quality at a friction, and the trials that it was measured on."""

    quality: float
    outcomes: tuple[TrialOutcome, ...]


def _track(
    runner: BatchRunner, scenario: Scenario, grading: Grading, mine: Sequence[int], share: _Share
) -> dict[int, _Tracked]:
    """Measure the quality at some frictions, by their places in the grading."""
    tracking, ways = grading.tracking, grading.tracking.WAYS
    tracked = scenario.model_copy(
        update={"name": f"{scenario.name}_tracking", "target": None, "length_s": MOVE_S + STAND_S}
    )
    each = tracking.trials * ways
    numbers = (np.array(mine)[:, None] * each + np.arange(each)).ravel()
    commands = tracking_commands(tracking.velocity, runner.period_s)
    num_samples = round((MOVE_S + STAND_S) / SAMPLE_S)
    samples = np.zeros((num_samples, len(numbers)))  # 0 of what was not reached because all of a batch had ended
    outcomes: list[TrialOutcome] = []
    for first in range(0, len(numbers), runner.most):
        part = numbers[first : first + runner.most]
        batch = _at_frictions(runner.draw(tracked, part), np.array(grading.frictions)[part // each])
        asked = replace(batch, commands=commands[:, part % ways], full_speed=tracking.velocity)
        ran, measured = runner.run(asked, share)
        share.over += 1
        assert measured is not None
        found = measured.samples
        samples[: len(found), first : first + len(part)] = found
        outcomes += ran
    by_time = samples.reshape(num_samples, len(mine), tracking.trials, ways)
    in_diagonal = round(2 * DIAGONAL_S / SAMPLE_S)
    return {
        index: _Tracked(
            float(np.mean([_quality(by_time[:, place, time], in_diagonal) for time in range(tracking.trials)])),
            tuple(outcomes[place * each : (place + 1) * each]),
        )
        for place, index in enumerate(mine)
    }


def _quality(samples: np.ndarray, in_diagonal: int) -> float:
    """Return the quality of all ways once, (num_samples, 14): the mean of RoboGauge's two goals."""
    return 0.5 * (worst_half(samples[:, :_SINGLE]) + worst_half(samples[:in_diagonal, _SINGLE:]))


def _run(
    runner: BatchRunner, scenario: Scenario, numbers: np.ndarray, frictions: np.ndarray | None, share: _Share
) -> tuple[TrialOutcome, ...]:
    outcomes: list[TrialOutcome] = []
    for first in range(0, len(numbers), runner.most):
        part = slice(first, first + runner.most)
        batch = runner.draw(scenario, numbers[part])
        ran, _ = runner.run(batch if frictions is None else _at_frictions(batch, frictions[part]), share)
        share.over += 1
        outcomes += ran
    return tuple(outcomes)


def _at_frictions(batch: TrialBatch, frictions: np.ndarray) -> TrialBatch:
    return replace(batch, variation=type(batch.variation)(**{**vars(batch.variation), "friction": frictions}))


def _successes(outcomes: Sequence[TrialOutcome]) -> int:
    return sum(outcome.success for outcome in outcomes)


def _half(
    levels: Levels, ran: dict[int, tuple[TrialOutcome, ...]], highest: int
) -> tuple[float | None, tuple[str, ...]]:
    """Return where the line through the shares of two neighbouring levels is at one half, or why it is nowhere."""
    if highest == 0:
        return None, (f"Fewer than half succeed at {levels.sizes[0]:g} already, the least {levels.field} tried.",)
    if highest == len(levels.sizes):
        return None, (f"Half or more succeed at {levels.sizes[-1]:g}, the most {levels.field} tried.",)
    shares = [_successes(ran[level]) / len(ran[level]) for level in (highest, highest + 1)]
    low, high = levels.sizes[highest - 1 : highest + 1]
    return low + (high - low) * (shares[0] - 0.5) / (shares[0] - shares[1]), ()
