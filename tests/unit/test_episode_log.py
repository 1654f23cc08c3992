"""What is logged of episodes that ended, on an environment without a simulator."""

from types import SimpleNamespace

import pytest
import torch
import warp as wp

from surefoot.envs.episode_log import EpisodeLog
from surefoot_devtools.benchmarking.counting import count_launches

NUM_ENVS = 3


def stand_in(num_terms: int = 2) -> SimpleNamespace:
    """Three environments with rewards, terminations and a command's metrics."""
    wp.init()
    command = SimpleNamespace(
        metrics=dict.fromkeys(("error", "success_rate")),
        metric_columns=wp.array([[1.0, 0.0], [3.0, 1.0], [5.0, 1.0]], dtype=float, device="cpu"),
    )
    return SimpleNamespace(
        device="cpu",
        num_envs=NUM_ENVS,
        max_episode_length_s=20.0,
        episode_length_buf=torch.tensor([7, 8, 9]),
        reward_manager=SimpleNamespace(
            active_terms=[f"reward_{term}" for term in range(num_terms)],
            _episode_sum_buf=torch.tensor([[2.0, 20.0], [4.0, 40.0], [60.0, 6.0]])[:, :num_terms].contiguous(),
        ),
        termination_manager=SimpleNamespace(
            active_terms=[f"end_{term}" for term in range(num_terms)],
            _last_episode_dones=torch.tensor([[True, False], [True, True], [False, False]])[:, :num_terms].contiguous(),
        ),
        command_manager=SimpleNamespace(_terms={"velocity": command} if num_terms else {}),
        action_manager=SimpleNamespace(_action=torch.ones(NUM_ENVS, 2), _prev_action=torch.ones(NUM_ENVS, 2)),
    )


def mask(*envs: int) -> wp.array:
    return wp.array([env in envs for env in range(NUM_ENVS)], dtype=wp.bool, device="cpu")


def close(log: EpisodeLog, *envs: int) -> dict:
    log.close(mask(*envs))
    return log.read()


def test_the_log_is_the_mean_over_the_episodes_that_ended_and_is_held_until_the_next_ends():
    env = stand_in()
    log = EpisodeLog(env)
    first = {name: value.item() for name, value in close(log, 0, 1).items()}
    assert first == pytest.approx(
        {
            "Episode_Reward/reward_0": 3.0 / 20.0,
            "Episode_Reward/reward_1": 30.0 / 20.0,
            "Metrics/velocity/error": 2.0,
            "Metrics/success_rate": 0.5,
            "Episode_Termination/end_0": 2.0 / 3.0,
            "Episode_Termination/end_1": 1.0 / 3.0,
        }
    )
    assert {name: value.item() for name, value in close(log).items()} == first
    assert close(log, 2)["Episode_Reward/reward_0"].item() == pytest.approx(60.0 / 20.0)


def test_environments_whose_episode_ended_begin_anew_and_others_go_on():
    env = stand_in()
    EpisodeLog(env).close(mask(1))
    assert env.reward_manager._episode_sum_buf.tolist() == [[2.0, 20.0], [0.0, 0.0], [60.0, 6.0]]
    assert env.episode_length_buf.tolist() == [7, 0, 9]
    assert env.action_manager._action.tolist() == [[1.0, 1.0], [0.0, 0.0], [1.0, 1.0]]


def test_what_was_handed_out_is_not_written_again():
    log = EpisodeLog(stand_in())
    kept = close(log, 0)["Episode_Reward/reward_0"]
    close(log, 2)
    assert kept.item() == pytest.approx(2.0 / 20.0)


def test_closing_waits_for_nothing():
    log, ended = EpisodeLog(stand_in()), mask(0)
    closed, read = count_launches(lambda: log.close(ended)), count_launches(log.read)
    assert not closed.waits + read.waits + closed.allocations
    assert set(read.allocations) == {"aten.clone"}


def test_a_task_without_rewards_terminations_and_commands_logs_nothing():
    assert close(EpisodeLog(stand_in(0)), 0) == {}
