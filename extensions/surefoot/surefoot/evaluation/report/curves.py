"""What a robot was told and what it did, over time."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from surefoot.evaluation.trials.recording import Recording
from surefoot.motion_recording import stretches

from .engine_style import style_of
from .figure import Figure
from .svg import Axes, span, steps, thinned

_COMMAND = "#b9bfc7"
_FAILED = "#b3261e"
_ENDS = ("fell", "stopped by safety")
"""Reasons that end a trial; all others are found when it is over."""

_BEYOND = 2.0
"""How far beyond the command a fall is drawn [m/s, rad/s]."""


def velocity_figures(recordings: Sequence[Recording]) -> list[Figure]:
    """Draw forward speed, sideways speed and yaw rate of a trial in each engine over the command.

    Args:
        recordings: One for each engine, at least one; the same trial or not.
    """
    longest = max(recordings, key=lambda recording: recording.time_s[-1])
    panels = (
        ("Forward speed [m/s]", 0, lambda item: item.base_lin_vel_b[:, 0]),
        ("Sideways speed [m/s]", 1, lambda item: item.base_lin_vel_b[:, 1]),
        ("Yaw rate [rad/s]", 2, lambda item: item.base_ang_vel_b[:, 2]),
    )
    figures = []
    for title, column, measured in panels:
        command = longest.command[:, column]
        shown = [_readable(measured(item), command, failed=not item.success) for item in recordings]
        axes = Axes(x=(0.0, float(longest.time_s[-1])), y=span(command, *shown, least=0.6))
        parts = [_pushes(axes, item) for item in recordings[:1]]
        parts.append(axes.grid(x_unit="s"))
        parts.append(axes.line(*steps(longest.time_s, command), colour=_COMMAND, width=3.0))
        for item, values in zip(recordings, shown, strict=True):
            style = style_of(item.engine)
            parts.append(axes.line(*thinned(item.time_s, values), colour=style.colour, dashes=style.dashes))
            if item.reason.startswith(_ENDS):
                parts.append(axes.cross(float(item.time_s[-1]), float(values[-1]), colour=_FAILED))
        figures.append(Figure(axes.figure(parts, label=f"{title}: command and measured"), title))
    return figures


def _readable(values: np.ndarray, command: np.ndarray, *, failed: bool) -> np.ndarray:
    """Return what was measured; a fall throws the robot about, and what it did before must stay readable."""
    if not failed:
        return values
    return np.clip(values, command.min() - _BEYOND, command.max() + _BEYOND)


def _pushes(axes: Axes, recording: Recording) -> str:
    pushed = np.any(recording.push_force_w != 0.0, axis=1)
    time_s = recording.time_s
    return "".join(
        axes.band(float(time_s[start]), float(time_s[stop - 1]), kind="p") for start, stop in stretches(pushed)
    )
