"""Effort terms: numbers worked by hand, and the conditions under which nothing is charged."""

import pytest
import torch
from tests.unit.reward_rig import (
    action_rate_l2,
    action_second_difference_l2,
    joint_acc_l2,
    joint_limits,
    joint_position_limit,
    joint_velocity_limit,
    mechanical_power,
    positive_mechanical_power,
    torque_l2,
    torque_limit,
)

from surefoot_bridge.errors import SurefootError

TORQUE = torch.tensor([[2.0, -3.0, 4.0], [2.0, -3.0, 0.0]])
VELOCITY = torch.tensor([[1.0, 2.0, -0.5], [0.0, 0.0, 7.0]])


def test_mechanical_power_counts_driving_and_braking():
    # |2 * 1| + |-3 * 2| + |4 * -0.5| W; then joints at rest or without torque.
    assert mechanical_power(TORQUE, VELOCITY).tolist() == [10.0, 0.0]


def test_positive_power_counts_driving_only():
    assert positive_mechanical_power(TORQUE, VELOCITY).tolist() == [2.0, 0.0]


def test_torque_and_acceleration_add_squares():
    values = torch.tensor([[3.0, -4.0], [0.0, 0.0]])
    assert torque_l2(values).tolist() == [25.0, 0.0]
    assert joint_acc_l2(values).tolist() == [25.0, 0.0]


def test_the_action_rate_is_zero_for_a_repeated_action():
    action = torch.tensor([[1.0, 2.0], [1.0, 2.0]])
    before = torch.tensor([[0.5, 0.0], [1.0, 2.0]])
    assert action_rate_l2(action, before).tolist() == [4.25, 0.0]


def test_the_second_difference_is_zero_for_a_ramp_and_four_squared_for_unit_chatter():
    # Ramp 1, 3, 5; chatter 1, -1, 1: 1 + 2 + 1 = 4.
    action, before, before_that = (
        torch.tensor([[5.0], [1.0]]),
        torch.tensor([[3.0], [-1.0]]),
        torch.tensor([[1.0], [1.0]]),
    )
    assert action_second_difference_l2(action, before, before_that).tolist() == [0.0, 16.0]


def test_position_limits_charge_the_distance_outside_of_a_share_of_the_range_on_either_side():
    # Half of the ranges: -0.5 to 0.5, 0.5 to 1.5, -1.75 to -1.25.
    lower, upper = torch.tensor([-1.0, 0.0, -2.0]), torch.tensor([1.0, 2.0, -1.0])
    position = torch.tensor([[-1.0, 1.75, -1.5], [0.5, 0.5, -1.75]])
    assert joint_position_limit(position, lower, upper, soft_ratio=0.5).tolist() == [0.75, 0.0]


def test_velocity_limits_charge_the_excess_over_the_soft_share():
    # Soft limits 5 and 10 rad/s: excess 1 + 2.
    velocity = torch.tensor([[-6.0, 12.0], [5.0, -10.0]])
    assert joint_velocity_limit(velocity, torch.tensor([10.0, 20.0]), soft_ratio=0.5).tolist() == [3.0, 0.0]


def test_the_torque_limit_rises_from_the_soft_limit_to_one_for_saturated_motors():
    # Soft limits 10 and 20 N m of 20 and 40: half-way, saturated beyond; all saturated; all below.
    torque = torch.tensor([[-15.0, 100.0], [20.0, -40.0], [10.0, -20.0]])
    assert torque_limit(torque, torch.tensor([20.0, 40.0]), soft_ratio=0.5).tolist() == [0.75, 1.0, 0.0]


def test_a_joint_without_a_motor_adds_nothing_to_the_torque_limit():
    assert torque_limit(torch.zeros(1, 2), torch.tensor([0.0, 40.0]), soft_ratio=0.9).tolist() == [0.0]


def test_joint_limits_add_what_position_speed_and_torque_exceed():
    # Half of each limit is free: 0.25 rad, 1 rad/s, and one of two motors saturated.
    limits = {"lower_limit_rad": torch.tensor([-1.0, -1.0]), "upper_limit_rad": torch.tensor([1.0, 1.0])}
    limits |= {"velocity_limit_rad_s": torch.tensor([10.0, 10.0]), "effort_limit_nm": torch.tensor([20.0, 20.0])}
    state = (torch.tensor([[0.75, 0.0]]), torch.tensor([[-6.0, 5.0]]), torch.tensor([[30.0, 10.0]]))
    assert joint_limits(*state, **limits, soft_ratio=0.5).tolist() == [0.25 + 1.0 + 0.5]


@pytest.mark.parametrize("soft_ratio", [1.0, -0.1])
def test_a_soft_ratio_outside_the_unit_interval_is_refused(soft_ratio):
    with pytest.raises(SurefootError, match=r"soft_ratio must be in \[0, 1\)"):
        torque_limit(torch.zeros(1, 2), torch.ones(2), soft_ratio=soft_ratio)
