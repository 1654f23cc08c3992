"""Runs the searches of a scenario over levels of its ground: a grading, or the search for one half."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np

from surefoot.evaluation.measures.quality import QualityMeasures, figure, worst_half
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
    """Runs trials of a scenario on one ground, as many as there are; quality is that of each, where it is measured."""

    def draw(self, scenario: Scenario, numbers: np.ndarray) -> TrialBatch:
        """Draw trials, (N,) numbers."""
        ...

    def run(
        self, batch: TrialBatch, on_progress: Callable[[float], None]
    ) -> tuple[tuple[TrialOutcome, ...], QualityMeasures | None]:
        """Run them, at most :attr:`most` at once."""
        ...

    most: int
    period_s: float


@dataclass
class _Share:
    """Tells how far the whole is, of which batches are parts of one length each."""

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
        share.over += 1
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
    levels, frictions = grading.levels, np.array(grading.frictions)
    each, tried = grading.trials, []
    highest: list[int | None] = [None] * len(frictions)
    ran: dict[tuple[int, int], tuple[TrialOutcome, ...]] = {}  # by friction and level
    search = LevelSearch(0 if levels is None else len(levels.sizes), len(frictions))
    share = _Share(on_progress, 2 * search.rounds + len(frictions))
    while not search.done:
        wanted, mastered = search.levels, np.zeros(len(frictions), dtype=bool)
        for level in np.unique(wanted[wanted > 0]).tolist():
            mine = np.flatnonzero(wanted == level)
            numbers = (mine[:, None] * each + np.arange(each)).ravel()
            outcomes = _run(runner, on_level(scenario, level), numbers, frictions[numbers // each], share)
            share.over += 1
            for place, index in enumerate(mine.tolist()):
                ran[index, level] = outcomes[place * each : (place + 1) * each]
                mastered[index] = _successes(ran[index, level]) >= grading.passes
        search.tell(mastered)
    if levels is not None:
        highest = [int(level) for level in search.highest]
        tried = [
            Tried(
                size=levels.sizes[level - 1],
                friction=grading.frictions[index],
                successes=_successes(outcomes),
                trials=len(outcomes),
            )
            for (index, level), outcomes in sorted(ran.items())
        ]
    share.parts, share.over = share.over + sum(level != 0 for level in highest) + 1, share.over
    grades, tracked = [], {}
    for level in dict.fromkeys(level for level in highest if level != 0):
        mine = [index for index, found in enumerate(highest) if found == level]
        tracked |= _quality(runner, on_level(scenario, level or 1), grading, mine, share)
    for index, level in enumerate(highest):
        quality = None if level == 0 else tracked[index][0]
        num_levels = 0 if levels is None else len(levels.sizes)
        grades.append(
            Grade(
                friction=grading.frictions[index],
                level=level,
                quality=quality,
                figure=figure(level, num_levels, quality or 0.0),
            )
        )
    shown = [ran[index, level or 1] if levels is not None else tracked[index][1] for index, level in enumerate(highest)]
    return Searched(
        outcomes=tuple(outcome for outcomes in shown for outcome in outcomes), tried=tuple(tried), grades=tuple(grades)
    )


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


def _quality(
    runner: BatchRunner, scenario: Scenario, grading: Grading, mine: Sequence[int], share: _Share
) -> dict[int, tuple[float, tuple[TrialOutcome, ...]]]:
    """Return quality at some frictions, by their places in the grading, and the trials that it was measured on."""
    tracking = grading.tracking
    tracked = scenario.model_copy(
        update={"name": f"{scenario.name}_tracking", "target": None, "length_s": MOVE_S + STAND_S}
    )
    ways, times = _SINGLE + _DIAGONAL, tracking.trials
    numbers = (np.array(mine)[:, None] * (times * ways) + np.arange(times * ways)).ravel()
    samples, outcomes = [], []
    for first in range(0, len(numbers), runner.most):
        part = numbers[first : first + runner.most]
        batch = _at_frictions(runner.draw(tracked, part), np.array(grading.frictions)[part // (times * ways)])
        commands = tracking_commands(tracking.velocity, runner.period_s)[:, part % ways]
        ran, measured = runner.run(replace(batch, commands=commands, full_speed=tracking.velocity), share)
        assert measured is not None
        samples.append(measured.samples)
        outcomes += ran
    share.over += len(mine)
    longest = max(len(part) for part in samples)
    whole = np.concatenate([np.pad(part, ((0, longest - len(part)), (0, 0))) for part in samples], axis=1)
    found = {}
    for place, index in enumerate(mine):
        block = whole[:, place * times * ways : (place + 1) * times * ways]
        parts = []
        for time in range(times):
            once = block[:, time * ways : (time + 1) * ways]
            diagonal = once[: round(len(once) * 2 * DIAGONAL_S / (MOVE_S + STAND_S)), _SINGLE:]
            parts += [worst_half(once[:, :_SINGLE]), worst_half(diagonal)]
        found[index] = float(np.mean(parts)), tuple(outcomes[place * times * ways : (place + 1) * times * ways])
    return found


def _run(
    runner: BatchRunner, scenario: Scenario, numbers: np.ndarray, frictions: np.ndarray | None, share: _Share
) -> tuple[TrialOutcome, ...]:
    outcomes: list[TrialOutcome] = []
    for first in range(0, len(numbers), runner.most):
        part = slice(first, first + runner.most)
        batch = runner.draw(scenario, numbers[part])
        ran, _ = runner.run(batch if frictions is None else _at_frictions(batch, frictions[part]), share)
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
