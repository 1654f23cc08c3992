"""Asks the system to let a process be punctual, and says what it was denied."""

import contextlib
import ctypes
import gc
import os
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Dict, Iterator, List, Set, Tuple

PRIORITY = 49
"""Real-time priority: below the kernel's own threads for interrupts, which have 50."""

_BELOW_HIGHEST = 9  # a guardian's priority: above a loop's, below the kernel's own

_control_threads: Set[int] = set()

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
def on_control_path() -> Iterator[None]:
    """Count the threads that a block starts as threads of the control path: :func:`realtime` is for them as well.

    A library's threads that receive and send run beside the loop; late ones make reports stale however punctual it is.
    """
    before = _threads()
    try:
        yield
    finally:
        _control_threads.update(_threads() - before)


@contextlib.contextmanager
def realtime() -> Iterator[Realtime]:
    """Be as punctual as the system allows for the duration of a block: this thread, and those of the control path.

    Processes and threads that are started meanwhile are scheduled as usual. What lives already is left out of garbage
    collections.
    """
    notes: List[str] = []
    before, locked = _schedule(notes), _lock(notes)
    gc.collect()
    gc.freeze()
    try:
        yield Realtime(bool(before), locked, tuple(notes))
    finally:
        gc.unfreeze()
        if locked:
            ctypes.CDLL(None).munlockall()
        for thread, scheduling in before.items():
            with contextlib.suppress(ProcessLookupError):  # a thread that has ended
                os.sched_setscheduler(thread, *scheduling)


def be_urgent() -> None:
    """Run before all loops from now on, with threads started later, and stay in memory, as far as is allowed."""
    with contextlib.suppress(AttributeError, OSError):
        priority = os.sched_get_priority_max(os.SCHED_FIFO) - _BELOW_HIGHEST
        os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(priority))
    lock_memory()


def _threads() -> Set[int]:
    try:
        return {int(entry.name) for entry in Path("/proc/self/task").iterdir()}
    except OSError:  # systems other than Linux
        return set()


def _schedule(notes: List[str]) -> Dict[int, Tuple[int, Any]]:
    """Schedule the threads of the control path, and return how each was scheduled before; none if it was refused."""
    before: Dict[int, Tuple[int, Any]] = {}
    if not hasattr(os, "sched_setscheduler"):
        notes.append(f"{sys.platform} has no real-time scheduling by this way; the loop runs as any program.")
        return before
    for thread in (0, *sorted(_control_threads)):  # 0: the one that calls
        try:
            scheduled = (os.sched_getscheduler(thread), os.sched_getparam(thread))
            os.sched_setscheduler(thread, os.SCHED_FIFO | os.SCHED_RESET_ON_FORK, os.sched_param(PRIORITY))
            before[thread] = scheduled
        except ProcessLookupError:  # noqa: PERF203  (a few threads, once; this one has ended with its participant)
            _control_threads.discard(thread)
        except OSError as error:
            notes.append(
                f"Real-time scheduling was refused ({error.strerror}): allow it with `ulimit -r {PRIORITY}` or "
                "CAP_SYS_NICE; until then other programs may make the loop late."
            )
            break
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
