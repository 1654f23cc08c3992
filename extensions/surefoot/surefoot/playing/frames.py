"""Pictures of a recording: tracking camera, arrows for the command and the velocity, and the overlay."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator

import mujoco
import numpy as np

from surefoot.playing.overlay import Overlay
from surefoot.playing.recording import Recording
from surefoot.playing.scene import RobotScene
from surefoot_robots import get_robot

_COMMAND_RGBA = np.array([0.10, 0.65, 0.30, 0.9], dtype=np.float32)
_VELOCITY_RGBA = np.array([0.15, 0.40, 0.95, 0.9], dtype=np.float32)
_PUSH_RGBA = np.array([0.90, 0.15, 0.15, 0.9], dtype=np.float32)

_CAMERA_TIME_CONSTANT_S = 0.3
"""The camera follows the base through a low-pass filter, so that the trunk's own motion can be seen."""


def render_frames(recording: Recording, steps: Iterable[int], *, size: tuple[int, int]) -> Iterator[np.ndarray]:
    """Draw some steps of a recording.

    Args:
        recording: The motion.
        steps: Indices of the steps to draw.
        size: Width and height [pixels].

    Yields:
        Frames of shape (height, width, 3), uint8.
    """
    spec = get_robot(recording.robot)
    scene = RobotScene(spec, offscreen_size=size)
    overlay = Overlay(recording, tuple(name.removesuffix("_foot") for name in spec.foot_bodies))
    targets = _camera_targets(recording, height=0.75 * spec.base_height_m)
    camera = mujoco.MjvCamera()
    camera.azimuth, camera.elevation, camera.distance = 125.0, -14.0, 0.6 + 3.3 * spec.base_height_m
    with mujoco.Renderer(scene.model, height=size[1], width=size[0]) as renderer:
        for step in steps:
            scene.pose(recording.base_pos[step], recording.base_quat_wxyz[step], recording.joint_pos[step])
            camera.lookat[:] = targets[step]
            renderer.update_scene(scene.data, camera)
            _add_arrows(renderer.scene, recording, step, spec.base_height_m)
            yield overlay.draw(renderer.render(), step)


def _camera_targets(recording: Recording, *, height: float) -> np.ndarray:
    """Return the points that the camera looks at, shape (num_steps, 3)."""
    targets = recording.base_pos.astype(float)
    blend = 1.0 - np.exp(-recording.step_dt / _CAMERA_TIME_CONSTANT_S)
    for step in range(1, len(targets)):
        targets[step] = targets[step - 1] + blend * (targets[step] - targets[step - 1])
    targets[:, 2] = height
    return targets


def _add_arrows(scene: mujoco.MjvScene, recording: Recording, step: int, base_height_m: float) -> None:
    """Draw command and velocity above the base as arrows, their yaw rates as arcs, and a recent push beside it."""
    w, x, y, z = recording.base_quat_wxyz[step]
    heading = np.arctan2(2 * (w * z + x * y), 1 - 2 * (y * y + z * z))
    above = recording.base_pos[step] + np.array([0.0, 0.0, 0.55 * base_height_m + 0.08])
    scale = 0.5 * (0.5 + base_height_m)  # metres of arrow for 1 m/s
    for lift, values, rgba in (
        (0.0, recording.command[step], _COMMAND_RGBA),
        (0.05, recording.velocity[step], _VELOCITY_RGBA),
    ):
        start = above + np.array([0.0, 0.0, lift])
        direction = np.array([np.cos(heading), np.sin(heading)])
        sideways = np.array([-direction[1], direction[0]])
        horizontal = values[0] * direction + values[1] * sideways
        _add_arrow(scene, start, start + scale * np.append(horizontal, 0.0), rgba)
        _add_arc(scene, start, 0.45 * scale, heading, values[2], rgba)

    first = max(0, step - round(0.3 / recording.step_dt))
    push = recording.push[first : step + 1].sum(axis=0)
    if np.any(push):
        tip = recording.base_pos[step] - 0.1 * np.append(push, 0.0) / np.hypot(*push)
        _add_arrow(scene, tip - scale * np.append(push, 0.0) / np.hypot(*push), tip, _PUSH_RGBA)


def _add_arrow(scene: mujoco.MjvScene, start: np.ndarray, end: np.ndarray, rgba: np.ndarray) -> None:
    if np.linalg.norm(end - start) > 0.02:
        _add_connector(scene, mujoco.mjtGeom.mjGEOM_ARROW, 0.015, start, end, rgba)


def _add_arc(
    scene: mujoco.MjvScene, center: np.ndarray, radius: float, heading: float, rate: float, rgba: np.ndarray
) -> None:
    """Draw an arc that begins at the heading and spans the angle turned in one second."""
    angles = heading + np.linspace(0.0, rate, 9)
    points = center + radius * np.stack([np.cos(angles), np.sin(angles), np.zeros(9)], axis=1)
    if abs(rate) > 0.05:
        for start, end in itertools.pairwise(points):
            _add_connector(scene, mujoco.mjtGeom.mjGEOM_CAPSULE, 0.01, start, end, rgba)


def _add_connector(
    scene: mujoco.MjvScene, kind: mujoco.mjtGeom, width: float, start: np.ndarray, end: np.ndarray, rgba: np.ndarray
) -> None:
    if scene.ngeom >= scene.maxgeom:
        return
    geom = scene.geoms[scene.ngeom]
    mujoco.mjv_initGeom(geom, kind, np.zeros(3), np.zeros(3), np.zeros(9), rgba)
    mujoco.mjv_connector(geom, kind, width, start, end)
    scene.ngeom += 1
