"""Quaternions, scalar first, on arrays with free leading dimensions."""

import numpy as np


def gravity_in_frame(quat_wxyz: np.ndarray) -> np.ndarray:
    """Return the unit vector of gravity in a frame that a quaternion rotates to the world, (..., 3).

    It is the third row of the rotation matrix with its sign turned; it does not depend on the yaw.

    Args:
        quat_wxyz: Unit quaternions, (..., 4).
    """
    w, x, y, z = np.asarray(quat_wxyz).T  # transposed twice: several times as fast as moving and stacking axes
    return np.array((2.0 * (w * y - x * z), -2.0 * (w * x + y * z), -(w * w - x * x - y * y + z * z))).T


def tilt(quat_wxyz: np.ndarray) -> np.ndarray:
    """Return the angle between the frame's vertical and the world's [rad], in [0, pi], (...,)."""
    return np.arccos(np.clip(-gravity_in_frame(quat_wxyz)[..., 2], -1.0, 1.0))


def rotation_matrix(quat_wxyz: np.ndarray) -> np.ndarray:
    """Return the matrices that turn vectors of a frame into the world, (..., 3, 3), float64.

    Args:
        quat_wxyz: Unit quaternions from the frame to the world, (..., 4).
    """
    w, x, y, z = np.moveaxis(np.asarray(quat_wxyz, dtype=np.float64), -1, 0)
    rows = (
        (w * w + x * x - y * y - z * z, 2.0 * (x * y - w * z), 2.0 * (x * z + w * y)),
        (2.0 * (x * y + w * z), w * w - x * x + y * y - z * z, 2.0 * (y * z - w * x)),
        (2.0 * (x * z - w * y), 2.0 * (y * z + w * x), w * w - x * x - y * y + z * z),
    )
    return np.moveaxis(np.array(rows), (0, 1), (-2, -1))


def roll_pitch_yaw(quat_wxyz: np.ndarray) -> np.ndarray:
    """Return the angles by which a frame is turned about x, then y, then z to stand as it does [rad], (..., 3).

    Args:
        quat_wxyz: Unit quaternions, (..., 4).
    """
    w, x, y, z = np.asarray(quat_wxyz).T
    roll = np.arctan2(2.0 * (w * x + y * z), 1.0 - 2.0 * (x * x + y * y))
    pitch = np.arcsin(np.clip(2.0 * (w * y - z * x), -1.0, 1.0))
    return np.array((roll, pitch, heading(quat_wxyz).T)).T


def heading(quat_wxyz: np.ndarray) -> np.ndarray:
    """Return the angle of the frame's forward axis seen from above, counterclockwise from x [rad], (...,)."""
    w, x, y, z = np.asarray(quat_wxyz).T
    return np.arctan2(2.0 * (w * z + x * y), 1.0 - 2.0 * (y * y + z * z)).T


def product(left: np.ndarray, right: np.ndarray) -> np.ndarray:
    """Return the quaternions that turn by ``right``, then by ``left``, (..., 4)."""
    w, x, y, z = np.asarray(left).T
    a, b, c, d = np.asarray(right).T
    return np.array(
        (
            w * a - x * b - y * c - z * d,
            w * b + x * a + y * d - z * c,
            w * c - x * d + y * a + z * b,
            w * d + x * c - y * b + z * a,
        )
    ).T
