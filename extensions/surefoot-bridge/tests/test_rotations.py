"""Directions by hand."""

import numpy as np
import pytest

from surefoot_bridge.state import gravity_in_frame, tilt


def about(axis, angle):
    return np.array([np.cos(angle / 2), *(np.sin(angle / 2) * np.asarray(axis, dtype=float))])


def test_a_level_frame_has_gravity_along_minus_z():
    assert gravity_in_frame(about((0, 0, 1), 1.3)) == pytest.approx([0.0, 0.0, -1.0])


def test_a_nose_that_points_down_has_gravity_along_x():
    """A turn by +90 degrees about y takes x to -z."""
    assert gravity_in_frame(about((0, 1, 0), np.pi / 2)) == pytest.approx([1.0, 0.0, 0.0], abs=1e-12)


def test_a_left_side_that_points_up_has_gravity_along_minus_y():
    """A turn by +90 degrees about x takes y to z."""
    assert gravity_in_frame(about((1, 0, 0), np.pi / 2)) == pytest.approx([0.0, -1.0, 0.0], abs=1e-12)


@pytest.mark.parametrize("shape", [(), (5,), (2, 3)])
def test_leading_dimensions_are_free(shape):
    quats = np.random.default_rng(1).normal(size=(*shape, 4))
    quats /= np.linalg.norm(quats, axis=-1, keepdims=True)
    gravity = gravity_in_frame(quats)
    assert gravity.shape == (*shape, 3)
    for index in np.ndindex(*shape):
        assert (gravity[index] == gravity_in_frame(quats[index])).all()
    assert np.linalg.norm(gravity, axis=-1) == pytest.approx(np.ones(shape))


@pytest.mark.parametrize("angle", [0.0, 0.4, np.pi / 2, np.pi])
def test_tilt_is_the_angle_to_the_vertical(angle):
    assert tilt(about((0.6, 0.8, 0.0), angle)) == pytest.approx(angle, abs=1e-7)
