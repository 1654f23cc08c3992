"""A height grid as a picture: seen from above in relief, and cut along x."""

from __future__ import annotations

from textwrap import fill
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from .height_grid import HeightGrid

_LIGHT_FROM_DEG, _LIGHT_ABOVE_DEG = 315.0, 45.0
"""As maps have it: from the upper left."""


def grid_figure(grid: HeightGrid, title: str, *, cut_y_m: float = 0.0) -> Figure:
    """Draw a grid.

    Args:
        grid: The ground.
        title: What it is.
        cut_y_m: Where it is cut [m].

    Returns:
        The map, x to the right and y up, and below it the heights along x at ``cut_y_m``.
    """
    from matplotlib.colors import LightSource

    from surefoot.plots import label, new_figure

    x, y = grid.x_m, grid.y_m
    edges = (x[0], x[-1], y[0], y[-1])
    figure = new_figure(10.0, 2.6 + 8.4 * min((y[-1] - y[0]) / (x[-1] - x[0]), 2.0))
    above, cut = figure.subplots(2, 1, height_ratios=[4.0, 1.0])
    heights = grid.heights_m.T  # rows along y
    low, high = float(heights.min()), max(float(heights.max()), float(heights.min()) + 1e-3)
    colours = above.imshow(heights, origin="lower", extent=edges, cmap="gist_earth", vmin=low, vmax=high)
    shade = LightSource(_LIGHT_FROM_DEG, _LIGHT_ABOVE_DEG).hillshade(heights, dx=grid.spacing_m, dy=grid.spacing_m)
    above.imshow(shade, origin="lower", extent=edges, cmap="gray", vmin=0.0, vmax=1.0, alpha=0.45)
    label(above, fill(f"{title}, from above", 110), x="x [m]")
    figure.colorbar(colours, ax=above, label="height [m]", shrink=0.8)
    cut.plot(x, grid.height(x, np.full_like(x, cut_y_m)), linewidth=1.0)
    label(cut, f"height [m] along x at y = {cut_y_m:.3g} m", x="x [m]")
    cut.set_xlim(x[0], x[-1])
    return figure
