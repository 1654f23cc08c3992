"""Pushes give the velocity or the momentum that the table says, to those environments alone in which they are due."""

import numpy as np
import warp as wp

from surefoot.randomization.pushes import PushColumns, end_pushes, push_by_force, push_by_velocity

STEP_DT = 0.02


def columns():
    packed = PushColumns()
    packed.push_velocity, packed.push_force, packed.push_point, packed.push_duration = 0, 3, 6, 9
    return packed


def array(values, dtype):
    return wp.array(np.asarray(values), dtype=dtype, device="cpu")


def row(velocity=(0, 0, 0), force=(0, 0, 0), point=(0, 0, 0), duration=0.0):
    return [*velocity, *force, *point, duration]


def test_a_push_by_velocity_adds_to_the_velocity_where_it_is_due():
    table = array([row(velocity=(1.0, -0.5, 0.25)), row(velocity=(9.0, 9.0, 9.0))], wp.float32)
    before = array([[0.1, 0.2, 0.3, 4.0, 5.0, 6.0]] * 2, wp.spatial_vectorf)
    pushed, is_pushed = wp.zeros(2, dtype=wp.spatial_vectorf, device="cpu"), wp.zeros(2, dtype=wp.bool, device="cpu")
    due = array([[True, False], [False, True]], wp.bool)
    wp.launch(
        push_by_velocity,
        dim=2,
        inputs=[due, table, columns(), before],
        outputs=[pushed, is_pushed],
        device="cpu",
    )

    np.testing.assert_allclose(pushed.numpy(), [[1.1, -0.3, 0.55, 4.0, 5.0, 6.0], [0.1, 0.2, 0.3, 4.0, 5.0, 6.0]])
    assert is_pushed.numpy().tolist() == [True, False]


def run_force(due, table, poses, left, steps):
    """Launch for some control steps, the pushes being due in the first; returns forces and points of each."""
    time_left = array(left, wp.float32)
    force, point = (wp.zeros(len(left), dtype=wp.vec3f, device="cpu") for _ in range(2))
    forces, points = [], []
    for step in range(steps):
        flags = array([[False, is_due and step == 0] for is_due in due], wp.bool)
        wp.launch(
            push_by_force,
            dim=len(left),
            inputs=[flags, table, columns(), poses, STEP_DT],
            outputs=[time_left, force, point],
            device="cpu",
        )
        forces.append(force.numpy().copy())
        points.append(point.numpy().copy())
    return np.array(forces), np.array(points)


def test_force_times_time_is_the_momentum_that_the_push_is_to_give():
    table = array([row(force=(40.0, 0.0, -8.0), duration=0.05), row(force=(40.0, 0.0, 0.0), duration=0.01)], wp.float32)
    poses = array([[0, 0, 0, 0, 0, 0, 1]] * 2, wp.transformf)
    forces, _ = run_force([True, True], table, poses, [0.0, 0.0], steps=5)

    # 0.05 s are two whole control steps and half of a third, 0.01 s half of one.
    np.testing.assert_allclose(forces[:, 0, 0], [40.0, 40.0, 20.0, 0.0, 0.0], atol=1e-3)
    np.testing.assert_allclose(forces.sum(axis=0) * STEP_DT, [[2.0, 0.0, -0.4], [0.4, 0.0, 0.0]], atol=1e-4)


def test_the_point_moves_and_turns_with_the_base():
    table = array([row(force=(1.0, 0.0, 0.0), point=(0.2, 0.0, 0.1), duration=1.0)], wp.float32)
    half = np.sqrt(0.5)
    poses = array([[1.0, 2.0, 3.0, 0.0, 0.0, half, half]], wp.transformf)  # a quarter turn to the left
    _, points = run_force([True], table, poses, [0.0], steps=1)

    np.testing.assert_allclose(points[0, 0], [1.0, 2.2, 3.1], atol=1e-6)


def test_where_no_push_is_due_a_push_that_goes_on_goes_on_and_no_other_begins():
    table = array([row(force=(1.0, 0.0, 0.0), duration=1.0)] * 2, wp.float32)
    poses = array([[0, 0, 0, 0, 0, 0, 1]] * 2, wp.transformf)
    forces, _ = run_force([False, False], table, poses, [0.04, 0.0], steps=3)

    np.testing.assert_allclose(forces[:, :, 0], [[1.0, 0.0], [1.0, 0.0], [0.0, 0.0]], atol=1e-6)


def test_an_episode_that_ends_takes_its_push_with_it_and_no_other():
    left, force = array([0.1, 0.2, 0.3], wp.float32), array([[1.0, 2.0, 3.0]] * 3, wp.vec3f)
    wp.launch(end_pushes, dim=3, inputs=[array([True, False, True], wp.bool)], outputs=[left, force], device="cpu")

    np.testing.assert_allclose(left.numpy(), [0.0, 0.2, 0.0])
    assert force.numpy().tolist() == [[0.0] * 3, [1.0, 2.0, 3.0], [0.0] * 3]
