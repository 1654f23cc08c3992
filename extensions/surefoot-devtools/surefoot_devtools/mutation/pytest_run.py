"""One run of named tests in a process of its own, and what it says of each test."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
import xml.etree.ElementTree as ET
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

LONGEST_LINE = 200
"""Characters of a line of output that are kept."""

PATIENCE_S = 10.0
"""Time that killed processes have to vanish [s]; where nothing collects them, an entry without a process stays."""


@dataclass(frozen=True)
class PytestRun:
    """What a run of pytest ended with.

    Attributes:
        status: Exit status of pytest: 0 all passed, 1 some did not, others it could not run; None when it was stopped.
        seconds: How long the run took [s].
        seconds_of: How long each test took with its fixtures [s], by node id.
        failed: Tests that failed by themselves, and not in a fixture or while they were collected.
        skipped: Tests that did not run.
        output: What it printed.
    """

    status: int | None
    seconds: float
    seconds_of: Mapping[str, float]
    failed: tuple[str, ...]
    skipped: tuple[str, ...]
    output: str

    @property
    def first_line(self) -> str:
        """The first line that says what went wrong; the last one of all where no line is marked so."""
        lines = [line.strip() for line in self.output.splitlines() if line.strip()]
        marked = [line[1:].strip() for line in lines if line.startswith("E ")]
        says = (marked or lines[-1:] or ["nothing was printed"])[0]
        if says.endswith(":"):  # numpy begins its message on the next line
            says = " ".join(marked[:2])
        return says[:LONGEST_LINE]


def run_tests(folder: Path, tests: Sequence[str], environment: Mapping[str, str], *, timeout_s: float) -> PytestRun:
    """Run tests up to the first that fails.

    However the run ends, also by Ctrl-C, no process of it is left.

    Args:
        folder: Top of the tree, from which pytest runs.
        tests: Node ids.
        environment: Environment variables of pytest.
        timeout_s: Time after which it is stopped [s].
    """
    results, log = folder.parent / "results.xml", folder.parent / "output.txt"
    results.unlink(missing_ok=True)
    command = [sys.executable, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", f"--junitxml={results}", *tests]
    began, status = time.monotonic(), None
    with log.open("w") as output:
        process = subprocess.Popen(
            command, cwd=folder, env=environment, stdout=output, stderr=subprocess.STDOUT, start_new_session=True
        )
        try:
            with suppress(subprocess.TimeoutExpired):
                status = process.wait(timeout_s)
        finally:
            _end_group(process)
    cases = ET.parse(results).getroot().findall(".//testcase") if results.exists() else []
    return PytestRun(
        status=status,
        seconds=time.monotonic() - began,
        seconds_of={_node_id(case): float(case.get("time", 0.0)) for case in cases},
        failed=tuple(_node_id(case) for case in cases if case.find("failure") is not None),
        skipped=tuple(_node_id(case) for case in cases if case.find("skipped") is not None),
        output=log.read_text(errors="replace"),
    )


def _end_group(leader: subprocess.Popen[bytes]) -> None:
    """Kill what is left of a process and of all that it started, and see it gone: it may still be writing files."""
    until = time.monotonic() + PATIENCE_S
    with suppress(ProcessLookupError):
        while time.monotonic() < until:
            os.killpg(leader.pid, signal.SIGKILL)
            leader.wait()
            time.sleep(0.02)


def _node_id(case: ET.Element) -> str:
    return f"{case.get('classname', '').replace('.', '/')}.py::{case.get('name')}"
