"""How figures look that are written as PNG: one size of dots, one way to label."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from surefoot.files import atomic_write

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

DOTS_PER_INCH = 100


def new_figure(width_inch: float, height_inch: float) -> Figure:
    """Return an empty figure that needs no screen."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(width_inch, height_inch), dpi=DOTS_PER_INCH, layout="constrained")
    FigureCanvasAgg(figure)
    return figure


def label(axes: Axes, title: str, *, x: str = "") -> None:
    """Name what a panel shows above it, with its unit: beside a low panel a long name would run into the next one's."""
    axes.set_title(title, loc="left", fontsize=11)
    axes.set_xlabel(x)
    axes.grid(alpha=0.3)
    axes.spines[["top", "right"]].set_visible(False)


def save_figure(figure: Figure, picture: Path) -> Path:
    """Write a figure as PNG, whole or not at all.

    Raises:
        SurefootError: If it cannot be written.
    """
    with atomic_write(picture) as file:
        figure.savefig(file, format="png")
    return picture
