"""Learning curves of a run as a picture."""

from __future__ import annotations

import json
from pathlib import Path

from surefoot_bridge.errors import SurefootError

_PANELS = (
    ("Train/mean_reward", "mean return of an episode"),
    ("Train/tracking_share", "velocity tracking, share of its maximum"),
    ("Train/mean_episode_length", "episode length [control steps]"),
    ("Loss/value", "loss of the value function"),
    ("Policy/mean_std", "standard deviation of the actions"),
    ("Perf/env_steps_per_s", "environment steps per second"),
)


def draw_learning_curves(metrics: Path, picture: Path) -> Path:
    """Draw return, tracking, episode length, value loss, exploration and speed over environment steps.

    Args:
        metrics: A run's ``metrics.jsonl``.
        picture: The PNG file to write.

    Returns:
        The picture.

    Raises:
        SurefootError: If there are no metrics, or the picture cannot be written.
    """
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    from surefoot.files import atomic_write

    rows = [json.loads(line) for line in metrics.read_text(encoding="utf-8").splitlines()]
    if not rows:
        raise SurefootError(f"{metrics} holds no iteration to draw.")
    figure = Figure(figsize=(15, 7), layout="constrained")
    FigureCanvasAgg(figure)
    for axes, (name, label) in zip(figure.subplots(2, 3).flat, _PANELS, strict=True):
        points = [(row["env_steps"] / 1e6, row[name]) for row in rows if row.get(name) is not None]
        axes.plot(*zip(*points, strict=True) if points else ((), ()))
        axes.set_xlabel("environment steps [million]")
        axes.set_ylabel(label)
        axes.grid(alpha=0.3)
    minutes = rows[-1]["elapsed_s"] / 60.0
    figure.suptitle(f"{metrics.parent.parent.name}: {rows[-1]['iteration']} iterations in {minutes:.1f} minutes")
    with atomic_write(picture) as file:
        figure.savefig(file, format="png", dpi=110)
    return picture
