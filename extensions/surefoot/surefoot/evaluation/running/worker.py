"""A process that runs trials in one engine: requests on its standard input, answers on its standard output.

``python -m surefoot.evaluation.running.worker`` reads its :class:`Setup` as the first line, then a :class:`Request` a
line. For each it writes how far it is, now and then, as a number on a line, and then its :class:`Answer`.
"""

from __future__ import annotations

import json
import os
import sys
import time
from dataclasses import asdict
from pathlib import Path
from typing import IO

from surefoot_bridge.errors import SurefootError

from .messages import Answer, Request, Setup

MODULE = "surefoot.evaluation.running.worker"

TELLING_S = 1.0
"""How often a worker says how far it is [s]."""


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
    from surefoot.evaluation.running.trial_runner import TrialRunner

    with TrialRunner(setup) as runner:
        for line in sys.stdin:
            request = Request(**json.loads(line))
            began = time.perf_counter()
            recordings = Path(request.recordings) if request.recordings else None
            try:
                found = runner.find(request.scenario, request.numbers, recordings, _Teller(answers))
            except SurefootError as error:
                _say(answers, Answer(error=str(error)))
                continue
            _say(answers, Answer(found, time.perf_counter() - began, asdict(runner.take_time_spent())))


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
