"""Starts the processes that stand beside the control loop: what they do must never make it wait."""

import contextlib
import json
import os
import subprocess
import sys
from dataclasses import asdict
from typing import IO, Any, Optional, Sequence


def start_side_process(
    module: str,
    order: Any,
    *,
    descriptors: Sequence[int],
    output: Optional[int] = None,
    errors: Optional["IO[bytes]"] = None,
) -> "subprocess.Popen[bytes]":
    """Start a process beside the control loop.

    Args:
        module: Module of this package whose ``main()`` it runs.
        order: What it is told, a dataclass: it reads it as JSON from its standard input.
        descriptors: Open files that it gets besides.
        output: Its standard output; nothing by default.
        errors: Its error output; the caller's by default.
    """
    # The same interpreter with the same path, and nothing of the program that called: that is not imported again.
    code = f"import sys; sys.path[:] = {sys.path!r}; from surefoot_bridge.{module} import main; main()"
    process = subprocess.Popen(
        [sys.executable, "-c", code],
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL if output is None else output,
        stderr=errors,
        # NumPy would start a thread for each core, for which these processes have no use.
        env={**os.environ, "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"},
        pass_fds=descriptors,
        start_new_session=True,  # what is sent to the processes of a terminal is not for it
    )
    assert process.stdin is not None
    with contextlib.suppress(BrokenPipeError), process.stdin as stdin:
        stdin.write(json.dumps(asdict(order)).encode())
    return process
