"""What a policy was proven with, and what came of it: what reports, gates and comparisons read."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Self

from pydantic import BaseModel, ConfigDict, Field

from surefoot.evaluation.engines.choice import why_not_scored
from surefoot.evaluation.scenarios.scenario import Suite
from surefoot.evaluation.statistics import Interval, rate_interval, wilson_interval
from surefoot.evaluation.trials.outcome import ScenarioOutcome
from surefoot_bridge.bundle.golden import contract_digest
from surefoot_bridge.contract import Contract, write_contract


class ProvenPolicy(BaseModel):
    """The policy, by what it is and not by where it lies."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    robot: str
    robot_revision: str
    task: str
    trained_in: str
    """Engine that it was trained in."""
    iterations: int
    seed: int
    commit: str
    """Of the code that trained it."""
    weights_sha256: str = Field(pattern="^[0-9a-f]{64}$")
    contract_sha256: str = Field(pattern="^[0-9a-f]{64}$")

    @classmethod
    def of(cls, contract: Contract) -> Self:
        """Say which policy a contract belongs to."""
        training = contract.training
        return cls(
            robot=contract.robot.name,
            robot_revision=contract.robot.revision,
            task=training.task,
            trained_in=training.engine,
            iterations=training.iterations,
            seed=training.seed,
            commit=training.commit,
            weights_sha256=contract.network.weights_sha256,
            contract_sha256=contract_digest(write_contract(contract)),
        )


@dataclass(frozen=True, kw_only=True)
class Evaluation:
    """What a policy was proven with, and what came of it.

    Attributes:
        suite: The scenarios.
        engines: Engines that they were to run in, in the order of reports.
        policy: The policy.
        outcomes: What came of each scenario in each engine, as far as they ran.
        conditions: What else the numbers depend on, in words, by name (limits of the safety layer, device).
        versions: Versions of the packages that the numbers depend on.
    """

    suite: Suite
    engines: tuple[str, ...]
    policy: ProvenPolicy
    outcomes: tuple[ScenarioOutcome, ...]
    conditions: Mapping[str, str] = field(default_factory=dict)
    versions: Mapping[str, str] = field(default_factory=dict)

    def of(self, scenario: str, engine: str) -> ScenarioOutcome | None:
        """Return what came of a scenario in an engine; None if it did not get its turn."""
        found = (item for item in self.outcomes if (item.scenario, item.engine) == (scenario, engine))
        return next(found, None)

    @property
    def judged(self) -> Evaluation:
        """What of it is a matter of success: all but searches over levels."""
        scenarios = tuple(scenario for scenario in self.suite.scenarios if not scenario.is_searched)
        outcomes = tuple(outcome for outcome in self.outcomes if not outcome.is_search)
        return replace(self, suite=self.suite.model_copy(update={"scenarios": scenarios}), outcomes=outcomes)

    @property
    def not_scored(self) -> dict[tuple[str, str], str]:
        """Why scenarios were not to run in engines that cannot run them as they are meant."""
        reasons = {
            (scenario.name, engine): why_not_scored(engine, scenario)
            for scenario in self.suite.scenarios
            for engine in self.engines
        }
        return {cell: reason for cell, reason in reasons.items() if reason}

    @property
    def missing(self) -> tuple[tuple[str, str], ...]:
        """Scenarios and engines that did not get their turn, because the run was ended before."""
        cells = [(scenario.name, engine) for scenario in self.suite.scenarios for engine in self.engines]
        return tuple(cell for cell in cells if self.of(*cell) is None and cell not in self.not_scored)

    @property
    def complete(self) -> bool:
        """Whether every scenario ran in every engine."""
        return not self.missing and not any(outcome.error for outcome in self.outcomes)


def success_interval(outcome: ScenarioOutcome) -> Interval | None:
    """Return the 95 % interval of a success rate; None where no trial ran.

    It is Wilson's, or, where trials stopped once the verdict was certain, what all planned ones could have led to.
    """
    if not outcome.trials:
        return None
    if outcome.stopped_early:
        return rate_interval(outcome.successes, outcome.trials, outcome.planned)
    return wilson_interval(outcome.successes, outcome.trials)
