"""Asks the system to let a process be punctual, and says what it was denied."""

import contextlib
import ctypes
import gc
import os
import sys
from dataclasses import dataclass
from typing import Any, Iterator, List, Optional, Tuple

PRIORITY = 49
"""Real-time priority: below the kernel's own threads for interrupts, which have 50."""

_LOCK_WHAT_IS_USED = 1 | 2 | 4  # MCL_CURRENT, MCL_FUTURE and MCL_ONFAULT: not all that libraries have mapped


@dataclass(frozen=True)
class Realtime:
    """What a process was granted.

    Attributes:
        scheduled: Whether it goes before all that is not real-time.
        locked: Whether its memory stays in memory.
        notes: What it was denied, and what would help; one sentence each.
    """

    scheduled: bool
    locked: bool
    notes: Tuple[str, ...]


@contextlib.contextmanager
def realtime() -> Iterator[Realtime]:
    """Be as punctual as the system allows for the duration of a block.

    Processes that are started meanwhile are scheduled as usual. What lives already is left out of garbage collections.
    """
    notes: List[str] = []
    before, locked = _schedule(notes), _lock(notes)
    gc.collect()
    gc.freeze()
    try:
        yield Realtime(before is not None, locked, tuple(notes))
    finally:
        gc.unfreeze()
        if locked:
            ctypes.CDLL(None).munlockall()
        if before is not None:
            os.sched_setscheduler(0, *before)


def _schedule(notes: List[str]) -> Optional[Tuple[int, Any]]:
    if not hasattr(os, "sched_setscheduler"):
        notes.append(f"{sys.platform} has no real-time scheduling by this way; the loop runs as any program.")
        return None
    before = (os.sched_getscheduler(0), os.sched_getparam(0))
    try:
        os.sched_setscheduler(0, os.SCHED_FIFO | os.SCHED_RESET_ON_FORK, os.sched_param(PRIORITY))
    except OSError as error:
        notes.append(
            f"Real-time scheduling was refused ({error.strerror}): allow it with `ulimit -r {PRIORITY}` or "
            "CAP_SYS_NICE; until then other programs may make the loop late."
        )
        return None
    return before


def lock_memory() -> str:
    """Keep what this process uses in memory, from now on; return why that was refused, nothing if it was not."""
    try:
        library = ctypes.CDLL(None, use_errno=True)
        return "" if library.mlockall(_LOCK_WHAT_IS_USED) == 0 else os.strerror(ctypes.get_errno())
    except (OSError, AttributeError) as error:
        return str(error)


def _lock(notes: List[str]) -> bool:
    reason = lock_memory()
    if not reason:
        return True
    notes.append(
        f"Locking memory was refused ({reason}): allow it with `ulimit -l unlimited` or the capability CAP_IPC_LOCK; "
        "until then the system may swap the loop out."
    )
    return False
