"""A recording as one picture: which foot was down when, and how well the velocity followed the command."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from surefoot.motion_recording import GAIT_WINDOW_S, stretches
from surefoot.playing.recording import EpisodeRecording
from surefoot.plots import label, new_figure, save_figure
from surefoot_robots import get_robot
from surefoot_robots.gait_pairs import short_names

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


def write_gait_diagram(recording: EpisodeRecording, path: Path) -> None:
    """Write the gait diagram (Hildebrand) above the three tracked velocities as a PNG.

    It is drawn twice: over the whole time, and over the two seconds of the fastest command in which strides show.
    """
    save_figure(gait_diagram(recording), path)


def gait_diagram(recording: EpisodeRecording) -> Figure:
    """Return the figure of :func:`write_gait_diagram`: zoom, whole gait, forward, sideways and yaw rate."""
    figure = new_figure(14, 10)
    zoom, gait, *tracking = figure.subplots(5, 1, height_ratios=[1.4, 1, 1, 1, 1])
    time_s = (np.arange(recording.num_steps) + 1) * recording.step_dt
    shown = min(round(GAIT_WINDOW_S / recording.step_dt), recording.num_steps)
    start_s = recording.fastest_start(shown) * recording.step_dt
    stop_s = start_s + shown * recording.step_dt

    _draw_stance(zoom, recording)
    label(zoom, f"{recording.task}: stance (dark) and swing of each foot, {start_s:g} to {stop_s:g} s", x="time [s]")
    zoom.set_xlim(start_s, stop_s)
    _draw_stance(gait, recording)
    gait.axvspan(start_s, stop_s, color="tab:orange", alpha=0.3, linewidth=0)
    label(gait, "The same of all of it; shaded: what is above")
    names = ("Forward velocity [m/s]", "Sideways velocity [m/s]", "Yaw rate [rad/s]")
    for column, (axes, name) in enumerate(zip(tracking, names, strict=True)):
        axes.plot(time_s, recording.velocity[:, column], color="tab:blue", linewidth=1, label="measured")
        axes.plot(time_s, recording.command[:, column], color="tab:green", linewidth=2, label="command")
        label(axes, name)
    for axes in (gait, *tracking):
        axes.set_xlim(0.0, time_s[-1])
    for axes in (zoom, gait, *tracking):
        for index, step in enumerate(np.flatnonzero(np.any(recording.push != 0.0, axis=1))):
            name = "push" if index == 0 else None
            axes.axvline(step * recording.step_dt, color="tab:red", linewidth=1, linestyle="--", label=name)
    tracking[0].legend(loc="upper right", ncols=3)
    tracking[-1].set_xlabel("time [s]")
    return figure


def _draw_stance(axes: Axes, recording: EpisodeRecording) -> None:
    """Draw a bar for each time that a foot was on the ground, a row a foot."""
    feet = short_names(get_robot(recording.robot).foot_bodies)
    for row in range(len(feet)):
        stance = [
            (start * recording.step_dt, (stop - start) * recording.step_dt)
            for start, stop in stretches(recording.foot_contact[:, row])
        ]
        axes.broken_barh(stance, (row - 0.4, 0.8), color="0.15")
    axes.set_yticks(range(len(feet)), feet)
    axes.invert_yaxis()
