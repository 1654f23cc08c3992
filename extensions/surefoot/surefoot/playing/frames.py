"""Pictures of a recording: tracking camera, arrows for the command and the velocity, and the overlay."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence

import mujoco
import numpy as np

from surefoot.motion_recording import FILM_SIZE
from surefoot.playing.overlay import Overlay
from surefoot.playing.recording import AROUND_M, EpisodeRecording
from surefoot.playing.scene import RobotScene, add_connector
from surefoot.terrains.height_grid import HeightGrid
from surefoot_bridge.state import heading
from surefoot_robots import get_robot
from surefoot_robots.gait_pairs import short_names

_COMMAND_RGBA = np.array([0.10, 0.65, 0.30, 0.9], dtype=np.float32)
_VELOCITY_RGBA = np.array([0.15, 0.40, 0.95, 0.9], dtype=np.float32)
_PUSH_RGBA = np.array([0.90, 0.15, 0.15, 0.9], dtype=np.float32)
_SHADE_RGBA = np.array([0.0, 0.0, 0.0, 0.35], dtype=np.float32)

_FOLLOW_S, _TURN_S = 0.3, 1.0
"""Time constants with which the camera follows the base's position and heading: slowly enough that its motion shows."""

_VIEW_DEG = 62.0
"""The camera's azimuth from the base's heading: from the side and a little from behind; no step hides a foot."""


def render_frames(
    recording: EpisodeRecording,
    steps: Sequence[int],
    *,
    size: tuple[int, int] = FILM_SIZE,
    grid: HeightGrid | None = None,
) -> Iterator[np.ndarray]:
    """Draw some steps of a recording.

    Args:
        recording: The motion.
        steps: Indices of the steps to draw.
        size: Width and height [pixels].
        grid: The ground; None for the recording's own.

    Yields:
        Frames of shape (height, width, 3), uint8.
    """
    spec = get_robot(recording.robot)
    grid = recording.grid if grid is None else grid
    near = grid if grid.is_flat else grid.around(recording.base_pos[steps, :2], AROUND_M)
    scene = RobotScene(spec, size=size, grid=near)
    overlay = Overlay(recording, short_names(spec.foot_bodies))
    looked_at = _smoothed(recording.base_pos, _FOLLOW_S / recording.step_dt)
    yaw = np.unwrap(heading(recording.base_quat_wxyz))
    azimuth_deg = _VIEW_DEG + np.degrees(_smoothed(yaw, _TURN_S / recording.step_dt))
    camera = mujoco.MjvCamera()
    camera.elevation, camera.distance = -14.0, 0.5 + 2.8 * spec.base_height_m
    with mujoco.Renderer(scene.model, height=size[1], width=size[0]) as renderer:
        for step in steps:
            scene.pose(recording.base_pos[step], recording.base_quat_wxyz[step], recording.joint_pos[step])
            camera.lookat[:] = looked_at[step] - [0.0, 0.0, 0.25 * spec.base_height_m]
            camera.azimuth = azimuth_deg[step]
            renderer.update_scene(scene.data, camera)
            _darken_below_feet(renderer.scene, scene, grid)
            _add_arrows(renderer.scene, recording, step, spec.base_height_m)
            yield overlay.draw(renderer.render(), step)


def _smoothed(values: np.ndarray, time_constant_steps: float) -> np.ndarray:
    """Return values, steps first, behind a first-order low-pass filter that starts at the first of them."""
    smoothed = values.astype(float)
    blend = 1.0 - np.exp(-1.0 / time_constant_steps)
    for step in range(1, len(smoothed)):
        smoothed[step] = smoothed[step - 1] + blend * (smoothed[step] - smoothed[step - 1])
    return smoothed


def _darken_below_feet(drawn: mujoco.MjvScene, scene: RobotScene, grid: HeightGrid) -> None:
    """Draw a dark disc on the ground below each foot, which says how far the foot is from it."""
    for name in scene.spec.foot_bodies:
        x, y, _ = scene.data.body(name).xpos
        start = np.array([x, y, float(grid.height(x, y)) + 0.001])
        end = start + np.array([0.0, 0.0, 0.002])
        radius = 0.1 * scene.spec.base_height_m
        add_connector(drawn, mujoco.mjtGeom.mjGEOM_CYLINDER, radius, start, end, _SHADE_RGBA)


def _add_arrows(scene: mujoco.MjvScene, recording: EpisodeRecording, step: int, base_height_m: float) -> None:
    """Draw command and velocity above the base as arrows, their yaw rates as arcs, and a recent push beside it."""
    yaw = float(heading(recording.base_quat_wxyz[step]))
    above = recording.base_pos[step] + np.array([0.0, 0.0, 0.55 * base_height_m + 0.08])
    scale = 0.5 * (0.5 + base_height_m)  # metres of arrow for 1 m/s
    for lift, values, rgba in (
        (0.0, recording.command[step], _COMMAND_RGBA),
        (0.05, recording.velocity[step], _VELOCITY_RGBA),
    ):
        start = above + np.array([0.0, 0.0, lift])
        direction = np.array([np.cos(yaw), np.sin(yaw)])
        sideways = np.array([-direction[1], direction[0]])
        horizontal = values[0] * direction + values[1] * sideways
        _add_arrow(scene, start, start + scale * np.append(horizontal, 0.0), rgba)
        _add_arc(scene, start, 0.45 * scale, yaw, values[2], rgba)

    first = max(0, step - round(0.3 / recording.step_dt))
    push = recording.push[first : step + 1].sum(axis=0)
    if np.any(push):
        tip = recording.base_pos[step] - 0.1 * np.append(push, 0.0) / np.hypot(*push)
        _add_arrow(scene, tip - scale * np.append(push, 0.0) / np.hypot(*push), tip, _PUSH_RGBA)


def _add_arrow(scene: mujoco.MjvScene, start: np.ndarray, end: np.ndarray, rgba: np.ndarray) -> None:
    if np.linalg.norm(end - start) > 0.02:
        add_connector(scene, mujoco.mjtGeom.mjGEOM_ARROW, 0.015, start, end, rgba)


def _add_arc(
    scene: mujoco.MjvScene, center: np.ndarray, radius: float, yaw: float, rate: float, rgba: np.ndarray
) -> None:
    """Draw an arc that begins at the heading and spans the angle turned in one second."""
    angles = yaw + np.linspace(0.0, rate, 9)
    points = center + radius * np.stack([np.cos(angles), np.sin(angles), np.zeros(9)], axis=1)
    if abs(rate) > 0.05:
        for start, end in itertools.pairwise(points):
            add_connector(scene, mujoco.mjtGeom.mjGEOM_CAPSULE, 0.01, start, end, rgba)
