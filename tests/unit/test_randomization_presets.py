"""Randomization presets: they resolve for every robot, lie inside one another, and each range names its source."""

import math
import re

import mujoco
import numpy as np
import pytest

from surefoot.randomization.catalogue import make_catalogue
from surefoot.randomization.parameter import Parameter, ResolvedRange, resolve_range, to_value
from surefoot.randomization.preset_sources import SOURCES
from surefoot.randomization.presets import ASSUMPTION, PRESETS, preset_ranges, surfaces
from surefoot.robot_checks.engine import TIMESTEP_S
from surefoot_bridge.errors import SurefootError
from surefoot_robots import RobotSpec, get_robot, list_robots

RANDOMIZING = tuple(name for name in PRESETS if name != "none")

every_robot = pytest.mark.parametrize("spec", [get_robot(name) for name in list_robots()], ids=lambda spec: spec.name)
every_preset = pytest.mark.parametrize("preset", RANDOMIZING)


def resolve(preset: str, spec: RobotSpec) -> dict[str, tuple[Parameter, ResolvedRange]]:
    parameters = {parameter.name: parameter for parameter in make_catalogue(spec)}
    ranges = preset_ranges(preset, spec)
    return {name: (parameters[name], resolve_range(parameters[name], asked)) for name, asked in ranges.items()}


def values(preset: str, spec: RobotSpec) -> dict[str, tuple[tuple[float, float], ...]]:
    """Smallest and largest value of each element of each parameter that the preset randomizes."""
    return {
        name: tuple(
            (to_value(found.range.operation, nominal, low), to_value(found.range.operation, nominal, high))
            for nominal, low, high in zip(parameter.nominal, found.low, found.high, strict=True)
        )
        for name, (parameter, found) in resolve(preset, spec).items()
    }


def sources_of(range_source: str) -> list[tuple[str, str]]:
    """Split "key: what it states; key: ..." into keys and remarks."""
    parts = [part.partition(": ") for part in range_source.split("; ")]
    return [(key, remark) for key, _, remark in parts]


@every_preset
@every_robot
def test_every_preset_resolves_for_every_robot_and_randomizes_something(spec, preset):
    assert any(low < high for ranges in values(preset, spec).values() for low, high in ranges)


@every_robot
def test_the_preset_none_names_no_parameter(spec):
    assert preset_ranges("none", spec) == {}


@every_robot
def test_standard_and_harsh_range_over_all_but_the_initial_state(spec):
    names = {item.name for item in make_catalogue(spec) if item.acts_on != "initial_state"}
    if not any(spec.joint_values("friction_nm")):
        names.remove("coulomb_friction")  # a factor of nothing
    assert set(preset_ranges("standard", spec)) == names
    assert set(preset_ranges("harsh", spec)) == names


@pytest.mark.parametrize(("inner", "outer"), [("mild", "standard"), ("standard", "harsh")])
@every_robot
def test_each_preset_lies_inside_the_next_harder_one(spec, inner, outer):
    hard = values(outer, spec)
    outside = [
        f"{name}: [{low:g}, {high:g}] in [{hard_low:g}, {hard_high:g}]"
        for name, ranges in values(inner, spec).items()
        for (low, high), (hard_low, hard_high) in zip(ranges, hard[name], strict=True)
        if low < hard_low or high > hard_high
    ]
    assert outside == []


@every_preset
@every_robot
def test_every_range_names_known_sources_and_what_they_state(spec, preset):
    known = {source.key for source in SOURCES} | {ASSUMPTION}
    wrong = [
        (name, key, remark)
        for name, asked in preset_ranges(preset, spec).items()
        for key, remark in sources_of(asked.source)
        if key not in known or not remark
    ]
    assert wrong == []


def test_every_source_is_used_by_a_range_and_says_where_it_is_and_what_for():
    used = {
        key
        for name in list_robots()
        for preset in RANDOMIZING
        for asked in preset_ranges(preset, get_robot(name)).values()
        for key, _ in sources_of(asked.source)
    }
    assert [source.key for source in SOURCES] == sorted(used - {ASSUMPTION})
    assert all(source.location and source.used_for for source in SOURCES)


@every_robot
def test_a_robot_of_a_class_has_the_ranges_that_its_class_was_trained_with(spec):
    standard = values("standard", spec)
    expected = {
        "quadruped": {"payload_mass": (0.0, 3.0), "command_delay": (0.0, 0.015), "foot_friction": (0.3, 1.2)},
        "humanoid": {"payload_mass": (0.0, 3.0), "command_delay": (0.0, 0.02), "foot_friction": (0.2, 1.25)},
    }[spec.kind]
    assert {name: set(standard[name]) for name in expected} == {name: {ends} for name, ends in expected.items()}


@pytest.mark.parametrize("name", ["unitree_go2", "unitree_g1"])
def test_scaled_and_shifted_ranges_stand_around_the_robots_own_numbers(name):
    spec = get_robot(name)
    # Standard masses of the base: 0.8 and 1.2 times 6.921 kg (Go2) and 3.813 kg (G1, the pelvis).
    mass_kg = {"unitree_go2": (5.5368, 8.3052), "unitree_g1": (3.0504, 4.5756)}[spec.name]
    # Harsh gravity: 1 and 0.6 m/s^2 around (0, 0, -9.81).
    gravity = {"unitree_go2": (-10.81, -8.81), "unitree_g1": (-10.41, -9.21)}[spec.name]
    assert values("standard", spec)["base_mass"][0] == pytest.approx(mass_kg, abs=1e-9)
    assert values("harsh", spec)["gravity"][2] == pytest.approx(gravity, abs=1e-9)


@every_robot
def test_sensor_noise_is_as_strong_as_uniform_noise_of_the_velocity_task(spec):
    half_widths = {
        "gyro_noise": 0.2,
        "gravity_noise": 0.05,
        "encoder_noise": 0.01,
        "encoder_velocity_noise": 1.5,
    }
    for name, half_width in half_widths.items():
        std = half_width / math.sqrt(3.0)
        assert values("mild", spec)[name] == ((std, std),)
        assert values("standard", spec)[name] == ((std, std),)
        assert values("harsh", spec)[name] == ((std, 1.5 * std),)
    assert values("mild", spec)["gyro_noise"][0][0] == pytest.approx(0.11547005, abs=1e-8)


@every_robot
def test_mild_pushes_as_the_velocity_task_always_did(spec):
    mild = values("mild", spec)
    assert mild["push_velocity"] == ((-0.5, 0.5), (-0.5, 0.5), (0.0, 0.0))
    assert mild["push_velocity_interval"] == ((5.0, 10.0),)
    assert "push_force" not in mild


@every_robot
def test_no_push_by_force_exceeds_80_newtons_along_an_axis(spec):
    harsh = values("harsh", spec)["push_force"]
    assert max(max(-low, high) for low, high in harsh) == 80.0


@every_preset
@every_robot
def test_velocity_gains_stay_stable_at_the_least_inertia_of_every_preset(spec, preset):
    # With torques held over a time step dt, joints of inertia M under gains K and D diverge once an eigenvalue of
    # dt M^-1 (D + dt K / 2) exceeds 2 (semi-implicit Euler; for one joint of inertia I: dt d / I + dt^2 k / (2 I) < 2).
    # Dry friction is left out: it is bounded, so that it chatters but does not diverge.
    found = values(preset, spec)
    nominal = {parameter.name: parameter.nominal for parameter in make_catalogue(spec)}

    def end(name: str, side: int) -> np.ndarray:
        ranges = found.get(name)
        return np.array(nominal[name] if ranges is None else [ends[side] for ends in ranges])

    model = mujoco.MjModel.from_xml_path(str(spec.mjcf_path))
    dofs = np.array([int(model.joint(name).dofadr[0]) for name in spec.joint_names])
    bodies = np.array([int(model.joint(name).bodyid[0]) for name in spec.joint_names])
    lighter = end("link_mass", 0) / model.body_mass[bodies]
    model.body_mass[bodies] *= lighter
    model.body_inertia[bodies] *= (lighter * end("link_inertia_ratio", 0))[:, None]
    model.dof_armature[dofs] = end("armature", 0)
    data = mujoco.MjData(model)
    data.qpos[[int(model.joint(name).qposadr[0]) for name in spec.joint_names]] = spec.joint_values("default_joint_pos")
    mujoco.mj_forward(model, data)
    inertia = np.zeros((model.nv, model.nv))
    mujoco.mj_fullM(model, data, inertia)
    mobility = np.linalg.inv(inertia)[np.ix_(dofs, dofs)]  # (num_joints, num_joints)
    gain = end("damping", 1) + end("viscous_friction", 1) + 0.5 * TIMESTEP_S * end("stiffness", 1)
    largest = float(np.linalg.eigvals(TIMESTEP_S * mobility @ np.diag(gain)).real.max())
    assert largest < 2.0


def test_named_surfaces_are_drawn_one_for_all_feet():
    floors = surfaces("wet", "carpet")
    assert (floors.choices, floors.distribution, floors.shared) == ((0.2, 0.8), "discrete", True)
    assert surfaces().choices == (0.2, 0.4, 0.8)


@every_robot
def test_named_surfaces_resolve_as_the_friction_of_the_feet(spec):
    friction = next(parameter for parameter in make_catalogue(spec) if parameter.name == "foot_friction")
    found = resolve_range(friction, surfaces("wood", "wet"))
    assert (set(found.low), set(found.high)) == ({0.2}, {0.4})


def test_an_unknown_preset_is_refused():
    message = "Unknown randomization preset 'hard'; valid: harsh, none, mild, standard."
    with pytest.raises(SurefootError, match=f"^{re.escape(message)}$"):
        preset_ranges("hard", get_robot("unitree_go2"))


def test_an_unknown_surface_is_refused():
    message = "Unknown surface 'ice'; valid: wood, carpet, wet."
    with pytest.raises(SurefootError, match=f"^{re.escape(message)}$"):
        surfaces("wood", "ice")
