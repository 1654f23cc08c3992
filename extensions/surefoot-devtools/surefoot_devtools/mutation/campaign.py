"""Planting of faults, one after the other, in a copy of the code whose named tests pass without them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from surefoot_bridge.errors import SurefootError

from .mutant import Mutant
from .pytest_run import PytestRun, run_tests
from .tree import check_imports, environment_of, throw_away_copy

Verdict = Literal["caught", "survived", "error"]
"""``caught``: a named test failed. ``survived``: all passed. ``error``: they could not run, which proves nothing."""

TIMEOUT_S = 3600.0
"""Time after which a run of tests is stopped [s]; on a busy machine the slowest named test takes some minutes."""


@dataclass(frozen=True)
class Outcome:
    """What the named tests said of a planted fault.

    Attributes:
        mutant: The fault.
        verdict: Whether it was caught.
        seconds: How long its tests took [s].
        first_line: First line of what they printed that says what failed.
    """

    mutant: Mutant
    verdict: Verdict
    seconds: float
    first_line: str

    def row(self) -> dict[str, Any]:
        """Return the record for a report."""
        return {
            "fault": self.mutant.fault,
            "title": self.mutant.title,
            "file": self.mutant.file,
            "tests": list(self.mutant.tests),
            "verdict": self.verdict,
            "caught": self.verdict == "caught",
            "seconds": round(self.seconds, 1),
            "first_failing_line": self.first_line,
        }


def run_campaign(
    checkout: Path, mutants: Sequence[Mutant], *, say: Callable[[str], None], timeout_s: float = TIMEOUT_S
) -> list[Outcome]:
    """Plant each fault in a copy of a checkout and run the tests that are to catch it.

    Args:
        checkout: Top of a git checkout, which is only read.
        mutants: The faults.
        say: Takes a line of progress.
        timeout_s: Time after which a run of tests is stopped [s].

    Raises:
        SurefootError: If a fault no longer fits the code, the copy is not what is imported, or a named test does not
            pass on the unmodified copy: what it says of a fault would then mean nothing.
    """
    with throw_away_copy(checkout) as copy:
        for mutant in mutants:
            mutant.check_fits(copy)
        packages = check_imports(copy)
        say(f"A copy of {checkout} is what is imported: {', '.join(packages)}.")
        environment = environment_of(copy)
        tests = list(dict.fromkeys(test for mutant in mutants for test in mutant.tests))
        say(f"Running {len(tests)} named tests on the unmodified copy ...")
        baseline = run_tests(copy, tests, environment, timeout_s=timeout_s)
        _check_baseline(baseline)
        say(f"They pass, in {baseline.seconds:.0f} s. Planting {len(mutants)} faults.")
        expected = [_expected_seconds(mutant, baseline) for mutant in mutants]
        outcomes = []
        for number, mutant in enumerate(mutants, 1):
            with mutant.planted(copy):
                run = run_tests(copy, mutant.tests, environment, timeout_s=timeout_s)
            verdict = judge(run)
            outcomes.append(Outcome(mutant, verdict, run.seconds, run.first_line if verdict != "survived" else ""))
            say(
                f"{number}/{len(mutants)}  fault {mutant.fault:2d}  {verdict:8s} {run.seconds:5.0f} s  {mutant.title}; "
                f"about {sum(expected[number:]):.0f} s left"
            )
    return outcomes


def judge(run: PytestRun) -> Verdict:
    """Say what a run of its named tests means for a fault."""
    if run.status == 0:
        return "survived"
    return "caught" if run.status == 1 and run.failed else "error"


def figures(outcomes: Sequence[Outcome]) -> dict[str, int]:
    """Count the faults that were planted and those that were caught."""
    return {
        "planted": len(outcomes),
        "caught": sum(outcome.verdict == "caught" for outcome in outcomes),
        "faults": len({outcome.mutant.fault for outcome in outcomes}),
    }


def table(outcomes: Sequence[Outcome]) -> str:
    """Return one line for each fault, and under it what its tests said where it was not caught."""
    lines = ["fault  verdict   seconds  what was planted, and the test that is to fail"]
    for outcome in outcomes:
        mutant = outcome.mutant
        lines.append(f"{mutant.fault:5d}  {outcome.verdict:8s}  {outcome.seconds:7.0f}  {mutant.title}")
        lines += [f"{'':26s}{test}" for test in mutant.tests]
        if outcome.verdict == "error":
            lines.append(f"{'':26s}{outcome.first_line}")
    return "\n".join(lines)


def _check_baseline(baseline: PytestRun) -> None:
    if baseline.status != 0:
        raise SurefootError(
            "The named tests do not all pass on the unmodified copy, so that nothing can be said of faults. Mend them "
            f"first:\n{baseline.output.strip()[-3000:]}"
        )
    if baseline.skipped:
        raise SurefootError(f"Named tests are skipped here: {', '.join(baseline.skipped)}. Name others for the faults.")


def _expected_seconds(mutant: Mutant, baseline: PytestRun) -> float:
    """Guess how long a fault's tests will take [s]: the start of Python, and what they took without the fault."""
    start = baseline.seconds - sum(baseline.seconds_of.values())
    return start + sum(
        seconds
        for test, seconds in baseline.seconds_of.items()
        if test in mutant.tests or test.split("[")[0] in mutant.tests
    )
