"""Gait terms on feet in the order FL, FR, RL, RR."""

import math

import pytest
import torch
from tests.unit.reward_rig import diagonal_pairs_sync, feet_air_time, gait_symmetry, periodic_gait, trot_contacts

MOVING, STANDING = torch.tensor([True]), torch.tensor([False])
MIRROR = torch.tensor([1, 0, 3, 2])
DIAGONAL = torch.tensor([3, 2, 1, 0])
TROT = torch.tensor([0.0, 0.5, 0.5, 0.0])


def test_air_time_pays_at_touchdown_for_what_exceeds_the_threshold_up_to_the_bound():
    air = torch.tensor([[0.5, 0.125, 2.0, 0.5]])
    touchdown = torch.tensor([[True, True, True, False]])
    # (0.5 - 0.25) + (0.125 - 0.25) + (0.75 - 0.25) + no touchdown.
    assert feet_air_time(air, touchdown, MOVING, threshold_s=0.25, max_s=0.75).item() == 0.625


def test_air_time_is_zero_at_a_stand_without_touchdown_and_at_the_threshold():
    air, down = torch.full((1, 4), 0.5), torch.ones(1, 4, dtype=torch.bool)
    assert feet_air_time(air, down, STANDING, threshold_s=0.25, max_s=0.75).item() == 0.0
    assert feet_air_time(air, ~down, MOVING, threshold_s=0.25, max_s=0.75).item() == 0.0
    assert feet_air_time(air, down, MOVING, threshold_s=0.5, max_s=0.75).item() == 0.0


def test_a_limp_costs_the_squared_differences_of_each_left_right_pair_once():
    air = torch.tensor([[0.5, 0.25, 0.5, 0.5]])
    contact = torch.tensor([[0.25, 0.25, 0.75, 0.25]])
    # Front swings differ by 0.25 s, rear stances by 0.5 s.
    assert gait_symmetry(air, contact, MOVING, mirror_foot=MIRROR, max_s=1.0).item() == 0.0625 + 0.25
    assert gait_symmetry(air, contact, STANDING, mirror_foot=MIRROR, max_s=1.0).item() == 0.0


def test_an_even_gait_may_differ_between_front_and_rear():
    times = torch.tensor([[0.2, 0.2, 0.4, 0.4]])
    assert gait_symmetry(times, times, MOVING, mirror_foot=MIRROR, max_s=1.0).item() == 0.0


def test_durations_are_clipped_before_they_are_compared():
    air = torch.tensor([[9.0, 0.5, 0.0, 0.0]])
    assert gait_symmetry(air, air * 0.0, MOVING, mirror_foot=MIRROR, max_s=1.0).item() == 0.25


def _diagonal(air, contact, moving=MOVING):
    parameters = {"diagonal_foot": DIAGONAL, "mirror_foot": MIRROR, "std_s": 0.5, "max_error_s": 1.0}
    return diagonal_pairs_sync(torch.tensor([air]), torch.tensor([contact]), moving, **parameters).item()


def test_a_perfect_trot_earns_one_and_a_stand_nothing():
    trot = ([0.2, 0.0, 0.0, 0.2], [0.0, 0.2, 0.2, 0.0])
    assert _diagonal(*trot) == 1.0
    assert _diagonal(*trot, STANDING) == 0.0


def test_standing_on_all_feet_under_a_moving_command_is_no_trot():
    # All in contact for 0.5 s: each foot differs by 0.5 s from the one across, e = 0.25 = std^2.
    assert _diagonal([0.0] * 4, [0.5] * 4) == pytest.approx(math.exp(-1.0), rel=1e-6)


def test_one_long_phase_counts_no_more_than_the_bound():
    # FL in the air for 9 s, the others in contact for 0 s. Squared errors bounded at 1 s^2:
    # diagonal 1 each for FL and RR, across 1 for FL (a_FL - c_FR); mean over four feet 0.75, std^2 = 0.25.
    assert _diagonal([9.0, 0.0, 0.0, 0.0], [0.0] * 4) == pytest.approx(math.exp(-3.0), rel=1e-6)


def _periodic(contact, phase, sharpness, moving=MOVING):
    clock = {"step_dt": phase, "frequency_hz": 1.0}  # a step in which the clock has got to the phase
    parameters = {"foot_offset": TROT, "duty_factor": 0.5, "sharpness": sharpness, **clock}
    return periodic_gait(torch.tensor([contact]), torch.tensor([1]), moving, **parameters).item()


def test_the_expected_trot_earns_one_its_opposite_and_a_stand_nothing():
    trot = [True, False, False, True]
    assert _periodic(trot, 0.25, 200.0) == pytest.approx(1.0)
    assert _periodic(trot, 0.75, 200.0) == pytest.approx(0.0, abs=1e-6)
    assert _periodic(trot, 0.25, 200.0, STANDING) == 0.0


def test_the_clock_is_undecided_at_both_ends_of_the_stance():
    assert _periodic([True, False, True, False], 0.0, 200.0) == pytest.approx(0.5, abs=1e-4)
    assert _periodic([True, True, True, False], 0.5, 200.0) == pytest.approx(0.5, abs=1e-4)


def test_sharpness_sets_the_certainty_of_mid_stance():
    # Mid-stance with duty 1/2: cos 0 - cos(pi / 2) = 1, and sigmoid(ln 3) = 3/4; the other pair is in mid-swing.
    assert _periodic([True, False, False, True], 0.25, math.log(3.0)) == pytest.approx(0.75, rel=1e-6)
    assert _periodic([True, True, True, True], 0.25, math.log(3.0)) == pytest.approx(0.5, rel=1e-6)


def test_a_longer_duty_keeps_a_foot_on_the_ground_for_that_share_of_the_cycle():
    steps = 2 * torch.arange(1000) + 1  # of 1/2000 of a cycle
    clock = {"step_dt": 1 / 1000, "frequency_hz": 0.5}
    moving = torch.ones(1000, dtype=torch.bool)
    contact = torch.ones(1000, 1, dtype=torch.bool)
    reward = periodic_gait(contact, steps, moving, foot_offset=torch.zeros(1), duty_factor=0.7, sharpness=1e4, **clock)
    assert reward.mean().item() == pytest.approx(0.7, abs=1e-3)
    assert reward[:699].min().item() > 0.5
    assert reward[701:].max().item() < 0.5


# Feet FL, FR, RL, RR: diagonal pairs (0, 3) and (1, 2), pairs across (0, 1) and (2, 3).
DIAGONAL, ACROSS = torch.tensor([3, 2, 1, 0]), torch.tensor([1, 0, 3, 2])


@pytest.mark.parametrize(
    ("contact", "reward"),
    [
        ([1, 0, 0, 1], 1.0),  # trot
        ([1, 1, 1, 1], 0.5),  # standing: diagonals alike, pairs across alike
        ([0, 0, 0, 0], 0.5),  # the flight of a pronk
        ([1, 1, 0, 0], 0.0),  # bound: diagonals unlike, pairs across alike
        ([1, 0, 1, 0], 0.5),  # pace: diagonals unlike, pairs across unlike
        ([1, 1, 0, 1], 0.5),  # one foot off: 1/2 of (2 of 4 alike) + 1/2 of (2 of 4 unlike)
    ],
)
def test_trot_contacts_tells_a_trot_from_other_gaits(contact: list[int], reward: float) -> None:
    in_contact = torch.tensor([contact], dtype=torch.bool)
    moving = torch.tensor([True])
    assert trot_contacts(in_contact, moving, diagonal_foot=DIAGONAL, mirror_foot=ACROSS).tolist() == [reward]
    assert trot_contacts(in_contact, ~moving, diagonal_foot=DIAGONAL, mirror_foot=ACROSS).tolist() == [0.0]
