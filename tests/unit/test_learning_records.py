"""The run directory, its metrics, episode means, the view for people and the memory check."""

import itertools
import json
import math
import re

import pytest
import torch

from surefoot.envs.episode_log import LOG_IS_HELD
from surefoot.learning import memory
from surefoot.learning.curves import draw_learning_curves, learning_figure
from surefoot.learning.episode_statistics import EpisodeStatistics
from surefoot.learning.metrics import JsonLines
from surefoot.learning.progress import Progress
from surefoot.learning.run_directory import RunDirectory, RunSettings
from surefoot_bridge.errors import SurefootError

SETTINGS = RunSettings(
    task="Surefoot-Velocity-Flat-Go2",
    robot="unitree_go2",
    physics="ovphysx",
    device="cpu",
    num_envs=16,
    seed=3,
    iterations=5,
    overrides=("env.episode_length_s=10.0",),
)


def test_a_run_directory_is_named_by_task_date_and_name_and_records_its_settings(tmp_path):
    run = RunDirectory.create(tmp_path, SETTINGS, "first")
    assert re.fullmatch(r"\d{4}-\d\d-\d\d_\d\d-\d\d-\d\d_first", run.path.name)
    assert run.path.parent == tmp_path / SETTINGS.task
    record = run.read_record()
    assert (record["robot"], record["seed"], record["engine"]) == ("unitree_go2", 3, "ovphysx")
    assert {"command", "versions", "commit", "machine", "date"} <= set(record)
    assert RunDirectory.open(run.path).read_settings() == SETTINGS


def test_two_runs_of_one_second_get_two_directories(tmp_path):
    first, second = (RunDirectory.create(tmp_path, SETTINGS) for _ in range(2))
    assert first.path != second.path


def test_a_run_is_found_by_its_checkpoint(tmp_path):
    run = RunDirectory.create(tmp_path, SETTINGS)
    checkpoint = run.checkpoints.save({"actor_state_dict": {}}, 1)
    assert RunDirectory.open(checkpoint).path == run.path


def test_a_resumed_run_keeps_the_record_of_its_start(tmp_path):
    run = RunDirectory.create(tmp_path, SETTINGS)
    started = run.read_record()["date"]
    run.write_record(SETTINGS)
    run.write_record(SETTINGS)
    assert run.read_record()["started"]["date"] == started


def test_what_is_not_a_run_is_refused(tmp_path):
    with pytest.raises(SurefootError, match="does not exist"):
        RunDirectory.open(tmp_path / "absent")
    with pytest.raises(SurefootError, match=r"is not a run directory: it has no run\.json"):
        RunDirectory.open(tmp_path)
    (tmp_path / "run.json").write_text("{")
    with pytest.raises(SurefootError, match="is not JSON"):
        RunDirectory.open(tmp_path).read_settings()
    (tmp_path / "run.json").write_text('{"task": "x"}')
    with pytest.raises(SurefootError, match="lacks device, iterations, num_envs"):
        RunDirectory.open(tmp_path).read_settings()


def test_a_name_with_a_path_in_it_and_a_file_as_output_are_refused(tmp_path):
    with pytest.raises(SurefootError, match=r"The run name '\.\./x' is not valid; it may hold"):
        RunDirectory.create(tmp_path, SETTINGS, "../x")
    file = tmp_path / "file"
    file.touch()
    with pytest.raises(SurefootError, match="Choose a writable folder with --output"):
        RunDirectory.create(file, SETTINGS)


def test_a_resume_drops_later_metrics_and_a_line_cut_short_and_sets_later_checkpoints_aside(tmp_path):
    run = RunDirectory(tmp_path)
    for iteration in (1, 2, 3):
        JsonLines(run.metrics).write({"reward": float(iteration)}, iteration)
        run.checkpoints.save({"actor_state_dict": {}}, iteration)
    with run.metrics.open("a") as file:
        file.write('{"iteration": 4, "rew')
    run.rewind(2)
    assert [json.loads(line)["iteration"] for line in run.metrics.read_text().splitlines()] == [1, 2]
    assert [path.name for path in run.checkpoints.numbered()] == ["model_000001.pt", "model_000002.pt"]
    assert (tmp_path / "checkpoints" / "set_aside" / "model_000003.pt").is_file()


def test_metrics_that_are_not_finite_become_null(tmp_path):
    JsonLines(tmp_path / "metrics.jsonl").write({"a": float("nan"), "b": 0.1}, 1)
    assert json.loads((tmp_path / "metrics.jsonl").read_text()) == {"iteration": 1, "a": None, "b": 0.1}


def test_episode_means_are_those_of_the_episodes_that_ended():
    statistics = EpisodeStatistics(2, "cpu")
    statistics.add_step(torch.tensor([1.0, 10.0]), torch.tensor([0, 0]), {})
    assert statistics.close_iteration() == {}
    statistics.add_step(torch.tensor([2.0, 20.0]), torch.tensor([1, 0]), {})
    statistics.add_step(torch.tensor([4.0, 40.0]), torch.tensor([1, 1]), {})
    # Returns 1+2, 4 and 10+20+40 over lengths 2, 1 and 3.
    means = statistics.close_iteration()
    assert means["Train/mean_reward"] == pytest.approx((3.0 + 4.0 + 70.0) / 3.0)
    assert means["Train/mean_episode_length"] == pytest.approx(2.0)


def test_a_log_is_counted_once_and_its_bad_values_are_left_out():
    statistics = EpisodeStatistics(1, "cpu")
    rewards, dones = torch.zeros(1), torch.zeros(1)
    log = {"Episode_Reward/track": torch.tensor(1.0), "share": 0.5}
    statistics.add_step(rewards, dones, {"log": log})
    statistics.add_step(rewards, dones, {"log": log})  # still the last reset's
    statistics.add_step(rewards, dones, {"log": {"Episode_Reward/track": torch.tensor(2.0)}})
    statistics.add_step(rewards, dones, {"log": {"Episode_Reward/track": torch.tensor(float("nan"))}})
    assert statistics.close_iteration() == {"Episode_Reward/track": 1.5, "Episode/share": 0.5}


def test_a_log_that_is_held_counts_in_the_steps_in_which_an_episode_ended():
    """Its environment logs in every step without knowing whether an episode ended."""
    statistics = EpisodeStatistics(2, "cpu")
    for value, ended in ((1.0, 0), (2.0, 1), (2.0, 0), (4.0, 1)):
        log = {"Episode_Reward/track": torch.tensor(value)}
        statistics.add_step(torch.zeros(2), torch.tensor([ended, 0]), {"log": log, LOG_IS_HELD: True})
    assert statistics.close_iteration()["Episode_Reward/track"] == 3.0


def test_restored_statistics_go_on_with_the_same_means():
    first, second = EpisodeStatistics(2, "cpu"), EpisodeStatistics(2, "cpu")
    first.add_step(torch.tensor([1.0, 2.0]), torch.tensor([1, 0]), {})
    first.close_iteration()
    second.load_state_dict(first.state_dict(), {})
    for statistics in (first, second):
        statistics.add_step(torch.tensor([1.0, 2.0]), torch.tensor([0, 1]), {})
    assert (
        first.close_iteration()
        == second.close_iteration()
        == {
            "Train/mean_reward": 2.5,
            "Train/mean_episode_length": 1.5,
        }
    )


def test_plain_progress_says_rate_reward_and_time_left(capsys, monkeypatch):
    now = iter([100.0, 110.0])
    monkeypatch.setattr("surefoot.learning.progress.time.monotonic", lambda: next(now))
    metrics = {"Perf/env_steps_per_s": 4321.0, "Train/mean_reward": 1.234, "Train/tracking_share": 0.41}
    with Progress(61) as progress:
        progress.show(metrics, 1)
        progress.show(metrics, 3)
    first, second = capsys.readouterr().out.splitlines()
    assert first == "iteration 1/61  4,321 env-steps/s  reward 1.23  tracking 41%"
    # 58 iterations of 5 s are left.
    assert second == "iteration 3/61  4,321 env-steps/s  4 min 50 s left  reward 1.23  tracking 41%"


def test_more_environments_than_memory_are_refused_with_the_number_that_fits(monkeypatch):
    monkeypatch.setattr(memory, "available_gib", lambda: 7.0)
    memory.check_memory(3800)  # 1.2 + 3800 * 1.55 / 1024 = 6.95 GiB
    with pytest.raises(
        SurefootError, match=r"4096 environments need about 7\.4 GiB.*7\.0 GiB are free\. Use --num-envs 3831"
    ):
        memory.check_memory(4096)
    monkeypatch.setattr(memory, "available_gib", lambda: 1.0)
    with pytest.raises(SurefootError, match="Free some memory first"):
        memory.check_memory(1)


def test_learning_curves_are_drawn_and_refused_without_metrics(tmp_path):
    metrics = tmp_path / "metrics.jsonl"
    metrics.touch()
    with pytest.raises(SurefootError, match="holds no iteration"):
        draw_learning_curves(metrics, tmp_path / "curves.png", step_dt=0.02)
    for iteration in (1, 2):
        JsonLines(metrics).write({"env_steps": 100 * iteration, "elapsed_s": 1.0, "Train/mean_reward": 1.0}, iteration)
    picture = draw_learning_curves(metrics, tmp_path / "curves.png", step_dt=0.02)
    assert picture.read_bytes().startswith(b"\x89PNG")


def test_the_picture_of_a_run_on_a_field_shows_its_phases_and_levels(tmp_path):
    field = "Curriculum/terrain_levels/"
    for iteration in range(1, 5):
        moved = iteration / 4
        row = {
            **{f"{field}share_of_phase_{name}": share for name, share in (("stand", 1 - moved), ("flat", moved))},
            f"{field}success_of_phase_stand": 0.9,
            f"{field}success_of_phase_flat": 0.5 if iteration > 2 else math.nan,
            **{f"{field}share_on_{level}": share for level, share in enumerate((1 - moved, moved, 0.0))},
            f"{field}mean": moved,
            "Curriculum/command_range": 0.3,
        }
        JsonLines(tmp_path / "metrics.jsonl").write({"env_steps": 1e6 * iteration, "elapsed_s": 1.0, **row}, iteration)
    figure = learning_figure(tmp_path / "metrics.jsonl", step_dt=0.02)
    populations, success, levels = figure.axes[6:]
    assert [area.get_label() for area in populations.collections] == ["stand", "flat"]
    assert [line.get_xydata().tolist() for line in success.lines] == [
        [[1.0, 90.0], [2.0, 90.0], [3.0, 90.0], [4.0, 90.0]],
        [[3.0, 50.0], [4.0, 50.0]],
        [[1.0, 30.0], [2.0, 30.0], [3.0, 30.0], [4.0, 30.0]],
    ]
    assert levels.collections[0].get_array()[:, -1].tolist() == [0.0, 100.0, 0.0]
    assert levels.lines[0].get_ydata().tolist() == [0.25, 0.5, 0.75, 1.0]
    figure.draw_without_rendering()


def test_learning_curves_are_in_units_that_people_read_and_their_labels_are_apart(tmp_path):
    row = {"Train/tracking_share": 0.5, "Train/mean_episode_length": 1000.0, "Perf/env_steps_per_s": 2500.0}
    for iteration in (1, 2):
        JsonLines(tmp_path / "metrics.jsonl").write({"env_steps": 2e6, "elapsed_s": 1.0, **row}, iteration)
    figure = learning_figure(tmp_path / "metrics.jsonl", step_dt=0.02)
    shown = [axes.lines[0].get_ydata().tolist() for axes in figure.axes]
    assert [shown[place] for place in (1, 2, 5)] == [[50.0, 50.0], [20.0, 20.0], [2.5, 2.5]]  # %, s, thousand a second
    figure.draw_without_rendering()
    texts = [
        text for axes in figure.axes for text in (axes.title, axes._left_title, axes.xaxis.label, axes.yaxis.label)
    ]
    boxes = [text.get_window_extent() for text in texts if text.get_text()]
    assert len(boxes) == 12
    assert not any(one.overlaps(other) for one, other in itertools.combinations(boxes, 2))
