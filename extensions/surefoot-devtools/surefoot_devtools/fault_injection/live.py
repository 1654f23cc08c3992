"""Each kind of fault once in real time, one after the other, and what they say together."""

import os
import signal
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from surefoot_bridge.bundle import load_bundle
from surefoot_bridge.errors import SurefootError
from surefoot_bridge.robots import LOOPBACK, RobotAddress
from surefoot_bridge.robots.address import require_interface
from surefoot_bridge.robots.model import robot_model
from surefoot_bridge.unitree.dds.library import load_library

from .campaign import STAGE
from .catalogue import LIVE_FAULTS, fault_of
from .live_trial import LiveResult, run_live_trial

_MOST_REPEATS = 3
_TRIAL_S = 10.0  # about, before the first has shown it

LIVE_FIGURES = (
    "kinds",
    "trials",
    "safe",
    "commands",
    "commands_outside_limits",
    "logs",
    "logs_readable",
    "repeated",
    "largest_allowance_s",
    "largest_idle_late_s",
    "largest_loop_late_s",
    "largest_transit_s",
    "complete",
)
"""Figures of a live run, by their names in what :func:`run_live` returns."""


@dataclass(frozen=True)
class LivePlan:
    """What is to be run.

    Attributes:
        folder: The bundle.
        faults: Names of the faults.
        seed: Seed of the first trial.
        domain: DDS domain on the loopback; one by the number of this process by default.
    """

    folder: Path
    faults: tuple[str, ...] = tuple(LIVE_FAULTS)
    seed: int = 0
    domain: int | None = None


@dataclass(frozen=True)
class Repeated:
    """A trial that does not count, for the computer stood still during it, or a process of it did not begin.

    Attributes:
        fault: Name of the fault.
        why: What was wrong with it.
    """

    fault: str
    why: str


def run_live(plan: LivePlan, *, progress: Callable[[str], None] | None = None) -> dict[str, Any]:
    """Run all trials. Ctrl-C or SIGTERM ends it early, with a result of the trials until then.

    A trial that was not good while the computer stood still for longer than is allowed for (which a loop that does
    nothing shows) says nothing: it is repeated, up to three times, and that is told.

    Args:
        plan: What is to be run.
        progress: Is told, in one line for a person, what is done and what is left.

    Returns:
        The result, as :func:`live_summary` has it.

    Raises:
        SurefootError: If the bundle is refused, its robot is not offered, a fault is unknown, or DDS is missing.
    """
    for name in plan.faults:
        fault_of(name, LIVE_FAULTS)
    robot = robot_model(load_bundle(plan.folder, runtime="numpy").contract.robot.name).name
    domain = 10 + os.getpid() % 200 if plan.domain is None else plan.domain
    require_interface(RobotAddress(robot, LOOPBACK, domain).interface)
    load_library()
    results: list[LiveResult] = []
    repeated: list[Repeated] = []
    begun_s = time.monotonic()
    with _ended_by_sigterm():
        try:
            for number, name in enumerate(plan.faults):
                if progress is not None:
                    each_s = (time.monotonic() - begun_s) / number if number else _TRIAL_S
                    left_min = each_s * (len(plan.faults) - number) / 60.0
                    progress(f"{number}/{len(plan.faults)} trials, now {name}; about {left_min:.1f} min left")
                result = _trial(plan, robot, name, plan.seed + number, domain, repeated)
                if result is not None:
                    results.append(result)
        except KeyboardInterrupt:
            pass
    return live_summary(plan, results, repeated)


def live_summary(plan: LivePlan, results: Sequence[LiveResult], repeated: Sequence[Repeated]) -> dict[str, Any]:
    """Return what trials say together, ready for JSON: totals, a row for each kind, and trials that were not good.

    Args:
        plan: What was to be run.
        results: What counts.
        repeated: What does not.
    """
    rows = [_row(result, sum(item.fault == result.fault for item in repeated)) for result in results]
    complete = len(results) == len(plan.faults)

    def largest(name: str) -> float | None:
        values = [getattr(result, name) for result in results]
        return max((value for value in values if value is not None), default=None)

    return {
        "bundle": plan.folder.resolve().name,
        "stage": STAGE,
        "ok": complete and all(result.good for result in results),
        "complete": complete,
        "kinds": len({result.fault for result in results}),
        "trials": len(results),
        "safe": sum(result.safe for result in results),
        "commands": sum(result.commands for result in results),
        "commands_outside_limits": sum(result.outside for result in results),
        "logs": len(results),
        "logs_readable": sum(result.log_readable for result in results),
        "repeated": len(repeated),
        "largest_allowance_s": largest("allowance_s"),
        "largest_idle_late_s": largest("idle_late_s"),
        "largest_loop_late_s": largest("loop_late_s"),
        "largest_transit_s": largest("transit_s"),
        "by_kind": rows,
        "not_safe": [*(asdict(result) for result in results if not result.good), *map(asdict, repeated)],
    }


def _trial(
    plan: LivePlan, robot: str, name: str, seed: int, domain: int, repeated: list[Repeated]
) -> LiveResult | None:
    fault, result = fault_of(name, LIVE_FAULTS), None
    for last in (*[False] * _MOST_REPEATS, True):
        try:
            result = run_live_trial(plan.folder, robot, STAGE, fault, seed, domain)
        except SurefootError as error:
            repeated.append(Repeated(name, str(error)))
            continue
        if result.good or not result.stalled or last:
            break
        why = " ".join(result.notes) or "Its log could not be read."
        repeated.append(Repeated(name, f"The computer stood still for {result.idle_largest_s:.3f} s. {why}"))
    return result


def _row(result: LiveResult, repeated: int) -> dict[str, Any]:
    fault = LIVE_FAULTS[result.fault]
    return {
        "name": fault.name,
        "what": fault.what,
        "made_at": result.made_at,
        "safe_state": fault.safe.name.lower(),
        "within_s": fault.within_s,
        "allowance_s": result.allowance_s,
        "idle_late_s": result.idle_late_s,
        "loop_late_s": result.loop_late_s,
        "transit_s": result.transit_s,
        "slowest_s": result.safe_after_s,
        "worst": result.worst,
        "rules": list(result.rules),
        "trials": 1,
        "safe": int(result.safe),
        "fell": int(result.fell),
        "commands": result.commands,
        "commands_outside_limits": result.outside,
        "log_readable": result.log_readable,
        "repeated": repeated,
    }


@contextmanager
def _ended_by_sigterm() -> Iterator[None]:
    """Let SIGTERM end a block as Ctrl-C does, once: what is ended then must be ended in order."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def end(*_unused: object) -> None:
        for number in before:
            signal.signal(number, signal.SIG_IGN)
        raise KeyboardInterrupt

    before = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    for number in before:
        signal.signal(number, end)
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
