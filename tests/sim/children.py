"""Processes that tests start: a probe with a simulator of its own, since a process holds one at most, and commands."""

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).parents[2]
TASK = "Surefoot-Velocity-Flat-Go2"
TIMEOUT_S = 600


def ask(probe: str, *arguments: object) -> dict:
    """Run a module of this folder, and return what it prints last, a line of JSON."""
    command = [sys.executable, "-m", f"tests.sim.{probe}", *map(str, arguments)]
    result = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stderr[-3000:]
    return json.loads(result.stdout.strip().splitlines()[-1])


def answer(main: Callable[..., dict]) -> None:
    """Print what a probe saw, given the arguments of its command line; engines and libraries print elsewhere."""
    output = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    output.write(json.dumps(main(*sys.argv[1:])) + "\n")


def open_task(physics: str, change: Callable[..., None], task: str = TASK):
    """Open a task's environment on the CPU: a context that yields it, reset.

    Args:
        physics: The engine.
        change: Is given the configuration, to change it.
        task: The task.
    """
    from surefoot.engines import install_shims

    install_shims()
    from surefoot.task_config import opened, resolve_task
    from surefoot.task_registry import check_task

    cfg = resolve_task(check_task(task), physics)[0]
    cfg.seed = 3
    cfg.randomization.preset = cfg.randomization.adaptive.scheme = "none"
    change(cfg)
    return opened(task, cfg, device="cpu")


def surefoot(*arguments: object, statuses: tuple[int, ...] = (0,), **options) -> subprocess.CompletedProcess[str]:
    """Run a command line of ``surefoot`` until it ends with one of some statuses."""
    command = [sys.executable, "-m", "surefoot.cli", *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=TIMEOUT_S, check=False, **options)
    assert done.returncode in statuses, done.stdout + done.stderr
    return done


def train_once(folder: Path, *, task: str = TASK, logger: str = "none", physics: str = "ovphysx", **options) -> Path:
    """Train for one iteration with 16 environments in one process, and return the run directory."""
    sizes = ("--device", "cpu", "--num-envs", 16, "--iterations", 1, "--processes", 1, "--physics", physics)
    surefoot("train", "--task", task, *sizes, "--logger", logger, "--no-video", "--output", folder, **options)
    (run,) = folder.glob("*/*/run.json")
    return run.parent
