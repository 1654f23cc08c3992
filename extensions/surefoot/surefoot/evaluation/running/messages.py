"""What a process that runs trials is given, asked and answers, each a line of JSON."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field

from surefoot.evaluation.trials.outcome import Searched, TrialOutcome


@dataclass(frozen=True)
class Setup:
    """What a worker runs: one engine, one bundle, one suite.

    Attributes:
        bundle: Folder of the bundle.
        engine: Name of the engine.
        device: Device of PhysX and Newton.
        suite: The suite, as it is written in JSON.
        num_trials: Trials that run side by side at most.
        whole_length: Whether scenarios run for their whole length.
    """

    bundle: str
    engine: str
    device: str
    suite: dict
    num_trials: int
    whole_length: bool


@dataclass(frozen=True)
class Request:
    """What to run: trials of a scenario; the folder for what is recorded, empty for none."""

    scenario: str
    numbers: list[int]
    recordings: str = ""


@dataclass(frozen=True)
class Answer:
    """What came of a request.

    Attributes:
        found: Of each trial, and of the search that they belong to.
        seconds: How long it took [s].
        spent_s: Where it went, by the names of :class:`~surefoot.evaluation.running.timing.TimeSpent` [s].
        error: Why it could not run; empty where it did.
    """

    found: Searched = field(default_factory=lambda: Searched(outcomes=()))
    seconds: float = 0.0
    spent_s: dict[str, float] = field(default_factory=dict)
    error: str = ""

    @property
    def outcomes(self) -> tuple[TrialOutcome, ...]:
        """Of each trial."""
        return self.found.outcomes

    def to_json(self) -> str:
        """Return it as one line."""
        return json.dumps(asdict(self))

    @classmethod
    def from_json(cls, line: str) -> Answer:
        """Read it from a line."""
        data = json.loads(line)
        return cls(**{**data, "found": Searched.from_plain(data["found"])})
