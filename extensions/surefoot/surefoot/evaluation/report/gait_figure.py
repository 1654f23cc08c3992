"""Which foot was on the ground when: a gait diagram after Hildebrand."""

from __future__ import annotations

import numpy as np

from surefoot.evaluation.trials.recording import Recording
from surefoot.motion_recording import GAIT_WINDOW_S, stretches
from surefoot_bridge.contract import Contract
from surefoot_robots.gait_pairs import short_names

from .engine_style import style_of
from .figure import Figure, moving, period_s
from .svg import Axes, text

_COARSEST_S = 0.03
"""Rows of a recording that are further apart than this do not show a gait."""

_ROW = 15.0


def gait_figure(recording: Recording, contract: Contract) -> Figure | None:
    """Draw the stance of each foot over some seconds amid the longest walk of a trial.

    Args:
        recording: The trial.
        contract: Names the feet, and the force from which a foot is on the ground.

    Returns:
        The figure; None where the robot was not told to walk, or the recording is too coarse.
    """
    walks = stretches(moving(recording.command))
    if not walks or period_s(recording) > _COARSEST_S:
        return None
    start, stop = max(walks, key=lambda walk: walk[1] - walk[0])
    time_s = recording.time_s
    middle = 0.5 * float(time_s[start] + time_s[stop - 1])
    first = max(float(time_s[start]), middle - GAIT_WINDOW_S / 2)
    last = min(float(time_s[stop - 1]), first + GAIT_WINDOW_S)
    if last - first < 0.5:
        return None
    rows = np.flatnonzero((time_s >= first) & (time_s <= last))
    down = recording.foot_force_n[rows] > contract.observation.foot_contact_force_n  # (rows, num_feet)
    feet = short_names(contract.robot.foot_names)
    colour = style_of(recording.engine).colour
    axes = Axes(x=(first, last), y=(0.0, float(len(feet))), height=24 + _ROW * len(feet))
    parts = [axes.grid(x_unit="s", y_ticks=False)]
    for place, name in enumerate(feet):
        top = axes.at(first, len(feet) - place)[1]
        parts.append(f'<g class="g">{text(axes.left - 5, top + _ROW - 4, name, anchor="end")}</g>')
        bars = []
        for begin, end in stretches(down[:, place]):
            left = axes.at(float(time_s[rows[begin]]), 0.0)[0]
            right = axes.at(min(float(time_s[rows[end - 1]]) + period_s(recording), last), 0.0)[0]
            bars.append(
                f"M{left:.1f} {top + 3:.1f}h{max(right - left, 0.5):.1f}v{_ROW - 5:.1f}h-{max(right - left, 0.5):.1f}z"
            )
        parts.append(f'<path d="{"".join(bars)}" fill="{colour}"/>')
    label = f"Feet on the ground, {style_of(recording.engine).label}"
    return Figure(axes.figure(parts, label=label), label)
