"""A package with a robot of one's own, from a description whose names say nothing."""

import importlib
import sys

import mujoco
import numpy as np
import pytest
from tests.fixtures.outside import ANYMAL_D, put_in
from tests.fixtures.quadruped_urdf import write_quadruped

from surefoot.authoring import proposals
from surefoot.authoring.anatomy import find_feet, study
from surefoot.authoring.package_files import write_folder
from surefoot.authoring.proposals import largest_forward_m_s
from surefoot.authoring.robot_package import make_robot_package
from surefoot.authoring.source_model import read_source
from surefoot.cli import main
from surefoot.robot_checks.check import check_robot
from surefoot.task_registry import check_task
from surefoot_bridge.clock import SimulatedClock
from surefoot_bridge.errors import SurefootError
from surefoot_bridge.robots.model import RobotModel
from surefoot_bridge.robots.mujoco_robot import MujocoRobot
from surefoot_bridge.state import JointCommand
from surefoot_robots import RobotSpec, get_robot, list_robots
from surefoot_robots.registry import refused_robots

FEET = ("r3", "p3", "q3", "s3")  # left front, right front, left hind, right hind


@pytest.fixture(scope="module")
def dog(tmp_path_factory) -> RobotSpec:
    """The robot of a URDF with meshes."""
    folder = tmp_path_factory.mktemp("dog")
    write_folder(folder / "dog", make_robot_package("dog", write_quadruped(folder)))
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(folder / "dog")
        yield importlib.import_module("dog_robot.spec").SPEC
    for module in ("dog_robot", "dog_robot.spec"):
        del sys.modules[module]


def test_feet_and_pairs_are_found_by_geometry_and_not_by_names(dog):
    assert (dog.kind, dog.base_body, dog.foot_bodies) == ("quadruped", "trunk", FEET)
    assert dog.leg_joints("q3") == ("qa", "qb", "qc")
    assert dog.foot_mirror == {"r3": "p3", "p3": "r3", "q3": "s3", "s3": "q3"}
    assert dog.foot_diagonal == {"r3": "s3", "s3": "r3", "p3": "q3", "q3": "p3"}
    assert [dog.joint_mirror[joint] for joint in ("pa", "pb", "pc")] == [("ra", -1), ("rb", 1), ("rc", 1)]
    assert dog.joints_of("abduction") == ("pa", "qa", "ra", "sa")


@pytest.mark.parametrize("name", ["unitree_go2", "unitree_g1"])
def test_geometry_tells_of_our_own_robots_what_their_specifications_say(name):
    spec = get_robot(name)
    model = read_source(spec.mjcf_path).spec.compile()
    found = study(model, find_feet(model))
    assert (set(found.feet), found.joints) == (set(spec.foot_bodies), spec.joint_names)
    assert found.joint_mirror == spec.joint_mirror
    assert (found.foot_mirror, found.foot_diagonal) == (spec.foot_mirror, spec.foot_diagonal)
    assert found.legs == tuple(spec.leg_joints(foot) for foot in found.feet)


def test_legs_stand_bent_backwards_with_the_feet_below_the_hips(dog):
    # Two parts of 0.2 m, hips at 0.76 of 0.4 m over the feet: hips turn by acos(0.76) = 0.7075, the knee twice back.
    assert [dog.default_joint_pos[joint] for joint in ("qa", "qb", "qc")] == pytest.approx(
        [0.0, 0.7075, -1.4150], abs=2e-3
    )
    assert dog.base_height_m == pytest.approx(0.76 * 0.4 + 0.02, abs=1e-3)
    # Folded, the hips are the half height of the trunk over the ground: 0.05 m, the feet's 0.02 m below that.
    knee = dog.handling.sit_rad["qc"]
    assert knee < -2.5


def test_a_mesh_becomes_the_capsule_that_it_is(dog):
    model = mujoco.MjModel.from_xml_path(str(dog.mjcf_path))
    thigh = model.geom("q1_1")
    assert (model.nmesh, int(thigh.type[0])) == (0, mujoco.mjtGeom.mjGEOM_CAPSULE.value)
    assert thigh.size[:2] == pytest.approx([0.02, 0.07], abs=2e-3)
    assert thigh.pos == pytest.approx([0.0, 0.0, -0.07], abs=2e-3)


def test_links_that_do_not_move_are_fused_and_the_imu_is_where_its_link_was(dog):
    assert dog.imu.pos_m == (0.1, 0.0, 0.03)
    model = mujoco.MjModel.from_xml_path(str(dog.mjcf_path))
    assert model.nbody == 1 + 1 + 16
    assert model.body_subtreemass[0] == pytest.approx(8.0 + 4 * (0.4 + 0.5 + 0.2 + 0.04), abs=1e-4)


@pytest.mark.parametrize("imu_on", ["trunk", "root", "middle"])
def test_a_robot_whose_root_is_an_empty_link_fixed_to_its_base_keeps_its_imu_and_its_mass(tmp_path, imu_on):
    """The trunk is 0.02 m above the middle link, that 0.01 m above the root, and the IMU 0.03 m above its link."""
    path = write_quadruped(tmp_path)
    more = ['<link name="root"/><link name="middle"/>']
    more += [
        f'<joint name="{child}_to" type="fixed"><parent link="{parent}"/><child link="{child}"/>'
        f'<origin xyz="0 0 {height_m}"/></joint>'
        for parent, child, height_m in (("root", "middle", 0.01), ("middle", "trunk", 0.02))
    ]
    text = path.read_text().replace('"trunk"/><child link="imu_link"', f'"{imu_on}"/><child link="imu_link"')
    path.write_text(text.replace("</robot>", "".join([*more, "</robot>"])))
    files = make_robot_package("dog", path)
    assert "where the IMU is" not in files["dog_robot/spec.py"]
    model = mujoco.MjModel.from_xml_string(files["dog_robot/dog.xml"])
    assert model.site("imu").pos[2] == pytest.approx({"root": 0.03, "middle": 0.04, "trunk": 0.06}[imu_on])
    assert (model.nbody, model.body("root").mass, model.body("root").ipos[2]) == (1 + 1 + 16, 8.0, pytest.approx(0.03))


def test_torque_and_speed_are_the_files_and_stiffness_carries_the_weight(dog):
    assert {group.effort_limit_nm for group in dog.actuators} == {30.0}
    assert {group.velocity_limit_rad_s for group in dog.actuators} == {20.0}
    assert all(group.stiffness >= 30.0 for group in dog.actuators)


def test_its_model_holds_every_check_in_mujoco(dog):
    assert [(row.check, row.value) for row in check_robot(dog, ["mujoco"]) if not row.ok] == []


def test_it_stands_up_and_sits_down_on_the_poses_and_gains_that_are_proposed(dog):
    clock = SimulatedClock()
    model = RobotModel.from_spec(dog)
    robot = MujocoRobot(model, clock=clock)
    handling, zero = dog.handling, np.zeros(12)
    sit, stand = (
        np.array([pose[joint] for joint in model.joint_names]) for pose in (handling.sit_rad, handling.stand_rad)
    )
    gains = [
        np.array([by_joint[joint] for joint in model.joint_names])
        for by_joint in (handling.stiffness_nm_per_rad, handling.damping_nms_per_rad)
    ]
    heights_m = []
    for begin, end in ((sit, stand), (stand, sit)):
        for share in np.linspace(0.0, 1.0, 1200):  # 3 s at 400 Hz
            robot.write(JointCommand(begin + share * (end - begin), zero, *gains, zero))
            clock.sleep_until(clock.now() + 1.0 / model.low_level_hz)
        heights_m.append(float(robot.data.qpos[2]))
        tilt = np.arccos(np.clip(robot.data.body(dog.base_body).xmat[8], -1.0, 1.0))
        assert tilt < 0.1
    # Standing, at most a tenth lower than the pose is high; sitting, the trunk's half height of 0.05 m and little more.
    assert heights_m[0] > 0.9 * dog.base_height_m
    assert heights_m[1] < 0.08


# What is refused


def refusal(*arguments: object) -> str:
    with pytest.raises(SurefootError) as error:
        make_robot_package(*arguments)
    return str(error.value)


def test_an_inertia_that_no_body_can_have_is_refused_with_its_numbers(tmp_path):
    message = refusal("dog", write_quadruped(tmp_path, moment_kgm2=0.007))
    assert (
        "dog.urdf states what no body can have; correct it:\n  p1 has the principal moments 0.003 0.003 0.007"
        in message
    )
    assert message.count("\n") == 4


def test_a_joint_that_is_no_hinge_is_refused_by_name(tmp_path):
    assert "pc is a slide joint; Surefoot drives hinges. Weld it" in refusal(
        "dog", write_quadruped(tmp_path, kind="prismatic")
    )


def test_a_mesh_that_is_not_there_is_refused_with_what_to_do(tmp_path):
    path = write_quadruped(tmp_path)
    (tmp_path / "meshes" / "thigh.stl").unlink()
    assert "names the mesh package://dog/meshes/thigh.stl, which is neither beside it nor in a folder" in refusal(
        "dog", path
    )


def test_a_robot_in_millimetres_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(proposals, "LARGEST_HEIGHT_M", 0.1)
    with pytest.raises(
        SurefootError, match=r"stands 0\.\d+ m high; valid: up to 0\.1 m\. .* by 0\.001 if they are in mill"
    ):
        make_robot_package("dog", write_quadruped(tmp_path))


def test_a_task_of_a_name_that_is_installed_is_refused(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert main(["new", "task", "surefoot"]) == 2
    assert "offers a task 'surefoot' already; take another name." in capsys.readouterr().err
    assert not list(tmp_path.iterdir())


def test_a_density_beyond_steel_is_asked_about(tmp_path):
    files = make_robot_package("dog", write_quadruped(tmp_path, mass_kg=5.0))
    assert "# QUESTION: the mass of p1, q1, r1, s1: 5 kg in shapes of 0.2" in files["dog_robot/spec.py"]


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (None, "does not exist; give the URDF or the MJCF"),
        ("<svg/>", "begins with <svg>; a URDF"),
        ("<robot", "no readable"),
    ],
)
def test_a_file_that_is_no_robot_is_refused(tmp_path, content, says):
    path = tmp_path / "file.xml"
    if content is not None:
        path.write_text(content)
    assert says.replace("no readable", "is not readable XML") in refusal("dog", path)


def test_a_folder_is_written_whole_or_not_at_all(tmp_path):
    with pytest.raises(SurefootError, match="Cannot write"):
        write_folder(tmp_path / "half", {"a.txt": "a", "a.txt/b.txt": "b"})
    assert list(tmp_path.iterdir()) == []


def test_a_question_that_must_be_answered_refuses_the_robot_in_one_line(tmp_path, capsys, monkeypatch):
    source = ANYMAL_D / "team_anymal_robot" / "anymal_d.xml"
    assert main(["new", "robot", "my_anymal", "--from", str(source), "--output", str(tmp_path / "my_anymal")]) == 0
    said = capsys.readouterr().out
    assert 'to be answered: "HFE": question("largest torque [N m] and speed [rad/s] of LF_HFE' in said
    assert "the friction of the joints of HAA, HFE, KFE; the file states none." in said
    monkeypatch.syspath_prepend(put_in(tmp_path / "installed", tmp_path / "my_anymal"))
    with pytest.raises(SurefootError) as error:
        get_robot("my_anymal")
    message = str(error.value)
    assert message.startswith("The robot 'my_anymal' of the package 'my-anymal-robot' cannot be used: ")
    assert ":5" in message
    assert "asks: largest torque [N m] and speed [rad/s] of LF_HAA and its like, as (80.0, 7.5). Put the" in message
    assert "; 2 more questions like it must be answered. Correct my_anymal_robot.spec" in message
    assert message.count("\n") == 0
    assert refused_robots() == (message,)
    with pytest.raises(SurefootError, match="Unknown task 'Surefoot-Velocity-Flat-MyAnymal'") as error:
        check_task("Surefoot-Velocity-Flat-MyAnymal")
    assert str(error.value).endswith(message)
    assert main(["tasks", "list"]) == 0
    assert message in capsys.readouterr().err
    assert "unitree_go2" in list_robots()
    sys.modules.pop("my_anymal_robot", None)


def test_a_small_robot_is_to_walk_as_fast_as_the_shipped_suites_ask_if_it_need_not_run():
    """0.25 g h: 1.47 at 0.6 m; 0.5 g h: 0.74 at 0.15 m."""
    assert [largest_forward_m_s(height) for height in (0.6, 0.36, 0.15)] == [1.2, 1.0, 0.9]


def test_a_link_whose_mass_the_file_does_not_state_is_asked_about_with_what_was_assumed(tmp_path):
    """The trunk is a box of 0.4 x 0.2 x 0.1 m, 8 l."""
    path = write_quadruped(tmp_path)
    before, _, after = path.read_text().partition("<inertial>")  # the trunk's is the first
    path.write_text(before + after.partition("</inertial>")[2])
    files = make_robot_package("dog", path)
    asked = "QUESTION: the mass of trunk 8 kg; the file states none, and this is that of the shapes in water."
    assert asked in files["dog_robot/spec.py"]


def test_damping_of_a_file_is_taken_for_viscous_friction_and_asked_about(tmp_path):
    path = write_quadruped(tmp_path)
    path.write_text(path.read_text().replace("<limit ", '<dynamics damping="0.1" friction="0.3"/><limit '))
    spec = make_robot_package("dog", path)["dog_robot/spec.py"]
    assert spec.count("viscous_nms_rad=0.1,") == spec.count("friction_nm=0.3,") > 0
    assert "0.1 N m s/rad, is taken for viscous friction. Is it no controller's?" in spec
