"""What to do with a card for some minutes: ``python scripts/on_gpu.py --minutes 8 --output FOLDER``.

First what tells whether it works there at all (the kernels, and the control step as a graph), then how fast tasks step,
play and train, and with the time that is left it trains. Each part writes ``FOLDER/on_gpu.json``; the same command goes
on with what is not done yet, and goes on training. ``--rehearsal`` does all of it with a few robots on a CPU.
"""

import argparse
import json
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from surefoot.files import write_json
from surefoot.report import provenance
from surefoot_bridge.command_line import ended
from surefoot_bridge.errors import SurefootError
from surefoot_devtools.benchmarking.card_worker import MODULE, CardRequest
from surefoot_devtools.benchmarking.suite import run_module, run_worker
from surefoot_devtools.benchmarking.worker import Request

REPORT = "on_gpu.json"
BUNDLES = Path(__file__).resolve().parents[1] / "tasks/surefoot_tasks/velocity/bundles"
STEPPED = ("Surefoot-Velocity-Flat-Go2", "Surefoot-Velocity-Flat-G1")
TRAINED = ("Surefoot-Velocity-Flat-G1", "Surefoot-Velocity-Rough-Go2")
SAVE_EVERY = 200
"""Iterations between checkpoints: about a minute's on a card."""

LEAST_TRAINING_MIN = 0.5
"""Time below which no training is begun [min]: the simulator takes as long to start."""


@dataclass(frozen=True)
class Sizes:
    """How much is measured.

    Attributes:
        device: Where.
        num_envs: Numbers of environments.
        seconds: Length of each measurement [s].
        steps_without_wait: Control steps in which torch must not wait for the card.
        training: Further arguments of ``surefoot train``.
    """

    device: str
    num_envs: tuple[int, ...]
    seconds: float
    steps_without_wait: int
    training: tuple[str, ...]


ON_A_CARD = Sizes("cuda:0", (4096, 16384, 65536), 5.0, 1000, ("--num-envs", "4096"))
REHEARSAL = Sizes("cpu", (8,), 0.1, 2, ("--num-envs", "8", "--iterations", "1"))


def parts(sizes: Sizes) -> Iterator[tuple[str, Callable[[], Any]]]:
    """Yield (name, what it measures) of each part but training, in order."""
    if sizes.device != "cpu":
        yield "kernels", lambda: _passes("-m", "pytest", "-m", "gpu", "tests/gpu", "-q")
    yield "graph_equals_eager", lambda: _graph_equals_eager(sizes.device)
    for count in sizes.num_envs:
        for task in STEPPED:
            yield f"steps {task} {count}", lambda task=task, count=count: _steps(task, count, sizes)
    for count in sizes.num_envs:
        for task in STEPPED:
            yield f"training {task} {count}", lambda task=task, count=count: _training(task, count, sizes)


def main() -> int:
    """Do what is left, as long as there is time; 0 if nothing failed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--minutes", type=float, default=8.0, help="time in all [min]")
    parser.add_argument("--output", type=Path, default=Path("runs/on_gpu"), help="folder of the report and the runs")
    parser.add_argument("--rehearsal", action="store_true", help="a few robots on a CPU")
    args = parser.parse_args()
    sizes = REHEARSAL if args.rehearsal else ON_A_CARD
    ends = time.monotonic() + 60.0 * args.minutes
    args.output.mkdir(parents=True, exist_ok=True)
    report = args.output / REPORT
    done: dict[str, Any] = json.loads(report.read_bytes())["parts"] if report.is_file() else {}

    def keep(name: str, part: Callable[[], Any]) -> None:
        print(f"{name}: {(ends - time.monotonic()) / 60:.1f} min left", flush=True)
        began = time.monotonic()
        try:
            done[name] = {"result": part()}
        except SurefootError as error:
            done[name] = {"error": str(error)}
        done[name]["seconds"] = round(time.monotonic() - began, 1)
        print(json.dumps(done[name]), flush=True)
        write_json(report, {"parts": done, "provenance": provenance(seed=1, device=sizes.device)})

    for name, part in parts(sizes):
        if "result" not in done.get(name, {}) and time.monotonic() < ends:
            keep(name, part)
    for left, task in zip(range(len(TRAINED), 0, -1), TRAINED, strict=True):
        minutes = (ends - time.monotonic()) / 60.0 / left
        if minutes >= LEAST_TRAINING_MIN:
            keep(f"trained {task}", lambda task=task, minutes=minutes: _train(task, minutes, args.output, sizes))
    failed = [name for name, part in done.items() if "error" in part]
    print(f"Failed: {', '.join(failed)}" if failed else f"Report: {report}")
    return 1 if failed else 0


def _passes(*arguments: str) -> str:
    """Run Python; returns the last line that it prints."""
    process = subprocess.run([sys.executable, *arguments], capture_output=True, text=True, check=False)
    if process.returncode:
        raise SurefootError("\n".join((process.stdout + process.stderr).strip().splitlines()[-15:]))
    return process.stdout.strip().splitlines()[-1]


def _graph_equals_eager(device: str) -> dict[str, Any]:
    seen = json.loads(_passes("-m", "tests.sim.captured_step_probe", "as_it_is", STEPPED[0], device))
    if not seen["by_graph"] or seen["differing_steps"] or seen["differing_state"]:
        raise SurefootError(f"Steps by a graph are not those without: {seen}")
    return seen


def _steps(task: str, num_envs: int, sizes: Sizes) -> dict[str, Any]:
    policy = BUNDLES / task / "policy.pt"
    return run_module(
        MODULE, CardRequest(task, num_envs, sizes.device, sizes.seconds, sizes.steps_without_wait, str(policy))
    )


def _training(task: str, num_envs: int, sizes: Sizes) -> dict[str, Any]:
    request = Request(
        "train", "ours", "newton_mjwarp", sizes.device, num_envs, sizes.seconds, preset="standard", our_task=task
    )
    return asdict(run_worker(request))


def _train(task: str, minutes: float, output: Path, sizes: Sizes) -> dict[str, Any]:
    """Train a task on from where it is; returns the last metrics, and leaves them and the checkpoint in the folder."""
    runs = output / "runs"
    earlier = sorted((runs / task).glob("*")) if (runs / task).is_dir() else []
    what = ("--resume", str(earlier[-1])) if earlier else ("--task", task, "--output", str(runs))
    first = () if earlier else ("--engine", "newton", "--device", sizes.device, *sizes.training, "--seed", "1")
    options = ("--no-video", "--max-minutes", f"{minutes:.2f}")
    last = () if earlier else (f"agent.save_interval={SAVE_EVERY}",)
    _passes("-m", "surefoot.cli", "train", *what, *first, *options, *last)
    run = max((runs / task).glob("*"))
    shutil.copy2(max((run / "checkpoints").glob("model_0*.pt")), output / f"{task}.pt")
    metrics = (run / "metrics.jsonl").read_text().splitlines()
    (output / f"{task}.jsonl").write_text("\n".join(metrics) + "\n")
    return json.loads(metrics[-1])


if __name__ == "__main__":
    sys.exit(ended("on_gpu.py", main))
