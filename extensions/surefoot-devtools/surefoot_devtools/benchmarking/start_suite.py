"""How long both programs take until they show their help or refuse a mistake, beside a Python that does nothing."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

from surefoot.cli import COMMANDS
from surefoot_bridge.command_line import COMMANDS as BRIDGE_COMMANDS
from surefoot_devtools.bad_inputs import ROOT, bare_seconds, processor_seconds, tables, try_inputs

LONGEST_ABOVE_S = 0.3
"""Processor time that a help, or a refusal of what is typed, may take above that of a Python that does nothing [s]."""

LONGEST_READING_ABOVE_S = 0.6
"""And one of what is typed or of a file that it names [s]: a bundle, a suite or a run is read for it, which loads NumPy
and the models of what it holds."""

REPEATS = 3
"""Times that each is tried; the quickest counts."""


def measure_start(report: Callable[[str], None]) -> tuple[dict[str, float], list[dict[str, Any]], bool]:
    """Measure every help, and every refusal that needs no engine.

    Returns:
        Figures, a row for each, and whether all were quick enough.
    """
    bare_s = bare_seconds()
    helps = [
        (module, words)
        for module, commands in (("surefoot.cli", COMMANDS), ("surefoot_bridge.command_line", BRIDGE_COMMANDS))
        for words in (["--help"], *([name, "--help"] for name in commands))
    ]
    seconds: dict[str, list[float]] = {}
    reading: set[str] = set()
    for number in range(REPEATS):
        report(f"pass {number + 1} of {REPEATS}")
        for module, words in helps:
            taken = processor_seconds([sys.executable, "-P", "-m", module, *words], ROOT)
            seconds.setdefault(f"{module.partition('.')[0].replace('_', '-')} {' '.join(words)}", []).append(taken)
        for row in (row for table in tables() for row in try_inputs(table)):
            if not row["engine"]:
                seconds.setdefault(row["input"], []).append(row["seconds"])
                if row["reads"]:
                    reading.add(row["input"])
    above = sorted(((min(taken) - bare_s, name) for name, taken in seconds.items()), reverse=True)
    for excess, name in above[:10]:
        report(f"{excess:6.3f} s above  {name}")
    refusals = [(excess, name) for excess, name in above if not name.endswith("--help")]
    figures = {
        "python_that_does_nothing_s": bare_s,
        "slowest_help_above_s": max(excess for excess, name in above if name.endswith("--help")),
        "slowest_refusal_above_s": max(excess for excess, name in refusals if name not in reading),
        "slowest_refusal_that_reads_above_s": max(excess for excess, name in refusals if name in reading),
        "median_refusal_above_s": refusals[len(refusals) // 2][0],
        "measured": len(above),
        f"within_{LONGEST_ABOVE_S:g}_s": sum(excess <= LONGEST_ABOVE_S for excess, _ in above),
    }
    figures["within"] = sum(
        excess <= (LONGEST_READING_ABOVE_S if name in reading else LONGEST_ABOVE_S) for excess, name in above
    )
    rows = [{"typed": name, "reads": name in reading, "above_s": round(excess, 3)} for excess, name in above]
    return figures, rows, figures["within"] == figures["measured"]
