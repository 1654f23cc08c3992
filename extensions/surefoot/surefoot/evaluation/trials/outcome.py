"""What came of trials: of each one, and of a scenario in an engine."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Self


@dataclass(frozen=True, kw_only=True)
class TrialOutcome:
    """What came of one trial.

    Attributes:
        number: Its number in the scenario.
        seed: Its seed.
        success: Whether every condition of the scenario held.
        reason: Why not, in a few words that are the same for the same cause (``fell``, ``rms_vx_error above 0.25``);
            empty for a success.
        measures: Measures by name, as :data:`~surefoot.evaluation.measure_catalogue.MEASURES` declares them; what has
            nothing to be measured on (the recovery time of a robot that nobody pushed) is left out.
        interventions: How many times each rule of the safety layer began to act, by its name; rules that never did are
            left out. ``safety_interventions`` is their sum.
    """

    number: int
    seed: int
    success: bool
    reason: str
    measures: dict[str, float] = field(default_factory=dict)
    interventions: dict[str, int] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class Tried:
    """A level of the ground that a search tried.

    Attributes:
        size: What the searched field of the terrain was.
        friction: Of the feet; None in a search at the scenario's own.
        successes: Trials that reached the target.
        trials: Trials that ran.
    """

    size: float
    friction: float | None
    successes: int
    trials: int


@dataclass(frozen=True, kw_only=True)
class Grade:
    """How well a policy does on a kind of ground at a friction.

    Attributes:
        friction: Of the feet.
        level: Highest level that it masters, 0 for none; None of ground without levels.
        quality: Quality of its walking there, from 0 to 1; None where it masters no level.
        figure: Both in one, from 0 to 1.
    """

    friction: float
    level: int | None
    quality: float | None
    figure: float


@dataclass(frozen=True, kw_only=True)
class Searched:
    """What came of trials in an engine, and of the search that they belong to, if any.

    Attributes:
        outcomes: The trials; of a search those on the highest level that is mastered, or else on the lowest.
        tried: Levels that a search tried, by friction and size.
        grades: Grades by friction, of a grading.
        half_at: Size at which success falls to one half, of a search for it; None where it is beyond the levels.
        notes: What a reader must know of the search.
    """

    outcomes: tuple[TrialOutcome, ...]
    tried: tuple[Tried, ...] = ()
    grades: tuple[Grade, ...] = ()
    half_at: float | None = None
    notes: tuple[str, ...] = ()

    @classmethod
    def from_plain(cls, data: dict[str, Any]) -> Self:
        """Return what ``dataclasses.asdict`` made plain, also after a way through JSON."""
        return cls(
            outcomes=tuple(TrialOutcome(**item) for item in data["outcomes"]),
            tried=tuple(Tried(**item) for item in data["tried"]),
            grades=tuple(Grade(**item) for item in data["grades"]),
            half_at=data["half_at"],
            notes=tuple(data["notes"]),
        )


@dataclass(frozen=True, kw_only=True)
class ScenarioOutcome:
    """What came of a scenario in an engine.

    Attributes:
        scenario: Name of the scenario.
        engine: Name of the engine.
        threshold: What the lower bound of the success rate must reach.
        planned: Trials that were planned.
        outcomes: Trials that ran, by number.
        stopped_early: Whether the verdict was certain before all planned trials had run.
        length_s: Length of the trials where it is not the scenario's own [s], as in slow engines; None where it is.
        notes: What a reader must know (``60 s of 600 s, heat extrapolated``).
        error: Why the scenario could not run; empty where it did.
        tried: Levels that its search tried; see :class:`Searched`.
        grades: Its grades by friction.
        half_at: Size at which success falls to one half.
    """

    scenario: str
    engine: str
    threshold: float
    planned: int
    outcomes: tuple[TrialOutcome, ...]
    stopped_early: bool = False
    length_s: float | None = None
    notes: tuple[str, ...] = ()
    error: str = ""
    tried: tuple[Tried, ...] = ()
    grades: tuple[Grade, ...] = ()
    half_at: float | None = None

    @property
    def is_search(self) -> bool:
        """Whether it came of a search over levels, so that its successes say nothing by themselves."""
        return bool(self.tried or self.grades)

    @property
    def figure(self) -> float | None:
        """Mean of its grades' figures; None of what is not graded."""
        return sum(grade.figure for grade in self.grades) / len(self.grades) if self.grades else None

    @property
    def trials(self) -> int:
        """Number of trials that ran."""
        return len(self.outcomes)

    @property
    def successes(self) -> int:
        """Number of those that succeeded."""
        return sum(outcome.success for outcome in self.outcomes)
