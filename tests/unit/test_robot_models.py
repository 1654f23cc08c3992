"""The robots' MJCF files against the public descriptions they come from, number by number where it matters."""

import mujoco
import numpy as np
import pytest

from surefoot_bridge.state import rotation_matrix
from surefoot_robots import get_robot, list_robots

SPECS = {name: get_robot(name) for name in list_robots()}
MODELS = {name: mujoco.MjModel.from_xml_path(str(spec.mjcf_path)) for name, spec in SPECS.items()}
every_robot = pytest.mark.parametrize("name", list_robots())


def about_origin(mass, com, inertia) -> np.ndarray:
    """Inertia about the frame's origin, from that about the centre of mass (parallel axes)."""
    return inertia + mass * (np.dot(com, com) * np.eye(3) - np.outer(com, com))


def composite(model, parent, foot):
    """Mass, centre of mass and inertia about the parent's origin of a body and its fixed foot, axes of the parent."""
    mass, moment, inertia = 0.0, np.zeros(3), np.zeros((3, 3))
    for name, offset in ((parent, np.zeros(3)), (foot, model.body(foot).pos)):
        body = model.body(name)
        axes = rotation_matrix(body.iquat)
        mass += body.mass[0]
        moment += body.mass[0] * (offset + body.ipos)
        inertia += about_origin(body.mass[0], offset + body.ipos, axes @ np.diag(body.inertia) @ axes.T)
    return mass, moment / mass, inertia


# Mass, centre of mass, principal moments and their axes (w, x, y, z) in MuJoCo Menagerie, commit 75df466.
COMPOSITES = [
    (
        *("unitree_go2", "FL_calf", "FL_foot", 0.241352, (0.00629595, -0.000622121, -0.141417)),
        (0.0014901, 0.00146356, 5.31397e-05),
        (0.710671705, 0.00154098936, -0.00450086813, 0.703507708),
    ),
    (
        *("unitree_go2", "RR_calf", "RR_foot", 0.241352, (0.00629595, 0.000622121, -0.141417)),
        (0.0014901, 0.00146356, 5.31397e-05),
        (0.703507708, -0.00450086813, 0.00154098936, 0.710671705),
    ),
    (
        *("unitree_g1", "left_ankle_roll_link", "left_foot", 0.608, (0.026505, 0.0, -0.016425)),
        (0.00167218, 0.0016161, 0.000217621),
        (-0.000481091833, 0.728481748, -0.000618966785, 0.685064763),
    ),
    (
        *("unitree_g1", "right_ankle_roll_link", "right_foot", 0.608, (0.026505, 0.0, -0.016425)),
        (0.00167218, 0.0016161, 0.000217621),
        (0.000481091833, 0.728481748, 0.000618966785, 0.685064763),
    ),
]


@pytest.mark.parametrize(("robot", "parent", "foot", "mass", "com", "moments", "quat"), COMPOSITES)
def test_a_link_with_its_foot_weighs_and_turns_like_the_source_s_link(robot, parent, foot, mass, com, moments, quat):
    axes = rotation_matrix(np.array(quat) / np.linalg.norm(quat))
    expected = about_origin(mass, np.array(com), axes @ np.diag(moments) @ axes.T)
    found_mass, found_com, found_inertia = composite(MODELS[robot], parent, foot)
    assert found_mass == pytest.approx(mass, rel=1e-12)
    assert found_com == pytest.approx(com, abs=1e-12)
    assert np.abs(found_inertia - expected).max() < 1e-6 * moments[0]


@pytest.mark.parametrize(("robot", "mass_kg"), [("unitree_go2", 15.206408), ("unitree_g1", 33.341142)])
def test_the_total_mass_is_that_of_the_source(robot, mass_kg):
    assert MODELS[robot].body_mass.sum() == pytest.approx(mass_kg, rel=1e-9)


@every_robot
def test_the_model_brings_no_ground_and_no_actuators_of_its_own(name):
    model = MODELS[name]
    assert (model.geom_type != mujoco.mjtGeom.mjGEOM_PLANE).all()
    assert model.nu == 0
    assert model.jnt_type[0] == mujoco.mjtJoint.mjJNT_FREE
    assert model.body(SPECS[name].base_body).parentid == 0


@every_robot
def test_the_engine_s_own_joint_friction_and_damping_are_zero(name):
    assert not MODELS[name].dof_damping.any()
    assert not MODELS[name].dof_frictionloss.any()


@every_robot
def test_robots_touch_the_ground_but_not_themselves(name):
    model = MODELS[name]
    assert not model.geom_contype.any()
    assert (model.geom_conaffinity == 1).all()


@every_robot
def test_the_robot_s_friction_decides_and_only_sliding_resists(name):
    model = MODELS[name]
    assert (model.geom_priority == 1).all()
    assert (model.geom_condim == 3).all()


@pytest.mark.parametrize(("robot", "friction"), [("unitree_go2", 0.8), ("unitree_g1", 0.6)])
def test_feet_are_bodies_without_a_joint_and_with_the_source_s_friction(robot, friction):
    model = MODELS[robot]
    for foot in SPECS[robot].foot_bodies:
        body = model.body(foot)
        assert body.jntnum[0] == 0
        geoms = range(body.geomadr[0], body.geomadr[0] + body.geomnum[0])
        assert {model.geom_friction[geom, 0] for geom in geoms} == {friction}


@every_robot
def test_armature_and_limits_are_the_same_number_in_specification_and_model(name):
    spec, model = SPECS[name], MODELS[name]
    joints = [model.joint(joint) for joint in spec.joint_names]
    assert [float(model.dof_armature[joint.dofadr[0]]) for joint in joints] == list(spec.joint_values("armature_kgm2"))
    assert [tuple(joint.range) for joint in joints] == [spec.joint_limits_rad[joint] for joint in spec.joint_names]


@every_robot
def test_gains_are_stable_when_torques_are_computed_once_per_time_step(name):
    # Explicit damping flips and grows a joint's velocity once kd dt exceeds twice its inertia; rotors alone must do.
    spec = SPECS[name]
    ratios = np.array(spec.joint_values("damping")) * 0.005 / np.array(spec.joint_values("armature_kgm2"))
    assert ratios.max() < 2.0


def test_go2_s_calf_is_geared_down_from_the_motor_of_hip_and_thigh():
    hip, calf = SPECS["unitree_go2"].actuators
    assert calf.effort_limit_nm / hip.effort_limit_nm == pytest.approx(
        hip.velocity_limit_rad_s / calf.velocity_limit_rad_s, rel=1e-3
    )


def test_g1_s_gains_give_each_armature_ten_hertz_with_damping_ratio_two():
    # mjlab's rounded gains: 7520-14, 7520-22, two 5020, 5020, 4010.
    found = [(group.stiffness, group.damping) for group in SPECS["unitree_g1"].actuators]
    expected = [
        (40.1792386, 2.55788978),
        (99.0984278, 6.30880185),
        (28.5012462, 1.81444569),
        (14.2506231, 0.907222843),
        (16.7783275, 1.0681415),
    ]
    assert np.array(found) == pytest.approx(np.array(expected), rel=1e-8)


def test_g1_cannot_stand_on_its_gains_alone():
    # Two ankles against m g h, with the centre of mass 0.67 m above the soles: a policy has to balance.
    ankle = SPECS["unitree_g1"].group_of("left_ankle_pitch_joint")
    assert 2 * ankle.stiffness < 33.341142 * 9.81 * 0.67


def test_an_action_of_one_asks_g1_for_a_quarter_of_each_joint_s_torque():
    spec = SPECS["unitree_g1"]
    torque = np.array(spec.joint_values("action_scale_rad")) * np.array(spec.joint_values("stiffness"))
    assert torque == pytest.approx(0.25 * np.array(spec.joint_values("effort_limit_nm")))


@every_robot
def test_every_decision_names_what_was_taken_and_why(name):
    page = SPECS[name].mjcf_path.with_name("sources.md").read_text()
    rows = [line.strip("| ").split(" | ") for line in page.splitlines() if line.startswith("| ")]
    decisions = rows[rows.index(["what", "candidates", "taken", "why"]) + 1 :]
    assert len({field for field, *_ in decisions}) == len(decisions) > 5
    for _, candidates, taken, why in decisions:
        assert candidates
        assert taken
        assert why.endswith(".")
