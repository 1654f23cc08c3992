"""Pairs of measurements, ours and stock in turn, and their ratios."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict
from tempfile import TemporaryDirectory
from typing import Any, Literal

from surefoot.learning.worker_processes import default_processes
from surefoot.processes import PROCESS_DEFAULTS
from surefoot.ranks import rank_variables
from surefoot_bridge.errors import SurefootError
from surefoot_devtools.benchmarking.worker import Measurement, Request


def run_worker(request: Request) -> Measurement:
    """Measure in processes of their own.

    Raises:
        SurefootError: If one fails; the message ends with the last lines that it printed.
    """
    return Measurement(**run_module("surefoot_devtools.benchmarking.worker", request, processes=request.processes))


def run_module(module: str, request: Any, *, processes: int = 1) -> dict[str, Any]:
    """Let processes of their own answer a request, a dataclass; returns what the first one says.

    Raises:
        SurefootError: If one fails; the message ends with the last lines that it printed.
    """
    stock = getattr(request, "task", None) == "stock"
    defaults = {} if stock else PROCESS_DEFAULTS  # stock has what Isaac Lab gives it
    with TemporaryDirectory(prefix="surefoot_") as folder:
        children = [
            subprocess.Popen(
                [sys.executable, "-m", module],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                text=True,
                env={**os.environ, **defaults, **rank_variables(rank, processes, folder)},
            )
            for rank in range(processes)
        ]

        def finish(process: subprocess.Popen[str]) -> tuple[str, str]:
            answer = process.communicate(json.dumps(asdict(request)))
            if process.returncode != 0:
                for other in children:  # they would wait for it
                    other.terminate()
            return answer

        with ThreadPoolExecutor(len(children)) as pool:
            outputs = list(pool.map(finish, children))
    failed = [
        (process.returncode == -signal.SIGTERM, process.returncode, errors)  # those that we ended come last
        for process, (_, errors) in zip(children, outputs, strict=True)
        if process.returncode != 0
    ]
    if failed:
        _, status, errors = min(failed)
        tail = "\n".join(errors.strip().splitlines()[-15:])
        raise SurefootError(f"The measurement {request} failed with exit status {status}:\n{tail}")
    return json.loads(outputs[0][0].strip().splitlines()[-1])


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
    """Measure ours against stock for each number of environments, in turn, best of ``repeats``.

    Returns:
        Figures (``ratio_vs_stock_<num_envs>`` and kin) and one row per measurement.
    """
    figures: dict[str, float] = {}
    rows: list[dict[str, object]] = []
    for count in num_envs:
        common = {"kind": kind, "physics": physics, "device": device, "num_envs": count, "seconds": seconds}
        requests = both_sides(**common)
        best, measured = in_turn(requests, repeats=repeats, report=report)
        rows += measured
        figures |= side_figures(best, count, report)
        figures[f"processes_{count}"] = requests["ours"].processes
    return figures, rows


def both_sides(*, device: str, num_envs: int, **common: Any) -> dict[str, Request]:
    """Return what is measured of stock and of ours.

    Ours is measured as it trains, in one process for each core of a CPU (`default_processes`), and in a single process
    as stock has it.
    """
    common |= {"device": device, "num_envs": num_envs}
    shared = default_processes(device, num_envs)
    requests = {"stock": Request(task="stock", **common), "ours": Request(task="ours", processes=shared, **common)}
    if shared > 1:
        requests["ours_in_one_process"] = Request(task="ours", **common)
    return requests


def in_turn(
    requests: Mapping[str, Request], *, repeats: int, report: Callable[[str], None]
) -> tuple[dict[str, Measurement], list[dict[str, object]]]:
    """Measure several things one after another, several times; the best of each, and one row per measurement.

    The best of several short runs is what the code can do when nothing else runs; turns spread what does run over all.
    """
    best: dict[str, Measurement] = {}
    rows: list[dict[str, object]] = []
    for repeat in range(repeats):
        for name, request in requests.items():
            result = run_worker(request)
            rows.append({"name": name, "repeat": repeat, **asdict(request), **asdict(result)})
            report(
                f"{request.num_envs:6d} environments  {name:19s}  {result.env_steps_per_s:7.0f} env-steps/s  "
                f"physics {100 * result.physics_share:3.0f} %  {result.peak_memory_mb:6.0f} MB  "
                f"start-up {result.startup_s:5.1f} s"
            )
            if name not in best or result.env_steps_per_s > best[name].env_steps_per_s:
                best[name] = result
    return best, rows


def side_figures(best: Mapping[str, Measurement], count: int, report: Callable[[str], None]) -> dict[str, float]:
    """Return the figures of each measurement with ``count`` environments, and ratios to that of stock."""
    figures: dict[str, float] = {}
    for name, result in best.items():
        figures[f"{name}_env_steps_per_s_{count}"] = result.env_steps_per_s
        figures[f"{name}_physics_share_{count}"] = result.physics_share
        figures[f"{name}_peak_memory_mb_{count}"] = result.peak_memory_mb
        figures[f"{name}_startup_s_{count}"] = result.startup_s
    for name in ("ours", "ours_in_one_process"):
        if name in best:
            ratio = best[name].env_steps_per_s / best["stock"].env_steps_per_s
            figures[f"ratio_vs_stock_{count}{name.removeprefix('ours')}"] = ratio
            report(f"{count:6d} environments  {name:19s}  ratio {ratio:.2f}")
    return figures
