"""Judges by its log whether a run was good enough for the next stage to open."""

from dataclasses import dataclass
from pathlib import Path
from typing import Collection, Iterator, Tuple, Union

import numpy as np

from .errors import SurefootError
from .log import Log, read_log
from .log.measures import mode_bands, span
from .machine_modes import Mode
from .rotations import tilt
from .safety_rules import Response
from .stages import REHEARSAL, STAGES, Criteria, Stage, largest_of

NEEDED_TOPICS = ("/robot_state", "/observation", "/timing", "/safety", "/mode")
"""Topics that a verdict rests on; the others need not be read."""

_WALK, _DAMPED = Mode.WALK.name.lower(), Mode.DAMPED.name.lower()
_ON_ITS_FEET = (_WALK, *(mode.name.lower() for mode in (Mode.STOP, Mode.CROUCH, Mode.STAND)))
_HOLDS = tuple(response.name.lower() for response in (Response.STOP, Response.HOLD))
_FATAL = (Response.DAMP.name.lower(), Response.ZERO.name.lower())
_DROPPED = "log_dropped"


@dataclass(frozen=True)
class Finding:
    """One criterion.

    Attributes:
        name: What it is about.
        value: What the log shows.
        limit: What is demanded.
        passed: Whether it was met.
        message: One sentence for a person.
    """

    name: str
    value: float
    limit: float
    passed: bool
    message: str


@dataclass(frozen=True)
class Verdict:
    """What a log is worth.

    Attributes:
        log: The log's folder.
        started_utc: When it was begun; empty where it cannot be read.
        stage: Name of the stage in it; empty where it cannot be read.
        bundle: Identity of the bundle in it; empty where it cannot be read.
        counts: Whether it is a whole log of this bundle, made by a real robot in one of the stages.
        passed: Whether it counts and meets all criteria of its stage.
        reason: Why it does not count or what it fell short of; empty if it passed.
        findings: The criteria one by one; none for a log that does not count.
    """

    log: str
    started_utc: str
    stage: str
    bundle: str
    counts: bool
    passed: bool
    reason: str
    findings: Tuple[Finding, ...]


def judge(path: Union[str, Path], bundle: str) -> Verdict:
    """Judge a log.

    Args:
        path: Its folder.
        bundle: Identity of the bundle.
    """
    name = Path(path).name
    try:
        log = read_log(path, topics=())  # is it ours at all? That costs a small part of reading it
        reason = _why_not(log, bundle)
        if reason:
            return Verdict(name, log.started_utc, log.stage, log.bundle, False, False, reason, ())
        log = read_log(path, topics=NEEDED_TOPICS)
    except (SurefootError, OSError) as error:
        return Verdict(name, "", "", "", False, False, f"it cannot be read: {error}", ())
    found = findings(log, STAGES[log.stage])
    short = [finding.message for finding in found if not finding.passed]
    return Verdict(name, log.started_utc, log.stage, log.bundle, True, not short, " ".join(short), found)


def findings(log: Log, stage: Stage) -> Tuple[Finding, ...]:
    """Hold a log against the criteria of a stage.

    Args:
        log: The log, with :data:`NEEDED_TOPICS` at least.
        stage: The stage.
    """
    return tuple(_findings(log, stage, stage.criteria))


def _why_not(log: Log, bundle: str) -> str:
    if log.bundle != bundle:
        return f"it is of another bundle, {log.bundle}."
    if log.stage.endswith(REHEARSAL):
        return "it is a rehearsal: its robot was simulated or emulated."
    if log.stage not in STAGES:
        return f"its stage {log.stage!r} is none; valid: {', '.join(STAGES)}."
    if log.damaged_bytes:
        return f"it is damaged: {log.damaged_bytes} bytes do not fit their checksum."
    if log.lost_bytes:
        return f"it is cut off: its last {log.lost_bytes} bytes make up no whole record."
    if not log.finished:
        return "it is not finished: the bridge was killed, or the disk was full."
    return ""


def _findings(log: Log, stage: Stage, criteria: Criteria) -> Iterator[Finding]:
    contract, safety = log.contract, log["/safety"]
    walked_s = sum(band.end_s - band.start_s for band in mode_bands(log) if band.mode == _WALK)
    yield _at_least(
        "walked_s", walked_s, criteria.walked_s, "The policy walked for {value:.1f} s; {limit:g} s are needed."
    )

    largest = largest_of(stage.command_ranges(contract))[0]
    command = log["/observation"]
    forward = np.abs(command["command"][:, 0]) if len(command) else np.zeros(0)
    fast = (forward >= criteria.asked_share * largest - 1e-9) & _within(log, command.time_s, (_WALK,))
    yield _at_least(
        "asked_s",
        float(fast.sum()) * contract.timing.control_period_s,
        criteria.asked_s,
        f"{contract.command.names[0]} of {criteria.asked_share * largest:.3g} or more was asked for over "
        "{value:.1f} s of walking; {limit:g} s are needed.",
    )

    fatal = [str(name) for name, response in zip(safety["name"], safety["response"]) if response in _FATAL]
    damped = any(band.mode == _DAMPED for band in mode_bands(log))
    why = f" ({', '.join(dict.fromkeys(fatal))})" if fatal else ""
    yield _at_most(
        "damped", len(fatal) or float(damped), 0.0, f"The robot was damped or switched off {{value:g}} times{why}."
    )

    report = log["/robot_state"]
    angles = tilt(report["imu_quat_wxyz"])[_within(log, report.time_s, _ON_ITS_FEET)]
    yield _below(
        "tilt_rad",
        _highest(angles),
        contract.safety.tilt_limit_rad,
        "The base was tilted by {value:.2f} rad; from {limit:g} on the robot has fallen.",
    )

    late = log["/timing"]["lateness_s"]
    limit_s = stage.limits(contract).late_control_periods * contract.timing.control_period_s
    missed = float((~(late < limit_s)).mean()) if late.size else float("nan")
    yield _at_most(
        "missed_share",
        missed,
        criteria.missed_share,
        "{value:.2%} of the ticks missed their deadline; at most {limit:.2%}.",
    )

    holds = sum(1 for response in safety["response"] if response in _HOLDS)
    per_min = holds / (walked_s / 60.0) if walked_s > 0.0 else float(holds)
    yield _at_most("holds_per_min", per_min, criteria.holds_per_min, "{value:.1f} holds a minute; at most {limit:g}.")

    hottest = contract.safety.motor_temperature_limit_c - criteria.temperature_margin_c
    temperature = _highest(report["motor_temperature_c"])
    yield _at_most(
        "temperature_c", temperature, hottest, "A motor reached {value:.0f} degrees Celsius; at most {limit:g}."
    )

    dropped = float(safety["value"][safety["name"] == _DROPPED].sum())
    ticks = max(len(log["/timing"]), len(log["/robot_state"]))
    share = dropped / (dropped + ticks) if ticks else float("nan")
    yield _at_most(
        "dropped_share", share, criteria.dropped_share, "{value:.1%} of the log is missing; at most {limit:.1%}."
    )


def _within(log: Log, time_s: np.ndarray, modes: Collection[str]) -> np.ndarray:
    """Return which of some times lie in some modes, (num_times,), bool."""
    start_s, _ = span(log)
    inside = np.zeros(time_s.shape, dtype=bool)
    for band in mode_bands(log):
        if band.mode in modes:
            inside |= (time_s >= start_s + band.start_s) & (time_s <= start_s + band.end_s)
    return inside


def _highest(values: np.ndarray) -> float:
    """Return the largest finite value; not a number where there is none, which meets no criterion."""
    finite = values[np.isfinite(values)]
    return float(finite.max()) if finite.size else float("nan")


def _at_least(name: str, value: float, limit: float, message: str) -> Finding:
    return Finding(name, value, limit, bool(value >= limit), message.format(value=value, limit=limit))


def _at_most(name: str, value: float, limit: float, message: str) -> Finding:
    return Finding(name, value, limit, bool(value <= limit), message.format(value=value, limit=limit))


def _below(name: str, value: float, limit: float, message: str) -> Finding:
    return Finding(name, value, limit, bool(value < limit), message.format(value=value, limit=limit))
