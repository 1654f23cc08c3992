"""Cost of verifying a bundle in MuJoCo: how long a suite takes, where the time goes, and what more processes bring."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from surefoot.evaluation.running.progress import Tally
from surefoot.evaluation.running.request import VerifyRequest
from surefoot.evaluation.running.verification import verify
from surefoot_bridge.errors import SurefootError

LIMITS_S = {"quick": 60.0, "standard": 1200.0}
"""Longest time of a suite on two processors that is aimed at [s]."""


def measure_verify(
    bundle: Path, suites: tuple[str, ...], *, report: Callable[[str], None]
) -> tuple[dict[str, float], list[dict[str, Any]], bool]:
    """Run suites in MuJoCo, without pages, with all processors; the quick one with fewer, too.

    Args:
        bundle: Folder of the bundle.
        suites: Names of the suites.
        report: Called with each line of the result.

    Returns:
        Figures, one row for each run, and whether each suite is within its limit.

    Raises:
        SurefootError: If a scenario could not run.
    """
    cores = os.cpu_count() or 1
    figures: dict[str, float] = {"processors": float(cores)}
    rows: list[dict[str, Any]] = []
    report("suite        processes   seconds   trials/s   physics  controller  measures  other")
    for suite in suites:
        counts = sorted({1, cores}) if suite == "quick" else [cores]
        for processes in counts:
            seconds, tally = _run(bundle, suite, processes)
            spent = sum(tally.spent_s.values())
            shares = {name.removesuffix("_s"): value / spent for name, value in tally.spent_s.items()}
            rate = tally.trials / seconds
            rows.append(
                {"suite": suite, "processes": processes, "seconds": seconds, "trials": tally.trials, "shares": shares}
            )
            figures[f"{suite}_seconds_{processes}_processes"] = seconds
            figures[f"{suite}_trials_per_s_{processes}_processes"] = rate
            figures.update({f"{suite}_{name}_share_{processes}_processes": value for name, value in shares.items()})
            columns = "  ".join(
                f"{100 * shares.get(name, 0.0):6.0f} %" for name in ("physics", "controller", "measures", "other")
            )
            report(f"{suite:12s} {processes:9d} {seconds:9.1f} {rate:10.1f}  {columns}")
    ok = all(figures[f"{suite}_seconds_{cores}_processes"] <= LIMITS_S.get(suite, float("inf")) for suite in suites)
    return figures, rows, ok


def _run(bundle: Path, suite: str, processes: int) -> tuple[float, Tally]:
    with TemporaryDirectory(prefix="surefoot_") as folder:
        request = VerifyRequest(
            bundle=bundle,
            suite=suite,
            engines="mujoco",
            gate=None,
            folder=Path(folder),
            processes=processes,
            pages=False,
        )
        began = time.perf_counter()
        verified = verify(request)
        seconds = time.perf_counter() - began
    errors = [outcome.error for outcome in verified.evaluation.outcomes if outcome.error]
    if errors or verified.evaluation.missing:
        raise SurefootError(f"The suite {suite} did not run whole: {errors or verified.evaluation.missing}")
    return seconds, verified.tally
