"""The kernels that hand values to an engine put each where it belongs, for the named environments alone."""

import numpy as np
import warp as wp

from surefoot.randomization.appliers import newton, ovphysx


def array(values, dtype=wp.float32):
    return wp.array(np.asarray(values), dtype=dtype, device="cpu")


def zeros(shape, dtype=wp.float32):
    return wp.zeros(shape, dtype=dtype, device="cpu")


def launch(kernel, dim, inputs, *outputs):
    wp.launch(kernel, dim=dim, inputs=inputs, outputs=list(outputs), device="cpu")
    return [output.numpy() for output in outputs]


TABLE = np.arange(40, dtype=np.float32).reshape(4, 10)
"""Four environments, ten columns: column c of environment e holds 10 e + c."""
MASK = [False, True, False, True]


def test_centres_of_mass_become_poses_without_a_rotation():
    (poses,) = launch(
        ovphysx.write_poses, (1, 2), [array([[[1, 2, 3], [4, 5, 6]]], wp.vec3f)], zeros((1, 2), wp.transformf)
    )

    assert poses.tolist() == [[[1, 2, 3, 0, 0, 0, 1], [4, 5, 6, 0, 0, 0, 1]]]


def test_materials_of_a_foot_are_static_dynamic_and_restitution_in_the_rows_of_the_masks_environments():
    table = np.zeros((3, 6), dtype=np.float32)
    table[:, 0:2] = [[0.5, 0.6], [0.7, 0.8], [0.9, 1.0]]  # friction of two feet
    table[:, 2:4] = 0.5  # dynamic over static
    table[:, 4:6] = [[0.1, 0.2], [0.3, 0.4], [0.5, 0.6]]  # restitution
    materials, rows = launch(
        ovphysx.write_materials,
        (2, 3),
        [array([False, True, False], wp.bool), array(table), 0, 2, 4],
        zeros((6, 2, 3)),
        zeros((2, 3), wp.bool),
    )

    # Rows go by foot first: environment 1 of three is row 1 for the first foot, row 4 for the second.
    assert rows.flatten().nonzero()[0].tolist() == [1, 4]
    np.testing.assert_allclose(materials[1], [[0.7, 0.35, 0.3]] * 2, rtol=1e-6)
    np.testing.assert_allclose(materials[4], [[0.8, 0.4, 0.4]] * 2, rtol=1e-6)
    assert not materials[[0, 2, 3, 5]].any()


def test_a_wrench_is_a_force_without_torque_at_a_point_and_written_only_where_there_is_a_force():
    inputs = [array([[1, 2, 3], [0, 0, 0]], wp.vec3f), array([[7, 8, 9], [4, 5, 6]], wp.vec3f)]
    wrench, is_pushed = launch(ovphysx.write_wrenches, 2, inputs, zeros((2, 9)), zeros(2, wp.bool))

    assert wrench[0].tolist() == [1, 2, 3, 0, 0, 0, 7, 8, 9]
    assert is_pushed.tolist() == [True, False]


def elements(first_column, element, place, nominal, values):
    to = newton.Elements()
    to.first_column, to.element, to.place = first_column, array(element, wp.int32), array(place, wp.int32)
    to.nominal, to.values = array(nominal), values
    return to


def write_elements(mask, *parameters):
    given = wp.array(parameters, dtype=newton.Elements, device="cpu")
    launch(newton.write_elements, (len(mask), 2), [array(mask, wp.bool), 2, array(TABLE), given])
    return [to.values.numpy().tolist() for to in parameters]


def test_newtons_columns_are_written_in_its_own_order():
    to = elements(4, [0, 1, 2], [2, 0, 1], [1, 1, 10], zeros((4, 3)))
    assert write_elements(MASK, to) == [[[0, 0, 0], [15, 160, 14], [0, 0, 0], [35, 360, 34]]]


def test_every_shape_of_a_foot_gets_the_foots_value_beside_other_parameters():
    feet = elements(4, [0, 0, 1], [5, 2, 0], [1, 1, 2], zeros((2, 6)))
    others = elements(9, [0], [1], [1], zeros((2, 4))[:, ::2])  # strided, as attributes of shapes are
    assert write_elements([False, True], feet, others) == [[[0] * 6, [30, 0, 14, 0, 0, 14]], [[0, 0], [0, 19]]]


def test_gravity_of_the_named_worlds_changes_in_model_and_solver():
    inputs = [array([False, False, True, False], wp.bool), array(TABLE), 5]
    model, solver = launch(newton.write_gravity, 4, inputs, zeros(4, wp.vec3f), zeros(4, wp.vec3f))

    assert model.tolist() == solver.tolist() == [[0] * 3, [0] * 3, [25, 26, 27], [0] * 3]


def test_a_force_off_the_centre_of_mass_has_a_torque_about_it():
    half = np.sqrt(0.5)
    pose = array([[[0, 0, 0, 0, 0, 0, 1], [1, 0, 0, 0, 0, half, half]]], wp.transformf)  # the base is the second body
    com = array([[[0, 0, 0], [0.1, 0, 0]]], wp.vec3f)  # turned by a quarter: at (1, 0.1, 0)
    inputs = [array([[0, 0, 10]], wp.vec3f), array([[1, 0.3, 0]], wp.vec3f), pose, com, 1]
    (wrench,) = launch(newton.write_base_wrench, 1, inputs, zeros((1, 2), wp.spatial_vectorf))

    # Arm (0, 0.2, 0) x force (0, 0, 10) = (2, 0, 0).
    np.testing.assert_allclose(wrench[0], [[0] * 6, [0, 0, 10, 2, 0, 0]], atol=1e-5)
