"""A log's figures for people and for programs."""

from dataclasses import asdict
from typing import Any, Dict, Iterator, List, Optional, Sequence, Tuple

import numpy as np

from surefoot_bridge.words import unit_of

from .summary import LogSummary, Spread

Table = Tuple[str, Tuple[str, ...], List[Tuple[str, ...]]]


def table_rows(summary: LogSummary) -> Iterator[Table]:
    """Yield the tables of a log: name, head and rows, all as texts."""
    yield "Log", ("", ""), _facts(summary)
    timing = [("period", summary.period_s), ("jitter", summary.jitter_s), ("lateness", summary.lateness_s)]
    timing += list(summary.phases_s.items())
    rows = [
        (name, *(f"{1e3 * value:.3f}" for value in (spread.median, spread.p99, spread.highest)))
        for name, spread in timing
        if spread is not None
    ]
    yield "Timing", ("[ms]", "median", "99 %", "highest"), rows
    modes = [(f"{band.start_s:.2f}", f"{band.end_s:.2f}", band.mode, band.reason) for band in summary.modes]
    yield "Modes", ("from [s]", "to [s]", "mode", "reason"), modes
    events = [
        (event.name, event.response, str(event.count), f"{event.first_s:.2f}", f"{event.last_s:.2f}", event.message)
        for event in summary.events
    ]
    yield "Safety events", ("event", "response", "count", "first [s]", "last [s]", "what the first said"), events
    commands = [
        (
            in_units(item.name),
            number(item.lowest),
            number(item.highest),
            f"{item.trained_low:g} to {item.trained_high:g}",
        )
        for item in summary.commands
    ]
    yield "Commands", ("component", "lowest", "highest", "trained"), commands
    joints = [
        (
            joint.name,
            number(joint.torque_nm),
            number(joint.torque_share, "{:.0%}"),
            number(joint.torque_at_s),
            number(joint.speed_rad_s),
            number(joint.temperature_c, "{:.0f}"),
            number(joint.lowest_rad),
            number(joint.highest_rad),
        )
        for joint in summary.joints
    ]
    head = (
        "joint",
        "torque [N m]",
        "of limit",
        "at [s]",
        "speed [rad/s]",
        "motor [deg C]",
        "lowest [rad]",
        "highest [rad]",
    )
    yield "Largest values of each joint", head, joints


def describe(summary: LogSummary) -> str:
    """Return a log's figures as plain text; tables without rows are left out."""
    parts = [_text(name, head, rows) for name, head, rows in table_rows(summary) if rows]
    return "\n\n".join(parts) + "\n"


def figures_of(summary: LogSummary) -> Dict[str, Any]:
    """Return a log's figures by name."""
    figures: Dict[str, Any] = {
        "duration_s": summary.duration_s,
        "dropped": summary.dropped,
        "lost_bytes": summary.lost_bytes,
        "damaged_bytes": summary.damaged_bytes,
        "safety_events": sum(event.count for event in summary.events),
        "tilt_rad": summary.tilt_rad,
        "battery_share": summary.battery_share,
        "torque_share": _highest([joint.torque_share for joint in summary.joints]),
        "temperature_c": _highest([joint.temperature_c for joint in summary.joints]),
    }
    spreads = {"period": summary.period_s, "jitter": summary.jitter_s, "lateness": summary.lateness_s}
    for name, spread in {**spreads, **{f"phase_{name}": item for name, item in summary.phases_s.items()}}.items():
        figures.update({f"{name}_{key}_s": value for key, value in _entries(spread)})
    figures.update({f"mode_{mode}_s": seconds for mode, seconds in summary.mode_s.items()})
    return figures


def in_units(name: str) -> str:
    """Return the name of a quantity with its unit as people write it: ``lin_vel_x [m/s]`` for ``lin_vel_x_m_s``."""
    bare, unit = unit_of(name)
    return f"{bare} [{unit}]" if unit else name


def number(value: Optional[float], form: str = "{:.2f}") -> str:
    """Return a number as text, a dash for none."""
    return "-" if value is None else form.format(value)


def _facts(summary: LogSummary) -> List[Tuple[str, ...]]:
    whole = "whole" if summary.finished else "not finished by its writer"
    tilt_deg = None if summary.tilt_rad is None else float(np.degrees(summary.tilt_rad))
    return [
        ("robot", summary.robot),
        ("stage", summary.stage),
        ("bundle", summary.bundle),
        ("contract", summary.contract_sha256),
        ("begun", summary.started_utc),
        ("files", f"{len(summary.files)}, {whole}: {', '.join(summary.files)}"),
        ("duration", f"{summary.duration_s:.2f} s"),
        ("messages", ", ".join(f"{topic} {count}" for topic, count in summary.messages.items() if count)),
        ("dropped entries", str(summary.dropped)),
        ("largest tilt", number(tilt_deg, "{:.1f} deg")),
        ("lowest battery", number(summary.battery_share, "{:.0%}")),
        *(("note", note) for note in summary.notes),
    ]


def _entries(spread: Optional[Spread]) -> List[Tuple[str, float]]:
    return [] if spread is None else list(asdict(spread).items())


def _highest(values: Sequence[Optional[float]]) -> Optional[float]:
    return max((value for value in values if value is not None), default=None)


def _text(name: str, head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = [head, *rows] if any(head) else list(rows)
    # The last column is not padded: its texts may be long.
    widths = [max(len(line[i]) for line in lines) for i in range(len(head) - 1)] + [0]
    aligned = ["  " + "  ".join(cell.ljust(width) for cell, width in zip(line, widths)).rstrip() for line in lines]
    return "\n".join([name, *aligned])
