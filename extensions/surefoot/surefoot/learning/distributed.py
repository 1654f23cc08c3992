"""Several training processes, started by torchrun or by the first of them (:mod:`surefoot.learning.worker_processes`).

NCCL connects GPUs, gloo CPU processes.
"""

from __future__ import annotations

import os
from typing import Any

import torch

from surefoot.ranks import RENDEZVOUS, Ranks, report_ready


def start_process_group(ranks: Ranks, device: str) -> None:
    """Connect the processes; nothing for a single one."""
    if ranks.world_size == 1 or torch.distributed.is_initialized():
        return
    backend = "nccl" if device.startswith("cuda") else "gloo"
    folder = os.environ.get(RENDEZVOUS)
    report_ready()
    torch.distributed.init_process_group(
        backend=backend,
        init_method=f"file://{folder}/processes" if folder else "env://",
        rank=ranks.rank,
        world_size=ranks.world_size,
    )
    if device.startswith("cuda"):
        torch.cuda.set_device(ranks.local_rank)


def share_cores(processes: int) -> None:
    """Give torch in this process its share of the cores, when several processes share them."""
    if processes > 1:
        torch.set_num_threads(max(1, len(os.sched_getaffinity(0)) // processes))


def agree(flag: bool, ranks: Ranks, device: str) -> bool:
    """Return whether any process set the flag, the same answer in all of them."""
    if ranks.world_size == 1:
        return flag
    votes = torch.tensor(int(flag), device=device)
    torch.distributed.all_reduce(votes, op=torch.distributed.ReduceOp.MAX)
    return bool(votes)


def add_up(counts: torch.Tensor, ranks: Ranks) -> None:
    """Replace counts by their sum over all processes, the same in all of them."""
    if ranks.world_size > 1:
        torch.distributed.all_reduce(counts, op=torch.distributed.ReduceOp.SUM)


def gather(value: Any, ranks: Ranks) -> list[Any]:
    """Return the values of all processes, by rank, in the first process; an empty list in the others."""
    if ranks.world_size == 1:
        return [value]
    values: list[Any] = [None] * ranks.world_size if ranks.is_first else []
    torch.distributed.gather_object(value, values or None, dst=0)
    return values
