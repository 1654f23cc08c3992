"""A run of Weights & Biases becomes a run directory again: recorded offline for real, and with a network that fails."""

import json
import socket
import time
from pathlib import Path

import pytest

from surefoot.exporting import wandb_run
from surefoot.exporting.wandb_run import fetched
from surefoot.learning.run_directory import RunDirectory, RunSettings
from surefoot.learning.wandb_logger import WandbLogger
from surefoot_bridge.errors import SurefootError

wandb = pytest.importorskip("wandb", reason="the extra 'wandb' is not installed")

SETTINGS = {
    "task": "Surefoot-Velocity-Flat-Go2",
    "robot": "unitree_go2",
    "physics": "ovphysx",
    "device": "cpu",
    "num_envs": 16,
    "seed": 3,
    "iterations": 2,
    "overrides": ("agent.algorithm.gamma=0.9",),
    "processes": 1,
}
VERSIONS = {"python": "3.12.1", "surefoot": "0.1.0", "isaaclab": "3.0.0", "torch": "2.11.0", "elsewhere": "1"}
CONFIGURATION = {**SETTINGS, "versions": VERSIONS, "commit": "abc", "env": {"dt": 0.02}, "agent": {}}
CHECKPOINT = b"weights of two iterations"


@pytest.fixture(autouse=True)
def no_account(monkeypatch, tmp_path):
    for name in ("WANDB_API_KEY", "WANDB_MODE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("WANDB_DATA_DIR", "")
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("NETRC", str(tmp_path / "netrc"))


def record(folder: Path, *, configuration=CONFIGURATION, checkpoint: bool = True) -> Path:
    """Record a run offline as training does, and return its folder."""
    folder.mkdir()
    logger = WandbLogger(folder, run_name="walk", project="surefoot", configuration=configuration, mode="offline")
    for iteration in (1, 2):
        logger.write({"Train/mean_reward": 0.1 * iteration, "Randomization/gravity/low": -9.0 / iteration}, iteration)
    if checkpoint:
        file = folder / "model_000002.pt"
        file.write_bytes(CHECKPOINT)
        logger.add_checkpoint(file, 2)
    logger.close()
    (offline,) = (folder / "wandb").glob("offline-run-*")
    return offline


@pytest.fixture(scope="module")
def recorded(tmp_path_factory) -> Path:
    """A whole run, recorded offline."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("WANDB_DATA_DIR", "")
        return record(tmp_path_factory.mktemp("runs") / "run")


def refused(reference: str, *messages: str) -> None:
    with pytest.raises(SurefootError) as error, fetched(reference):
        pass
    for message in messages:
        assert message in str(error.value)


def test_a_run_recorded_offline_gives_back_settings_metrics_and_checkpoint(recorded):
    with fetched(f"wandb:{recorded}") as folder:
        run = RunDirectory.open(folder)
        assert run.read_settings() == RunSettings(**SETTINGS)
        assert run.read_record()["commit"] == "abc"
        assert list(run.read_record()["versions"].items()) == list(VERSIONS.items()), "in the order of run.json"
        rows = [json.loads(line) for line in run.metrics.read_text().splitlines()]
        assert [row["iteration"] for row in rows] == [1, 2]
        assert [row["Randomization/gravity/low"] for row in rows] == [-9.0, -4.5]
        (checkpoint,) = run.checkpoints.numbered()
        assert checkpoint.name == "model_000002.pt"
        assert checkpoint.read_bytes() == CHECKPOINT
    assert not folder.exists()


def test_the_last_folder_of_a_resumed_run_gives_back_the_metrics_of_all_of_them(tmp_path):
    record(tmp_path / "run")
    time.sleep(1.0)  # wandb names its folders by the second of the start
    again = {"run_name": "walk", "project": "surefoot", "configuration": CONFIGURATION, "mode": "offline"}
    logger = WandbLogger(tmp_path / "run", completed=2, **again)
    logger.write({"Train/mean_reward": 0.3}, 3)
    logger.add_checkpoint(tmp_path / "run" / "model_000002.pt", 3)
    logger.close()
    last = max((tmp_path / "run" / "wandb").glob("offline-run-*"))
    with fetched(f"wandb:{last}") as folder:
        rows = [json.loads(line) for line in RunDirectory(folder).metrics.read_text().splitlines()]
    assert [(row["iteration"], row["Train/mean_reward"]) for row in rows] == [(1, 0.1), (2, 0.2), (3, 0.3)]


def test_its_folder_may_be_taken_elsewhere_together_with_what_lies_beside_it(recorded, tmp_path):
    recorded.parents[1].rename(tmp_path / "elsewhere")
    try:
        with fetched(f"wandb:{tmp_path / 'elsewhere' / 'wandb' / recorded.name}") as folder:
            assert RunDirectory.open(folder).checkpoints.numbered()
    finally:
        (tmp_path / "elsewhere").rename(recorded.parents[1])


def test_a_checkpoint_that_is_gone_or_was_changed_is_refused(tmp_path):
    offline = record(tmp_path / "run")
    (staged,) = (offline.parent / "artifacts" / "staging").iterdir()
    staged.write_bytes(CHECKPOINT + b"!")
    refused(f"wandb:{offline}", "is not the checkpoint that the run stored: its hash is another", "surefoot export RUN")
    staged.unlink()
    refused(f"wandb:{offline}", "The checkpoint model_000002.pt of", "take the whole folder wandb/ along")


def test_a_run_without_a_checkpoint_is_refused(tmp_path):
    offline = record(tmp_path / "run", checkpoint=False)
    refused(f"wandb:{offline}", "stored no checkpoint", "surefoot export RUN")


def test_a_run_of_somebody_else_is_refused(tmp_path):
    offline = record(tmp_path / "run", configuration={"task": "x", "seed": 1})
    refused(f"wandb:{offline}", "is none of surefoot train's: its configuration lacks commit, device")


def test_a_damaged_record_is_refused(tmp_path):
    offline = record(tmp_path / "run")
    (file,) = offline.glob("run-*.wandb")
    file.write_bytes(b"no record")
    refused(f"wandb:{offline}", f"{file} cannot be read")
    file.unlink()
    refused(f"wandb:{offline}", "holds 0 files run-ID.wandb and must hold one")


@pytest.mark.parametrize("reference", ["wandb:", "wandb:one/two", "wandb:/no/such/folder", "wandb:a/b/c/d"])
def test_what_is_no_reference_is_refused_with_the_valid_forms(reference):
    refused(reference, f"{reference!r} is no run", "wandb:ENTITY/PROJECT/RUN", "offline-run-DATE-ID")


def test_without_a_key_it_says_at_once_how_to_log_in():
    began = time.monotonic()
    refused("wandb:team/surefoot/abc123", "did not give the run team/surefoot/abc123", "wandb login", "WANDB_API_KEY")
    assert time.monotonic() - began < 10.0


@pytest.mark.parametrize("server", ["closed", "silent"])
def test_a_server_that_does_not_answer_is_waited_for_a_bounded_time(monkeypatch, server):
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        if server == "silent":  # takes connections and says nothing
            listener.listen()
        monkeypatch.setenv("WANDB_BASE_URL", f"http://127.0.0.1:{listener.getsockname()[1]}")
        monkeypatch.setenv("WANDB_API_KEY", "0" * 40)
        monkeypatch.setattr(wandb_run, "REQUEST_TIMEOUT_S", 2)
        began = time.monotonic()
        refused("wandb:team/surefoot/abc123", "did not give the run", "the network is up", "surefoot export RUN")
        assert time.monotonic() - began < 15.0


class SentRun:
    """A run as W&B's public API hands it out; there is no server here that could."""

    config = CONFIGURATION

    def __init__(self, artifacts):
        self._artifacts = artifacts

    def logged_artifacts(self):
        return iter(self._artifacts)

    def scan_history(self):
        return iter([{"iteration": 2, "Train/mean_reward": 0.5, "_step": 1}, {"iteration": 2, "video": {"path": "x"}}])


class SentArtifact:
    def __init__(self, kind, name, content):
        self.type, self._name, self._content = kind, name, content

    def download(self, root):
        Path(root).mkdir()
        (Path(root) / self._name).write_bytes(self._content)
        return root


def test_a_run_that_was_sent_gives_its_latest_checkpoint(monkeypatch):
    versions = [SentArtifact("model", "model_000001.pt", b"1"), SentArtifact("model", "model_000002.pt", b"2")]
    asked = []

    class Api:
        def __init__(self, timeout):
            assert timeout == wandb_run.REQUEST_TIMEOUT_S

        def run(self, path):
            asked.append(path)
            return SentRun([SentArtifact("code", "x.py", b""), *versions])

    monkeypatch.setattr(wandb, "Api", Api)
    with fetched("wandb:team/surefoot/abc123") as folder:
        run = RunDirectory.open(folder)
        assert [path.read_bytes() for path in run.checkpoints.numbered()] == [b"2"]
        assert json.loads(run.metrics.read_text()) == {"iteration": 2, "Train/mean_reward": 0.5, "_step": 1}
        assert run.read_settings().num_envs == 16
    assert asked == ["team/surefoot/abc123"]

    monkeypatch.setattr(wandb, "Api", lambda timeout: type("Api", (), {"run": lambda self, path: SentRun([])})())
    refused("wandb:team/surefoot/abc123", "has no checkpoint among its artifacts")
