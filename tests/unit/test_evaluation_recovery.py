"""Getting up in MuJoCo: how robots are dropped, and that a policy is judged from there."""

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from tests.unit.motion_rig import CONTRACT
from tests.unit.test_evaluation_mujoco import engine, some_batch

import surefoot_tasks
from surefoot.evaluation.recovery import judge_recovery
from surefoot_bridge.bundle import load_bundle

NUM_TRIALS = 12
WALK = Path(surefoot_tasks.__path__[0]) / "velocity/bundles/Surefoot-Velocity-Flat-Go2"
SCRIPT = Path(__file__).parents[2] / "scripts/judge_recovery.py"


@pytest.fixture(scope="module")
def judged() -> tuple:
    """The shipped walking policy, which was not made to get up, and the state in which it took over."""
    bundle = load_bundle(WALK, runtime="numpy")
    starts = []
    metrics = judge_recovery(bundle, num_trials=NUM_TRIALS, seed=1, episode_s=0.5, on_start=starts.append)
    return metrics, starts[0]


def test_dropped_robots_have_come_to_rest_on_the_ground_in_many_poses(judged: tuple) -> None:
    start = judged[1]
    assert np.linalg.norm(start.base_lin_vel_w, axis=1).max() < 0.05
    assert (start.base_pos_w[:, 2] > 0.03).all()
    assert (start.base_pos_w[:, 2] < 0.25).all()
    upwards = 1.0 - 2.0 * (start.base_quat_wxyz[:, 1:3] ** 2).sum(axis=1)
    assert upwards.min() < -0.9
    assert upwards.max() > 0.9


def test_each_robot_is_judged_from_where_it_lies(judged: tuple) -> None:
    metrics = judged[0]
    assert metrics.figures()["episodes"] == NUM_TRIALS
    assert not (metrics.stood_up_s == 0.0).any()


def test_a_robot_is_where_it_was_placed_at_rest() -> None:
    trials = engine()
    trials.begin(some_batch())
    position, quat = np.array([[1.0, 2.0, 3.0]] * 3), np.array([[0.0, 1.0, 0.0, 0.0]] * 3)
    pose = np.tile(np.linspace(-0.5, 0.5, len(CONTRACT.sdk_order)), (3, 1))
    trials.place(position, quat, pose)
    truth = trials.truth()
    np.testing.assert_array_equal(truth.base_pos_w, position)
    np.testing.assert_array_equal(truth.base_quat_wxyz, quat)
    np.testing.assert_array_equal(truth.joint_pos_rad, pose)
    assert not truth.base_lin_vel_w.any()


def run(*arguments: object) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(SCRIPT), *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def test_the_script_says_that_a_walking_policy_does_not_get_up_from_every_fall(tmp_path: Path) -> None:
    report = tmp_path / "report.json"
    done = run(WALK, "--trials", 3, "--seconds", 4, "--json", report)
    assert done.returncode == 1, done.stderr
    assert "success_rate" in done.stdout
    content = json.loads(report.read_text())
    assert (content["ok"], len(content["rows"]), content["provenance"]["engine"]) == (False, 3, "mujoco")
