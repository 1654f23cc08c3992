"""What came of trials: of each one, and of a scenario in an engine."""

from __future__ import annotations

from dataclasses import dataclass, field


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

    @property
    def trials(self) -> int:
        """Number of trials that ran."""
        return len(self.outcomes)

    @property
    def successes(self) -> int:
        """Number of those that succeeded."""
        return sum(outcome.success for outcome in self.outcomes)
