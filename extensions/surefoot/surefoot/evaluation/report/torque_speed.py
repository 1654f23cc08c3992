"""Torque against speed of all motors of a kind, inside the line that the motor cannot leave."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np

from surefoot.evaluation.trials.recording import Recording
from surefoot.motion_recording import stretches
from surefoot_bridge.contract import Contract
from surefoot_robots import RobotSpec
from surefoot_robots.actuator_group import ActuatorGroup

from .engine_style import style_of
from .figure import Figure
from .svg import Axes
from .words import title

_COLUMNS, _ROWS = 60, 36
_SHADES = (0.16, 0.36, 0.62, 1.0)
"""Opacity of a cell by how often motors were in it: each shade is for several times as often as the one before."""


def torque_speed_figures(recordings: Sequence[Recording], spec: RobotSpec, contract: Contract) -> list[Figure]:
    """Draw where the motors of each kind were, for all trials together.

    Speed is counted in the torque's direction, so that one line bounds both directions: left of zero the motor brakes.

    Args:
        recordings: Trials in one engine, at least one.
        spec: Motors of the robot.
        contract: Order of the joints.
    """
    speed = np.concatenate([item.joint_vel_rad_s for item in recordings])  # (rows, num_joints)
    torque = np.concatenate([item.motor_torque_nm for item in recordings])
    figures = []
    for group in spec.actuators:
        columns = [
            index
            for index, name in enumerate(contract.robot.sdk_joint_names)
            if re.fullmatch(group.joint_pattern, name)
        ]
        along = (speed[:, columns] * np.sign(torque[:, columns])).ravel()
        size = np.abs(torque[:, columns]).ravel()
        figures.append(_figure(group, along, size, style_of(recordings[0].engine).colour))
    return figures


def envelope(group: ActuatorGroup, speed: np.ndarray) -> np.ndarray:
    """Return the largest torque [N m] at speeds in its direction [rad/s], (N,)."""
    line = group.saturation_effort_nm * (1.0 - speed / group.velocity_limit_rad_s)
    return np.clip(line, 0.0, group.effort_limit_nm)


def _figure(group: ActuatorGroup, speed: np.ndarray, torque: np.ndarray, colour: str) -> Figure:
    fastest, strongest = group.velocity_limit_rad_s, group.effort_limit_nm
    low = min(-0.35 * fastest, 1.05 * float(speed.min(initial=0.0)))
    axes = Axes(x=(low, 1.06 * fastest), y=(0.0, 1.1 * max(strongest, float(torque.max(initial=0.0)))), height=150)
    counts, _, _ = np.histogram2d(speed, torque, bins=(_COLUMNS, _ROWS), range=(axes.x, axes.y))
    parts = [axes.grid(x_unit="rad/s")]
    if counts.any():
        shade = np.minimum((len(_SHADES) * np.log1p(counts) / np.log1p(counts.max())).astype(int), len(_SHADES) - 1)
        wide = (axes.width - axes.left - axes.right) / _COLUMNS
        high = (axes.height - axes.top - axes.bottom) / _ROWS
        frame = f"translate({axes.left:g} {axes.height - axes.bottom:g}) scale({wide:.4f} {-high:.4f})"
        cells = [
            f'<path d="{_cells((counts > 0) & (shade == level))}" fill-opacity="{opacity:g}"/>'
            for level, opacity in enumerate(_SHADES)
        ]
        parts.append(f'<g transform="{frame}" fill="{colour}">{"".join(cells)}</g>')
    edge = np.array([low, fastest * (1.0 - strongest / group.saturation_effort_nm), fastest])
    parts.append(axes.line(edge, envelope(group, edge), colour="#1d2126", width=1.4))
    zero = axes.at(0.0, 0.0)[0]
    parts.append(f'<path class="z" d="M{zero:.1f} {axes.top:g}V{axes.height - axes.bottom:g}"/>')
    caption = f"{title(group.name).replace(' ', ', ')}: torque [N m] against speed"
    return Figure(axes.figure(parts, label=f"{caption}, with the motor's limit"), caption)


def _cells(chosen: np.ndarray) -> str:
    """Return a path around the cells (columns, rows) that are chosen; those that touch in a row are one."""
    return "".join(
        f"M{start} {row}h{stop - start}v1h{start - stop}z"
        for row in range(chosen.shape[1])
        for start, stop in stretches(chosen[:, row])
    )
