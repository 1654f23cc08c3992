"""A robot of a package outside the tree, from its first training iteration to the bridge, as a team would run it."""

import json
import os
import subprocess
import sys

import pytest
from tests.fixtures.outside import ANYMAL_D, put_in

pytestmark = pytest.mark.sim

TASK = "Surefoot-Velocity-Flat-AnymalD"
SCRIPT = "0.0 stand\n4.0 sit\n8.0 passive\n9.0 end\n"


@pytest.fixture(scope="module")
def outside(tmp_path_factory) -> dict[str, str]:
    """Environment of processes that see the package."""
    folder = put_in(tmp_path_factory.mktemp("outside"), ANYMAL_D)
    return {**os.environ, "PYTHONPATH": os.pathsep.join([str(folder), os.environ.get("PYTHONPATH", "")])}


def run(environment: dict[str, str], module: str, *arguments: object) -> str:
    command = [sys.executable, "-m", module, *map(str, arguments)]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=600, check=False)
    assert done.returncode == 0, f"{done.stdout}\n{done.stderr}"
    return done.stdout


def test_an_outside_robot_is_trained_exported_verified_and_run_by_the_bridge(outside, tmp_path):
    small = ("--device", "cpu", "--num-envs", "32", "--processes", "1", "--logger", "none", "--no-video")
    run(outside, "surefoot.cli", "train", "--task", TASK, *small, "--iterations", "1", "--output", tmp_path / "runs")
    (trained,) = (tmp_path / "runs" / TASK).iterdir()
    bundle = tmp_path / "bundle"
    run(outside, "surefoot.cli", "export", trained, "--output", bundle, "--device", "cpu")
    contract = json.loads((bundle / "contract.json").read_text())
    assert (contract["robot"]["name"], contract["robot"]["foot_names"][1]) == ("anymal_d", "LH_FOOT")

    verify = ("--scenario", "flat_forward", "--trials", "1", "--no-pages", "--report", tmp_path / "report")
    assert "0 of 1" in run(outside, "surefoot.cli", "verify", bundle, *verify)

    script = tmp_path / "script.txt"
    script.write_text(SCRIPT)
    rehearsal = ("--robot", "mujoco", "--stage", "tethered", "--acknowledge", "ready", "--simulated-clock")
    said = run(outside, "surefoot_bridge.command_line", "run", bundle, *rehearsal, "--operator", f"script:{script}")
    assert "Modes: stand, sit, passive" in said
