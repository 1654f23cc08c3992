"""Learning curves of a run as a picture."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

from surefoot_bridge.errors import SurefootError

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_PANELS = (
    ("Train/mean_reward", "Return of an episode (mean)", 1.0),
    ("Train/tracking_share", "Velocity tracking [% of its maximum]", 100.0),
    ("Train/mean_episode_length", "Length of an episode (mean) [s]", None),
    ("Loss/value", "Loss of the value function", 1.0),
    ("Policy/mean_std", "Exploration: standard deviation of the actions", 1.0),
    ("Perf/env_steps_per_s", "Speed [thousand environment steps per second]", 1e-3),
)
"""Name in the metrics, what stands above the panel, and what one is in its unit; None is the control period [s]."""


def draw_learning_curves(metrics: Path, picture: Path, *, step_dt: float) -> Path:
    """Draw return, tracking, episode length, value loss, exploration and speed over environment steps.

    Args:
        metrics: A run's ``metrics.jsonl``.
        picture: The PNG file to write.
        step_dt: Control period [s].

    Returns:
        The picture.

    Raises:
        SurefootError: If there are no metrics, or the picture cannot be written.
    """
    from surefoot.plots import save_figure

    return save_figure(learning_figure(metrics, step_dt=step_dt), picture)


def learning_figure(metrics: Path, *, step_dt: float) -> Figure:
    """Return the figure of :func:`draw_learning_curves`.

    Raises:
        SurefootError: If there are no metrics.
    """
    from surefoot.plots import label, new_figure

    rows = [json.loads(line) for line in metrics.read_text(encoding="utf-8").splitlines()]
    if not rows:
        raise SurefootError(f"{metrics} holds no iteration to draw.")
    figure = new_figure(15, 7.5)
    for axes, (name, title, scale) in zip(figure.subplots(2, 3).flat, _PANELS, strict=True):
        unit = step_dt if scale is None else scale
        points = [(row["env_steps"] / 1e6, unit * row[name]) for row in rows if row.get(name) is not None]
        axes.plot(*zip(*points, strict=True) if points else ((), ()))
        label(axes, title, x="environment steps [million]")
    minutes = rows[-1]["elapsed_s"] / 60.0
    figure.suptitle(f"{metrics.parent.parent.name}: {rows[-1]['iteration']} iterations in {minutes:.1f} minutes")
    return figure
