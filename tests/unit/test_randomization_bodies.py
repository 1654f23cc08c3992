"""Mass, centre of mass and inertia from the table are those of a body that could be built."""

import mujoco
import numpy as np
import pytest
import warp as wp

from surefoot.randomization.bodies import BODY_PARAMETERS, BodyComposer, compose_reference
from surefoot.randomization.catalogue import make_catalogue
from surefoot.randomization.layout import TableLayout
from surefoot.randomization.nominal_model import NominalModel, read_nominal_model
from surefoot_robots import get_robot

TWO_BODIES = NominalModel(
    body_names=("base", "link"),
    mass_kg=np.array([2.0, 1.0]),
    com_m=np.array([[0.0, 0.0, 0.0], [0.0, 0.0, -0.1]]),
    inertia_kgm2=np.array([np.diag([0.02, 0.03, 0.04]), np.diag([0.01, 0.01, 0.002])]),
    joint_of_body=(-1, 0),
    foot_friction=(),
    foot_torsional_friction_m=(),
    foot_rolling_friction_m=(),
)


def nominal_values(**changes):
    values = {
        "base_mass": np.array([2.0]),
        "base_inertia_ratio": np.array([1.0]),
        "base_com": np.zeros(3),
        "payload_mass": np.array([0.0]),
        "payload_position": np.zeros(3),
        "link_mass": np.array([1.0]),
        "link_inertia_ratio": np.array([1.0]),
    }
    return values | {name: np.atleast_1d(np.array(value, dtype=float)) for name, value in changes.items()}


def test_a_payload_shifts_the_centre_of_mass_and_adds_its_inertia():
    bodies = compose_reference(TWO_BODIES, 0, nominal_values(payload_mass=1.0, payload_position=(0.3, 0.0, 0.0)))

    assert bodies.mass_kg.tolist() == [3.0, 1.0]
    np.testing.assert_allclose(bodies.com_m[0], [0.1, 0.0, 0.0])
    # Parallel axes: 2 kg at 0.1 m and 1 kg at 0.2 m from the new centre add 0.02 + 0.04 about y and z.
    np.testing.assert_allclose(bodies.inertia_kgm2[0], np.diag([0.02, 0.09, 0.10]))


def test_a_heavier_link_has_inertia_in_proportion_and_a_ratio_comes_on_top():
    bodies = compose_reference(TWO_BODIES, 0, nominal_values(link_mass=1.5, link_inertia_ratio=2.0))

    np.testing.assert_allclose(bodies.inertia_kgm2[1], np.diag([0.03, 0.03, 0.006]))
    np.testing.assert_allclose(bodies.com_m[1], [0.0, 0.0, -0.1])


@pytest.mark.parametrize("name", ["unitree_go2", "unitree_g1"])
def test_the_kernel_composes_what_the_reference_composes(name):
    spec = get_robot(name)
    model, layout = read_nominal_model(spec), TableLayout.build(make_catalogue(spec), {})
    rng = np.random.default_rng(1)
    table = np.tile(layout.per_column()["nominal"], (5, 1))
    for parameter in BODY_PARAMETERS:
        columns = layout.column_slice(parameter)
        table[:, columns] = table[:, columns] * rng.uniform(0.7, 1.3, table[:, columns].shape)
    table[:, layout.column_slice("payload_mass")] = rng.uniform(0.0, 3.0, (5, 1))
    table[:, layout.column_slice("payload_position")] = rng.uniform(-0.2, 0.2, (5, 3))
    order = model.body_names[::-1]  # an engine's own order
    composer = BodyComposer(spec, order, wp.array(table, dtype=wp.float32, device="cpu"), layout.first_column)
    shape = (5, len(order))
    mass, com, inertia = (wp.zeros(shape, dtype=dtype, device="cpu") for dtype in (wp.float32, wp.vec3f, wp.mat33f))
    environments = [3, 1]
    env_mask = wp.array(np.isin(np.arange(5), environments), dtype=wp.bool, device="cpu")
    composer.compose(env_mask, mass_kg=mass, com_m=com, inertia_kgm2=inertia)

    for env in environments:
        values = {item: table[env, layout.column_slice(item)].astype(np.float64) for item in BODY_PARAMETERS}
        expected = compose_reference(model, model.body_names.index(spec.base_body), values)
        np.testing.assert_allclose(mass.numpy()[env], expected.mass_kg[::-1], rtol=1e-5)
        np.testing.assert_allclose(com.numpy()[env], expected.com_m[::-1], atol=1e-6)
        np.testing.assert_allclose(inertia.numpy()[env], expected.inertia_kgm2[::-1], rtol=2e-5, atol=1e-7)
    untouched = 4
    assert not mass.numpy()[untouched].any()


@pytest.mark.parametrize("name", ["unitree_go2", "unitree_g1"])
def test_nominal_values_compose_the_model_that_mujoco_compiles(name):
    spec = get_robot(name)
    model, compiled = read_nominal_model(spec), mujoco.MjModel.from_xml_path(str(spec.mjcf_path))
    layout = TableLayout.build(make_catalogue(spec), {})
    values = {item: np.array(layout.parameter(item).nominal) for item in BODY_PARAMETERS}
    bodies = compose_reference(model, model.body_names.index(spec.base_body), values)

    np.testing.assert_allclose(bodies.mass_kg, compiled.body_mass[1:])
    np.testing.assert_allclose(bodies.com_m, compiled.body_ipos[1:], atol=1e-12)
    moments = np.sort(np.linalg.eigvalsh(bodies.inertia_kgm2), axis=1)
    np.testing.assert_allclose(moments, np.sort(compiled.body_inertia[1:], axis=1), rtol=1e-6)


@pytest.mark.parametrize("name", ["unitree_go2", "unitree_g1"])
def test_every_draw_of_the_harsh_preset_gives_bodies_that_could_be_built(name):
    from surefoot.randomization.presets import preset_ranges
    from surefoot.randomization.table import RandomizationTable

    spec = get_robot(name)
    model = read_nominal_model(spec)
    layout = TableLayout.build(make_catalogue(spec), preset_ranges("harsh", spec))
    table = RandomizationTable(layout, num_envs=50, device="cpu", seed=1)
    for env in range(50):
        values = {item: table.view(item)[env].numpy().astype(np.float64) for item in BODY_PARAMETERS}
        bodies = compose_reference(model, model.body_names.index(spec.base_body), values)
        moments = np.linalg.eigvalsh(bodies.inertia_kgm2)  # (num_bodies, 3), rising
        assert (bodies.mass_kg > 0.0).all()
        assert (moments > 0.0).all()
        # A real body's largest moment is at most the sum of the two others.
        assert (moments[:, 2] <= (moments[:, 0] + moments[:, 1]) * (1.0 + 1e-6)).all()
