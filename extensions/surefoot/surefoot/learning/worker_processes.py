"""Training on several cores: the process that was started starts others, and each simulates its share of environments.

An engine on a CPU leaves cores idle: part of a PhysX step runs on one core, and so do Warp's kernels. So each core gets
a process with its own engine. The processes share one network: each learns from its own experience, and gradients and
normaliser statistics are averaged over gloo, as between GPUs. torchrun does the same across machines; here the first
process stays the one in the terminal, and the others end with it.
"""

from __future__ import annotations

import json
import os
import subprocess
import time
from collections.abc import Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from types import TracebackType
from typing import Any

from surefoot.processes import module_command
from surefoot.ranks import rank_variables, ready_file
from surefoot_bridge.errors import SurefootError

MIN_ENVIRONMENTS = 128
"""Fewest environments worth a process: two of 128 Go2 each stepped 23 % faster than one of 256, two of 512 14 % faster,
and both as fast as one in an hour in which the machine ran at half its speed (``proofs/benchmark_step.json``, at commit
1788113 and now). Fewer were not measured."""

_PATIENCE_S = 30.0
"""Time that workers have to end by themselves when training has ended [s]."""


NUM_ENVS = {"cpu": 1024, "cuda": 4096}
"""Environments of a training where none are asked for, by kind of device: what fills two cores, and a GPU, without
slowing the learning per sample."""


def default_num_envs(device: str) -> int:
    """Return the number of environments of a training where none are asked for."""
    return NUM_ENVS[device.partition(":")[0]]


def default_processes(device: str, num_envs: int) -> int:
    """Return the number of processes that uses a machine best: one for each core, a single one on a GPU.

    Args:
        device: Device of the simulation.
        num_envs: Environments in all; each process gets the same number of them, at least `MIN_ENVIRONMENTS`.
    """
    if device != "cpu":
        return 1
    most = max(1, min(len(os.sched_getaffinity(0)), num_envs // MIN_ENVIRONMENTS))
    return next(count for count in range(most, 0, -1) if num_envs % count == 0)


class WorkerProcesses:
    """The other processes of a run that this process has started.

    Args:
        count: Number of processes of the run, this one included.
        module: Module that each of them runs; it reads the arguments from its standard input.
        arguments: Arguments of ``surefoot train`` for each of them, as parsed.
    """

    def __init__(self, count: int, module: str, arguments: Mapping[str, Any]) -> None:
        self._folder = TemporaryDirectory(prefix="surefoot_")
        self._before = {name: os.environ.get(name) for name in rank_variables(0, 1, "")}
        self._processes: dict[int, subprocess.Popen[bytes]] = {}
        order = json.dumps(dict(arguments), default=str).encode()
        for rank in range(1, count):
            with self._log(rank).open("wb") as log:
                process = subprocess.Popen(
                    module_command(module),
                    stdin=subprocess.PIPE,
                    stdout=log,
                    stderr=subprocess.STDOUT,
                    env={**os.environ, **rank_variables(rank, count, self._folder.name)},
                )
            self._processes[rank] = process
            assert process.stdin is not None
            process.stdin.write(order)
            process.stdin.close()
        os.environ.update(rank_variables(0, count, self._folder.name))

    def __enter__(self) -> WorkerProcesses:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close(patience_s=0.0 if error else _PATIENCE_S)

    def wait_until_ready(self) -> None:
        """Wait until each has its simulation and is about to connect.

        Raises:
            SurefootError: If one has ended instead.
        """
        while not all(ready_file(self._folder.name, rank).exists() for rank in self._processes):
            if any(process.poll() is not None for process in self._processes.values()):
                raise SurefootError(self.failure() or "A training process ended before it began to train.")
            time.sleep(0.02)

    def failure(self) -> str:
        """Tell which worker has failed and its last words; empty when none has."""
        until = time.monotonic() + 1.0  # a connection breaks a moment before the process is gone
        while time.monotonic() < until:
            for rank, process in self._processes.items():
                if process.poll():
                    lines = self._log(rank).read_text(errors="replace").strip().splitlines() or ["it said nothing"]
                    return f"Training process {rank} ended with exit status {process.returncode}: {lines[-1]}"
            time.sleep(0.02)
        return ""

    def close(self, patience_s: float = _PATIENCE_S) -> None:
        """Wait for them to end, end those that do not, and make this process a single one again."""
        until = time.monotonic() + patience_s
        for process in self._processes.values():
            try:
                process.wait(max(0.0, until - time.monotonic()))
            except subprocess.TimeoutExpired:
                process.kill()  # it keeps no files
                process.wait()
        self._processes.clear()
        self._folder.cleanup()
        for name, value in self._before.items():
            os.environ.pop(name, None)
            if value is not None:
                os.environ[name] = value

    def _log(self, rank: int) -> Path:
        return Path(self._folder.name) / f"process_{rank}.log"
