"""Whether a robot was safe in time after a fault in real time, by what was measured in the processes of a trial.

All times are of one clock, the computer's monotonic one, which all of its processes share.
"""

import math
from dataclasses import dataclass
from typing import Any

from surefoot_bridge.safety import Response

from .catalogue import Fault
from .live_robot import BEFORE_S
from .trial import FALL_DAMPED_S
from .wire import AT_THE_ROBOT

_SHARE = 0.999
_CLOCK_JUMP_S = 1.5  # the loop's own times are wrong by as much at most while its clock is


@dataclass(frozen=True)
class Measured:
    """What the processes of a live trial say.

    Attributes:
        start_s: When the fault began [s].
        robot: What :mod:`~surefoot_devtools.fault_injection.live_robot` says.
        bridge: What :mod:`~surefoot_devtools.fault_injection.live_bridge` says; None where its process was killed.
        idle: What :mod:`~surefoot_devtools.fault_injection.live_idle` says.
    """

    start_s: float
    robot: dict[str, Any]
    bridge: dict[str, Any] | None
    idle: dict[str, Any]


@dataclass(frozen=True)
class Judgement:
    """What is found; the attributes are those of :class:`~surefoot_devtools.fault_injection.live_trial.LiveResult`."""

    safe: bool
    safe_after_s: float | None
    allowance_s: float
    idle_late_s: float
    idle_largest_s: float
    transit_s: float
    stalled: bool
    worst: str
    rules: tuple[str, ...]
    fell: bool
    notes: tuple[str, ...]


def judge(fault: Fault, measured: Measured) -> Judgement:
    """Judge a trial.

    A robot that must be damped is safe when the first of the commands came to it after which all only damp. One
    that must be held or stopped, or its commands be clamped, is safe when the command came with which safety began
    to do so, or the first that damps. In time is what is within the stated time of the fault and an allowance,
    which is measured in the same trial from a second before the fault on: the lateness of an idle loop, the time
    between the sending of a command and its obedience, and, where the robot has the fault, the age of reports when
    the bridge sees them; of each what 99.9 % are below. A response that is not due to one of the expected rules,
    where there are some, counts only if it damps for good.
    """
    start_s, robot, bridge = measured.start_s, measured.robot, measured.bridge
    arrivals: list[tuple[float, float, bool]] = robot["arrivals"]
    idle = [late_s for now_s, late_s in measured.idle["ticks"] if now_s >= start_s - BEFORE_S]
    idle_late_s, transit_s = most(idle), most([came_s - sent_s for sent_s, came_s, _ in arrivals])
    allowance_s = idle_late_s + transit_s
    if bridge is not None and fault.name in AT_THE_ROBOT:
        allowance_s += most([age_s for now_s, age_s in bridge["ages"] if now_s >= start_s - BEFORE_S])
    damped_s = _damped_s(arrivals)
    guardian = bridge is None or bridge["ended_by"].startswith("The guardian damps")
    responses = [] if bridge is None else bridge["responses"]
    rules = _rules(fault, bridge, start_s)
    expected = [time_s for time_s, rule in rules if rule in fault.rules and fault.where != "clock"]
    answered_s = _answered_s(responses, arrivals, expected[0] if expected else start_s, fault.safe)
    notes = [] if bridge is None else _walked(fault, bridge, start_s)
    if any(damped and came_s < start_s for _, came_s, damped in arrivals):
        notes.append("The robot was damped before the fault began.")
    since_s = start_s - BEFORE_S
    if notes and bridge is not None:  # the reason may be further back
        since_s = bridge["modes"][0][0]
    reached = [time_s for time_s in (answered_s, damped_s) if time_s is not None]
    if fault.safe >= Response.DAMP:
        reached = [] if damped_s is None else [damped_s]
    safe_after_s = max(min(reached) - start_s, 0.0) if reached and fault.safe > Response.NONE else None
    within_s = fault.within_s + allowance_s
    if fault.safe > Response.NONE and (safe_after_s is None or safe_after_s > within_s):
        due = f"{fault.within_s:.3f} s and {allowance_s:.3f} s for transport and scheduling"
        notes.append(f"{fault.safe.name.lower()} was due within {due}; it came {safe_after_s}.")
    names = (*dict.fromkeys(rule for _, rule in rules), *(("guardian",) if guardian else ()))
    if fault.rules and not guardian and not set(fault.rules) & set(names):
        notes.append(f"None of the rules {', '.join(fault.rules)} acted; these did: {', '.join(names) or 'none'}.")
    tilted_s = robot["tilted_s"]
    if tilted_s is not None and (damped_s is None or damped_s > tilted_s + FALL_DAMPED_S + allowance_s):
        notes.append(f"The robot was tilted beyond the limit {tilted_s - start_s:.3f} s after the fault began and "
                     f"damped {'never' if damped_s is None else f'after {damped_s - start_s:.3f} s'}.")  # fmt: skip
    if robot["ignored"]:
        notes.append(f"{robot['ignored']} commands had a wrong checksum or header.")
    worst = max((code for time_s, code in responses if time_s >= start_s), default=0)
    if guardian or (damped_s is not None and damped_s <= start_s + within_s):
        worst = max(worst, int(Response.DAMP))
    idle_largest_s = max(
        (late_s for now_s, late_s in measured.idle["ticks"] if since_s <= now_s <= start_s + within_s),
        default=0.0,
    )
    return Judgement(
        safe=not notes,
        safe_after_s=safe_after_s,
        allowance_s=allowance_s,
        idle_late_s=idle_late_s,
        idle_largest_s=idle_largest_s,
        transit_s=transit_s,
        stalled=idle_largest_s > allowance_s
        or any(since_s <= now_s <= start_s + within_s for now_s in robot["lagged"]),
        worst=Response(worst).name.lower(),
        rules=names,
        fell=tilted_s is not None,
        notes=(*notes, *robot["notes"]),
    )


def most(durations_s: list[float]) -> float:
    """Return what 99.9 % of durations are at most [s]; 0 without any."""
    return sorted(durations_s)[math.ceil(_SHARE * len(durations_s)) - 1] if durations_s else 0.0


def _damped_s(arrivals: list[tuple[float, float, bool]]) -> float | None:
    """Return when the first command came from which on all only damp [s]; None if the last does not."""
    first = None
    for _, came_s, damped in reversed(arrivals):
        if not damped:
            break
        first = came_s
    return first


def _answered_s(
    responses: list[tuple[float, int]], arrivals: list[tuple[float, float, bool]], start_s: float, least: int
) -> float | None:
    """Return when the first command came that left under a response of at least this severity [s]."""
    ends = [time_s for time_s, _ in responses[1:]] + [float("inf")]
    lasted = [(begin_s, end_s) for (begin_s, code), end_s in zip(responses, ends, strict=False) if code >= least]
    given = [max(begin_s, start_s) for begin_s, end_s in lasted if end_s > start_s]
    if not given:
        return None
    return next((came_s for sent_s, came_s, _ in arrivals if sent_s >= given[0]), None)


def _walked(fault: Fault, bridge: dict[str, Any], start_s: float) -> list[str]:
    modes = [(mode, why) for time_s, mode, why in bridge["modes"] if time_s < start_s]
    if fault.where == "clock":  # one that goes back stamps what it led to before it
        modes = [(mode, why) for mode, why in modes if not any(rule in why for rule in fault.rules)]
    if modes and modes[-1][0] == "walk":
        return []
    told = ", ".join(f"{mode} ({why})" for mode, why in modes) or "none"
    return [f"The robot did not walk when the fault began; its modes: {told}."]


def _rules(fault: Fault, bridge: dict[str, Any] | None, start_s: float) -> list[tuple[float, str]]:
    """Return the rules that began to act after the fault began, with the loop's times [s]."""
    since_s = start_s - (_CLOCK_JUMP_S if fault.where == "clock" else 0.0)
    events = [] if bridge is None else bridge["rules"]
    return [(time_s, rule) for time_s, rule in events if time_s >= since_s]
