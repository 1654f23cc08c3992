"""What campaigns have in common: all processors at work."""

from __future__ import annotations

import multiprocessing
import os
import signal
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, ProcessPoolExecutor, wait
from itertools import islice
from typing import Any


def on_all_processors[Item, Result](
    work: Callable[[Item], Result],
    items: Iterable[Item],
    *,
    prepare: Callable[[Any], None],
    plan: Any,
    processes: int | None,
) -> Iterator[Result]:
    """Yield what comes of each item, as it is done, from processes of their own. Ctrl-C ends it early.

    Args:
        work: Does one item, in one of the processes.
        items: The items.
        prepare: Is called with the plan in each process, once.
        plan: What the processes must know.
        processes: Their number; one for each processor where it is None.
    """
    context = multiprocessing.get_context("spawn")
    # Each process does its linear algebra by itself; the variables count when it imports NumPy.
    os.environ.update(dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1"))
    workers, rest = processes or os.cpu_count() or 1, iter(items)
    with ProcessPoolExecutor(workers, mp_context=context, initializer=_begin, initargs=(prepare, plan)) as pool:
        try:
            # No more are handed out than are run: Ctrl-C waits for those, and for no other.
            running = {pool.submit(work, item) for item in islice(rest, workers)}
            while running:
                done, running = wait(running, return_when=FIRST_COMPLETED)
                running |= {pool.submit(work, item) for item in islice(rest, len(done))}
                for future in done:
                    yield future.result()
        except KeyboardInterrupt:
            return


def _begin(prepare: Callable[[Any], None], plan: Any) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the process that collects
    prepare(plan)
