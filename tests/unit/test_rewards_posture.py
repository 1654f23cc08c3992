"""Posture terms: level base, height, default pose, standing still; and alive or not."""

import math

import pytest
import torch
from tests.unit.reward_rig import (
    alive,
    base_height_l2,
    flat_orientation_l2,
    joint_deviation_l1,
    pose_l2,
    stand_still,
    stand_still_effort,
    stand_still_feet_in_air,
    stand_still_joint_deviation,
    stand_still_joint_motion,
    termination,
)

DEFAULT = torch.tensor([0.1, 0.8])
POSITION = torch.tensor([[0.6, 0.3], [0.1, 0.8]])  # 0.5 rad off at both joints; in the default pose


def test_tilt_is_the_squared_sine_of_the_angle_from_the_vertical():
    gravity = torch.tensor([[0.0, 0.6, -0.8], [0.3, 0.4, -math.sqrt(0.75)], [0.0, 0.0, -1.0]])
    torch.testing.assert_close(flat_orientation_l2(gravity), torch.tensor([0.36, 0.25, 0.0]))


def test_height_is_charged_above_and_below_the_target():
    height = torch.tensor([0.25, 0.75, 0.5])
    assert base_height_l2(height, target_m=0.5).tolist() == [0.0625, 0.0625, 0.0]


def test_joint_deviation_adds_magnitudes_and_pose_adds_squares():
    both, first = torch.tensor([True, True]), torch.tensor([True, False])
    torch.testing.assert_close(joint_deviation_l1(POSITION, DEFAULT, both), torch.tensor([1.0, 0.0]))
    torch.testing.assert_close(joint_deviation_l1(POSITION, DEFAULT, first), torch.tensor([0.5, 0.0]))
    torch.testing.assert_close(pose_l2(POSITION, DEFAULT), torch.tensor([0.5, 0.0]))


def test_standing_still_is_charged_only_where_the_command_asks_to_stand():
    moving = torch.tensor([False, True])
    penalty = stand_still_joint_deviation(POSITION[[0, 0]], DEFAULT, moving)
    assert penalty.tolist() == [pytest.approx(1.0), 0.0]
    assert stand_still_joint_deviation(POSITION[[1]], DEFAULT, torch.tensor([False])).item() == 0.0


def test_lifted_feet_are_counted_only_where_the_command_asks_to_stand():
    contact = torch.tensor([[True, False, False, True], [True, False, False, True], [True, True, True, True]])
    penalty = stand_still_feet_in_air(contact, torch.tensor([False, True, False]))
    assert penalty.tolist() == [2.0, 0.0, 0.0]


def test_joints_that_move_cost_their_squared_speeds_where_the_command_asks_to_stand():
    speed = torch.tensor([[0.5, -2.0], [0.5, -2.0], [0.0, 0.0]])  # 0.25 + 4
    assert stand_still_joint_motion(speed, torch.tensor([False, True, False])).tolist() == [4.25, 0.0, 0.0]


def test_torques_at_a_stand_cost_the_squared_shares_of_their_limits():
    torque, limit = torch.tensor([[10.0, -5.0], [10.0, -5.0]]), torch.tensor([20.0, 10.0])  # a half of each
    assert stand_still_effort(torque, limit, torch.tensor([False, True])).tolist() == [0.5, 0.0]


def test_standing_still_adds_its_parts_at_their_rates_and_what_has_the_rate_zero_counts_for_nothing():
    state = {
        "joint_pos": POSITION[[0]],
        "joint_vel": torch.tensor([[0.5, -2.0]]),
        "torque_nm": torch.tensor([[10.0, -5.0]]),
    }
    state |= {"foot_contact": torch.tensor([[True, False]]), "default_joint_pos": DEFAULT}
    rates = {"motion_s2": 0.0, "deviation_per_rad": 0.0, "effort": 0.0}
    unlimited, limited = torch.zeros(2), torch.tensor([20.0, 10.0])
    at_rest, asked_to_move = torch.tensor([False]), torch.tensor([True])
    # A foot in the air; squared speeds 4.25, 1 rad, and half of two torque limits, squared.
    assert stand_still(**state, effort_limit_nm=unlimited, moving=at_rest, **rates).item() == 1.0
    rates = {"motion_s2": 2.0, "deviation_per_rad": 3.0, "effort": 4.0}
    penalty = stand_still(**state, effort_limit_nm=limited, moving=at_rest, **rates).item()
    assert penalty == pytest.approx(1.0 + 2.0 * 4.25 + 3.0 * 1.0 + 4.0 * 0.5)
    assert stand_still(**state, effort_limit_nm=limited, moving=asked_to_move, **rates).item() == 0.0


def test_each_step_is_either_alive_or_terminated():
    terminated = torch.tensor([False, True])
    assert alive(terminated).tolist() == [1.0, 0.0]
    assert termination(terminated).tolist() == [0.0, 1.0]
