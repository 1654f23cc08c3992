"""``surefoot distill`` with the policy that came with the package."""

import json
from hashlib import sha256

import pytest
import torch
from tests.sim.children import TASK, surefoot

from surefoot.learning.checkpoint import read_checkpoint
from surefoot.playing.run_files import find_policy, find_pretrained

pytestmark = pytest.mark.sim


def test_a_distilled_policy_is_a_run_of_its_own_that_says_what_it_came_from_and_is_not_resumed(tmp_path):
    source = find_pretrained(TASK)
    small = ("--num-envs", 8, "--steps", 12, "--epochs", 1, "--foot-patch-radius", 0.025)
    done = surefoot("distill", source.checkpoint.parents[1], *small, "--output", tmp_path)
    (run,) = tmp_path.glob(f"{TASK}/*_distilled")
    assert f"export {run} -o bundle" in done.stdout
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

    resumed = surefoot("train", "--resume", run, "--iterations", 9999, statuses=(2,))
    assert "holds networks alone, and no run can go on from it: begin a new one with --weights" in resumed.stderr
