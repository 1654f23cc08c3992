"""How adaptive ranges grew over a run, as a picture."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from surefoot_bridge.errors import SurefootError

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from .bounds import DeclaredRange

_QUANTITIES = {"absolute": "value", "scale": "factor of nominal", "offset": "offset from nominal"}
_LEAST_COLUMNS = 4
_PANEL_INCHES = (3.4, 2.5)


def draw_range_history(
    rows: Sequence[Mapping[str, Any]], declared: Mapping[str, DeclaredRange], picture: Path, *, title: str = ""
) -> Path:
    """Draw the range in use of each parameter over iterations.

    Args:
        rows: The run's metrics, one row an iteration, with ``iteration``, ``Randomization/<name>/low`` and
            ``Randomization/<name>/high``. Rows without them are left out, and so are parameters without any.
        declared: Declared ranges of the parameters that adapt, by name.
        picture: The PNG file to write.
        title: What stands above all panels.

    Returns:
        The picture.

    Raises:
        SurefootError: If no row has a range, or the picture cannot be written.
    """
    from surefoot.plots import save_figure

    return save_figure(range_history_figure(rows, declared, title=title), picture)


def range_history_figure(
    rows: Sequence[Mapping[str, Any]], declared: Mapping[str, DeclaredRange], *, title: str = ""
) -> Figure:
    """Return the figure of :func:`draw_range_history`: a panel for each parameter, in the order of `declared`.

    Raises:
        SurefootError: If no row has a range.
    """
    from surefoot.plots import new_figure

    histories = {name: _history(rows, name) for name in declared}
    histories = {name: history for name, history in histories.items() if history}
    if not histories:
        raise SurefootError("No row of the metrics holds a range in use, such as Randomization/foot_friction/low.")
    columns = min(len(histories), max(_LEAST_COLUMNS, math.ceil(math.sqrt(len(histories)))))
    num_rows = math.ceil(len(histories) / columns)
    width, height = _PANEL_INCHES
    # One more inch of height for the title and the legend.
    figure = new_figure(max(width * columns, 2 * width), height * num_rows + 1.0)
    panels = list(figure.subplots(num_rows, columns, squeeze=False).flat)
    for axes, (name, history) in zip(panels, histories.items(), strict=False):
        _draw_panel(axes, name, declared[name], history)
    for axes in panels[len(histories) :]:
        axes.set_axis_off()
    handles, labels = panels[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=len(labels), frameon=False)
    if title:
        figure.suptitle(title)
    return figure


def _history(rows: Sequence[Mapping[str, Any]], name: str) -> list[tuple[int, float, float]]:
    """Return (iteration, low, high) of the rows that have them."""
    keys = [f"Randomization/{name}/{end}" for end in ("low", "high")]
    return [
        (row["iteration"], *(row[key] for key in keys)) for row in rows if all(row.get(key) is not None for key in keys)
    ]


def _draw_panel(axes: Axes, name: str, declared: DeclaredRange, history: list[tuple[int, float, float]]) -> None:
    from surefoot.plots import label

    iterations, low, high = zip(*history, strict=True)
    # A range stays as it is until the next row says otherwise.
    axes.fill_between(iterations, low, high, step="post", alpha=0.35, color="tab:blue", label="range in use")
    for end in (low, high):
        axes.plot(iterations, end, drawstyle="steps-post", color="tab:blue", linewidth=1.2)
    axes.axhline(declared.nominal, color="black", linestyle=":", linewidth=1.0, label="nominal")
    axes.axhline(declared.low, color="tab:red", linestyle="--", linewidth=1.0, label="declared range")
    axes.axhline(declared.high, color="tab:red", linestyle="--", linewidth=1.0)
    if declared.distribution == "log_uniform":
        axes.set_yscale("log")
        for set_formatter in (axes.yaxis.set_major_formatter, axes.yaxis.set_minor_formatter):
            set_formatter("{x:g}")  # 0.5, not 5 times ten to the power of -1
    label(axes, name.replace("_", " "), x="iteration")
    axes.set_ylabel(f"{_QUANTITIES[declared.operation]} [{declared.unit}]", fontsize=9)
    axes.tick_params(labelsize=8)
