"""Foot terms: clearance, slip and impact."""

import pytest
import torch
from tests.unit.reward_rig import foot_clearance, foot_clearance_swing_peak, foot_impact, foot_slip

from surefoot_bridge.errors import SurefootError

MOVING, STANDING = torch.tensor([True]), torch.tensor([False])
# Horizontal speeds 5 and 0 m/s; the vertical velocity must not count.
FOOT_VELOCITY = torch.tensor([[[3.0, 4.0, 9.0], [0.0, 0.0, 9.0]]])


def test_clearance_weighs_the_height_error_with_the_horizontal_speed():
    # 0.2 m below the target at 5 m/s, and a foot that only moves vertically: 0.04 * 5.
    height = torch.tensor([[-0.1, 0.5]])
    assert foot_clearance(height, FOOT_VELOCITY, MOVING, target_m=0.1).item() == pytest.approx(0.2)


def test_clearance_is_zero_at_the_target_height_and_at_a_stand():
    assert foot_clearance(torch.tensor([[0.1, 0.5]]), FOOT_VELOCITY, MOVING, target_m=0.1).item() == 0.0
    assert foot_clearance(torch.tensor([[0.0, 0.0]]), FOOT_VELOCITY, STANDING, target_m=0.1).item() == 0.0


def test_a_swing_that_peaks_at_half_the_target_costs_a_quarter_at_touchdown():
    peak, touchdown = torch.tensor([[0.05, 0.0]]), torch.tensor([[True, False]])
    assert foot_clearance_swing_peak(peak, touchdown, MOVING, target_m=0.1).item() == pytest.approx(0.25)


def test_a_high_swing_a_foot_in_flight_and_a_stand_cost_nothing():
    high, low = torch.tensor([[0.1, 0.3]]), torch.tensor([[0.0, 0.0]])
    down, up = torch.tensor([[True, True]]), torch.tensor([[False, False]])
    assert foot_clearance_swing_peak(high, down, MOVING, target_m=0.1).item() == 0.0
    assert foot_clearance_swing_peak(low, up, MOVING, target_m=0.1).item() == 0.0
    assert foot_clearance_swing_peak(low, down, STANDING, target_m=0.1).item() == 0.0


def test_a_swing_target_of_zero_is_refused():
    with pytest.raises(SurefootError, match="target_m must be positive"):
        foot_clearance_swing_peak(torch.zeros(1, 2), torch.zeros(1, 2) > 0, MOVING, target_m=0.0)


def test_slip_is_the_squared_horizontal_speed_of_feet_in_contact():
    velocity = FOOT_VELOCITY[:, [0, 0, 1]]  # sliding, swinging, lifting straight up
    assert foot_slip(velocity, torch.tensor([[True, False, True]])).item() == 25.0
    assert foot_slip(velocity, torch.tensor([[False, False, True]])).item() == 0.0


def test_impact_counts_the_excess_up_to_its_cap():
    # Excess of 50 N, of 900 N capped at 200 N, none; then no foot above the threshold.
    force = torch.tensor([[150.0, 1000.0, 20.0], [100.0, 0.0, 99.0]])
    assert foot_impact(force, threshold_n=100.0, max_excess_n=200.0).tolist() == [250.0, 0.0]
