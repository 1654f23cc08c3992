"""A run is exported whatever logged it, from its directory and from what W&B recorded without a network."""

import os
from pathlib import Path

import pytest
from tests.sim.children import surefoot, train_once

from surefoot_bridge.bundle import load_bundle

pytestmark = pytest.mark.sim

OFFLINE = {name: value for name, value in os.environ.items() if not name.startswith("WANDB_")}
OFFLINE["WANDB_MODE"] = "offline"


def export(what: str, folder: Path) -> dict[str, bytes]:
    assert f"Wrote {folder}" in surefoot("export", what, "-o", folder, "--device", "cpu", env=OFFLINE).stdout
    return {path.name: path.read_bytes() for path in folder.iterdir()}


# Without a logger, a humanoid of tests/sim/test_export.py is trained and exported.
def test_a_run_that_tensorboard_logged_is_exported(tmp_path):
    run = train_once(tmp_path, logger="tensorboard", env=OFFLINE)
    assert list(run.glob("events.out.tfevents.*"))
    export(str(run), tmp_path / "bundle")
    assert load_bundle(tmp_path / "bundle").contract.training.iterations == 1


def test_a_run_that_wandb_recorded_offline_is_exported_from_either_and_the_bundles_are_the_same_to_the_last_bit(
    tmp_path,
):
    pytest.importorskip("wandb", reason="the extra 'wandb' is not installed")
    run = train_once(tmp_path, logger="wandb", env=OFFLINE)
    (offline,) = (run / "wandb").glob("offline-run-*")
    by_run = export(str(run), tmp_path / "by_run")
    assert load_bundle(tmp_path / "by_run").contract.training.iterations == 1
    by_wandb = export(f"wandb:{offline}", tmp_path / "by_wandb")
    assert {name: by_wandb[name] == by_run[name] for name in by_run} == dict.fromkeys(by_run, True)
