"""Learning curves of a run as a picture."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

from surefoot_bridge.errors import SurefootError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    Rows = Sequence[Mapping[str, float | None]]

_PANELS = (
    ("Train/mean_reward", "Return of an episode (mean)", 1.0),
    ("Train/tracking_share", "Velocity tracking [% of its maximum]", 100.0),
    ("Train/mean_episode_length", "Length of an episode (mean) [s]", None),
    ("Loss/value", "Loss of the value function", 1.0),
    ("Policy/mean_std", "Exploration: standard deviation of the actions", 1.0),
    ("Perf/env_steps_per_s", "Speed [thousand environment steps per second]", 1e-3),
)
"""Name in the metrics, what stands above the panel, and what one is in its unit; None is the control period [s]."""

_FIELD = "Curriculum/terrain_levels/"
_PHASE_SHARE, _PHASE_SUCCESS, _LEVEL_SHARE = (
    f"{_FIELD}{part}" for part in ("share_of_phase_", "success_of_phase_", "share_on_")
)
_COMMAND_RANGE = "Curriculum/command_range"
_X = "environment steps [million]"


def draw_learning_curves(metrics: Path, picture: Path, *, step_dt: float) -> Path:
    """Draw return, tracking, episode length, value loss, exploration and speed over environment steps.

    A run on a field of ground has another row: population and success of its phases, and population of its levels.

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
    curriculum = _curriculum_panels(rows)
    figure = new_figure(15, 11.25 if curriculum else 7.5)
    panels = list(figure.subplots(3 if curriculum else 2, 3).flat)
    for axes, (name, title, scale) in zip(panels, _PANELS, strict=False):
        unit = step_dt if scale is None else scale
        points = [(row["env_steps"] / 1e6, unit * row[name]) for row in rows if row.get(name) is not None]
        axes.plot(*zip(*points, strict=True) if points else ((), ()))
        label(axes, title, x=_X)
    for axes, draw in zip(panels[len(_PANELS) :], curriculum, strict=False):
        draw(axes)
    for axes in panels[len(_PANELS) + len(curriculum) :]:
        axes.set_axis_off()
    minutes = rows[-1]["elapsed_s"] / 60.0
    figure.suptitle(f"{metrics.parent.parent.name}: {rows[-1]['iteration']} iterations in {minutes:.1f} minutes")
    return figure


def _curriculum_panels(rows: Rows) -> list[Callable[[Axes], None]]:
    """Return what draws the panels of phases and levels; none of a run that has no levels."""
    phases = _names(rows, _PHASE_SHARE)
    levels = sorted(_names(rows, _LEVEL_SHARE), key=int)
    of_phases: list[Callable[[Axes], None]] = [
        lambda axes: _draw_populations(axes, rows, phases),
        lambda axes: _draw_success(axes, rows, phases),
    ]
    of_levels: list[Callable[[Axes], None]] = [lambda axes: _draw_levels(axes, rows, levels)]
    return [*(of_phases if phases else []), *(of_levels if levels else [])]


def _names(rows: Rows, prefix: str) -> list[str]:
    """Return what follows a prefix in the names of metrics, in the order in which they come."""
    return list(dict.fromkeys(name.removeprefix(prefix) for row in rows for name in row if name.startswith(prefix)))


def _points(rows: Rows, name: str, unit: float = 100.0) -> tuple[list[float], list[float]]:
    """Return million steps and values of a metric where it has any."""
    found = [(row["env_steps"], row[name]) for row in rows if row.get(name) is not None]
    return [(steps or 0.0) / 1e6 for steps, _ in found], [unit * (value or 0.0) for _, value in found]


def _draw_populations(axes: Axes, rows: Rows, phases: Sequence[str]) -> None:
    from surefoot.plots import label

    shares = [_points(rows, _PHASE_SHARE + name) for name in phases]
    axes.stackplot(shares[0][0], *(share for _, share in shares), labels=phases, colors=_colors(phases), alpha=0.8)
    axes.legend(loc="lower left", fontsize=9, reverse=True)
    label(axes, "Environments of each phase [%]", x=_X)


def _draw_success(axes: Axes, rows: Rows, phases: Sequence[str]) -> None:
    from surefoot.plots import label

    for name, color in zip(phases, _colors(phases), strict=True):
        axes.plot(*_points(rows, _PHASE_SUCCESS + name), color=color)
    axes.plot(*_points(rows, _COMMAND_RANGE), color="black", linestyle=":", label="commands' range in use")
    axes.set_ylim(0.0, 102.0)
    axes.legend(loc="lower right", fontsize=9)
    label(axes, "Episodes of each phase that succeed [%]", x=_X)


def _draw_levels(axes: Axes, rows: Rows, levels: Sequence[str]) -> None:
    from surefoot.plots import label

    population = [_points(rows, _LEVEL_SHARE + level) for level in levels]  # [level] of steps and shares
    steps = population[0][0]
    axes.pcolormesh(steps, range(len(levels)), [shares for _, shares in population], shading="nearest", cmap="Blues")
    axes.plot(*_points(rows, f"{_FIELD}mean", 1.0), color="black", label="mean")
    axes.legend(loc="upper left", fontsize=9)
    label(axes, "Levels: the darker, the more environments", x=_X)


def _colors(phases: Sequence[str]) -> list[str]:
    return [f"C{number % 10}" for number in range(len(phases))]
