"""A task with randomization on and off, as it trains: in one process for each core of a CPU."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict
from typing import Any

from surefoot.learning.worker_processes import default_processes
from surefoot_devtools.benchmarking.suite import run_worker
from surefoot_devtools.benchmarking.worker import Measurement, Request

PRESETS = ("none", "standard")


def compare_presets(
    *, physics: str, device: str, num_envs: int, seconds: float, repeats: int, report: Callable[[str], None]
) -> tuple[dict[str, float], list[dict[str, Any]]]:
    """Measure steps without randomization and with the standard preset, in turn, best of ``repeats``.

    Returns:
        Figures (``standard_vs_none``, the ratio of their rates, and kin) and one row per measurement.
    """
    best: dict[str, Measurement] = {}
    rows: list[dict[str, Any]] = []
    processes = default_processes(device, num_envs)
    for repeat in range(repeats):
        for preset in PRESETS:
            request = Request("step", "ours", physics, device, num_envs, seconds, processes=processes, preset=preset)
            result = run_worker(request)
            rows.append({"repeat": repeat, **asdict(request), **asdict(result)})
            report(f"{num_envs} environments, preset {preset:8s} {result.env_steps_per_s:7.0f} env-steps/s")
            if preset not in best or result.env_steps_per_s > best[preset].env_steps_per_s:
                best[preset] = result
    figures = {f"{preset}_env_steps_per_s_{num_envs}": result.env_steps_per_s for preset, result in best.items()}
    figures["standard_vs_none"] = best["standard"].env_steps_per_s / best["none"].env_steps_per_s
    return figures, rows
