"""The place of a process among those of a run, where they meet, and how one says that it is ready."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from surefoot_bridge.errors import SurefootError

RENDEZVOUS = "SUREFOOT_RENDEZVOUS"
"""Environment variable with the folder in which the processes of a run meet."""


@dataclass(frozen=True)
class Ranks:
    """Place of this process among those of the run."""

    rank: int = 0
    local_rank: int = 0
    world_size: int = 1

    @classmethod
    def from_environment(cls) -> Ranks:
        """Read what torchrun sets.

        Raises:
            SurefootError: If a variable is no number.
        """
        values = {name: os.environ.get(name, default) for name, default in _VARIABLES}
        for name, value in values.items():
            if not value.isdecimal():
                raise SurefootError(f"The variable {name} is {value!r}; torchrun sets a whole number: unset {name}.")
        return cls(*map(int, values.values()))

    @property
    def is_first(self) -> bool:
        """Whether this process keeps the run's files and prints."""
        return self.rank == 0


_VARIABLES = (("RANK", "0"), ("LOCAL_RANK", "0"), ("WORLD_SIZE", "1"))


def rank_variables(rank: int, count: int, folder: str) -> dict[str, str]:
    """Environment of one of several processes on this machine: what torchrun would set, and a folder to meet in.

    A folder cannot be taken by another program, as a port can.
    """
    return {
        "RANK": str(rank),
        "LOCAL_RANK": str(rank),
        "WORLD_SIZE": str(count),
        "GLOO_SOCKET_IFNAME": "lo",
        RENDEZVOUS: folder,
    }


def is_worker() -> bool:
    """Tell whether another process of the run has started this one."""
    return RENDEZVOUS in os.environ and os.environ["RANK"] != "0"


def report_ready() -> None:
    """Tell the process that started this worker that it is about to connect."""
    if is_worker():
        ready_file(os.environ[RENDEZVOUS], int(os.environ["RANK"])).touch()


def ready_file(folder: str, rank: int) -> Path:
    """Return the file by which a worker says that it is about to connect."""
    return Path(folder) / f"ready_{rank}"
