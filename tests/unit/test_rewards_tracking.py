"""Tracking rewards: exact at no error, 1/e at one standard deviation, blind to the axes they do not concern."""

import math

import pytest
import torch
from tests.unit.reward_rig import (
    ang_vel_xy_l2,
    lin_vel_z_l2,
    track_lin_vel_xy_closely,
    track_lin_vel_xy_exp,
    track_yaw_rate_closely,
    track_yaw_rate_exp,
)

from surefoot_bridge.errors import SurefootError


def test_the_linear_reward_is_one_at_no_error_whatever_the_vertical_velocity_and_yaw_rate():
    reward = track_lin_vel_xy_exp(torch.tensor([[0.5, -0.2, 3.0]]), torch.tensor([[0.5, -0.2, -2.0]]), std=0.25)
    assert reward.tolist() == [1.0]


def test_the_linear_reward_adds_the_squared_errors_of_both_axes():
    # Errors 0.3 and 0.4 m/s: 0.25 m^2/s^2, which is std^2 for std = 0.5.
    reward = track_lin_vel_xy_exp(torch.tensor([[0.3, 0.0, 0.0]]), torch.tensor([[0.0, 0.4, 0.0]]), std=0.5)
    assert reward.item() == pytest.approx(math.exp(-1.0), rel=1e-6)


def test_the_yaw_reward_falls_to_one_over_e_at_one_standard_deviation():
    reward = track_yaw_rate_exp(torch.tensor([[9.0, 9.0, 0.7]]), torch.tensor([[9.0, 9.0, 0.2]]), std=0.5)
    assert reward.item() == pytest.approx(math.exp(-1.0), rel=1e-6)


def test_the_exponential_rewards_approach_zero_for_a_large_error():
    far = torch.tensor([[100.0, 0.0, 100.0]])
    assert track_lin_vel_xy_exp(far, torch.zeros(1, 3), std=0.25).item() == 0.0
    assert track_yaw_rate_exp(far, torch.zeros(1, 3), std=0.25).item() == 0.0


@pytest.mark.parametrize("std", [0.0, -0.5, math.nan])
def test_a_standard_deviation_that_is_not_positive_is_refused(std):
    with pytest.raises(SurefootError, match="'track_lin_vel_xy_exp' cannot be computed: std must be positive"):
        track_lin_vel_xy_exp(torch.zeros(1, 3), torch.zeros(1, 3), std=std)


def test_vertical_velocity_is_squared_and_horizontal_velocity_is_free():
    assert lin_vel_z_l2(torch.tensor([[5.0, 5.0, -0.5], [5.0, 5.0, 0.0]])).tolist() == [0.25, 0.0]


def test_roll_and_pitch_rates_add_their_squares_and_yaw_is_free():
    assert ang_vel_xy_l2(torch.tensor([[1.0, -2.0, 9.0], [0.0, 0.0, 9.0]])).tolist() == [5.0, 0.0]


TOLERANCE = {"share": 0.5, "lowest_std": 0.1, "highest_std": 0.25}


def test_a_tolerance_is_a_share_of_the_command_between_its_ends():
    # Norms 0, 0.4 and 5: tolerances 0.1, 0.2 and 0.25, of which the errors are once, twice and four times as large.
    command = torch.tensor([[0.0, 0.0, 0.0], [0.4, 0.0, 0.0], [4.0, 0.0, 3.0]])
    velocity = torch.tensor([[0.0, 0.1, 0.0], [0.0, 0.0, 0.0], [3.0, 0.0, 0.0]])
    expected = [pytest.approx(math.exp(-(times**2)), rel=1e-5) for times in (1.0, 2.0, 4.0)]
    assert track_lin_vel_xy_closely(velocity, command, **TOLERANCE).tolist() == expected
    rate = torch.tensor([[9.0, 9.0, 0.1], [9.0, 9.0, 0.4], [9.0, 9.0, 4.0]])
    assert track_yaw_rate_closely(rate, command, **TOLERANCE).tolist() == expected


def test_standing_still_earns_little_of_a_slow_walk_when_the_tolerance_is_a_share_of_it():
    slow = torch.tensor([[0.3, 0.0, 0.0]])  # tolerance 0.15 m/s, half of the error
    assert track_lin_vel_xy_closely(torch.zeros(1, 3), slow, **TOLERANCE).item() == pytest.approx(
        math.exp(-4.0), rel=1e-5
    )


@pytest.mark.parametrize(
    ("lowest", "highest", "message"),
    [
        (0.0, 0.25, "lowest_std must be positive, got 0.0"),
        (0.3, 0.25, "lowest_std must be at most highest_std, got 0.3"),
    ],
)
def test_a_tolerance_without_a_positive_least_value_below_its_largest_is_refused(lowest, highest, message):
    with pytest.raises(SurefootError, match=message):
        track_lin_vel_xy_closely(
            torch.zeros(1, 3), torch.zeros(1, 3), share=0.5, lowest_std=lowest, highest_std=highest
        )
