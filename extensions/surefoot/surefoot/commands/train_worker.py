"""One more process of a training, started by :class:`~surefoot.learning.worker_processes.WorkerProcesses`."""

from __future__ import annotations

import argparse
import ctypes
import json
import signal
import sys
from pathlib import Path

from surefoot_bridge.errors import SurefootError


def _end_with_parent() -> None:
    """Ask Linux to kill this process when the one that started it is gone, however it went."""
    set_parent_death_signal = 1
    ctypes.CDLL(None).prctl(set_parent_death_signal, signal.SIGKILL)


def main() -> int:
    """Train as the process that started this one does; its arguments come on standard input."""
    _end_with_parent()
    values = json.load(sys.stdin)
    for name in ("output", "resume", "weights"):
        values[name] = Path(values[name]) if values[name] else None
    from surefoot.commands import train

    try:
        return train.run(argparse.Namespace(**values))
    except SurefootError as error:
        print(f"surefoot: {error}", file=sys.stderr)
        return 2


if __name__ == "__main__":
    sys.exit(main())
