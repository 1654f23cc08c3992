"""A run is exported whatever logged it, from its directory and from what W&B recorded without a network."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from surefoot_bridge.bundle import load_bundle

pytestmark = pytest.mark.sim

TASK = "Surefoot-Velocity-Flat-Go2"
SIZES = ("--device", "cpu", "--num-envs", "16", "--iterations", "1", "--processes", "1")
TIMEOUT_S = 600


def surefoot(*arguments: str) -> str:
    environment = {name: value for name, value in os.environ.items() if not name.startswith("WANDB_")}
    environment["WANDB_MODE"] = "offline"
    done = subprocess.run(
        (sys.executable, "-m", "surefoot.cli", *arguments),
        capture_output=True,
        text=True,
        timeout=TIMEOUT_S,
        check=False,
        env=environment,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def train(logger: str, folder: Path) -> Path:
    """Train for one iteration and return the run directory."""
    surefoot("train", "--task", TASK, *SIZES, "--logger", logger, "--no-video", "--output", str(folder))
    (run,) = folder.glob("*/*/run.json")
    return run.parent


def export(what: str, folder: Path) -> dict[str, bytes]:
    assert f"Wrote {folder}" in surefoot("export", what, "-o", str(folder), "--device", "cpu")
    return {path.name: path.read_bytes() for path in folder.iterdir()}


# Without a logger, a humanoid of tests/sim/test_export.py is trained and exported.
def test_a_run_that_tensorboard_logged_is_exported(tmp_path):
    run = train("tensorboard", tmp_path)
    assert list(run.glob("events.out.tfevents.*"))
    export(str(run), tmp_path / "bundle")
    assert load_bundle(tmp_path / "bundle").contract.training.iterations == 1


def test_a_run_that_wandb_recorded_offline_is_exported_from_either_and_the_bundles_are_the_same_to_the_last_bit(
    tmp_path,
):
    pytest.importorskip("wandb", reason="the extra 'wandb' is not installed")
    run = train("wandb", tmp_path)
    (offline,) = (run / "wandb").glob("offline-run-*")
    by_run = export(str(run), tmp_path / "by_run")
    assert load_bundle(tmp_path / "by_run").contract.training.iterations == 1
    by_wandb = export(f"wandb:{offline}", tmp_path / "by_wandb")
    assert {name: by_wandb[name] == by_run[name] for name in by_run} == dict.fromkeys(by_run, True)
