"""What Weights & Biases records without a network, read back from its own file."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import imageio_ffmpeg
import numpy as np
import pytest
from tests.unit.tiny_learning import TinyEnv, tiny_config

from surefoot.learning.checkpoint import read_checkpoint
from surefoot.learning.metrics import JsonLines
from surefoot.learning.run_directory import RunDirectory
from surefoot.learning.runner import SurefootRunner
from surefoot.learning.wandb_logger import WandbLogger
from surefoot.randomization.adaptive.bounds import AdaptiveCfg
from surefoot.randomization.adaptive.ranges import AdaptiveRanges
from surefoot.randomization.layout import EVENTS, TableLayout
from surefoot.randomization.parameter import Parameter, scale
from surefoot.randomization.randomization import Randomization
from surefoot.randomization.table import RandomizationTable

pytest.importorskip("wandb", reason="the extra 'wandb' is not installed")

CONFIGURATION = {"task": "Tiny", "seed": 3, "commit": "abc", "versions": {"surefoot": "0.1"}, "env": {"dt": 0.02}}


@pytest.fixture(autouse=True)
def no_account(monkeypatch, tmp_path):
    """No key and nobody's settings: what a machine without a network sees."""
    monkeypatch.delenv("WANDB_API_KEY", raising=False)
    monkeypatch.delenv("WANDB_MODE", raising=False)
    monkeypatch.setenv("WANDB_DATA_DIR", "")
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("NETRC", str(tmp_path / "netrc"))


def start(folder: Path, *, run_name: str = "", mode: str | None = None, resume: Path | None = None, sinks=()):
    """Make a runner with W&B that goes on from a checkpoint, the last one by default, as ``surefoot train`` does."""
    run = RunDirectory(folder)
    content = read_checkpoint(resume) if resume else None
    if content is None and run.checkpoints.numbered():
        content = run.checkpoints.load_latest()[1]
    completed = content["completed_iterations"] if content else 0
    run.rewind(completed)
    wandb = WandbLogger(
        folder, run_name=run_name, project="surefoot", configuration=CONFIGURATION, mode=mode, completed=completed
    )
    runner = SurefootRunner(TinyEnv(), tiny_config(), run=run, sinks=[JsonLines(run.metrics), wandb, *sinks])
    if content:
        runner.resume(content)
    return runner, wandb


def train(folder: Path, iterations: int, *, video: bool = False, **options) -> str:
    """Train in the tiny environment with W&B, continuing what the folder holds, and return W&B's message."""
    runner, wandb = start(folder, **options)
    runner.learn(iterations)
    if video:
        wandb.add_video(film(folder / "walk.mp4"), runner.completed)
    wandb.close()
    return wandb.message


class Killer:
    """A sink that kills the process in the fifth iteration, when W&B has had time to write what it was given."""

    def write(self, metrics, iterations):
        if iterations == 5:
            time.sleep(2.5)
            os.kill(os.getpid(), signal.SIGKILL)

    def write_values(self, values, iterations):
        """Nothing."""

    def add_checkpoint(self, path, iterations):
        """Nothing."""


def train_until_killed(folder: Path) -> None:
    """Save the third iteration and be killed in the fifth."""
    runner, _ = start(folder, mode="offline", sinks=[Killer()])
    runner._checkpoint_is_due = lambda *_: runner.completed == 3
    runner.learn(10)


class TableAlone(Randomization):
    """The randomization of an environment without an engine: its table and its ranges."""

    def __init__(self, num_envs):
        interval = {"over": "environment", "elements": ("",), "acts_on": "world", "mirror": "scalar", "unit": "s"}
        parameters = [
            Parameter(name="mass", description="mass", nominal=(2.0,), minimum=0.1, **interval | {"unit": "kg"}),
            *(
                Parameter(name=f"{event}_interval", description="never", nominal=(1e9,), occasion=event, **interval)
                for event in EVENTS
            ),
        ]
        self.layout = TableLayout.build(parameters, {"mass": scale(0.5, 1.5)})
        self.table = RandomizationTable(self.layout, num_envs=num_envs, device="cpu", seed=1)
        self.adaptive = AdaptiveRanges(AdaptiveCfg(initial_share=0.5), self.table, seed=1)

    def apply(self):
        """Nobody is there to write values to."""


def film(path: Path) -> Path:
    writer = imageio_ffmpeg.write_frames(str(path), (64, 64), fps=10)
    writer.send(None)
    for shade in range(0, 250, 25):
        writer.send(np.full((64, 64, 3), shade, np.uint8).tobytes())
    writer.close()
    return path


def folders(run: Path) -> list[Path]:
    return sorted((run / "wandb").glob("offline-run-*"))


def steps(run: Path) -> list[tuple[int, int]]:
    """Step and iteration of every row of all folders, one folder after another, as ``wandb sync`` sends them."""
    rows = [row["item"] for folder in folders(run) for row in read_back(folder).get("history", [])]
    return [(row["_step"], row["iteration"]) for row in rows]


def read_back(run: Path) -> dict[str, list]:
    command = [str(Path(sys.executable).with_name("wandb")), "leet", "inspect", "--json", str(run)]
    lines = subprocess.run(command, capture_output=True, text=True, check=True, timeout=120).stdout.splitlines()
    records: dict[str, list] = {}
    for record in map(json.loads, lines):
        records.setdefault(record["type"], []).append(record[record["type"]])
    return records


def test_configuration_metrics_video_and_checkpoint_are_recorded_offline(tmp_path):
    message = train(tmp_path, 2, run_name="first", video=True)
    (offline,) = (tmp_path / "wandb").glob("offline-run-*")
    assert message == f"Weights & Biases records offline. Send it later with: wandb sync {offline}"

    records = read_back(offline)
    (run,) = records["run"]
    assert {name: run["config"]["update"][name] for name in CONFIGURATION} == CONFIGURATION
    assert run["display_name"] == "first"

    history = [item["item"] for item in records["history"]]
    assert [item["iteration"] for item in history] == [1, 2]
    assert all(np.isfinite(item["Loss/value"]) for item in history)
    video = offline / "files" / history[1]["video.path"]
    assert video.read_bytes() == (tmp_path / "walk.mp4").read_bytes()

    (artifact,) = records["artifact"]
    (content,) = artifact["manifest"]["contents"]
    assert content["path"] == "model_000002.pt"
    staged = Path(content["local_path"])
    assert staged.is_relative_to(tmp_path), "bytes of artifacts stay in the run directory"
    assert staged.read_bytes() == (tmp_path / "checkpoints" / "model_000002.pt").read_bytes()


def test_the_values_in_force_and_the_ranges_in_use_are_recorded(tmp_path):
    env = TinyEnv()
    env.randomization = TableAlone(env.num_envs)
    wandb = WandbLogger(tmp_path, run_name="", project="surefoot", configuration=CONFIGURATION, mode="offline")
    SurefootRunner(env, tiny_config(), run=RunDirectory(tmp_path), sinks=[wandb]).learn(1)
    wandb.close()
    (offline,) = (tmp_path / "wandb").glob("offline-run-*")
    history = [item["item"] for item in read_back(offline)["history"]]

    histogram = next(item for item in history if "Randomization/mass.bins" in item)
    values, bins = env.randomization.table.view("mass"), histogram["Randomization/mass.bins"]
    assert sum(histogram["Randomization/mass.values"]) == env.num_envs
    assert bins[0] == pytest.approx(values.min().item())
    assert bins[-1] == pytest.approx(values.max().item())
    ranges = next(item for item in history if "Randomization/mass/low" in item)
    # Half of the way from a factor of 1 to 0.5 and to 1.5.
    assert ranges["Randomization/mass/low"] == pytest.approx(0.75)
    assert ranges["Randomization/mass/high"] == pytest.approx(1.25)


def test_a_killed_run_goes_on_with_one_axis_no_row_twice_and_every_folder_named_in_order(tmp_path):
    code = "import sys, pathlib; from tests.sim import test_wandb as t; t.train_until_killed(pathlib.Path(sys.argv[1]))"
    alone = {name: value for name, value in os.environ.items() if name != "WANDB_SERVICE"}  # not this process's service
    root = Path(__file__).parents[2]
    killed = subprocess.run([sys.executable, "-c", code, str(tmp_path)], cwd=root, env=alone, timeout=300, check=False)
    assert killed.returncode == -signal.SIGKILL
    made = [json.loads(line)["iteration"] for line in (tmp_path / "metrics.jsonl").read_text().splitlines()]
    assert made == [1, 2, 3, 4, 5], "two iterations were made that no checkpoint holds"

    message = train(tmp_path, 3, mode="offline")
    first, second = folders(tmp_path)
    assert message == f"Weights & Biases records offline. Send it later with: wandb sync {first} {second}"
    assert read_back(first)["run"][0]["run_id"] == read_back(second)["run"][0]["run_id"]
    assert steps(tmp_path) == [(number, number) for number in range(1, 7)]


def test_a_run_that_goes_back_to_an_earlier_checkpoint_is_another_run_with_the_iterations_before_it(tmp_path):
    train(tmp_path, 1, mode="offline")
    earlier = tmp_path / "checkpoints" / "model_000001.pt"
    train(tmp_path, 2, mode="offline")
    message = train(tmp_path, 3, mode="offline", resume=earlier)
    before, then, back = (read_back(folder) for folder in folders(tmp_path))
    old, new = before["run"][0]["run_id"], back["run"][0]["run_id"]
    assert then["run"][0]["run_id"] == old != new
    assert message.startswith(f"Weights & Biases has run {old} until step 3; this goes on from 1 as run {new}.")
    assert [row["item"]["_step"] for row in back["history"]] == [1, 2, 3, 4]


def test_a_run_that_was_logged_elsewhere_before_has_all_its_iterations(tmp_path):
    run = RunDirectory(tmp_path)
    SurefootRunner(TinyEnv(), tiny_config(), run=run, sinks=[JsonLines(run.metrics)]).learn(2)
    train(tmp_path, 1, mode="offline")
    assert steps(tmp_path) == [(1, 1), (2, 2), (3, 3)]


def test_a_disabled_run_records_nothing_and_says_so(tmp_path):
    assert train(tmp_path, 1, mode="disabled") == "Weights & Biases is disabled."
    assert not list((tmp_path / "wandb").glob("*run-*/*.wandb"))
