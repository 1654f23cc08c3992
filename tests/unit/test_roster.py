"""The robots beside the Go2 and the G1 against the numbers that they are made from."""

from itertools import pairwise

import mujoco
import numpy as np
import pytest

from surefoot_bridge.clock import SimulatedClock
from surefoot_bridge.errors import SurefootError
from surefoot_bridge.robots.model import RobotModel
from surefoot_bridge.robots.mujoco_robot import MujocoRobot
from surefoot_bridge.state import JointCommand, rotation_matrix
from surefoot_robots import RobotSpec, get_robot
from surefoot_robots.humanoid_tuning import humanoid_tuning
from surefoot_robots.limbs import FourLegs, by_group, joint_mirror, symmetric_pose

# Total mass [kg] and length of a leg from its first joint to its foot, link by link [m], of the source. A T1's
# legs begin at its waist.
SOURCES = {
    "unitree_a1": (12.453, 0.08505 + 0.2 + 0.2),
    "anymal_c": (
        52.13485,
        np.hypot(0.0599, 0.08381) + np.hypot(0.1003, 0.285) + np.linalg.norm([0.01305, 0.08795, 0.31547]),
    ),
    "anymal_d": (51.53921, np.hypot(0.069, 0.006) + np.hypot(0.1805, 0.285) + np.linalg.norm([0.01411, 0.1, 0.36208])),
    "spot": (50.34, 0.1108 + np.hypot(0.025, 0.32) + 0.3365),
    "unitree_h1": (51.437, 0.039468 + 0.11536 + 0.4 + 0.4),
    "booster_t1": (31.614357, 0.106 + 0.02 + 0.081854 + np.hypot(0.014, 0.134) + 0.28 + np.hypot(0.012, 0.00025)),
    "berkeley_humanoid": (16.0567651, 2 * np.hypot(0.0158, 0.065) + np.hypot(0.22, 0.0742) + 0.18 + 0.0175),
    "cassie": (33.312, 0.07 + 0.09 + np.hypot(0.12, 0.0045) + np.hypot(0.49544, 0.06741) + np.hypot(0.408, 0.04)),
    "digit": (
        48.351458,
        np.hypot(0.0505, 0.044)
        + np.hypot(0.004, 0.068)
        + np.hypot(0.12, 0.0045)
        + np.hypot(0.495436, 0.067406)
        + np.hypot(0.408, 0.04),
    ),
}
SPECS = {name: get_robot(name) for name in SOURCES}
HUMANOIDS = [name for name, spec in SPECS.items() if spec.kind == "humanoid"]
QUADRUPEDS = [name for name, spec in SPECS.items() if spec.kind == "quadruped"]
MIRROR = np.diag([1.0, -1.0, 1.0])

every_robot = pytest.mark.parametrize("name", SOURCES)


def posed(spec: RobotSpec, joint_pos: dict[str, float] | None = None) -> tuple[mujoco.MjModel, mujoco.MjData]:
    """The robot with its base level at the origin; joints that are not stated are at zero."""
    model = mujoco.MjModel.from_xml_path(str(spec.mjcf_path))
    data = mujoco.MjData(model)
    data.qpos[:] = 0.0
    data.qpos[3] = 1.0
    for joint, position in (joint_pos or {}).items():
        data.qpos[model.joint(joint).qposadr[0]] = position
    mujoco.mj_kinematics(model, data)
    mujoco.mj_comPos(model, data)
    return model, data


def soles_m(spec: RobotSpec, data: mujoco.MjData) -> np.ndarray:
    """The points of all soles in the frame of the base, (num_points, 3)."""
    return np.concatenate(
        [
            data.body(foot).xpos + np.array(points) @ data.body(foot).xmat.reshape(3, 3).T
            for foot, points in zip(spec.foot_bodies, spec.sole_offsets_m, strict=True)
        ]
    )


@every_robot
def test_its_mass_and_its_legs_are_the_source_s(name):
    spec = SPECS[name]
    mass_kg, leg_m = SOURCES[name]
    model, data = posed(spec)
    assert model.body_mass.sum() == pytest.approx(mass_kg, rel=1e-8)
    for foot in spec.foot_bodies:
        joints = [data.xanchor[model.joint(joint).id] for joint in spec.leg_joints(foot)]
        length_m = sum(np.linalg.norm(b - a) for a, b in pairwise([*joints, data.body(foot).xpos]))
        assert length_m == pytest.approx(leg_m, abs=1e-5)


@every_robot
def test_its_left_and_right_are_mirror_images_in_mass_inertia_and_place(name):
    spec = SPECS[name]
    model, data = posed(spec)
    bodies = {}  # name -> mass, centre of mass and inertia in the axes of the base, lowest joint or foot that moves it
    for index in range(1, model.nbody):
        axes = data.ximat[index].reshape(3, 3)
        bodies[model.body(index).name] = (
            model.body_mass[index],
            data.xipos[index],
            axes @ np.diag(model.body_inertia[index]) @ axes.T,
        )
    partners = {spec.base_body: spec.base_body, **spec.foot_mirror}
    for joint, (other, _) in spec.joint_mirror.items():
        body, mirrored = (model.body(model.joint(which).bodyid[0]).name for which in (joint, other))
        partners[body] = mirrored
    assert partners.keys() == bodies.keys()
    for body, other in partners.items():
        mass, com, inertia = bodies[body]
        other_mass, other_com, other_inertia = bodies[other]
        assert mass == pytest.approx(other_mass, rel=1e-8), body
        assert MIRROR @ com == pytest.approx(other_com, abs=1e-7), body
        assert np.abs(MIRROR @ inertia @ MIRROR - other_inertia).max() < 1e-6 * inertia.max(), body


@every_robot
def test_joints_that_mirror_each_other_turn_mirrored(name):
    """A small turn of a joint moves its foot as the mirrored turn of its partner moves the mirrored foot."""
    spec = SPECS[name]
    _, rest = posed(spec, dict(spec.default_joint_pos))
    for joint, (other, sign) in spec.joint_mirror.items():
        _, moved = posed(spec, {**spec.default_joint_pos, joint: spec.default_joint_pos[joint] + 0.1})
        _, mirrored = posed(spec, {**spec.default_joint_pos, other: spec.default_joint_pos[other] + sign * 0.1})
        ours = soles_m(spec, moved).mean(axis=0) - soles_m(spec, rest).mean(axis=0)
        theirs = soles_m(spec, mirrored).mean(axis=0) - soles_m(spec, rest).mean(axis=0)
        assert MIRROR @ ours == pytest.approx(theirs, abs=1e-6), joint


@every_robot
def test_every_pose_leaves_each_joint_a_hundredth_of_its_range(name):
    spec = SPECS[name]
    poses = (spec.default_joint_pos, spec.handling.stand_rad, spec.handling.sit_rad, spec.handling.crouch_rad)
    for pose in poses:
        for joint, (lower, upper) in spec.joint_limits_rad.items():
            margin = 0.01 * (upper - lower)
            assert lower + margin <= pose[joint] <= upper - margin, joint


@pytest.mark.parametrize("name", HUMANOIDS)
def test_a_humanoid_s_soles_are_flat_and_below_its_centre_of_mass_in_every_pose(name):
    spec = SPECS[name]
    heights_m = []
    for pose in (spec.handling.stand_rad, spec.handling.crouch_rad, spec.handling.sit_rad):
        _, data = posed(spec, dict(pose))
        soles, com = soles_m(spec, data), data.subtree_com[0]
        assert np.ptp(soles[:, 2]) < 2e-3
        assert soles[:, 0].min() + 0.02 < com[0] < soles[:, 0].max() - 0.02
        assert com[1] == pytest.approx(0.0, abs=1e-6)
        heights_m.append(-soles[:, 2].mean())
    stand, crouch, sit = heights_m
    assert stand > crouch > sit > 0.85 * stand


@pytest.mark.parametrize("name", QUADRUPEDS)
def test_a_quadruped_stands_up_and_sits_down_on_its_poses_and_gains(name):
    spec, clock = SPECS[name], SimulatedClock()
    model = RobotModel.from_spec(spec)
    robot = MujocoRobot(model, clock=clock)
    handling, zero = spec.handling, np.zeros(spec.num_joints)
    sit, stand = (
        np.array([pose[joint] for joint in model.joint_names]) for pose in (handling.sit_rad, handling.stand_rad)
    )
    gains = [
        np.array([by_joint[joint] for joint in model.joint_names])
        for by_joint in (handling.stiffness_nm_per_rad, handling.damping_nms_per_rad)
    ]
    heights_m = []
    for begin, end in ((stand, sit), (sit, stand)):
        for share in np.minimum(np.arange(0.0, 4.0, 0.002) / handling.stand_s, 1.0):
            robot.write(JointCommand(begin + share * (end - begin), zero, *gains, zero))
            clock.sleep_until(clock.now() + 0.002)
        heights_m.append(float(robot.data.qpos[2]))
        up = rotation_matrix(robot.data.qpos[3:7])[2, 2]
        assert up > 0.98
    assert heights_m[0] < 0.5 * spec.base_height_m
    assert heights_m[1] > 0.9 * spec.base_height_m


@pytest.mark.parametrize(("name", "sum_rad"), [("cassie", 0.227), ("digit", 0.0268)])
def test_the_tarsus_is_in_every_pose_where_the_achilles_rod_holds_it(name, sum_rad):
    spec = SPECS[name]
    (knee,), (tarsus,) = (
        [joint for joint in spec.joint_names if part in joint and "left" in joint] for part in ("knee", "tarsus")
    )
    for pose in (spec.default_joint_pos, spec.handling.sit_rad, spec.handling.crouch_rad):
        assert pose[knee] + pose[tarsus] == pytest.approx(sum_rad)


@pytest.mark.parametrize(("name", "unused"), [("unitree_h1", 20 - 19)])
def test_an_h1_s_motors_are_the_sdk_s_without_the_one_that_is_not_used(name, unused):
    joints = SPECS[name].sdk_joint_names
    assert len(joints) + unused == 20
    assert joints[8:10] == ("right_hip_yaw", "left_ankle")  # indices 8 and 10


def test_four_legs_give_a_go2_the_names_pairs_and_poses_that_its_specification_has():
    go2 = get_robot("unitree_go2")
    legs = FourLegs(("FL", "FR", "RL", "RR"), ("hip", "thigh", "calf"), "{leg}_{part}_joint", "{leg}_foot")
    assert (legs.joints, legs.feet, legs.joint_mirror) == (go2.joint_names, go2.foot_bodies, go2.joint_mirror)
    assert (legs.foot_mirror, legs.foot_diagonal) == (go2.foot_mirror, go2.foot_diagonal)
    assert legs.pose((0.1, 0.8, -1.5), (0.1, 1.0, -1.5)) == go2.default_joint_pos
    assert legs.alike(60.0, 80.0, 80.0) == go2.handling.stiffness_nm_per_rad


def test_a_humanoid_of_a_g1_s_size_is_asked_for_what_a_g1_is():
    tuning = get_robot("unitree_g1").tuning
    assert humanoid_tuning(mass_kg=33.34, base_height_m=0.757, payload_box_m=tuning.payload_box_m) == tuning


def test_a_pose_is_stated_of_one_side_and_turned_on_the_other():
    mirror = joint_mirror(
        ("left_hip", "left_roll", "right_hip", "right_roll", "waist"), ("left", "right"), ".*_roll|waist"
    )
    assert mirror["right_roll"] == ("left_roll", -1)
    assert mirror["waist"] == ("waist", -1)
    assert symmetric_pose({"left_hip": 0.3, "left_roll": 0.1}, mirror) == {
        "left_hip": 0.3,
        "left_roll": 0.1,
        "right_hip": 0.3,
        "right_roll": -0.1,
        "waist": 0.0,
    }


def test_names_that_do_not_fit_are_refused():
    with pytest.raises(SurefootError, match=r"^left_hip has no joint right_hip on the other side; joints: left_hip\.$"):
        joint_mirror(("left_hip",), ("left", "right"), "")
    groups = get_robot("unitree_go2").actuators
    with pytest.raises(SurefootError, match=r"^Numbers by actuator group lack or add calf, knee; give"):
        by_group(groups, ("FL_calf_joint",), {"hip_thigh": 1.0, "knee": 2.0})
