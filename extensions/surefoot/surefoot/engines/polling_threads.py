"""Native threads that poll while they wait for work, and how to keep them off the cores that simulate.

PhysX brings a thread that waits for shapes to cook by sleeping some 60 us at a time, for as long as the process lives.
On a machine whose cores are all simulating, each of its wakings takes a core from a thread that computes: 512 robots in
one process for each core took 1.3 times as long with it as without. Linux' idle scheduling policy (``sched(7)``)
leaves such a thread what nobody else wants, which is all it needs: while it has work, the thread that waits for it
sleeps.
"""

import os
import threading
import time
from pathlib import Path

WAKINGS_PER_S = 200
"""Wakings from which a thread counts as polling. Timers of libraries wake it some ten times a second, PhysX's poll
12,000 times where a core is free, and less often where others want every core."""

SAMPLE_S = 0.1
"""How long wakings are counted."""

_TASKS = Path("/proc/self/task")


def polling_threads() -> list[int]:
    """Count the wakings of this process's threads while the calling one sleeps, and return the ids of those that poll.

    Threads that Python started are left out: they are somebody's here, who knows what they wait for. Elsewhere than on
    Linux, where the kernel does not count wakings in ``/proc``, none is found.
    """
    before = _sleeps()
    start = time.monotonic()
    time.sleep(SAMPLE_S)
    after = _sleeps()
    most = WAKINGS_PER_S * (time.monotonic() - start)
    ours = {thread.native_id for thread in threading.enumerate()}
    return [task for task, sleeps in after.items() if task not in ours and sleeps - before.get(task, sleeps) > most]


def keep_polling_threads_idle() -> list[int]:
    """Leave to native threads that poll only the time that no other thread wants; needs no privilege.

    Returns:
        Ids of the threads whose scheduling policy is now ``SCHED_IDLE``.
    """
    kept = []
    for task in polling_threads():
        try:
            os.sched_setscheduler(task, os.SCHED_IDLE, os.sched_param(0))
        except OSError:  # it has ended, or this container forbids it; nothing but speed depends on it
            continue
        kept.append(task)
    return kept


def _sleeps() -> dict[int, int]:
    """How often each thread of this process has gone to sleep by itself, by its id."""
    sleeps = {}
    for task in _TASKS.iterdir() if _TASKS.is_dir() else ():
        try:
            lines = (task / "status").read_text().splitlines()
        except OSError:  # it has ended since
            continue
        counts = [line for line in lines if line.startswith("voluntary_ctxt_switches:")]
        if counts:
            sleeps[int(task.name)] = int(counts[0].split()[1])
    return sleeps
