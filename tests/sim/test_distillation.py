"""``surefoot distill`` with the policy that came with the package."""

import importlib.util
import json
import subprocess
import sys
from hashlib import sha256
from pathlib import Path

import pytest
import torch

from surefoot.learning.checkpoint import read_checkpoint
from surefoot.playing.run_files import find_policy

pytestmark = pytest.mark.sim

TASK = "Surefoot-Velocity-Flat-Go2"
TIMEOUT_S = 600
(_PACKAGE,) = map(Path, importlib.util.find_spec("surefoot_tasks").submodule_search_locations)  # type: ignore[union-attr]


def test_a_distilled_policy_is_a_run_of_its_own_that_says_what_it_came_from_and_is_not_resumed(tmp_path):
    source = find_policy(_PACKAGE / "pretrained" / TASK)
    command = (sys.executable, "-m", "surefoot.cli")
    small = ("--num-envs", "8", "--steps", "12", "--epochs", "1", "--foot-patch-radius", "0.025")
    done = subprocess.run(
        (*command, "distill", str(source.output), *small, "--output", str(tmp_path)),
        capture_output=True,
        text=True,
        timeout=TIMEOUT_S,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    (run,) = tmp_path.glob(f"{TASK}/*_distilled")
    assert f"Next: surefoot export {run} -o BUNDLE" in done.stdout
    assert sorted(path.name for path in run.iterdir()) == ["checkpoints", "metrics.jsonl", "run.json"]
    record = json.loads((run / "run.json").read_text())
    assert record["overrides"][-2:] == [
        "env.randomization.preset=standard",
        "env.randomization.foot_patch_radii_m=[0.025]",
    ]
    assert record["distilled_from"]["sha256"] == sha256(source.checkpoint.read_bytes()).hexdigest()
    (row,) = map(json.loads, (run / "metrics.jsonl").read_text().splitlines())
    assert row["samples"] == 8 * 12
    before, after = read_checkpoint(source.checkpoint), read_checkpoint(find_policy(run).checkpoint)
    assert after["completed_iterations"] == before["completed_iterations"] + 1
    moved = {
        name
        for name, tensor in after["actor_state_dict"].items()
        if not torch.equal(tensor, before["actor_state_dict"][name])
    }
    assert moved
    assert all(name.startswith("mlp.") for name in moved), "normaliser and noise stay"

    resumed = subprocess.run(
        (*command, "train", "--resume", str(run), "--iterations", "9999"), capture_output=True, text=True, check=False
    )
    assert resumed.returncode == 2
    assert "holds networks alone, and no run can go on from it: begin a new one with --weights" in resumed.stderr
