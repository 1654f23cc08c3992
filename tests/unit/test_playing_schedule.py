"""The time line of an episode, the ranges of its commands and the size of its pushes."""

import pytest
import torch

from surefoot.playing.schedule import draw_schedule


@pytest.fixture(scope="module")
def schedule():
    return draw_schedule(1000, seed=3, step_dt=0.02)


def test_an_episode_of_20_s_has_1000_steps_of_20_ms(schedule):
    assert schedule.num_steps == 1000


def test_the_command_changes_at_every_fifth_second(schedule):
    changes = [step for step in range(1, 1000) if not torch.equal(schedule.command(step), schedule.command(step - 1))]
    assert changes == [250, 500, 750]


def test_pushes_come_halfway_between_commands(schedule):
    assert [step for step in range(1000) if schedule.push(step) is not None] == [125, 375, 625, 875]


def test_tracking_is_judged_from_the_second_after_each_command_and_push(schedule):
    settled = [step for step in range(250) if schedule.is_settled(step)]
    assert settled == [*range(50, 125), *range(175, 250)]
    assert sum(schedule.is_settled(step) for step in range(1000)) == 600


def test_without_pushes_and_with_one_command_only_the_start_is_masked():
    schedule = draw_schedule(2, seed=0, step_dt=0.02, command=(0.5, 0.0, 0.0), push=False)
    assert [step for step in range(1000) if not schedule.is_settled(step)] == list(range(50))
    assert all(schedule.push(step) is None for step in range(1000))
    assert schedule.command(999).tolist() == [[0.5, 0.0, 0.0]] * 2


def test_commands_fill_their_ranges_and_stay_inside(schedule):
    commands = schedule.commands.flatten(0, 1)  # 4000 draws: an extreme is within 1 % of a bound all but surely
    limit = torch.tensor([1.0, 0.5, 1.0])
    assert (commands.abs() <= limit).all()
    assert (commands.max(0).values > 0.99 * limit).all()
    assert (commands.min(0).values < -0.99 * limit).all()


def test_every_push_is_half_a_metre_a_second_in_all_directions(schedule):
    pushes = schedule.pushes.flatten(0, 1)
    assert torch.allclose(pushes.norm(dim=1), torch.tensor(0.5))
    # The mean of 4000 unit directions has a standard deviation of 1 / sqrt(8000) along each axis.
    assert (pushes.mean(0).abs() < 4 * 0.5 / 8000**0.5).all()


def test_one_seed_gives_one_schedule_and_another_seed_another():
    first, again, other = (draw_schedule(8, seed=seed, step_dt=0.02) for seed in (1, 1, 2))
    assert torch.equal(first.commands, again.commands)
    assert torch.equal(first.pushes, again.pushes)
    assert not torch.equal(first.commands, other.commands)


def test_a_part_of_the_episodes_keeps_its_commands(schedule):
    part = schedule.episodes(10, 12, "cpu")
    assert part.num_episodes == 2
    assert torch.equal(part.command(300), schedule.command(300)[10:12])
    assert torch.equal(part.push(375), schedule.push(375)[10:12])
