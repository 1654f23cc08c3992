"""A long run of the bridge against the emulator over DDS, with a loop beside it that does nothing.

``python -m surefoot_devtools.benchmarking.bridge_endurance`` is one of the two loops in a process of its own. The idle
one says how punctual any loop can be on this machine in these minutes.
"""

from __future__ import annotations

import subprocess
import sys
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Literal

from surefoot_bridge.bundle import load_bundle
from surefoot_bridge.clock import MonotonicClock
from surefoot_bridge.errors import SurefootError
from surefoot_bridge.realtime import realtime
from surefoot_bridge.runtime.jitter import Jitter, JitterCounter
from surefoot_devtools.benchmarking.bridge_ticks import walking_operator
from surefoot_devtools.benchmarking.suite import run_module
from surefoot_devtools.benchmarking.worker import serve

MODULE = "surefoot_devtools.benchmarking.bridge_endurance"

DOMAIN = 77
"""DDS domain of the emulated robot: not that of real ones."""

_SETTLED_SHARE = 0.2
"""Share of a run after which memory must grow no more: by then every buffer has its size."""

_MOST_NOTES = 20


@dataclass(frozen=True)
class EnduranceRequest:
    """Which loop, and for how long."""

    loop: Literal["bridge", "idle"]
    bundle: str
    runtime: str
    seconds: float


@dataclass(frozen=True)
class EnduranceMeasurement:
    """How a loop did: figures by name, and what a person should know."""

    figures: dict[str, float] = field(default_factory=dict)
    ended_by: str = ""
    notes: list[str] = field(default_factory=list)


def run_against_emulator(bundle: Path, *, runtime: str, seconds: float) -> tuple[dict[str, float], list[str]]:
    """Run both loops at once, the bridge's against an emulated robot.

    Args:
        bundle: Whose robot is emulated.
        runtime: By what its policy is run.
        seconds: How long [s].

    Returns:
        Figures, ``bridge_`` and ``idle_`` before their names, and what a person should know.

    Raises:
        SurefootError: If a process fails.
    """
    from surefoot_bridge.unitree.emulation.emulator import SHORT_NAMES

    robot = load_bundle(bundle, runtime="numpy").contract.robot.name
    short_name = next(short for short, name in SHORT_NAMES.items() if name == robot)
    requests = [EnduranceRequest(loop, str(bundle), runtime, seconds) for loop in ("bridge", "idle")]
    with _emulator(short_name), ThreadPoolExecutor(len(requests)) as pool:
        results = [EnduranceMeasurement(**found) for found in pool.map(lambda one: run_module(MODULE, one), requests)]
    figures = {
        f"{request.loop}_{name}": value
        for request, result in zip(requests, results, strict=True)
        for name, value in result.figures.items()
    }
    return figures, [results[0].ended_by, *results[0].notes]


@contextmanager
def _emulator(short_name: str) -> Iterator[None]:
    command = "import sys; from surefoot_bridge.command_line import main; sys.exit(main(sys.argv[1:]))"
    process = subprocess.Popen(
        [sys.executable, "-c", command, "emulate", "--robot", short_name, "--domain", str(DOMAIN)],
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        assert process.stdout is not None
        if not process.stdout.readline().startswith("Emulating "):
            raise SurefootError("The emulator did not start; what it said is above.")
        yield
    finally:
        process.terminate()
        process.communicate(timeout=30.0)


def measure(request: EnduranceRequest) -> EnduranceMeasurement:
    """Run one of the loops."""
    return _idle(request) if request.loop == "idle" else _bridge(request)


def _idle(request: EnduranceRequest) -> EnduranceMeasurement:
    """Sleep from tick to tick as the bridge's loop does, as privileged as it is."""
    timing = load_bundle(Path(request.bundle), runtime="numpy").contract.timing
    clock, period_s = MonotonicClock(), 1.0 / timing.low_level_hz
    counter = JitterCounter((), timing.control_period_s)
    with realtime():
        begun_s, tick = clock.now(), 0
        while tick * period_s < request.seconds:
            due_s = begun_s + tick * period_s
            clock.sleep_until(due_s)
            now = clock.now()
            counter.add(now, now - due_s, (), asked_policy=False)
            left_out = int((clock.now() - due_s) / period_s + 1e-6)
            counter.missed += max(left_out - 1, 0)
            tick += max(left_out, 1)
    return EnduranceMeasurement(_figures(counter.result()))


def _bridge(request: EnduranceRequest) -> EnduranceMeasurement:
    from surefoot_bridge.guardian import start_guardian
    from surefoot_bridge.log import open_log
    from surefoot_bridge.runtime import Loop
    from surefoot_bridge.runtime.loop import PHASES
    from surefoot_bridge.safety import StageLimits
    from surefoot_bridge.stages import largest_of
    from surefoot_bridge.unitree import RobotAddress, open_robot

    if request.runtime == "torchscript":
        import torch

        torch.set_num_threads(1)
    bundle = load_bundle(Path(request.bundle), runtime=request.runtime)
    contract, clock = bundle.contract, MonotonicClock()
    address = RobotAddress(contract.robot.name, "lo", DOMAIN)
    robot = open_robot(address, contract, clock=clock, timeout_s=20.0)
    with robot, TemporaryDirectory(prefix="surefoot_") as folder:
        guardian = start_guardian(address, timeout_s=1.0, lock=robot.lock, command=robot.guardian_command())
        robot.take_control()
        feet = robot.num_foot_sensors
        log = open_log(
            folder, contract, bundle=bundle.identity, stage="benchmark", phases=PHASES, num_foot_sensors=feet
        )
        loop = Loop(
            bundle,
            robot,
            walking_operator(bundle, seconds=request.seconds),
            limits=StageLimits(largest_of(contract.command.trained)),
            clock=clock,
            log=log,
            heartbeat=guardian,
            ask_realtime=True,
        )
        with _memory_watched(request.seconds) as resident_mb:
            report = loop.run(request.seconds)
        log.close()
    settled = resident_mb[int(len(resident_mb) * _SETTLED_SHARE) :]
    figures = _figures(report.jitter) | {
        "memory_mb": settled[-1],
        "memory_growth_mb": settled[-1] - settled[0],
        "events": float(report.num_events),
    }
    return EnduranceMeasurement(
        figures, report.ended_by, [*report.notes, *(event.message for event in report.events)][:20]
    )


@contextmanager
def _memory_watched(seconds: float) -> Iterator[list[float]]:
    """Take down the resident memory of this process [MB], a hundred times in the given time."""
    found: list[float] = []
    ended = threading.Event()

    def watch() -> None:
        while not ended.wait(seconds / 100):
            pages = int(Path("/proc/self/statm").read_text().split()[1])
            found.append(pages * 4096 / 1e6)

    thread = threading.Thread(target=watch, daemon=True)
    thread.start()
    try:
        yield found
    finally:
        ended.set()
        thread.join()


def _figures(jitter: Jitter) -> dict[str, float]:
    return {
        "ticks": float(jitter.lateness.count),
        "deadlines_missed": float(jitter.late),
        "ticks_left_out": float(jitter.missed),
        "lateness_us_median": 1e6 * jitter.lateness.median_s,
        "lateness_us_p99": 1e6 * jitter.lateness.p99_s,
        "lateness_us_largest": 1e6 * jitter.lateness.largest_s,
    }


if __name__ == "__main__":
    serve(EnduranceRequest, measure)
