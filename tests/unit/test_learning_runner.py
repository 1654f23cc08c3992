"""The runner counts, saves, stops and resumes as promised; seen in an environment of a few lines."""

import json
import os
import signal
import time

import pytest
import torch
from tests.unit.tiny_learning import NUM_ENVS, TinyEnv, tiny_config

from surefoot.learning.checkpoint import read_checkpoint
from surefoot.learning.fault_guard import TrainingFaultError
from surefoot.learning.metrics import JsonLines
from surefoot.learning.run_directory import RunDirectory
from surefoot.learning.runner import SurefootRunner
from surefoot_bridge.errors import SurefootError


def make(tmp_path, **env):
    (tmp_path / "run").mkdir(exist_ok=True)
    run = RunDirectory(tmp_path / "run")
    torch.manual_seed(0)
    return run, SurefootRunner(TinyEnv(**env), tiny_config(), run=run, sinks=[JsonLines(run.metrics)])


def rows(run):
    return [json.loads(line) for line in run.metrics.read_text().splitlines()]


def names(run):
    return [path.name for path in run.checkpoints.numbered()]


def test_iterations_count_on_after_a_resume(tmp_path):
    run, runner = make(tmp_path)
    assert runner.learn(2) == "complete"
    path, content = run.checkpoints.load_latest()
    assert path.name == "model_000002.pt"

    run, runner = make(tmp_path)
    runner.resume(content)
    runner.learn(2)
    assert [row["iteration"] for row in rows(run)] == [1, 2, 3, 4]
    assert [row["env_steps"] for row in rows(run)] == [4 * NUM_ENVS * k for k in (1, 2, 3, 4)]
    assert read_checkpoint(run.checkpoints.numbered()[-1])["iter"] == 3  # rsl_rl counts from 0


def test_checkpoints_come_by_the_clock_and_at_the_end(tmp_path, monkeypatch):
    run, runner = make(tmp_path)
    monkeypatch.setattr(runner, "_checkpoint_is_due", lambda *_: runner.completed in (1, 3))
    runner.learn(5)
    assert names(run) == ["model_000001.pt", "model_000003.pt", "model_000005.pt"]


def test_a_checkpoint_is_due_before_the_last_one_is_a_minute_old(tmp_path):
    _, runner = make(tmp_path)
    assert not runner._checkpoint_is_due(since_last_s=40.0, iteration_s=19.0)
    assert runner._checkpoint_is_due(since_last_s=50.0, iteration_s=11.0)


def test_the_best_weights_are_kept_beside_the_latest(tmp_path):
    run, runner = make(tmp_path)
    runner.learn(1)
    content = read_checkpoint(run.checkpoints.best)
    assert content["simulation"] is None
    assert content["completed_iterations"] == 1


def test_worse_weights_do_not_replace_the_best(tmp_path, monkeypatch):
    run, runner = make(tmp_path)
    monkeypatch.setattr(runner, "_checkpoint_is_due", lambda *_: True)
    rewards = iter([1.0, 3.0, 2.0])
    monkeypatch.setattr(runner, "_tracking_share", lambda metrics: {"Train/mean_reward": next(rewards)})
    runner.learn(3)
    assert read_checkpoint(run.checkpoints.best)["completed_iterations"] == 2
    assert read_checkpoint(run.checkpoints.numbered()[-1])["counters"]["best_reward"] == 3.0


def test_time_ends_training_after_the_iteration_under_way(tmp_path):
    run, runner = make(tmp_path)
    assert runner.learn(1000, deadline=time.monotonic()) == "time"
    assert names(run) == ["model_000001.pt"]


@pytest.fixture
def heeded_interrupt():
    """A background shell starts its programs with SIGINT ignored; the test runner may be one of them."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.usefixtures("heeded_interrupt")
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_training_after_the_iteration_under_way_and_saves(tmp_path, number, capsys):
    handler = signal.getsignal(number)

    def interrupt(step, obs, rewards):
        if step == 6:  # in the second iteration of four steps
            os.kill(os.getpid(), number)

    run, runner = make(tmp_path, corrupt=interrupt)
    assert runner.learn(1000) == "interrupted"
    assert names(run) == ["model_000002.pt"]
    assert f"{number.name}: finishing this iteration and saving" in capsys.readouterr().err
    assert signal.getsignal(number) is handler


def test_a_signal_that_is_ignored_stays_ignored(tmp_path):
    def hang_up(step, obs, rewards):
        os.kill(os.getpid(), signal.SIGHUP)

    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)  # what nohup does
    try:
        _, runner = make(tmp_path, corrupt=hang_up)
        assert runner.learn(2) == "complete"
    finally:
        signal.signal(signal.SIGHUP, before)


@pytest.mark.usefixtures("heeded_interrupt")
def test_a_second_signal_aborts(tmp_path):
    def interrupt_twice(step, obs, rewards):
        os.kill(os.getpid(), signal.SIGINT)

    run, runner = make(tmp_path, corrupt=interrupt_twice)
    with pytest.raises(KeyboardInterrupt):
        runner.learn(1000)
    assert names(run) == []


def test_a_full_disk_is_one_clear_error_and_earlier_checkpoints_are_whole(tmp_path, monkeypatch):
    run, runner = make(tmp_path)
    runner.learn(1)

    def full(content, file):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(torch, "save", full)
    with pytest.raises(SurefootError, match="No space left on device"):
        runner.learn(1)
    assert names(run) == ["model_000001.pt"]
    assert run.checkpoints.load_latest()[1]["completed_iterations"] == 1


@pytest.mark.parametrize("stage", ["observation", "reward"])
def test_a_fault_in_one_environment_is_reported_and_training_goes_on_with_finite_numbers(tmp_path, stage, capsys):
    def corrupt(step, obs, rewards):
        if step == 1:
            (obs["policy"] if stage == "observation" else rewards)[5] = float("nan")

    run, runner = make(tmp_path, num_envs=40, corrupt=corrupt)
    runner.learn(2)
    first, second = rows(run)
    assert first[f"Faults/{stage}"] == 1.0
    assert not any(name.startswith("Faults/") for name in second)
    assert all(value is not None for name, value in first.items() if name.startswith("Loss/"))
    said = f"iteration 1: non-finite values ({stage} 1) in 1 environment(s): 5; they were reset. Their values"
    assert said in capsys.readouterr().out
    assert torch.load(run.fault_dump(1), weights_only=True)["environments"] == [5]


def test_persistent_faults_stop_the_run_with_a_dump(tmp_path):
    def corrupt(step, obs, rewards):
        obs["policy"].fill_(float("inf"))

    run, runner = make(tmp_path, corrupt=corrupt)
    with pytest.raises(TrainingFaultError, match="100% of all environments"):
        runner.learn(2)
    assert set(torch.load(run.fault_dump(1), weights_only=True)) == {"environments", "observation"}
    assert names(run) == []


def test_a_lost_network_stops_the_run_with_its_experience_in_a_dump(tmp_path):
    run, runner = make(tmp_path)
    runner.learn(1)
    for parameter in runner.alg.critic.parameters():
        parameter.data.fill_(float("nan"))
    with pytest.raises(TrainingFaultError, match="The experience is in"):
        runner.learn(100)
    assert torch.load(run.experience_dump, weights_only=True)["observations"]["policy"].shape == (4, NUM_ENVS, 3)
    assert names(run) == ["model_000001.pt"], "nothing is saved after the network was lost"


def test_gradients_that_were_left_out_are_said_in_their_own_iteration_with_the_experience_in_a_dump(tmp_path, capsys):
    run, runner = make(tmp_path)
    compute_returns = runner.alg.compute_returns

    def spoil(obs):
        compute_returns(obs)
        if runner.completed == 1:  # in the second iteration
            runner.alg.storage.returns.fill_(float("nan"))

    runner.alg.compute_returns = spoil
    runner.learn(3)
    said = [line for line in capsys.readouterr().out.splitlines() if "gradient" in line]
    assert said == [
        "iteration 2: the gradient was NaN or infinite in 4 of 4 updates, which were left out. "
        f"The experience is in {run.experience_dump} (torch.load)."
    ]
    assert torch.load(run.experience_dump, weights_only=True)["returns"].isnan().all()
    assert [row["Loss/skipped_updates"] for row in rows(run)] == [0.0, 4.0, 0.0]


def test_episodes_of_a_new_run_start_at_random_ages_and_those_of_a_resumed_run_do_not(tmp_path):
    _, runner = make(tmp_path)
    runner.env.max_episode_length = 1000
    runner.learn(1, init_at_random_ep_len=True)
    ages = runner.env.episode_length_buf.clone()
    assert len(ages.unique()) > 1
    runner.learn(1, init_at_random_ep_len=True)
    assert torch.equal(runner.env.episode_length_buf, ages + 4)
