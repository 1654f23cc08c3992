"""Every robot trains by the one definition of the velocity task."""

import json

import pytest

from surefoot.cli import main
from surefoot_robots import get_robot, list_robots
from surefoot_tasks.velocity import task_id

pytestmark = [pytest.mark.sim, pytest.mark.slow]


@pytest.mark.parametrize("name", list_robots())
def test_a_robot_trains_an_iteration(name, tmp_path):
    task = task_id(get_robot(name).label)
    small = ("--num-envs", "16", "--iterations", "1", "--device", "cpu", "--logger", "none", "--no-video")
    assert main(["train", "--task", task, *small, "--output", str(tmp_path)]) == 0
    (run,) = (tmp_path / task).iterdir()
    (row,) = map(json.loads, (run / "metrics.jsonl").read_text().splitlines())
    assert row["env_steps"] == 16 * 24
