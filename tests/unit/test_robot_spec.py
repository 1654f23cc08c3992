"""A robot's specification: what it refuses, and that names and not positions carry its meaning."""

import copy
import pickle
import re
from functools import partial

import pytest
from tests.unit.robot_rig import every_robot, group, make_biped, mjcf, refusal, tuning

from surefoot_bridge.errors import SurefootError, unknown_name
from surefoot_bridge.robots.transports import known_caps
from surefoot_robots import JointGroup, RobotInterface, get_robot


@pytest.fixture
def biped(tmp_path):
    return partial(make_biped, tmp_path)


# What it refuses


def test_a_missing_model_is_named(biped, tmp_path):
    path = tmp_path / "lost.xml"
    assert refusal(biped, mjcf_path=path) == f"The robot model {path} does not exist."


def test_a_model_that_is_no_mjcf_is_named(biped, tmp_path):
    path = tmp_path / "robot.xml"
    path.write_text("<robot/>")
    assert refusal(biped, mjcf_path=path) == f"The robot model {path} has no <worldbody>; it must be an MJCF."
    path.write_text("<mujoco>")
    assert refusal(biped, mjcf_path=path).startswith(f"The robot model {path} is not readable XML: ")


def test_an_unknown_joint_is_answered_with_the_nearest_names_first(biped):
    assert refusal(biped, joint_names=("left_hip", "left_knees", "right_hip", "right_knee")) == (
        "Unknown joint of biped.xml 'left_knees'; valid: left_knee, right_knee, left_hip, right_hip."
    )


def test_joints_that_are_not_in_the_order_of_declaration_are_refused(biped):
    assert refusal(biped, joint_names=("left_knee", "left_hip", "right_hip", "right_knee")) == (
        "biped: joint_names must be the joints of biped.xml in their order of declaration: "
        "left_hip, left_knee, right_hip, right_knee."
    )


def test_an_sdk_order_that_loses_a_joint_is_refused(biped):
    assert refusal(biped, sdk_joint_names=("right_knee", "right_hip", "left_knee", "left_knee")) == (
        "biped: sdk_joint_names is no reordering of joint_names: left_hip."
    )


def test_an_unknown_body_is_refused(biped):
    assert refusal(biped, base_body="base").startswith("Unknown body of biped.xml 'base'; valid: trunk, ")


def test_a_pattern_that_matches_a_wrong_number_of_joints_is_refused(biped):
    assert refusal(biped, actuators=(group("all", ".*_hip", 4),)) == (
        "biped: pattern '.*_hip' matches 2 joints (left_hip, right_hip), expected 4; "
        "joints: left_hip, left_knee, right_hip, right_knee."
    )


def test_a_joint_without_an_actuator_is_refused(biped):
    assert refusal(biped, actuators=(group("hip", ".*_hip", 2),)) == (
        "biped: no actuator group drives left_knee, right_knee."
    )


def test_a_joint_with_two_actuators_is_refused(biped):
    assert refusal(biped, actuators=(group("hip", ".*_hip", 2), group("all", ".*", 4))) == (
        "biped: left_hip is in the actuator groups 'hip' and 'all'; a joint has one actuator."
    )


def test_a_default_pose_outside_the_limits_is_refused(biped):
    pose = {"left_hip": 0.1, "left_knee": 2.5, "right_hip": 0.1, "right_knee": 2.5}
    assert refusal(biped, default_joint_pos=pose) == (
        "biped: default position 2.5 of left_knee is outside its limits [-1.0, 2.0]."
    )


def test_a_joint_without_a_value_is_refused(biped):
    assert refusal(biped, action_scale_rad={"left_hip": 0.3, "right_hip": 0.3}) == (
        "biped: action_scale_rad lacks left_knee, right_knee; give every joint a value."
    )


def test_an_asymmetric_symmetry_map_is_refused(biped):
    mirror = {
        "left_hip": ("right_hip", 1),
        "right_hip": ("left_hip", -1),
        "left_knee": ("right_knee", 1),
        "right_knee": ("left_knee", 1),
    }
    assert refusal(biped, joint_mirror=mirror) == (
        "biped: joint_mirror is asymmetric: left_hip -> ('right_hip', 1), but right_hip -> ('left_hip', -1); "
        "mirroring twice must change nothing."
    )


def test_limits_that_are_no_mirror_image_are_refused(biped):
    signs = {name: (partner, -1) for name, (partner, _) in biped().joint_mirror.items()}
    pose = {"left_hip": 0.1, "left_knee": 0.2, "right_hip": -0.1, "right_knee": -0.2}
    assert refusal(biped, joint_mirror=signs, default_joint_pos=pose) == (
        "biped: (default, action scale, lower, upper) of left_hip is (0.1, 0.3, -1.0, 2.0), but its mirror right_hip "
        "with sign -1 gives (0.1, 0.3, -2.0, 1.0)."
    )


def test_mirrored_joints_with_unlike_actuators_are_refused(biped):
    groups = (group("left", "left_.*", 2), group("right", "right_.*", 2))
    assert refusal(biped, actuators=groups) == (
        "biped: left_hip and its mirror right_hip are in different actuator groups."
    )


def test_a_foot_map_that_loses_a_foot_is_refused(biped):
    assert refusal(biped, foot_mirror={"left_knee_foot": "right_knee_foot"}).startswith(
        "biped: foot_mirror {'left_knee_foot': 'right_knee_foot'} is asymmetric or incomplete;"
    )


def test_soles_that_do_not_match_the_feet_are_refused(biped):
    assert refusal(biped, sole_offsets_m=(((0.0, 0.0, 0.0),),)) == (
        "biped: sole_offsets_m has 1 entries for 2 feet; give each foot at least one point."
    )


def test_a_diagonal_that_leads_to_no_foot_and_back_is_refused(biped):
    assert refusal(biped, foot_diagonal={"left_knee_foot": "left_hip_foot"}).startswith(
        "Unknown foot in foot_diagonal of biped 'left_hip_foot'; valid: left_knee_foot"
    )


def test_an_imu_that_measures_elsewhere_than_in_the_axes_of_the_base_is_refused(biped, tmp_path):
    assert biped().imu == ("trunk", (0.1, 0.0, 0.05), (1.0, 0.0, 0.0, 0.0))
    model, changed = mjcf(tmp_path).read_text(), tmp_path / "changed.xml"

    def with_site(old, new):
        changed.write_text(model.replace(old, new, 1))
        return refusal(biped, mjcf_path=changed)

    assert "site 'imu' is turned by (0.0, 1.0, 0.0, 0.0)" in with_site('pos="0.1 0 0.05"', 'quat="0 1 0 0"')
    assert "site 'imu' is turned by euler; write quat='w x y z'" in with_site("pos=", "euler=")
    assert with_site('name="imu"', 'name="gyro"') == "Unknown site of changed.xml 'imu'; valid: gyro."
    leg = '<body name="left_hip_link">'
    assert "site 'imu' is on 'left_hip_link'" in with_site(leg, leg + '<site name="imu"/>')


def test_a_joint_group_that_lacks_joints_or_is_not_there_is_refused(biped):
    assert refusal(biped, joint_groups={"hip": JointGroup("left_hip", 2)}).startswith(
        "biped: pattern 'left_hip' matches 1 joints (left_hip), expected 2;"
    )
    assert refusal(biped, tuning=tuning(rest_group="hips")) == "Unknown joint group of biped 'hips'; valid: hip."
    assert biped().joints_of("hip") == ("left_hip", "right_hip")


def test_a_label_that_no_task_id_can_end_in_is_refused(biped):
    assert refusal(biped, label="Bi ped") == (
        "biped: label is 'Bi ped'; task ids end in it: use letters, digits, '_', '-' and '.'."
    )


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"swing_height_m": 0.0}, "swing_height_m is 0.0; it must be > 0."),
        (
            {"payload_box_m": ((0.1, 0.0, 0.0), (0.0, 0.0, 0.0))},
            "payload_box_m is from (0.1, 0.0, 0.0) to (0.0, 0.0, 0.0); no corner may be below the lowest.",
        ),
        ({"initial_speed": -0.1}, "initial_speed is -0.1; it must be >= 0."),
        ({"reward_weights": {"torque": float("inf")}}, "reward_weights has torque at inf; a weight is finite."),
    ],
)
def test_tuning_that_cannot_be_is_refused(changes, message):
    with pytest.raises(SurefootError, match=re.escape(message)):
        tuning(**changes)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"stiffness": -1.0}, "Actuator group 'hip': stiffness is -1.0; it must be > 0."),
        ({"armature_kgm2": 0.0}, "Actuator group 'hip': armature_kgm2 is 0.0; it must be > 0."),
        ({"friction_nm": float("nan")}, "Actuator group 'hip': friction_nm is nan; it must be >= 0."),
        (
            {"saturation_effort_nm": 10.0},
            "Actuator group 'hip': saturation_effort_nm is 10.0, below effort_limit_nm 20.0; "
            "a motor that cannot reach its limit has the lower limit.",
        ),
    ],
)
def test_impossible_actuators_are_refused(changes, message):
    with pytest.raises(SurefootError, match=re.escape(message)):
        group("hip", ".*", 2, **changes)


def test_an_unknown_robot_is_answered_with_the_robots_there_are():
    with pytest.raises(SurefootError, match=r"^Unknown robot 'unitree_g2'; valid: unitree_go2, unitree_g1"):
        get_robot("unitree_g2")


def test_unknown_names_put_the_nearest_first_and_end_with_the_remedy():
    error = unknown_name("task", "Walk-Go", ["Stand", "Walk-G1", "Walk-Go2"], "See: surefoot tasks.")
    assert str(error) == "Unknown task 'Walk-Go'; valid: Walk-Go2, Walk-G1, Stand. See: surefoot tasks."
    assert str(unknown_name("task", "Walk", [])) == "Unknown task 'Walk'; there is none to choose from."


def test_of_many_names_that_a_command_lists_the_nearest_are_said():
    error = unknown_name("task", "Wolk-7", [f"Walk-{number}" for number in range(40, -1, -1)], listed_by="tasks list")
    assert str(error).startswith("Unknown task 'Wolk-7'; valid: Walk-7, ")
    assert str(error).endswith(" and 29 more. See: tasks list.")


# What it means


def test_values_follow_names_when_the_model_declares_its_joints_in_another_order(biped):
    shuffled = ("right_knee", "left_hip", "left_knee", "right_hip")
    spec = biped(joints=shuffled)
    assert spec.joint_names == shuffled
    assert spec.joint_values("stiffness") == (40.0, 30.0, 40.0, 30.0)
    assert spec.joint_values("default_joint_pos") == (0.2, 0.1, 0.2, 0.1)
    assert spec.mirror_permutation() == ((2, 3, 0, 1), (1, 1, 1, 1))
    # Policy order to SDK order and back, by name.
    command = dict(zip(spec.joint_names, (1.0, 2.0, 3.0, 4.0), strict=True))
    assert [command[name] for name in spec.sdk_joint_names] == [1.0, 4.0, 3.0, 2.0]


def test_patterns_match_whole_names_in_policy_order(biped):
    assert biped().resolve("(right|left)_hip", 2) == ("left_hip", "right_hip")
    assert refusal(lambda: biped().resolve("left", 1)).startswith(
        "biped: pattern 'left' matches 0 joints (none), expected 1;"
    )


def test_an_unknown_quantity_is_refused(biped):
    assert refusal(lambda: biped().joint_values("stifness")).startswith(
        "Unknown joint quantity 'stifness'; valid: stiffness, "
    )


def test_a_specification_keeps_its_own_copy_of_what_it_was_given(biped):
    pose = {"left_hip": 0.1, "left_knee": 0.2, "right_hip": 0.1, "right_knee": 0.2}
    spec = biped(default_joint_pos=pose)
    pose["left_hip"] = 9.0
    assert spec.default_joint_pos["left_hip"] == 0.1
    with pytest.raises(TypeError):
        spec.default_joint_pos["left_hip"] = 9.0


@every_robot
def test_a_specification_survives_pickling_and_deep_copies(spec):
    assert pickle.loads(pickle.dumps(spec)) == spec
    assert copy.deepcopy(spec) == spec
    assert hash(copy.copy(spec)) == hash(spec)


@every_robot
def test_mirroring_twice_changes_nothing(spec):
    indices, signs = spec.mirror_permutation()
    assert [indices[index] for index in indices] == list(range(spec.num_joints))
    assert [signs[index] * sign for index, sign in zip(indices, signs, strict=True)] == [1] * spec.num_joints
    assert all(spec.foot_mirror[spec.foot_mirror[foot]] == foot for foot in spec.foot_bodies)


def test_a_robot_has_no_sensor_that_nobody_knows():
    with pytest.raises(SurefootError, match="Unknown sensor 'base_lin_vel'; valid: gyro, gravity, joint_pos"):
        RobotInterface(sensors=("base_lin_vel",), low_level_hz=500.0, motor_temperature_limit_c=80.0)  # type: ignore[arg-type]


def test_a_robot_that_takes_no_commands_is_refused():
    with pytest.raises(SurefootError, match=r"low_level_hz is 0\.0; it must be > 0"):
        RobotInterface(sensors=("gyro",), low_level_hz=0.0, motor_temperature_limit_c=80.0)


def test_diagonal_feet_of_a_go2_are_front_left_with_rear_right():
    assert get_robot("unitree_go2").foot_diagonal == {
        "FL_foot": "RR_foot",
        "RR_foot": "FL_foot",
        "FR_foot": "RL_foot",
        "RL_foot": "FR_foot",
    }


@pytest.mark.parametrize("name", ["unitree_go2", "unitree_g1"])
def test_the_transport_knows_the_same_joints_feet_and_limits(name):
    spec, caps = get_robot(name), known_caps(name)
    assert caps is not None
    assert (caps.joint_names, caps.foot_names) == (spec.sdk_joint_names, spec.foot_bodies)
    order = [spec.joint_names.index(name) for name in caps.joint_names]
    assert [tuple(vars(limit).values()) for limit in caps.joint_pos_rad] == [
        spec.joint_limits_rad[name] for name in caps.joint_names
    ]
    assert caps.torque_nm == tuple(spec.joint_values("effort_limit_nm")[i] for i in order)
    assert caps.joint_vel_rad_s == tuple(spec.joint_values("velocity_limit_rad_s")[i] for i in order)
    interface = spec.interface
    assert (caps.motor_temperature_c, caps.low_level_hz) == (
        interface.motor_temperature_limit_c,
        interface.low_level_hz,
    )
