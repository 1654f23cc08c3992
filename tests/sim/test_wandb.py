"""What Weights & Biases records without a network, read back from its own file."""

import json
import subprocess
import sys
from pathlib import Path

import imageio_ffmpeg
import numpy as np
import pytest
from tests.unit.tiny_learning import TinyEnv, tiny_config

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


def train(folder: Path, iterations: int, *, run_name: str = "", mode: str | None = None) -> str:
    """Train in the tiny environment with W&B, continuing what the folder holds, and return W&B's message."""
    run = RunDirectory(folder)
    wandb = WandbLogger(folder, run_name=run_name, project="surefoot", configuration=CONFIGURATION, mode=mode)
    runner = SurefootRunner(TinyEnv(), tiny_config(), run=run, sinks=[wandb])
    if run.checkpoints.numbered():
        runner.resume(run.checkpoints.load_latest()[1])
    runner.learn(iterations)
    wandb.add_video(film(folder / "walk.mp4"), runner.completed)
    wandb.close()
    return wandb.message


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


def read_back(run: Path) -> dict[str, list]:
    command = [str(Path(sys.executable).with_name("wandb")), "leet", "inspect", "--json", str(run)]
    lines = subprocess.run(command, capture_output=True, text=True, check=True, timeout=120).stdout.splitlines()
    records: dict[str, list] = {}
    for record in map(json.loads, lines):
        records.setdefault(record["type"], []).append(record[record["type"]])
    return records


def test_configuration_metrics_video_and_checkpoint_are_recorded_offline(tmp_path):
    message = train(tmp_path, 2, run_name="first")
    (offline,) = (tmp_path / "wandb").glob("offline-run-*")
    assert message == f"Weights & Biases records offline. Send it later with: wandb sync {offline}"

    records = read_back(offline)
    (run,) = records["run"]
    assert {name: run["config"]["update"][name] for name in CONFIGURATION} == CONFIGURATION
    assert run["display_name"] == "first"

    history = [item["item"] for item in records["history"]]
    assert [item["iteration"] for item in history] == [1, 2, 2]
    assert all(np.isfinite(item["Loss/value"]) for item in history[:2])
    video = offline / "files" / history[2]["video.path"]
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


def test_a_resumed_run_has_the_same_id_and_goes_on_counting(tmp_path):
    train(tmp_path, 1)
    train(tmp_path, 1)
    first, second = (read_back(path) for path in sorted((tmp_path / "wandb").glob("offline-run-*")))
    assert first["run"][0]["run_id"] == second["run"][0]["run_id"]
    assert [item["item"]["iteration"] for item in second["history"]] == [2, 2]


def test_a_disabled_run_records_nothing_and_says_so(tmp_path):
    assert train(tmp_path, 1, mode="disabled") == "Weights & Biases is disabled."
    assert not list((tmp_path / "wandb").glob("*run-*/*.wandb"))
