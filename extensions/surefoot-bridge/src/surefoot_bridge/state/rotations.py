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
