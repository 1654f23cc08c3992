"""Refuse more environments than the machine's memory holds, before the simulator starts and is killed for it."""

from __future__ import annotations

from pathlib import Path

from surefoot.report import control_groups
from surefoot_bridge.errors import SurefootError

BASE_GIB = 1.2
"""Memory of a training process without environments [GiB]: Isaac Lab, torch, the engine."""

PER_ENVIRONMENT_MIB = 1.55
"""Memory of one environment [MiB]. Go2 on flat ground with PhysX on a CPU: 1.1 GiB with 16 environments, 2.6 GiB with
1024, 7.3 GB with 4096."""


def available_gib() -> float | None:
    """Return the memory that new work can take [GiB], within every group's limit; None where Linux does not say."""
    try:
        lines = Path("/proc/meminfo").read_text().splitlines()
    except OSError:
        return None
    kib = next((int(line.split()[1]) for line in lines if line.startswith("MemAvailable:")), None)
    if kib is None:
        return None
    return min([kib / 2**20, *((limit - used) / 2**30 for limit, used in control_groups())])


def check_memory(num_envs: int, *, processes: int = 1, copies: int = 1) -> None:
    """Check that the environments fit into the memory that is free.

    Args:
        num_envs: Number of environments that was asked for.
        processes: Number of training processes on this machine.
        copies: How many times the number is made: by each process under torchrun.

    Raises:
        SurefootError: If they do not, with the number that does.
    """
    available = available_gib()
    if available is None:
        return
    needed = processes * BASE_GIB + copies * num_envs * PER_ENVIRONMENT_MIB / 1024
    if needed > available:
        fits = int((available - processes * BASE_GIB) * 1024 / PER_ENVIRONMENT_MIB / copies)
        remedy = f"Use --num-envs {fits} or fewer." if fits > 0 else "Free some memory first."
        raise SurefootError(
            f"{num_envs} environments need about {needed:.1f} GiB of memory, {available:.1f} GiB are free. {remedy}"
        )
