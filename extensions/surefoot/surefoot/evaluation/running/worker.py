"""A process that runs trials in one engine: requests on its standard input, answers on its standard output.

``python -m surefoot.evaluation.running.worker`` reads its :class:`Setup` as the first line, then a :class:`Request` a
line. For each it writes how far it is, now and then, as a number on a line, and then its :class:`Answer`.
"""

from __future__ import annotations

import json
import os
import sys
import time
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import IO

from surefoot.evaluation.trials.outcome import TrialOutcome
from surefoot_bridge.errors import SurefootError

MODULE = "surefoot.evaluation.running.worker"

TELLING_S = 1.0
"""How often a worker says how far it is [s]."""


@dataclass(frozen=True)
class Setup:
    """What a worker is for.

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
        outcomes: Of each trial.
        seconds: How long it took [s].
        spent_s: Where it went, by the names of :class:`~surefoot.evaluation.running.timing.TimeSpent` [s].
        error: Why it could not run; empty where it did.
    """

    outcomes: tuple[TrialOutcome, ...] = ()
    seconds: float = 0.0
    spent_s: dict[str, float] = field(default_factory=dict)
    error: str = ""

    def to_json(self) -> str:
        """Return it as one line."""
        return json.dumps(asdict(self))

    @classmethod
    def from_json(cls, line: str) -> Answer:
        """Read it from a line."""
        data = json.loads(line)
        return cls(**{**data, "outcomes": tuple(TrialOutcome(**item) for item in data["outcomes"])})


def main() -> None:
    """Serve until the input ends."""
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # engines and libraries print there
    setup = Setup(**json.loads(sys.stdin.readline()))
    try:
        _serve(setup, answers)
    except SurefootError as error:  # the engine does not start: every request is told so
        for _ in sys.stdin:
            _say(answers, Answer(error=str(error)))


def _serve(setup: Setup, answers: IO[str]) -> None:
    from surefoot.evaluation.running.trial_runner import ChunkRunner

    with ChunkRunner(setup) as runner:
        for line in sys.stdin:
            request = Request(**json.loads(line))
            began = time.perf_counter()
            recordings = Path(request.recordings) if request.recordings else None
            try:
                outcomes = runner.run(request.scenario, request.numbers, recordings, _Teller(answers))
            except SurefootError as error:
                _say(answers, Answer(error=str(error)))
                continue
            _say(answers, Answer(outcomes, time.perf_counter() - began, asdict(runner.take_time_spent())))


class _Teller:
    """Writes how far a request is, but not too often."""

    def __init__(self, answers: IO[str]) -> None:
        self._answers, self._told_s = answers, time.monotonic()

    def __call__(self, share: float) -> None:
        now_s = time.monotonic()
        if now_s - self._told_s >= TELLING_S:
            self._told_s = now_s
            self._answers.write(f"{share:.4f}\n")
            self._answers.flush()


def _say(answers: IO[str], answer: Answer) -> None:
    answers.write(answer.to_json() + "\n")
    answers.flush()


if __name__ == "__main__":
    main()
