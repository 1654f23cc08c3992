"""A recording as one picture: which foot was down when, and how well the velocity followed the command."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from surefoot.files import atomic_write
from surefoot.motion_recording import stretches
from surefoot.playing.recording import EpisodeRecording
from surefoot_robots import get_robot


def write_gait_diagram(recording: EpisodeRecording, path: Path) -> None:
    """Write the gait diagram (Hildebrand) above the three tracked velocities, over a common time axis, as a PNG."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(14, 8), dpi=100, layout="constrained")
    FigureCanvasAgg(figure)
    gait, *tracking = figure.subplots(4, 1, sharex=True, height_ratios=[1.2, 1, 1, 1])
    time_s = (np.arange(recording.num_steps) + 1) * recording.step_dt

    feet = get_robot(recording.robot).foot_bodies
    for row in range(len(feet)):
        stance = [
            (start * recording.step_dt, (stop - start) * recording.step_dt)
            for start, stop in stretches(recording.foot_contact[:, row])
        ]
        gait.broken_barh(stance, (row - 0.4, 0.8), color="0.15")
    gait.set_yticks(range(len(feet)), feet)
    gait.invert_yaxis()
    gait.set_title(f"{recording.task}: stance (dark) and swing of each foot")

    names = ("vx [m/s]", "vy [m/s]", "yaw rate [rad/s]")
    for column, (axes, name) in enumerate(zip(tracking, names, strict=True)):
        axes.plot(time_s, recording.velocity[:, column], color="tab:blue", linewidth=1, label="measured")
        axes.plot(time_s, recording.command[:, column], color="tab:green", linewidth=2, label="command")
        axes.set_ylabel(name)
        axes.grid(alpha=0.3)
    for axes in (gait, *tracking):
        for index, step in enumerate(np.flatnonzero(np.any(recording.push != 0.0, axis=1))):
            label = "push" if index == 0 else None
            axes.axvline(step * recording.step_dt, color="tab:red", linewidth=1, linestyle="--", label=label)
    tracking[0].legend(loc="upper right", ncols=3)
    tracking[-1].set_xlabel("time [s]")
    tracking[-1].set_xlim(0.0, time_s[-1])
    with atomic_write(path) as file:
        figure.savefig(file, format="png")
