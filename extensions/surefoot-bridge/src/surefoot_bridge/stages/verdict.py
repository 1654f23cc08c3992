"""Judges by its log whether a run was good enough for the next stage to open."""

from dataclasses import dataclass
from pathlib import Path
from typing import Collection, Iterator, List, Optional, Sequence, Tuple, Union

import numpy as np

from surefoot_bridge.errors import SurefootError
from surefoot_bridge.log import Log, read_log
from surefoot_bridge.log.measures import mode_bands, span
from surefoot_bridge.log.seal import broken_seal
from surefoot_bridge.safety import Response
from surefoot_bridge.state import Mode, tilt

from .stages import REHEARSAL, STAGES, Criteria, Stage, largest_of

NEEDED_TOPICS = ("/robot_state", "/observation", "/timing", "/safety", "/mode")
"""Topics that a verdict rests on; the others need not be read."""

_WALK, _DAMPED = Mode.WALK.name.lower(), Mode.DAMPED.name.lower()
_ON_ITS_FEET = (_WALK, *(mode.name.lower() for mode in (Mode.STOP, Mode.CROUCH, Mode.STAND)))
_HOLDS = tuple(response.name.lower() for response in (Response.STOP, Response.HOLD))
_FATAL = (Response.DAMP.name.lower(), Response.ZERO.name.lower())
_DROPPED = "log_dropped"
_ENDED = "ended"
"""Event of a loop that did not end in order: the robot was damped, or taken by its guardian."""

_BY_THE_OPERATOR = "operator_stop"

STEP_WINDOW_S = 0.5
"""Length of the pieces in which steps are looked for [s]: as long as one step, and a fifth of the time in which a robot
swings on 1.5 m of rope, so that swinging does not count."""

LEAST_STEP_ACCELERATION_M_S2 = 1.0
"""Standard deviation of the specific force, over such a piece, from which it has felt steps [m/s^2].

In MuJoCo a Go2 that walks has 2.1 (on the spot) to 3.0 (0.3 m/s); one that moves its legs in the air has 0.09 on a
rigid gantry and 0.17 on an elastic one. No robot was measured.
"""


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
        concerns: Whether it says of itself that it is of this bundle and of a real robot. Such a log weighs against a
            stage even where it does not count: what is missing in it may be a fall.
        counts: Whether that is certain: it is whole, and sealed with the operator's key.
        passed: Whether it counts and meets all criteria of its stage.
        reason: Why it does not count or what it fell short of; empty if it passed.
        findings: The criteria one by one; none for a log that does not count.
        fell: Whether the robot fell, or was damped by anything but the operator's stop; a log that does not count may
            hold any fall.
    """

    log: str
    started_utc: str
    stage: str
    bundle: str
    concerns: bool
    counts: bool
    passed: bool
    reason: str
    findings: Tuple[Finding, ...]
    fell: bool = True

    @property
    def walked(self) -> bool:
        """Whether the policy walked, as far as is known: what does not count may hold anything."""
        return not self.counts or any(item.value > 0.0 for item in self.findings if item.name == "walked_s")


def judge(path: Union[str, Path], bundle: str, seal_key: Optional[bytes] = None) -> Verdict:
    """Judge a log.

    Args:
        path: Its folder.
        bundle: Identity of the bundle.
        seal_key: The operator's key; None where there is none on this computer.
    """
    name = Path(path).name
    try:
        log = read_log(path, topics=())  # is it ours at all? That costs a small part of reading it
        reason = _foreign(log, bundle)
        concerns = not reason
        reason = reason or _why_not(log, Path(path), seal_key)
        if reason:
            return Verdict(name, log.started_utc, log.stage, log.bundle, concerns, False, False, reason, ())
        log = read_log(path, topics=NEEDED_TOPICS)
    except (SurefootError, OSError) as error:
        return Verdict(name, "", "", "", False, False, False, f"it cannot be read: {error}", ())
    found = findings(log, STAGES[log.stage])
    short = [finding.message for finding in found if not finding.passed]
    return Verdict(
        name, log.started_utc, log.stage, log.bundle, True, True, not short, " ".join(short), found, _fell(log, found)
    )


def findings(log: Log, stage: Stage) -> Tuple[Finding, ...]:
    """Hold a log against the criteria of a stage.

    Args:
        log: The log, with :data:`NEEDED_TOPICS` at least.
        stage: The stage.
    """
    return tuple(_findings(log, stage, stage.criteria))


def _foreign(log: Log, bundle: str) -> str:
    if log.bundle != bundle:
        return f"it is of another bundle, {log.bundle}."
    if log.stage.endswith(REHEARSAL):
        return "it is a rehearsal: its robot was simulated or emulated."
    if log.stage not in STAGES:
        return f"its stage {log.stage!r} is none; valid: {', '.join(STAGES)}."
    return ""


def _why_not(log: Log, folder: Path, seal_key: Optional[bytes]) -> str:
    if log.damaged_bytes:
        return f"it is damaged: {log.damaged_bytes} bytes do not fit their checksum."
    if log.lost_bytes:
        return f"it is cut off: its last {log.lost_bytes} bytes make up no whole record."
    if not log.finished:
        return "it is not finished: the bridge was killed, or the disk was full."
    return broken_seal(folder, log.session, seal_key)


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

    report = log["/robot_state"]
    yield _at_least(
        "stepped_s",
        _stepped_s(log, report.time_s, report["imu_lin_acc_m_s2"]),
        criteria.asked_s,
        "The IMU felt steps for {value:.1f} s of walking; {limit:g} s are needed: a robot that hangs does not walk.",
    )

    fatal = _fatal(log)
    damped = any(band.mode == _DAMPED for band in mode_bands(log))
    why = f" ({', '.join(dict.fromkeys(fatal))})" if fatal else ""
    yield _at_most(
        "damped", len(fatal) or float(damped), 0.0, f"The robot was damped or switched off {{value:g}} times{why}."
    )
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
    yield _at_most(
        "holds_per_min",
        per_min,
        criteria.holds_per_min,
        "{value:.1f} holds a minute, stops included; at most {limit:g}.",
    )

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


def _fatal(log: Log) -> List[str]:
    """Return the names of all events that damped the robot or switched it off."""
    safety = log["/safety"]
    answered = zip(safety["name"], safety["response"])
    return [str(name) for name, response in answered if response in _FATAL or name == _ENDED]


def _fell(log: Log, found: Sequence[Finding]) -> bool:
    fatal = set(_fatal(log))
    of_operator = {_BY_THE_OPERATOR, _ENDED} if _BY_THE_OPERATOR in fatal else set()
    return bool(fatal - of_operator) or not all(item.passed for item in found if item.name == "tilt_rad")


def _stepped_s(log: Log, time_s: np.ndarray, specific_force_m_s2: np.ndarray) -> float:
    """Return for how long the IMU felt steps while the policy walked [s].

    Args:
        log: The log.
        time_s: Times of its reports [s], (num_reports,).
        specific_force_m_s2: What the IMU measured then [m/s^2], (num_reports, 3).
    """
    walked = _within(log, time_s, (_WALK,))
    if not walked.any():
        return 0.0
    pieces = ((time_s[walked] - time_s[walked][0]) / STEP_WINDOW_S).astype(np.intp)  # (num_walked,)
    felt = np.linalg.norm(specific_force_m_s2[walked], axis=-1)
    count = np.maximum(np.bincount(pieces), 1)  # (num_pieces,)
    mean = np.bincount(pieces, felt) / count
    deviation = np.sqrt(np.bincount(pieces, (felt - mean[pieces]) ** 2) / count)
    return STEP_WINDOW_S * float((deviation >= LEAST_STEP_ACCELERATION_M_S2).sum())  # false where it is not a number


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
