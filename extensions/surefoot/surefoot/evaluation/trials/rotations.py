"""Rotations of many robots at once: quaternions, scalar first, from the base's frame to the world."""

from __future__ import annotations

import numpy as np

from surefoot_bridge.state import product


def into_base(quat_wxyz: np.ndarray, vector_w: np.ndarray) -> np.ndarray:
    """Return vectors of the world in the base's frame, (..., 3).

    Args:
        quat_wxyz: Unit quaternions, (..., 4).
        vector_w: Vectors, (..., 3).
    """
    return _turned(-quat_wxyz[..., 1:], quat_wxyz[..., :1], vector_w)


def to_world(quat_wxyz: np.ndarray, vector_b: np.ndarray) -> np.ndarray:
    """Return vectors of the base's frame in the world, (..., 3).

    Args:
        quat_wxyz: Unit quaternions, (..., 4).
        vector_b: Vectors, (..., 3).
    """
    return _turned(quat_wxyz[..., 1:], quat_wxyz[..., :1], vector_b)


def about_vertical(angle_rad: np.ndarray, vector: np.ndarray) -> np.ndarray:
    """Return vectors turned counterclockwise about the vertical, (..., 3).

    Args:
        angle_rad: By how much [rad], (...,).
        vector: Vectors, (..., 3).
    """
    c, s = np.cos(angle_rad), np.sin(angle_rad)
    x, y, z = np.moveaxis(vector, -1, 0)
    return np.stack([c * x - s * y, s * x + c * y, z], axis=-1)


def from_angles(roll_rad: np.ndarray, pitch_rad: np.ndarray, yaw_rad: np.ndarray) -> np.ndarray:
    """Return the quaternions that turn about x by the roll, then about y by the pitch, about z by the yaw, (..., 4).

    Args:
        roll_rad: Roll [rad], (...,).
        pitch_rad: Pitch [rad], (...,).
        yaw_rad: Yaw [rad], (...,).
    """

    def about(axis: int, angle_rad: np.ndarray) -> np.ndarray:
        quat = np.zeros((*np.shape(angle_rad), 4))
        quat[..., 0], quat[..., 1 + axis] = np.cos(angle_rad / 2.0), np.sin(angle_rad / 2.0)
        return quat

    return product(about(2, yaw_rad), product(about(1, pitch_rad), about(0, roll_rad)))


def from_rotation_vector(vector: np.ndarray) -> np.ndarray:
    """Return the quaternions that turn about a vector by its length [rad], (..., 4).

    Args:
        vector: Rotation vectors [rad], (..., 3).
    """
    half = np.linalg.norm(vector, axis=-1, keepdims=True) / 2.0
    return np.concatenate([np.cos(half), np.sinc(half / np.pi) / 2.0 * vector], axis=-1)


def cross(left: np.ndarray, right: np.ndarray) -> np.ndarray:
    """Return cross products, (..., 3); for few vectors several times as fast as NumPy's."""
    (a, b, c), (x, y, z) = left.T, right.T
    return np.array((b * z - c * y, c * x - a * z, a * y - b * x)).T


def _turned(axis: np.ndarray, w: np.ndarray, vector: np.ndarray) -> np.ndarray:
    twice = 2.0 * cross(axis, vector)
    return vector + w * twice + cross(axis, twice)
