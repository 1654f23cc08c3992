"""Poses and gains of the robots without their policies."""

import itertools
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from contracts import small_contract
from reports import random_report

from surefoot_bridge.contract import read_contract
from surefoot_bridge.errors import SurefootError
from surefoot_bridge.machine import Machine
from surefoot_bridge.machine_modes import Mode, Request
from surefoot_bridge.robot_handling import HANDLING, handling_of, hold_of
from surefoot_bridge.safety_rules import Response

BUNDLES = Path(__file__).parents[3] / "tasks/surefoot_tasks/velocity/bundles"
shipped = pytest.mark.skipif(not BUNDLES.is_dir(), reason="the shipped bundles are not beside this package")


def go2_contract():
    path = BUNDLES / "Surefoot-Velocity-Flat-Go2" / "contract.json"
    return read_contract(path.read_text(), where=str(path))


@shipped
def test_a_go2_stands_and_sits_in_the_order_of_its_policy():
    poses, gains = hold_of(go2_contract())  # FL, FR, RL, RR
    assert poses.stand_rad == (0.0, 0.8, -1.5) * 4
    hips = (0.35, -0.35, 0.5, -0.5)
    assert poses.sit_rad == tuple(itertools.chain(*((hip, 1.36, -2.65) for hip in hips)))
    assert gains.stiffness_nm_per_rad == (60.0, 80.0, 80.0) * 4
    assert gains.damping_nms_per_rad == (5.0, 4.0, 4.0) * 4
    assert gains.damped_nms_per_rad == (3.0,) * 12


@shipped
def test_another_order_of_joints_gives_each_joint_the_same_numbers():
    contract = go2_contract()
    names = contract.robot.joint_names
    order = np.random.default_rng(0).permutation(len(names))
    shuffled = replace(
        contract,
        robot=replace(
            contract.robot,
            joint_names=tuple(names[i] for i in order),
            default_joint_pos_rad=tuple(contract.robot.default_joint_pos_rad[i] for i in order),
        ),
        safety=replace(
            contract.safety, joint_pos_limit_rad=tuple(contract.safety.joint_pos_limit_rad[i] for i in order)
        ),
    )
    before, after = hold_of(contract), hold_of(shuffled)
    assert after.poses.sit_rad == tuple(before.poses.sit_rad[i] for i in order)
    assert after.poses.sit_rad != before.poses.sit_rad
    assert after.gains.stiffness_nm_per_rad == tuple(before.gains.stiffness_nm_per_rad[i] for i in order)


@shipped
def test_the_state_machine_moves_a_go2_to_its_poses():
    contract = go2_contract()
    hold = hold_of(contract)
    machine = Machine(contract, *hold)
    lying = replace(
        random_report(np.random.default_rng(0), (), 12),
        joint_pos_rad=np.array(hold.poses.sit_rad)[list(contract.sdk_order)],
    )
    policy = np.zeros(60)
    state, time_s = machine.initial(()), 0.0
    told, state = machine.step(state, lying, Request.STAND, policy, Response.NONE, time_s)
    while time_s < hold.poses.stand_s + 0.1:
        time_s += 0.002
        told, state = machine.step(state, lying, Request.KEEP, policy, Response.NONE, time_s)
    assert state.mode == Mode.STAND
    np.testing.assert_allclose(told[:12], np.tile([0.0, 0.8, -1.5], 4), atol=1e-12)
    np.testing.assert_allclose(told[24:36], np.tile([60.0, 80.0, 80.0], 4), atol=1e-12)


def test_every_number_of_a_robot_is_given_for_each_of_its_joints():
    for name, joints in (("unitree_go2", 12), ("unitree_g1", 29)):
        handling = HANDLING[name]
        mappings = (handling.sit_rad, handling.stiffness_nm_per_rad, handling.damping_nms_per_rad)
        assert len(handling.stand_rad) == joints
        assert all(set(mapping) == set(handling.stand_rad) for mapping in mappings)


def test_a_pose_of_a_g1_is_the_same_on_both_sides():
    for pose in (HANDLING["unitree_g1"].stand_rad, HANDLING["unitree_g1"].sit_rad):
        for joint in (name for name in pose if name.startswith("left_")):
            sign = -1.0 if joint.endswith(("_roll_joint", "_yaw_joint")) else 1.0
            assert pose[joint.replace("left_", "right_")] == sign * pose[joint]


def test_the_soles_of_a_g1_stay_flat_in_both_poses():
    for pose in (HANDLING["unitree_g1"].stand_rad, HANDLING["unitree_g1"].sit_rad):
        pitch = sum(pose[f"left_{joint}_joint"] for joint in ("hip_pitch", "knee", "ankle_pitch"))
        assert abs(pitch) < 0.01


def test_a_robot_of_which_nothing_is_known_is_refused_by_name():
    with pytest.raises(SurefootError, match="Unknown robot 'made_up'; valid: unitree_go2, unitree_g1"):
        hold_of(small_contract())
    with pytest.raises(SurefootError, match="Unknown robot 'unitree_go1'; valid: unitree_g1, unitree_go2"):
        handling_of("unitree_go1")


def test_a_robot_with_other_joints_under_a_known_name_is_refused_with_the_difference():
    contract = small_contract()
    contract = replace(contract, robot=replace(contract.robot, name="unitree_go2"))
    with pytest.raises(SurefootError, match=r"without FL_calf_joint, .*; with a, b, c\. Export"):
        hold_of(contract)


@shipped
def test_a_pose_beyond_the_limits_of_the_contract_is_refused():
    contract = go2_contract()
    limits = tuple(replace(limit, high=max(limit.low, 1.0)) for limit in contract.safety.joint_pos_limit_rad)
    contract = replace(contract, safety=replace(contract.safety, joint_pos_limit_rad=limits))
    with pytest.raises(SurefootError, match=r"sit_rad has FL_thigh_joint at 1\.36; its range is -1\.5708 to 1\.0"):
        hold_of(contract)
