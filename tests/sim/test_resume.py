"""A run that is killed and resumed continues bit for bit like one that was left alone, in each engine."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from tests.sim.children import TASK, TIMEOUT_S

pytestmark = pytest.mark.sim

WORKER = Path(__file__).with_name("train_worker.py")
CHECKPOINT, LAST = 3, 8


def start(*arguments: str) -> subprocess.Popen:
    command = [sys.executable, str(WORKER), str(CHECKPOINT), *arguments]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)


def finish(process: subprocess.Popen) -> None:
    output, _ = process.communicate(timeout=TIMEOUT_S)
    assert process.returncode == 0, output


def new_run(output: Path, task: str, physics: str, processes: int) -> subprocess.Popen:
    # Pushes are made frequent so that the event timers and the generator matter within the few steps of the test.
    return start(
        *("train", "--task", task, "--physics", physics, "--device", "cpu", "--num-envs", "16"),
        *("--iterations", str(LAST), "--seed", "7", "--logger", "none", "--no-video", "--output", str(output)),
        *("--processes", str(processes), "env.randomization.preset=standard"),
    )


def wait_for_metrics(output: Path, iterations: int) -> Path:
    """Wait until a run has done more iterations than its checkpoint holds, and return its folder."""
    until = time.monotonic() + TIMEOUT_S
    while time.monotonic() < until:
        for metrics in output.glob("*/*/metrics.jsonl"):
            if len(metrics.read_text().splitlines()) >= iterations:
                return metrics.parent
        time.sleep(0.05)
    pytest.fail(f"no run in {output} reached iteration {iterations}")


def results(run: Path) -> dict[int, dict[str, float]]:
    """All metrics of each iteration that are not times, as they were written: JSON keeps every bit of a float."""
    rows = [json.loads(line) for line in (run / "metrics.jsonl").read_text().splitlines()]
    return {
        row["iteration"]: {
            name: value for name, value in row.items() if name != "elapsed_s" and not name.startswith("Perf/")
        }
        for row in rows
    }


def children_of(pid: int) -> list[Path]:
    return [Path(f"/proc/{child}") for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


def wait_until_gone(processes: list[Path]) -> None:
    until = time.monotonic() + 10.0
    while any(process.exists() for process in processes):
        assert time.monotonic() < until, f"still running: {processes}"
        time.sleep(0.05)


@pytest.mark.parametrize(
    ("task", "physics", "processes"),
    [
        (TASK, "ovphysx", 1),
        (TASK, "newton_mjwarp", 1),
        (TASK, "ovphysx", 2),
        ("Surefoot-Velocity-Rough-Go2", "ovphysx", 1),
    ],
)
def test_five_iterations_after_kill_and_resume_equal_those_of_a_run_that_went_on(tmp_path, task, physics, processes):
    went_on = new_run(tmp_path / "went_on", task, physics, processes)
    finish(went_on)
    (went_on_run,) = (tmp_path / "went_on").glob("*/*")

    killed = new_run(tmp_path / "killed", task, physics, processes)
    run = wait_for_metrics(tmp_path / "killed", CHECKPOINT + 1)
    workers = children_of(killed.pid)
    assert len(workers) >= processes - 1
    os.kill(killed.pid, signal.SIGKILL)
    killed.communicate()
    wait_until_gone(workers)
    assert [path.name for path in sorted((run / "checkpoints").glob("model_0*"))] == [f"model_{CHECKPOINT:06d}.pt"]

    finish(start("train", "--resume", str(run), "--logger", "none", "--no-video"))

    expected, resumed = results(went_on_run), results(run)
    assert list(resumed) == list(range(1, LAST + 1))
    for iteration in range(CHECKPOINT + 1, LAST + 1):
        assert resumed[iteration] == expected[iteration], f"iteration {iteration}"
