"""Several training processes, started by torchrun: NCCL between GPUs, gloo between CPU processes."""

from __future__ import annotations

import os
from dataclasses import dataclass

import torch


@dataclass(frozen=True)
class Ranks:
    """Place of this process among those of the run.

    Attributes:
        rank: Number of this process.
        local_rank: Number of this process on its machine.
        world_size: Number of processes.
    """

    rank: int = 0
    local_rank: int = 0
    world_size: int = 1

    @classmethod
    def from_environment(cls) -> Ranks:
        """Read what torchrun sets."""
        return cls(*(int(os.environ.get(name, default)) for name, default in _VARIABLES))

    @property
    def is_first(self) -> bool:
        """Whether this process keeps the run's files and prints."""
        return self.rank == 0


_VARIABLES = (("RANK", "0"), ("LOCAL_RANK", "0"), ("WORLD_SIZE", "1"))


def start_process_group(ranks: Ranks, device: str) -> None:
    """Connect the processes; nothing for a single one."""
    if ranks.world_size == 1 or torch.distributed.is_initialized():
        return
    backend = "nccl" if device.startswith("cuda") else "gloo"
    torch.distributed.init_process_group(backend=backend, rank=ranks.rank, world_size=ranks.world_size)
    if device.startswith("cuda"):
        torch.cuda.set_device(ranks.local_rank)


def agree(flag: bool, ranks: Ranks, device: str) -> bool:
    """Return whether any process set the flag, the same answer in all of them."""
    if ranks.world_size == 1:
        return flag
    votes = torch.tensor(int(flag), device=device)
    torch.distributed.all_reduce(votes, op=torch.distributed.ReduceOp.MAX)
    return bool(votes)
