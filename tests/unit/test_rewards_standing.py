"""Terms of getting up and standing, by hand-worked cases."""

import math

import pytest
import torch
from tests.unit.reward_rig import risen, standing, uprightness

from surefoot_rewards import check_parameters

LEVEL, ON_ITS_SIDE, ON_ITS_BACK = [0.0, 0.0, -1.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]
DEFAULT = torch.tensor([0.1, 0.8])


def stand(**changed: torch.Tensor) -> float:
    """Reward of a robot of two joints and two feet that stands at 0.3 m, but for what is changed."""
    state = {
        "projected_gravity_b": torch.tensor([LEVEL]),
        "base_height_m": torch.tensor([0.3]),
        "joint_pos": DEFAULT[None].clone(),
        "joint_vel": torch.zeros(1, 2),
        "foot_contact": torch.ones(1, 2, dtype=torch.bool),
    }
    stds = {"tilt_std": 0.5, "height_std_m": 0.1, "pose_std_rad": 0.4, "rest_std_rad_s": 2.0}
    return standing(**state | changed, default_joint_pos=DEFAULT, target_m=0.3, **stds).item()


def test_each_degree_of_tilt_costs_a_base_the_same():
    half = math.sqrt(0.5)
    gravity = torch.tensor([LEVEL, [half, 0.0, -half], ON_ITS_SIDE, [0.0, -half, half], ON_ITS_BACK])
    torch.testing.assert_close(uprightness(gravity), torch.tensor([1.0, 0.75, 0.5, 0.25, 0.0]))


def test_height_counts_by_the_square_of_the_uprightness_and_not_above_the_target():
    gravity = torch.tensor([LEVEL, LEVEL, ON_ITS_SIDE, ON_ITS_BACK, LEVEL])
    height = torch.tensor([0.15, 0.6, 0.15, 0.3, -0.1])
    torch.testing.assert_close(risen(gravity, height, target_m=0.3), torch.tensor([0.5, 1.0, 0.125, 0.0, 0.0]))


def test_a_robot_that_stands_at_rest_in_its_default_pose_has_all_there_is():
    assert stand() == pytest.approx(1.0)


@pytest.mark.parametrize(
    ("changed", "errors"),
    [
        ({"projected_gravity_b": torch.tensor([[0.3, 0.4, -math.sqrt(0.75)]])}, 1.0),  # sine 0.5 over 0.5
        ({"base_height_m": torch.tensor([0.1])}, 4.0),  # 0.2 m over 0.1 m, squared
        ({"joint_pos": torch.tensor([[0.5, 0.8]])}, 0.5),  # 0.4 rad at one joint of two
        ({"joint_vel": torch.tensor([[2.0, -2.0]])}, 1.0),
    ],
)
def test_each_error_that_reaches_its_tolerance_takes_the_reward_to_one_e_th(changed: dict, errors: float):
    assert stand(**changed) == pytest.approx(math.exp(-errors))


def test_a_foot_in_the_air_takes_its_share_and_a_robot_on_its_back_earns_nothing():
    assert stand(foot_contact=torch.tensor([[True, False]])) == pytest.approx(0.5)
    assert stand(projected_gravity_b=torch.tensor([ON_ITS_BACK])) == 0.0


def test_tolerances_and_heights_of_nothing_are_refused():
    with pytest.raises(ValueError, match=r"pose_std_rad must be positive, got 0\.0: it is the deviation of the joints"):
        check_parameters("standing", {"target_m": 0.3, "pose_std_rad": 0.0})
    with pytest.raises(ValueError, match=r"target_m must be positive, got 0\.0: it is the height at which the robot"):
        check_parameters("risen", {"target_m": 0.0})
