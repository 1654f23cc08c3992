"""The teacher of a policy that walks, and the fit of its pupil."""

import pytest
import torch
from tensordict import TensorDict

from surefoot.distillation.student import add_rest_unit, fit
from surefoot.distillation.teacher import CommandCorrection, rest_share

STEP_S = 0.02


def walk(correction, command, slip, seconds):
    """Let robots walk that fall short of what they are shown by a slip; returns their velocity."""
    new = torch.zeros(len(command), dtype=torch.bool)
    velocity = torch.zeros_like(command)
    for _ in range(round(seconds / STEP_S)):
        velocity = correction.corrected(command) - slip
        correction.observe(command, velocity, new, STEP_S)
    return velocity


def test_the_correction_of_a_second_of_constant_error_is_its_gain_less_what_the_average_lags():
    correction = CommandCorrection(1, "cpu")
    command = torch.tensor([[0.0, 0.0, 0.5]])
    new = torch.zeros(1, dtype=torch.bool)
    for _ in range(49):
        correction.observe(command, torch.zeros(1, 3), new, STEP_S)
    assert correction.corrected(command).tolist() == command.tolist(), "a robot that speeds up is not corrected"
    for _ in range(50):
        correction.observe(command, torch.tensor([[0.0, 0.0, 0.4]]), new, STEP_S)
    lag_s = sum(0.95**step for step in range(1, 51)) * STEP_S  # the average begins at zero: 0.95 = 1 - 0.02 / 0.4
    expected = 1.5 * 0.1 * (1.0 - lag_s)
    assert correction.corrected(command)[0].tolist() == pytest.approx([0.0, 0.0, 0.5 + expected], abs=1e-6)


def test_robots_whose_feet_grip_turn_as_asked_after_six_seconds_and_what_was_found_is_kept_for_that_direction_alone():
    correction = CommandCorrection(2, "cpu")
    command = torch.tensor([[0.0, 0.0, 0.5], [0.3, 0.0, 0.0]])
    slip = torch.tensor([[0.0, 0.0, 0.2], [0.05, 0.0, 0.0]])
    assert walk(correction, command, slip, 6.0) == pytest.approx(command, abs=0.01)
    assert correction.corrected(-command).tolist() == (-command).tolist()
    walk(correction, torch.zeros(2, 3), torch.zeros(2, 3), 2.0)
    assert correction.corrected(command) - slip == pytest.approx(command, abs=0.01)


def test_standing_robots_are_not_corrected_and_slow_ones_by_what_was_found_of_slow_walks_alone():
    correction = CommandCorrection(1, "cpu")
    fast, slow = torch.tensor([[0.0, 0.0, 0.5]]), torch.tensor([[0.0, 0.0, 0.15]])
    walk(correction, fast, torch.tensor([[0.0, 0.0, 0.2]]), 6.0)
    assert correction.corrected(torch.zeros(1, 3)).tolist() == [[0.0, 0.0, 0.0]]
    assert correction.corrected(slow).tolist() == slow.tolist()
    slip = torch.tensor([[0.0, 0.0, 0.1]])
    assert walk(correction, slow, slip, 6.0) == pytest.approx(slow, abs=0.01)
    assert correction.corrected(fast)[0, 2] == pytest.approx(0.7, abs=0.01)


def test_a_robot_begins_with_the_mean_of_what_others_have_found():
    correction = CommandCorrection(3, "cpu")
    command = torch.tensor([[0.5, 0.0, 0.0], [0.5, 0.0, 0.0], [0.0, 0.0, 0.0]])
    walk(correction, command, torch.tensor([[0.04, 0.0, 0.0], [0.08, 0.0, 0.0], [0.0, 0.0, 0.0]]), 8.0)
    forward = torch.tensor([[0.5, 0.0, 0.0]]).expand(3, 3)
    assert correction.corrected(forward)[:, 0].tolist() == pytest.approx([0.54, 0.58, 0.56], abs=0.005)


def test_a_correction_has_a_largest_value_and_is_forgotten_with_the_robot():
    correction = CommandCorrection(1, "cpu")
    command = torch.tensor([[1.0, 0.0, 0.0]])
    walk(correction, command, torch.tensor([[5.0, 0.0, 0.0]]), 10.0)
    assert correction.corrected(command)[0, 0] == pytest.approx(1.15)
    correction.reset()
    assert correction.corrected(command).tolist() == command.tolist()


@pytest.mark.parametrize(
    ("command", "forward_m_s", "yaw_rad_s", "share"),
    [
        ((0.0, 0.0, 0.0), 0.05, 0.0, 1.0),
        ((0.0, 0.0, 0.0), 0.17, 0.0, 0.5),  # half way between 0.12 and 0.22
        ((0.0, 0.0, 0.0), 0.5, 0.0, 0.0),
        ((0.0, 0.0, 0.0), 0.0, 1.0, 0.0),  # 1 rad/s at 0.3 m
        ((0.1, 0.0, 0.0), 0.05, 0.0, 0.0),
    ],
)
def test_a_robot_rests_where_it_is_told_to_stand_and_has_stopped(command, forward_m_s, yaw_rad_s, share):
    moving = torch.tensor([[forward_m_s, 0.0, 0.0]])
    turning = torch.tensor([[0.0, 0.0, yaw_rad_s]])
    assert rest_share(torch.tensor([command]), moving, turning).item() == pytest.approx(share)


def test_a_pupil_tells_a_command_of_zero_from_all_others():
    from rsl_rl.models import MLPModel

    torch.manual_seed(0)
    seen = 2.0 * torch.rand(20_000, 3) - 1.0
    seen += seen.sign()  # 1 to 2 in either direction
    seen[:10_000] = 0.0
    told = (seen != 0.0).any(dim=1, keepdim=True).float()
    view = TensorDict({"policy": seen[:1]}, batch_size=[1])
    actor = MLPModel(view, {"actor": ["policy"]}, "actor", 1, hidden_dims=[32, 32], activation="elu")
    passes = []
    error = fit(actor, seen, told, epochs=100, seed=0, progress=lambda epoch, off: passes.append((epoch, off)))
    assert [epoch for epoch, _ in passes] == list(range(1, 101))
    assert passes[-1][1] == error
    assert error < 0.15 < passes[0][1]


def test_the_unit_of_rest_is_high_at_a_command_of_zero_alone_and_changes_the_actions_little_before_the_fit():
    from rsl_rl.models import MLPModel

    torch.manual_seed(0)
    seen = torch.randn(2000, 8)
    view = TensorDict({"policy": seen}, batch_size=[len(seen)])
    actor = MLPModel(
        view, {"actor": ["policy"]}, "actor", 2, hidden_dims=[64, 32, 16], activation="elu", obs_normalization=True
    )
    actor.update_normalization(view)
    actor.eval()
    before = actor(view)
    add_rest_unit(actor, seen, slice(5, 8))
    assert (actor(view) - before).square().mean() < 0.02 * before.square().mean()
    assert not torch.equal(actor(view), before)

    commands = torch.zeros(5, 8)
    commands[1:, 5:] = torch.tensor([[0.1, 0.0, 0.0], [0.0, -0.1, 0.0], [0.0, 0.0, 0.2], [1.0, -0.5, 1.0]])
    hidden = actor.obs_normalizer(commands)
    for layer in list(actor.mlp)[:4]:  # two layers, each with its ELU
        hidden = layer(hidden)
    (gate,) = ((hidden[0] - 1.5).abs() < 1e-4).nonzero()[:, 0].tolist()
    # sum elu(20 c) + elu(-20 c) at 0.1: 2 + exp(-2) - 1 = 1.1353; elu(1.5 - 2.2707) = exp(-0.7707) - 1 = -0.5373
    assert hidden[:, gate].tolist() == pytest.approx([1.5, -0.5373, -0.5373, -0.9891, -1.0], abs=1e-3)
