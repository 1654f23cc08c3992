"""``surefoot train`` as a person or a script meets it: files, signals, several processes, faults, wrong arguments."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
import torch
from tests.sim.children import TASK, TIMEOUT_S

pytestmark = pytest.mark.sim

SMALL = ("--device", "cpu", "--num-envs", "32", "--logger", "none", "--no-video")


def start(*command: str) -> subprocess.Popen:
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)


def worker(name: str) -> str:
    return str(Path(__file__).with_name(f"{name}.py"))


def rows(run: Path) -> list[dict]:
    return [json.loads(line) for line in (run / "metrics.jsonl").read_text().splitlines()]


def test_sigterm_saves_and_says_how_to_continue_and_the_run_goes_on_from_there(tmp_path):
    command = (sys.executable, "-m", "surefoot.cli", "train")
    process = start(*command, "--task", TASK, *SMALL, "--iterations", "100000", "--output", str(tmp_path))
    until = time.monotonic() + TIMEOUT_S
    while not (started := list(tmp_path.glob("*/*/metrics.jsonl"))) and time.monotonic() < until:
        time.sleep(0.1)
    run = started[0].parent
    os.kill(process.pid, signal.SIGTERM)
    output, _ = process.communicate(timeout=TIMEOUT_S)
    assert process.returncode == 130, output
    (checkpoint,) = (run / "checkpoints").glob("model_0*.pt")
    done = int(checkpoint.stem.removeprefix("model_"))
    assert f"Saved: {checkpoint}. Continue with: " in output
    assert f"surefoot train --resume {run}" in output
    assert "Traceback" not in output
    assert [row["iteration"] for row in rows(run)] == list(range(1, done + 1))

    more = start(*command, "--resume", str(run), "--iterations", str(done + 2), "--logger", "none", "--no-video")
    output, _ = more.communicate(timeout=TIMEOUT_S)
    assert more.returncode == 0, output
    assert [row["iteration"] for row in rows(run)] == list(range(1, done + 3))
    assert {"run.json", "config", "checkpoints", "metrics.jsonl", "logs", "plots"} <= {p.name for p in run.iterdir()}
    assert "[INFO]" not in output, "what Isaac Lab prints belongs into the log"
    assert "[INFO]" in (run / "logs" / "native.log").read_text()


@pytest.mark.parametrize("physics", ["ovphysx", "newton_mjwarp"])
def test_a_nan_in_the_engines_state_is_reset_counted_and_overcome(tmp_path, physics):
    process = start(
        *(sys.executable, worker("fault_worker"), "3", "train", "--task", TASK, *SMALL),
        *("--physics", physics, "--iterations", "4", "--output", str(tmp_path)),
    )
    output, _ = process.communicate(timeout=TIMEOUT_S)
    assert process.returncode == 0, output
    (run,) = tmp_path.glob("*/*")
    metrics = rows(run)
    assert "Faults/state" not in metrics[0]
    faults = {name: value for name, value in metrics[1].items() if name.startswith("Faults/")}
    none = {"Faults/action": 0.0, "Faults/observation": 0.0, "Faults/reward": 0.0}
    assert faults == {"Faults/state": 1.0, **none}, "the first observation after the reset is of the new state"
    assert "non-finite values (state 1) in 1 environment(s): 3; they were reset" in output
    (dump,) = run.glob("logs/fault_*.pt")
    assert (dump.name, torch.load(dump, weights_only=True)["environments"]) == ("fault_000002.pt", [3])
    assert not any(name.startswith("Faults/") for row in metrics[2:] for name in row), "the environment recovered"
    losses = [value for row in metrics for name, value in row.items() if name.startswith("Loss/")]
    assert None not in losses


def test_two_processes_share_one_network_and_draw_different_environments(tmp_path):
    torchrun = (sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node", "2")
    process = start(
        *(*torchrun, worker("distributed_worker"), str(tmp_path), "train", "--task", TASK, *SMALL),
        *("--iterations", "2", "--output", str(tmp_path)),
    )
    output, _ = process.communicate(timeout=TIMEOUT_S)
    assert process.returncode == 0, output
    first, second = (json.loads((tmp_path / f"rank{rank}.json").read_text()) for rank in (0, 1))
    assert first["networks"] == second["networks"]
    assert first["range_share"] == second["range_share"] == pytest.approx(0.3), "the mean of 0.2 and 0.4"
    assert first["first_observation"] != second["first_observation"]
    (run,) = tmp_path.glob(f"{TASK}/*")
    assert [row["env_steps"] for row in rows(run)] == [2 * 32 * 24, 2 * 2 * 32 * 24]


def test_a_process_that_is_lost_is_named_without_a_traceback(tmp_path):
    command = (sys.executable, "-m", "surefoot.cli", "train", "--task", TASK, *SMALL, "--processes", "2")
    process = start(*command, "--iterations", "100000", "--output", str(tmp_path))
    until = time.monotonic() + TIMEOUT_S
    while not list(tmp_path.glob("*/*/metrics.jsonl")) and time.monotonic() < until:
        time.sleep(0.1)
    children = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()
    (worker,) = [int(pid) for pid in children if b"train_worker" in Path(f"/proc/{pid}/cmdline").read_bytes()]
    os.kill(worker, signal.SIGKILL)
    output, _ = process.communicate(timeout=TIMEOUT_S)
    assert process.returncode == 2, output
    assert "surefoot: Training process 1 ended with exit status -9" in output
    assert "Traceback" not in output
