"""Cost of the bridge: each bundle with each runtime, tick by tick, and a long run against the emulator."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from surefoot_devtools.benchmarking.bridge_endurance import run_against_emulator
from surefoot_devtools.benchmarking.bridge_ticks import MODULE, TickMeasurement, TickRequest
from surefoot_devtools.benchmarking.suite import run_module

RUNTIMES = ("numpy", "onnx", "torchscript")

LIMITS_US = {"unitree_go2": 200.0, "unitree_g1": 300.0}
"""Longest median of a tick in which the policy is asked that is aimed at, by robot [us]."""

INFER_LIMIT_US = 50.0
"""Longest median of the inference in it [us]."""

MEMORY_GROWTH_MB = 1.0
"""Largest growth of the process in a long run that counts as flat [MB]."""


def measure_bridge(
    bundles: Sequence[Path], *, seconds: float, minutes: float, report: Callable[[str], None]
) -> tuple[dict[str, float], list[dict[str, Any]], bool]:
    """Measure the ticks of the control loop, and how it lasts.

    Args:
        bundles: Bundles of different robots.
        seconds: Length of each run that times ticks [s].
        minutes: Length of the run of the first bundle against the emulator [min]; 0 for none.
        report: Called with each line of the result.

    Returns:
        Figures, one row for each measurement, and whether all holds: the fastest runtime of each robot is within its
        limits, and the long run missed no more deadlines than an idle loop and took no more memory.
    """
    figures: dict[str, float] = {}
    rows: list[dict[str, Any]] = []
    holds = True
    report("robot        runtime      tick with policy: median, p99   infer   without policy: median   [us]")
    for bundle in bundles:
        fastest: dict[str, float] = {}
        robot = ""
        for runtime in RUNTIMES:
            request = TickRequest(str(bundle), runtime, seconds)
            result = TickMeasurement(**run_module(MODULE, request))
            robot, mine = result.robot, result.figures
            rows.append({"runtime": runtime, "seconds": seconds, "bundle": bundle.name, **asdict(result)})
            figures.update({f"{robot}_{runtime}_{name}": value for name, value in mine.items()})
            if not fastest or mine["control_tick_us_median"] < fastest["control_tick_us_median"]:
                fastest = mine
            report(
                f"{robot:12s} {runtime:12s} {mine['control_tick_us_median']:16.0f} {mine['control_tick_us_p99']:10.0f} "
                f"{mine['infer_us_median']:11.0f} {mine['tick_us_median']:16.0f}"
            )
        within = fastest["control_tick_us_median"] < LIMITS_US[robot] and fastest["infer_us_median"] < INFER_LIMIT_US
        report(f"{robot}: below {LIMITS_US[robot]:.0f} us, inference below {INFER_LIMIT_US:.0f}: {within}")
        holds = holds and within
    if minutes > 0.0:
        long, notes = run_against_emulator(bundles[0], runtime=RUNTIMES[0], seconds=60.0 * minutes)
        figures.update(long)
        for name in ("ticks", "deadlines_missed", "ticks_left_out", "lateness_us_p99", "lateness_us_largest"):
            report(f"{minutes:g} min, {name}: {long[f'bridge_{name}']:.0f}, idle loop {long[f'idle_{name}']:.0f}")
        report(f"memory {long['bridge_memory_mb']:.1f} MB, grown by {long['bridge_memory_growth_mb']:.2f} MB")
        for note in notes:
            report(f"  {note}")
        holds = holds and long["bridge_deadlines_missed"] <= long["idle_deadlines_missed"]
        holds = holds and long["bridge_memory_growth_mb"] <= MEMORY_GROWTH_MB
    return figures, rows, holds
