"""How a robot is held without its policy: poses within its ranges, the same on both sides, and that carry it."""

import math

import pytest
from tests.unit.robot_rig import DECLARED, every_robot, handling, make_biped, refusal

from surefoot_robots import get_robot


def test_a_pose_that_lacks_a_joint_or_leaves_its_range_is_refused(tmp_path):
    short = {"left_hip": 0.1, "left_knee": 0.2, "right_hip": 0.1}
    assert refusal(make_biped, tmp_path, handling=handling(sit_rad=short)) == (
        "biped: sit_rad of its handling lacks or adds right_knee."
    )
    assert refusal(make_biped, tmp_path, handling=handling(stand_rad=dict.fromkeys(DECLARED, 2.5))) == (
        "biped: stand_rad of its handling has left_hip at 2.5; its range is -1.0 to 2.0."
    )
    assert refusal(make_biped, tmp_path, handling=handling(crouch_rad=dict.fromkeys(DECLARED, -1.5))) == (
        "biped: crouch_rad of its handling has left_hip at -1.5; its range is -1.0 to 2.0."
    )


@pytest.mark.parametrize("value", [0.0, -1.0, math.inf, math.nan])
def test_a_motion_without_a_duration_and_damping_that_does_not_damp_are_refused(value):
    assert refusal(handling, crouch_s=value) == f"crouch_s is {value}; it must be > 0."
    assert refusal(handling, damped_nms_per_rad=value) == f"damped_nms_per_rad is {value}; it must be > 0."


def test_a_go2_lies_on_its_belly_and_a_g1_needs_a_gantry():
    go2, g1 = get_robot("unitree_go2"), get_robot("unitree_g1")
    assert (go2.handling.rests_without_gantry, g1.handling.rests_without_gantry) == (True, False)
    assert [go2.handling.stand_rad[f"RL_{part}_joint"] for part in ("hip", "thigh", "calf")] == [0.0, 0.8, -1.5]
    assert [go2.handling.sit_rad[f"{leg}_hip_joint"] for leg in ("FL", "FR", "RL", "RR")] == [0.35, -0.35, 0.5, -0.5]
    assert g1.handling.stand_rad["right_shoulder_roll_joint"] == -0.25


def test_a_crouching_go2_has_its_front_feet_ahead_of_its_hips_and_its_hind_feet_behind():
    crouch = get_robot("unitree_go2").handling.crouch_rad
    # Thigh and calf are 0.213 m long each: forward of the hip -0.213 (sin(thigh) + sin(thigh + calf)), as far down
    # 0.213 (cos(thigh) + cos(thigh + calf)). Front:
    # sin 0.51 + sin(-1.26) = -0.464; hind: sin 1.44 + sin(-0.44) = 0.566.
    for leg, ahead_m, down_m in (("FL", 0.099, 0.251), ("RR", -0.120, 0.220)):
        thigh, knee = (crouch[f"{leg}_{part}_joint"] for part in ("thigh", "calf"))
        assert -0.213 * (math.sin(thigh) + math.sin(thigh + knee)) == pytest.approx(ahead_m, abs=0.001)
        assert 0.213 * (math.cos(thigh) + math.cos(thigh + knee)) == pytest.approx(down_m, abs=0.001)
        assert crouch[f"{leg}_hip_joint"] == (0.25 if leg.endswith("L") else -0.25)  # both outwards


def test_a_crouching_g1_is_on_its_way_from_standing_to_sitting():
    handled = get_robot("unitree_g1").handling
    for joint, crouch in handled.crouch_rad.items():
        assert crouch == pytest.approx(0.6 * handled.stand_rad[joint] + 0.4 * handled.sit_rad[joint]), joint


@every_robot
def test_a_pose_is_the_same_on_both_sides(spec):
    for pose in (spec.handling.stand_rad, spec.handling.sit_rad, spec.handling.crouch_rad):
        for joint, (partner, sign) in spec.joint_mirror.items():
            assert pose[partner] == sign * pose[joint]


def test_the_soles_of_a_g1_stay_flat_in_both_poses():
    handled = get_robot("unitree_g1").handling
    for pose in (handled.stand_rad, handled.sit_rad):
        assert abs(sum(pose[f"left_{joint}_joint"] for joint in ("hip_pitch", "knee", "ankle_pitch"))) < 0.01
