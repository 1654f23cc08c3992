"""Playing a policy in real engines: who commands, who pushes, what counts as a fall, and what the command writes."""

import json
from pathlib import Path

import pytest
from tests.sim.children import ask, surefoot, train_once

from surefoot_bridge.bundle import load_bundle

pytestmark = pytest.mark.sim


@pytest.fixture(scope="module")
def run(tmp_path_factory) -> Path:
    """A run of one iteration: its policy hardly moves, so that the robot stands."""
    return train_once(tmp_path_factory.mktemp("runs"))


@pytest.fixture(scope="module", params=["ovphysx", "newton_mjwarp"])
def seen(run, tmp_path_factory, request) -> dict:
    """What the probe saw in one engine."""
    return ask("play_probe", run, request.param, tmp_path_factory.mktemp("log") / "native.log")


def test_the_policy_sees_the_callers_command_and_no_other(seen):
    assert seen["first_command_shown"]
    assert seen["second_command_shown"]
    assert seen["commands_redrawn"] == 0


def test_a_push_in_flight_carries_the_centre_of_mass_by_velocity_times_time(seen):
    assert seen["pushed_m"] == pytest.approx([0.5 * 0.02] * 8, abs=5e-5)


def test_a_standing_robot_has_not_fallen(seen):
    assert seen["standing_falls"] == 0


def test_a_robot_on_its_back_has_fallen_and_its_episode_goes_on(seen):
    assert seen["fell"] == [True, False] * 4
    assert seen["episode_steps"] == [25] * 8


def test_an_episode_gives_figures_and_a_recording(seen):
    assert seen["figures"]["episodes"] == 8
    assert seen["figures"]["success_rate"] == 1.0
    assert seen["recorded_steps"] == 100
    assert seen["recorded_height_m"] == pytest.approx(0.29, abs=0.04)
    assert seen["recorded_upright"] < 0.1


def test_the_command_prints_figures_and_writes_the_report(run, tmp_path):
    report = tmp_path / "report.json"
    size = ("--episodes", 4, "--num-envs", 2, "--seed", 3, "--device", "cpu")
    result = surefoot("play", run, *size, "--json", report, "--no-video", statuses=(1,))  # untrained, it falls short
    assert "seed 3" in result.stdout
    assert "rms_lin_vel_error" in result.stdout
    assert "[INFO]" not in result.stdout + result.stderr, "what Isaac Lab prints belongs into the log"

    content = json.loads(report.read_text())
    assert content["ok"] is False
    assert {"success_rate", "rms_lin_vel_error", "rms_yaw_rate_error"} <= set(content["figures"])
    assert len(content["rows"]) == content["figures"]["episodes"] == 4
    assert content["provenance"]["seed"] == 3
    assert content["provenance"]["engine"] == "ovphysx"
    assert (run / "logs" / "play.log").stat().st_size > 0


@pytest.fixture(scope="module")
def recovery_run(tmp_path_factory) -> Path:
    """A run of one iteration of getting up."""
    return train_once(tmp_path_factory.mktemp("recovery"), task="Surefoot-Recovery-Go2")


def test_getting_up_trains_and_is_judged_by_standing_in_time(recovery_run, tmp_path):
    (row,) = map(json.loads, (recovery_run / "metrics.jsonl").read_text().splitlines())
    assert row["env_steps"] == 16 * 24
    report = tmp_path / "report.json"
    surefoot("play", recovery_run, "--episodes", 8, "--device", "cpu", "--json", report, "--no-video", statuses=(0, 1))
    content = json.loads(report.read_text())
    assert content["figures"]["episodes"] == 8
    assert content["ok"] is (content["figures"]["success_rate"] >= 0.95)
    assert {"recovered", "stood_up_s", "ever_stood"} == set(content["rows"][0])
    assert not any(row["stood_up_s"] == 0.0 for row in content["rows"]), "they begin on the ground"


def test_a_policy_without_a_command_is_exported_with_nothing_to_ask_and_refuses_to_be_asked(recovery_run, tmp_path):
    surefoot("export", recovery_run, "-o", tmp_path / "bundle", "--device", "cpu")
    contract = load_bundle(tmp_path / "bundle", runtime="numpy").contract
    assert [(ends.low, ends.high) for ends in contract.command.trained] == [(0.0, 0.0)] * 3
    assert "command" not in {term.source for term in contract.observation.terms}
    refused = surefoot("play", recovery_run, "--preset", "forward", "--device", "cpu", "--no-video", statuses=(2,))
    assert "has no velocity command: leave out --command and --preset" in refused.stderr


@pytest.mark.slow
def test_the_command_films_the_first_episode(run):
    surefoot("play", run, "--episodes", 1, "--device", "cpu", "--preset", "stand", statuses=(0, 1))
    assert {file.suffix for file in (run / "videos").iterdir()} == {".mp4", ".png"}
