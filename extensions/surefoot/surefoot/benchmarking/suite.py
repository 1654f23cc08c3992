"""Pairs of measurements, ours and stock in turn, and their ratios."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import asdict
from typing import Literal

from surefoot.benchmarking.worker import Measurement, Request
from surefoot_bridge.errors import SurefootError


def run_worker(request: Request) -> Measurement:
    """Measure in a process of its own.

    Raises:
        SurefootError: If the process fails; the message ends with the last lines that it printed.
    """
    process = subprocess.run(
        [sys.executable, "-m", "surefoot.benchmarking.worker"],
        input=json.dumps(asdict(request)),
        capture_output=True,
        text=True,
        check=False,
    )
    lines = process.stdout.strip().splitlines()
    if process.returncode != 0 or not lines:
        tail = "\n".join(process.stderr.strip().splitlines()[-15:])
        raise SurefootError(f"The measurement {request} failed with exit code {process.returncode}:\n{tail}")
    return Measurement(**json.loads(lines[-1]))


def compare(
    kind: Literal["step", "train"],
    *,
    physics: str,
    device: str,
    num_envs: Sequence[int],
    seconds: float,
    repeats: int,
    report: Callable[[str], None],
) -> tuple[dict[str, float], list[dict[str, object]]]:
    """Measure ours against stock for each number of environments, alternating, best of ``repeats``.

    The best of several short runs is what the code can do when nothing else runs; alternation spreads what does run
    over both.

    Returns:
        Figures (``ratio_vs_stock_<num_envs>`` and kin) and one row per measurement.
    """
    figures: dict[str, float] = {}
    rows: list[dict[str, object]] = []
    for count in num_envs:
        best: dict[str, Measurement] = {}
        for repeat in range(repeats):
            for task in ("stock", "ours"):
                request = Request(kind=kind, task=task, physics=physics, device=device, num_envs=count, seconds=seconds)
                result = run_worker(request)
                rows.append({"num_envs": count, "task": task, "repeat": repeat, **asdict(result)})
                report(
                    f"{count:6d} environments  {task:5s}  {result.env_steps_per_s:9.0f} env-steps/s  "
                    f"physics {100 * result.physics_share:3.0f} %  {result.peak_memory_mb:6.0f} MB  "
                    f"start-up {result.startup_s:5.1f} s"
                )
                if task not in best or result.env_steps_per_s > best[task].env_steps_per_s:
                    best[task] = result
        for task, result in best.items():
            figures[f"{task}_env_steps_per_s_{count}"] = result.env_steps_per_s
            figures[f"{task}_physics_share_{count}"] = result.physics_share
            figures[f"{task}_peak_memory_mb_{count}"] = result.peak_memory_mb
            figures[f"{task}_startup_s_{count}"] = result.startup_s
        figures[f"ratio_vs_stock_{count}"] = best["ours"].env_steps_per_s / best["stock"].env_steps_per_s
        report(f"{count:6d} environments  ratio {figures[f'ratio_vs_stock_{count}']:.2f}")
    return figures, rows
