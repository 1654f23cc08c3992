"""A worker as its parent sees it: started when it is first needed, asked one request after the other."""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
from collections import deque
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path

from surefoot.engines import short_name
from surefoot.processes import PROCESS_DEFAULTS, module_command
from surefoot_bridge.errors import SurefootError

from .messages import Answer, Request, Setup
from .worker import MODULE

_ONE_THREAD = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")
"""Processes share the processors; each does its linear algebra by itself, and in the same order on every machine. A
pool's threads that wait spin: beside PhysX and Newton one would take half a processor from them."""

_LAST_LINES = 15
_GRACE_S = 5.0


class WorkerProcess:
    """A worker.

    Args:
        setup: What it is for.
        log: File for what the engine prints; it is appended to.
    """

    def __init__(self, setup: Setup, log: Path) -> None:
        self._setup, self._log = setup, log
        self._process: subprocess.Popen[str] | None = None

    @property
    def pid(self) -> int:
        """Id of the process; 0 before the first request."""
        return 0 if self._process is None else self._process.pid

    def ask(self, request: Request, on_progress: Callable[[float], None] = lambda _: None) -> Answer:
        """Let it run a request, and return what came of it; one that dies is an answer with an error.

        Args:
            request: What to run.
            on_progress: Is told how far it is, in [0, 1], about once a second.
        """
        try:
            process = self._started()
            assert process.stdin is not None
            assert process.stdout is not None
            process.stdin.write(json.dumps(asdict(request)) + "\n")
            process.stdin.flush()
            while (line := process.stdout.readline()) and not line.startswith("{"):
                on_progress(float(line))
        except BrokenPipeError:
            line = ""
        if line:
            return Answer.from_json(line)
        status = self._let_go()
        return Answer(
            error=f"The {short_name(self._setup.engine)} process ended with status {status}. {self._last_words()}"
        )

    def stop(self) -> None:
        """End it at once. May be called from another thread than the one that asks."""
        process = self._process
        if process is None or process.poll() is not None:
            return
        process.terminate()
        try:
            process.wait(_GRACE_S)
        except subprocess.TimeoutExpired:
            process.kill()

    def finish(self) -> None:
        """Let it end by itself, if it does soon."""
        if self._process is None:
            return
        assert self._process.stdin is not None
        with contextlib.suppress(BrokenPipeError):
            self._process.stdin.close()
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(_GRACE_S)
        self.stop()
        self._let_go()

    def _let_go(self) -> int | None:
        """Close what belongs to a process that has ended, and return its status."""
        process, self._process = self._process, None
        if process is None:
            return None
        with contextlib.suppress(BrokenPipeError), process:
            pass
        return process.returncode

    def _started(self) -> subprocess.Popen[str]:
        if self._process is None:
            self._log.parent.mkdir(parents=True, exist_ok=True)
            with self._log.open("a") as log:
                self._process = subprocess.Popen(
                    module_command(MODULE),
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    stderr=log,
                    text=True,
                    cwd=self._log.parent,  # MuJoCo writes warnings into a file of its own there
                    env={**PROCESS_DEFAULTS, **os.environ, **_ONE_THREAD},
                    start_new_session=True,  # Ctrl-C on the terminal is for the parent, which ends its workers
                )
            assert self._process.stdin is not None
            self._process.stdin.write(json.dumps(asdict(self._setup)) + "\n")
        return self._process

    def _last_words(self) -> str:
        try:
            with self._log.open(errors="replace") as file:
                lines = deque(file, _LAST_LINES)
        except OSError as error:
            raise SurefootError(f"Cannot read {self._log}: {error.strerror}.") from error
        return f"The last lines of {self._log}:\n{''.join(lines)}"
