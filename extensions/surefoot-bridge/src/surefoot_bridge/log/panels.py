"""The panels of a log's picture, each drawn into axes of matplotlib that are given."""

from typing import Any, Sequence, Tuple

import numpy as np

from surefoot_bridge.state import roll_pitch_yaw

from .reader import Log
from .report import in_units
from .summary import ModeBand

_MOST_POINTS = 3000  # of a curve; a screen shows no more
_COLOURS = {"passive": "0.85", "stand": "#a6cee3", "walk": "#b2df8a", "sit": "#fdbf6f", "damped": "#fb9a99"}
_OTHER_COLOURS = ("#cab2d6", "#ffff99", "#e0c8a0", "#c0c0e0")
_NUM_NAMED = 4  # curves with a name of their own where there is one for each joint


def thinned(time_s: np.ndarray, values: np.ndarray) -> Tuple[np.ndarray, np.ndarray]:
    """Return fewer points that look the same: of each stretch its lowest and its highest value, so that peaks stay.

    Args:
        time_s: Times [s], (num_points,).
        values: Values, (num_points,).
    """
    if len(time_s) <= _MOST_POINTS:
        return time_s, values
    starts = np.linspace(0, len(time_s), _MOST_POINTS // 2, endpoint=False).astype(int)
    ends = np.append(starts[1:], len(time_s)) - 1
    extremes = np.stack([np.fmin.reduceat(values, starts), np.fmax.reduceat(values, starts)], axis=-1)
    return np.stack([time_s[starts], time_s[ends]], axis=-1).ravel(), extremes.ravel()


def attitude(quat_wxyz: np.ndarray) -> np.ndarray:
    """Return roll, pitch and yaw [rad], (num_messages, 3); the yaw does not jump at half a turn.

    Args:
        quat_wxyz: Rotations to the world, scalar first, (num_messages, 4).
    """
    angles = roll_pitch_yaw(quat_wxyz)
    whole = np.isfinite(angles[:, 2])
    angles[whole, 2] = np.unwrap(angles[whole, 2])
    return angles


def draw_modes(axes: Any, bands: Sequence[ModeBand], event_s: np.ndarray) -> None:
    """Draw a band for each mode and a mark for each safety event."""
    spare = iter(_OTHER_COLOURS * (1 + len(bands)))
    colours = {band.mode: _COLOURS[band.mode] if band.mode in _COLOURS else next(spare) for band in bands}
    total_s = max((band.end_s for band in bands), default=0.0)
    for band in bands:
        axes.axvspan(band.start_s, band.end_s, color=colours[band.mode], lw=0)
        if band.end_s - band.start_s > 0.04 * total_s:  # wide enough for its name
            axes.text((band.start_s + band.end_s) / 2, 0.5, band.mode, ha="center", va="center")
    axes.plot(event_s, np.full(len(event_s), 0.12), "^", color="tab:red", clip_on=False)
    axes.set(ylim=(0.0, 1.0), yticks=[], title="mode, and safety events as triangles")
    axes.tick_params(labelbottom=False)


def draw_attitude(axes: Any, log: Log, start_s: float) -> None:
    """Draw roll and pitch of the IMU, the yaw with a scale of its own, and the tilt at which the robot has fallen."""
    state = log["/robot_state"]
    roll, pitch, yaw = np.degrees(attitude(state["imu_quat_wxyz"])).T
    time_s = state.time_s - start_s
    axes.plot(*thinned(time_s, roll), label="roll", lw=1)
    axes.plot(*thinned(time_s, pitch), label="pitch", lw=1)
    axes.plot([], [], color="0.6", label="yaw, at the right")
    right = axes.twinx()
    right.plot(*thinned(time_s, yaw), color="0.6", lw=1)
    right.set_ylabel("yaw [deg]")
    limit = np.degrees(log.contract.safety.tilt_limit_rad)
    axes.axhline(limit, color="tab:red", ls=":", lw=1, label="fallen")
    axes.axhline(-limit, color="tab:red", ls=":", lw=1)
    _finish(axes, "attitude of the IMU [deg]")


def draw_command(axes: Any, log: Log, start_s: float) -> None:
    """Draw what the policy was asked to do."""
    topic = log["/observation"]
    for name, values in zip(log.contract.command.names, topic["command"].T):
        axes.plot(*thinned(topic.time_s - start_s, values), label=in_units(name), lw=1, drawstyle="steps-post")
    _finish(axes, "command")


def draw_torques(axes: Any, log: Log, start_s: float) -> None:
    """Draw the torque of each joint as a share of its limit; the joints that come closest have their names."""
    state = log["/robot_state"]
    limits = np.array(log.contract.safety.torque_limit_nm)[list(log.contract.sdk_order)]
    shares = np.abs(state["joint_torque_nm"]) / limits  # (num_messages, num_joints)
    peaks = np.where(np.isfinite(shares), shares, 0.0).max(axis=0)
    order = np.argsort(-peaks)
    # From the largest to the smallest: those below stay visible.
    for place, i in enumerate(order):
        named = {"label": f"{log.contract.robot.sdk_joint_names[i]}, peak {100 * peaks[i]:.0f} %", "lw": 1}
        style = named if place < _NUM_NAMED else {"color": "0.8", "lw": 0.5, "zorder": 1}
        axes.plot(*thinned(state.time_s - start_s, 100 * shares[:, i]), **style)
    axes.axhline(100.0, color="tab:red", ls=":", lw=1, label="limit")
    axes.set_xlabel("time [s]")
    _finish(axes, "torque [% of limit]")


def draw_joint(axes: Any, log: Log, joint: int, name: str, start_s: float) -> None:
    """Draw the position of a joint, above it the target it was given, and its limits where it comes near them."""
    state, command = log["/robot_state"], log["/joint_command"]
    position, target = state["joint_pos_rad"][:, joint], command["joint_pos_rad"][:, joint]
    axes.plot(*thinned(state.time_s - start_s, position), color="lightsteelblue", lw=2)
    axes.plot(*thinned(command.time_s - start_s, target), color="tab:orange", lw=0.7)
    low, high = axes.get_ylim()
    limit = log.contract.safety.joint_pos_limit_rad[log.contract.sdk_order[joint]]
    for value in (limit.low, limit.high):
        if low <= value <= high:
            axes.axhline(value, color="tab:red", ls=":", lw=1)
    title = f"{name} [rad]"
    off = position - np.interp(state.time_s, command.time_s, target) if len(command) else np.empty(0)
    off = off[np.isfinite(off)]
    if off.size:
        title += f", {np.sqrt(np.mean(off**2)):.3f} off its target (rms)"
    axes.set_title(title, fontsize="medium")
    axes.grid(alpha=0.3)


def draw_periods(axes: Any, log: Log) -> None:
    """Draw how often the time between two ticks was how long."""
    topic = log["/timing"] if len(log["/timing"]) else log["/robot_state"]
    periods_ms = 1e3 * np.diff(topic.time_s)
    periods_ms = periods_ms[np.isfinite(periods_ms)]
    if periods_ms.size:
        axes.hist(periods_ms, bins=60, log=True, color="tab:blue")
        median = float(np.median(periods_ms))
        worst = float(np.abs(periods_ms - median).max())
        axes.axvline(median, color="tab:orange", lw=1)
        axes.set_title(f"tick: median {median:.3f} ms, at most {worst:.3f} ms off", fontsize="medium")
    axes.set(xlabel="time between ticks [ms]", ylabel="ticks")
    axes.grid(alpha=0.3)


def _finish(axes: Any, label: str) -> None:
    axes.set_ylabel(label)
    axes.grid(alpha=0.3)
    if axes.get_legend_handles_labels()[0]:
        axes.legend(loc="upper right", fontsize="small", ncol=6)
