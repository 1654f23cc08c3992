"""When a robot stands, and when it has got up, on numbers worked by hand."""

import pytest
import torch
from tests.unit.test_playing_metrics import _sample

from surefoot.playing.acceptance import bounds_of
from surefoot.playing.recovery import RecoveryMetrics, stands

STEP_DT = 0.02


def stand(**changed: torch.Tensor) -> bool:
    """Whether a robot stands that is at rest in its default pose, 0.3 m high, but for what is changed."""
    state = {
        "projected_gravity_b": torch.tensor([[0.0, 0.0, -1.0]]),
        "base_height_m": torch.tensor([0.3]),
        "base_lin_vel_b": torch.zeros(1, 3),
        "base_ang_vel_b": torch.zeros(1, 3),
        "foot_contact": torch.ones(1, 4, dtype=torch.bool),
        "lies": torch.zeros(1, dtype=torch.bool),
    }
    return bool(stands(**state | changed, standing_height_m=0.3)[0])


def gravity(degrees: float) -> torch.Tensor:
    angle = torch.tensor(degrees).deg2rad()
    return torch.stack([angle.sin(), torch.tensor(0.0), -angle.cos()])[None]


def test_a_robot_at_rest_in_its_default_pose_stands_and_so_does_one_within_the_tolerances():
    assert stand()
    assert stand(projected_gravity_b=gravity(14.0), base_height_m=torch.tensor([0.25]))
    assert stand(base_lin_vel_b=torch.tensor([[0.1, 0.1, 0.0]]), base_ang_vel_b=torch.tensor([[0.0, 0.4, 0.0]]))


@pytest.mark.parametrize(
    "changed",
    [
        {"projected_gravity_b": gravity(16.0)},
        {"projected_gravity_b": gravity(180.0)},
        {"base_height_m": torch.tensor([0.23])},
        {"base_height_m": torch.tensor([0.37])},
        {"base_lin_vel_b": torch.tensor([[0.2, 0.1, 0.0]])},
        {"base_ang_vel_b": torch.tensor([[0.0, 0.6, 0.0]])},
        {"foot_contact": torch.tensor([[True, True, False, True]])},
        {"lies": torch.tensor([True])},
        {"base_height_m": torch.tensor([torch.nan])},
    ],
)
def test_a_robot_does_not_stand_that_leans_sits_moves_lifts_a_foot_or_touches_the_ground_with_its_body(changed: dict):
    assert not stand(**changed)


def recover(*standing: list[bool]) -> RecoveryMetrics:
    """Metrics of robots that stand as listed, step by step."""
    metrics = RecoveryMetrics(len(standing), step_dt=STEP_DT, device="cpu")
    for step in torch.tensor(standing).T:
        metrics.update(_sample(len(standing), stands=step))
    return metrics


def test_a_robot_has_got_up_from_when_on_it_stood_until_the_end():
    late, early = [False] * 201 + [True] * 49, [False] * 200 + [True] * 50
    at_once, again, never = [True] * 250, [True] * 249 + [False], [False] * 250
    metrics = recover(early, late, at_once, again, never)
    assert metrics.stood_up_s.tolist() == [pytest.approx(4.0), pytest.approx(4.02), 0.0, torch.inf, torch.inf]
    assert metrics.recovered.tolist() == [True, False, True, False, False]
    figures = metrics.figures()
    assert figures["success_rate"] == pytest.approx(0.4)
    assert (figures["stood_at_the_end"], figures["stood_up_only_for_a_while"]) == (3.0, 1.0)
    assert (figures["median_time_to_stand_s"], figures["longest_time_to_stand_s"]) == (
        pytest.approx(4.0),
        pytest.approx(4.02),
    )
    assert metrics.rows()[3] == {"recovered": False, "stood_up_s": None, "ever_stood": True}


def test_rollouts_join_to_what_their_episodes_are_side_by_side():
    first, second = [False] * 10 + [True] * 10, [False] * 20
    joined = RecoveryMetrics.joined([recover(first), recover(second)])
    assert joined.rows() == recover(first, second).rows()
    assert joined.figures() == recover(first, second).figures()


def test_of_a_robot_that_gets_up_success_alone_is_asked():
    assert list(bounds_of(must_step=False, randomized=False, gets_up=True)) == ["success_rate"]
