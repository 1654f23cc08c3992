"""A log as a picture: what the robot was in, how it moved, what it was told, and whether the control loop kept time."""

import io
from pathlib import Path
from typing import TYPE_CHECKING, Any, Dict, Sequence, Union

import numpy as np

from surefoot_bridge.errors import SurefootError
from surefoot_bridge.files import write_whole

from .measures import mode_bands, span, summarise
from .page import page
from .panels import draw_attitude, draw_command, draw_joint, draw_modes, draw_periods, draw_torques
from .reader import Log, read_log

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_COLUMNS = 4
_WIDTH_INCHES = 16.0
_OVERVIEW_INCHES = (0.5, 2.3, 2.3, 2.3)  # modes, then attitude, command, torques
_JOINT_INCHES = 1.7
_DPI = 100


def plot(log: Union[Log, str, Path, Sequence[Union[str, Path]]], out: Union[str, Path]) -> Path:
    """Draw a log.

    Args:
        log: The log, or what :func:`~surefoot_bridge.log.read_log` reads.
        out: The file to write: ``.png`` for the picture, ``.html`` for a page with the picture and the figures.

    Returns:
        The file.

    Raises:
        SurefootError: If ``matplotlib`` is missing, the log has no report of the robot, ``out`` has another ending, or
            a file cannot be read or written.
    """
    out = Path(out)
    if out.suffix not in (".png", ".html"):
        raise SurefootError(f"{out} ends in {out.suffix!r}; a log can be drawn as .png or .html.")
    if not isinstance(log, Log):
        log = read_log(log)
    picture = io.BytesIO()
    draw(log).savefig(picture, format="png", dpi=_DPI)
    data = picture.getvalue()
    write_whole(out, data if out.suffix == ".png" else page(summarise(log), data).encode())
    return out


def draw(log: Log) -> "Figure":
    """Return the figure of a log.

    Raises:
        SurefootError: If ``matplotlib`` is missing, or the log has no report of the robot.
    """
    try:
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.figure import Figure
    except ImportError as error:
        raise SurefootError("Drawing a log needs matplotlib. Install it: pip install matplotlib.") from error

    state = log["/robot_state"]
    if not len(state):
        raise SurefootError("The log has no message of /robot_state: there is nothing to draw.")
    names = log.contract.robot.sdk_joint_names
    rows = -(-len(names) // _COLUMNS)
    heights = (*_OVERVIEW_INCHES, *[_JOINT_INCHES] * rows)
    figure = Figure(figsize=(_WIDTH_INCHES, sum(heights) + 0.8), layout="constrained")
    FigureCanvasAgg(figure)
    grid = figure.add_gridspec(len(heights), _COLUMNS, height_ratios=heights)
    over_time = [figure.add_subplot(grid[row, : _COLUMNS - 1]) for row in range(len(_OVERVIEW_INCHES))]
    for axes in over_time[1:]:
        axes.sharex(over_time[0])
    start_s, end_s = span(log)
    modes, attitude, command, torques = over_time
    draw_modes(modes, mode_bands(log), log["/safety"].time_s - start_s)
    draw_attitude(attitude, log, start_s)
    draw_command(command, log, start_s)
    draw_torques(torques, log, start_s)
    modes.set_xlim(0.0, max(end_s - start_s, 1e-3))
    draw_periods(figure.add_subplot(grid[1:3, _COLUMNS - 1]), log)
    _draw_facts(figure.add_subplot(grid[3, _COLUMNS - 1]), log)
    for i, name in enumerate(names):
        axes = figure.add_subplot(grid[len(_OVERVIEW_INCHES) + i // _COLUMNS, i % _COLUMNS])
        draw_joint(axes, log, i, name, start_s)
    figure.suptitle(
        f"{log.robot}, {log.stage}, begun {log.started_utc}, bundle {log.bundle[:16]}; joints over time [s]: "
        "target in orange"
    )
    return figure


def _draw_facts(axes: Any, log: Log) -> None:
    """Say in words what no curve shows."""
    facts = summarise(log)
    hottest = [joint for joint in facts.joints if joint.temperature_c is not None]
    lines: Dict[str, str] = {
        "duration": f"{facts.duration_s:.1f} s",
        "safety events": str(sum(event.count for event in facts.events)),
        "dropped entries": str(facts.dropped),
        "lost bytes": str(facts.lost_bytes + facts.damaged_bytes),
        "largest tilt": "-" if facts.tilt_rad is None else f"{np.degrees(facts.tilt_rad):.1f} deg",
        "lowest battery": "-" if facts.battery_share is None else f"{100 * facts.battery_share:.0f} %",
    }
    if hottest:
        joint = max(hottest, key=lambda joint: joint.temperature_c or 0.0)
        lines["hottest motor"] = f"{joint.name}, {joint.temperature_c:.0f} deg C"
    axes.set_axis_off()
    for place, (name, value) in enumerate(lines.items()):
        height = 0.95 - 0.13 * place
        axes.text(0.0, height, name, transform=axes.transAxes)
        axes.text(1.0, height, value, ha="right", transform=axes.transAxes)
