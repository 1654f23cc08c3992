"""What a scenario asks of the robot, in words: ground, commands, pushes, and what the robot differs in."""

from __future__ import annotations

import re

from surefoot.evaluation.scenarios.scenario import VARIED, Push, RobotVariation, Scenario, Span

from .words import DASH, THIN, given, listed


def setting(scenario: Scenario) -> list[tuple[str, str]]:
    """Return what a scenario consists of, each with its name."""
    rows = [("Ground", re.sub(r"(?<=\d) (?=[a-z])", THIN, scenario.terrain.words())), ("Commands", _commands(scenario))]
    if scenario.pushes:
        rows.append(("Pushes", "; ".join(map(_push, scenario.pushes))))
    search = scenario.largest_push
    if search is not None:
        directions = listed([f"{given(value)}°" for value in search.direction_deg])
        rows.append((
            "Pushes",
            f"largest survived, up to {given(search.high_n)}{THIN}N, for {given(search.duration_s)}{THIN}s at "
            f"{given(search.at_s)}{THIN}s, towards {directions}",
        ))  # fmt: skip
    nominal = RobotVariation()
    differs = [
        f"{item.label} {_span(getattr(scenario.robot, name), item.unit)}"
        for name, item in VARIED.items()
        if getattr(scenario.robot, name) != getattr(nominal, name)
    ]
    if differs:
        rows.append(("Robot and surface", "; ".join(differs)))
    rows.append(("Length", f"{given(scenario.length_s)}{THIN}s"))
    return rows


def _commands(scenario: Scenario) -> str:
    said = []
    target = scenario.target
    if target is not None:
        return f"to {given(target.ahead_m)}{THIN}m ahead, {target.way} at {given(target.speed_m_s)}{THIN}m/s, steered"
    for command in scenario.commands:
        forward, sideways, yaw_rate = command.velocity
        parts = []
        if forward:
            parts.append(f"{'forward' if forward > 0 else 'backward'} {given(abs(forward))}{THIN}m/s")
        if sideways:
            parts.append(f"{'left' if sideways > 0 else 'right'} {given(abs(sideways))}{THIN}m/s")
        if yaw_rate:
            parts.append(f"turn {'left' if yaw_rate > 0 else 'right'} {given(abs(yaw_rate))}{THIN}rad/s")
        what = listed(parts) if parts else "stand"
        said.append(what if len(scenario.commands) == 1 else f"{given(command.at_s)}{THIN}s {what}")
    return "; ".join(said)


def _push(push: Push) -> str:
    towards = "from any side" if push.direction_deg == "any" else f"towards {_span(push.direction_deg, '°')}"
    return f"{_span(push.force_n, 'N')} for {given(push.duration_s)}{THIN}s at {_span(push.at_s, 's')}, {towards}"


def _span(span: Span, unit: str) -> str:
    between = f" to{THIN}" if span.low < 0 else DASH
    ends = given(span.low) if span.low == span.high else f"{given(span.low)}{between}{given(span.high)}"
    joint = "" if unit in ("", "°") else THIN
    return f"{ends}{joint}{unit}"
