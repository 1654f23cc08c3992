"""Shipping a policy puts its run and its bundle into the package: here into a copy of it."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from tests.fixtures.shipped import BUNDLES, TASKS
from tests.sim.children import TASK, TIMEOUT_S

from surefoot_bridge.bundle import load_bundle

pytestmark = [pytest.mark.sim, pytest.mark.slow]

CHECKOUT = Path(__file__).parents[2]


def ship(package: Path, *arguments: str) -> subprocess.CompletedProcess:
    return subprocess.run(
        (sys.executable, str(CHECKOUT / "scripts" / "ship_policy.py"), *arguments),
        capture_output=True,
        text=True,
        timeout=TIMEOUT_S,
        check=False,
        cwd=package.parent,
        env={**os.environ, "PYTHONPATH": str(package.parent)},
    )


def test_a_run_is_shipped_as_a_slim_run_and_as_the_bundle_that_came_with_the_package(tmp_path):
    package, run = tmp_path / "tasks" / "surefoot_tasks", tmp_path / "run"
    shutil.copytree(TASKS, package, ignore=shutil.ignore_patterns("__pycache__"))
    shipped, bundle = package / "pretrained" / TASK, package / "velocity" / "bundles" / TASK
    shutil.copytree(shipped, run)

    refused = ship(package, str(shipped))
    assert refused.returncode == 2, refused.stdout + refused.stderr
    assert "is where the policy is shipped to; name the run that it came from" in refused.stderr
    assert (shipped / "run.json").is_file(), "nothing was removed"

    record = run / "run.json"
    text = record.read_text()
    commit = json.loads(text)["commit"]
    record.write_text(text.replace(commit, f"{commit}-dirty"))
    refused = ship(package, str(run))
    assert (refused.returncode, f"was trained from the commit {commit}-dirty" in refused.stderr) == (2, True)
    record.write_text(text)

    shutil.rmtree(shipped)
    done = ship(package, str(run), "--play", str(run / "play.json"))
    assert done.returncode == 0, done.stdout + done.stderr
    for path in (path for path in run.rglob("*") if path.is_file()):
        assert (shipped / path.relative_to(run)).read_bytes() == path.read_bytes()
    loaded, before = load_bundle(bundle), load_bundle(BUNDLES / TASK)
    assert f"as bundle {loaded.identity} in {bundle}" in done.stdout
    assert loaded.contract.network == before.contract.network
    assert loaded.contract.scores == before.contract.scores
    for name in ("policy.npz", "policy.onnx"):  # TorchScript and the trace may differ between versions and machines
        assert (bundle / name).read_bytes() == (BUNDLES / TASK / name).read_bytes()
