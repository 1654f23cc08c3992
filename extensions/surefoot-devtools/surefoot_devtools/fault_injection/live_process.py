"""The processes of a live trial, and how they talk: JSON, one line each, marked so that other output is no matter."""

import contextlib
import json
import os
import subprocess
import sys
import threading
import time
from dataclasses import asdict, dataclass
from typing import Any

from surefoot_bridge.errors import SurefootError

_MARK = "LIVE "
_END_TIMEOUT_S = 10.0
_POLL_S = 0.002
_SHOWN_LINES = 8  # of what a process said that failed


@dataclass(frozen=True)
class LiveOrder:
    """What each process of a live trial is told when it starts.

    Attributes:
        bundle: Folder of the bundle.
        robot: Name of its robot.
        domain: DDS domain on the loopback.
        stage: Stage whose limits hold.
        fault: Name of the fault.
        seed: Draws what the fault leaves open, the velocity command, and when the fault begins.
        folder: Folder for script and log.
    """

    bundle: str
    robot: str
    domain: int
    stage: str
    fault: str
    seed: int
    folder: str


def read_order() -> LiveOrder:
    """Return the order that stands in the first line of the standard input."""
    return LiveOrder(**json.loads(sys.stdin.readline()))


def say(what: str, **content: Any) -> None:
    """Say something to the process that gave the order."""
    print(f"\n{_MARK}{json.dumps({'what': what, **content})}", flush=True)


class Member:
    """A process of a live trial: the ``main`` of a module of this package. No key of the terminal ends it.

    Args:
        module: Name of the module.
        order: What it is told.
    """

    def __init__(self, module: str, order: LiveOrder) -> None:
        # The same interpreter with the same path, and nothing of the program that called: that is not imported again.
        code = f"import sys; sys.path[:] = {sys.path!r}; from {__package__}.{module} import main; main()"
        self._module = module
        self._process = subprocess.Popen(
            [sys.executable, "-c", code],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            # NumPy would start a thread for each core, for which no process of a trial has a use.
            env={**os.environ, "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"},
            start_new_session=True,
        )
        self._said: dict[str, dict[str, Any]] = {}
        self._other: list[str] = []
        self._listener = threading.Thread(target=self._listen, daemon=True)
        self._listener.start()
        self.tell(asdict(order))

    @property
    def pid(self) -> int:
        """Its number."""
        return self._process.pid

    def tell(self, content: dict[str, Any]) -> None:
        """Tell it something."""
        assert self._process.stdin is not None
        with contextlib.suppress(OSError):  # one that has ended is found out by what it does not say
            self._process.stdin.write(json.dumps(content) + "\n")
            self._process.stdin.flush()

    def end_input(self) -> None:
        """Tell it that there is nothing more to come, which ends robot and idle loop in order."""
        assert self._process.stdin is not None
        with contextlib.suppress(OSError):
            self._process.stdin.close()

    def await_said(self, what: str, timeout_s: float) -> dict[str, Any]:
        """Return what it says.

        Args:
            what: What is waited for.
            timeout_s: How long [s].

        Raises:
            SurefootError: If it does not say it in time, or has ended without; with what else it said.
        """
        until_s = time.monotonic() + timeout_s
        while what not in self._said:
            ended = self._process.poll()
            if ended is not None:
                self._listener.join(_END_TIMEOUT_S)
            if what not in self._said and (ended is not None or time.monotonic() > until_s):
                how = f"took more than {timeout_s:g} s" if ended is None else f"ended with status {ended}"
                said = "".join(self._other[-_SHOWN_LINES:]).strip()
                raise SurefootError(f"{self._module} {how} and did not say {what!r}. It said: {said or 'nothing'}")
            time.sleep(_POLL_S)
        return self._said[what]

    def await_end(self) -> int | None:
        """Return its exit status; None if it goes on after ten seconds."""
        with contextlib.suppress(subprocess.TimeoutExpired):
            return self._process.wait(_END_TIMEOUT_S)
        return None

    def kill(self) -> None:
        """End it at once. Harmless when it has ended."""
        self._process.kill()
        self._process.wait()
        self.end_input()

    def __enter__(self) -> "Member":
        return self

    def __exit__(self, *unused: object) -> None:
        self.kill()

    def _listen(self) -> None:
        assert self._process.stdout is not None
        with self._process.stdout as lines:  # which end when its own processes have ended too: a guardian, for example
            for line in lines:
                if line.startswith(_MARK):
                    content = json.loads(line[len(_MARK) :])
                    self._said[content.pop("what")] = content
                elif line.strip():
                    self._other.append(line)
