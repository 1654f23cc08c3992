"""What campaigns have in common: all processors at work."""

from __future__ import annotations

import json
import multiprocessing
import os
import signal
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, ProcessPoolExecutor, wait
from dataclasses import asdict
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

from surefoot.files import write_json
from surefoot_bridge.errors import SurefootError, reason

if TYPE_CHECKING:
    from _typeshed import DataclassInstance


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


class Kept[Row: DataclassInstance]:
    """Rows of a campaign in a file, with which it goes on after an interruption.

    Args:
        path: The file; None to keep nothing.
        row: Class of a row.
        of: What the rows are of (bundle, commit, seed ...), ready for JSON; those of anything else are not used.

    Attributes:
        rows: The rows that are done.

    Raises:
        SurefootError: If the file is there and holds no rows.
    """

    def __init__(self, path: Path | None, row: type[Row], of: dict[str, Any]) -> None:
        self._path, self._of = path, of
        self.rows: list[Row] = []
        if path is None or not path.exists():
            return
        try:
            content = json.loads(path.read_text())
            self.rows = [row(**values) for values in content["rows"]] if content["of"] == of else []
        except (OSError, ValueError, TypeError, KeyError) as error:
            raise SurefootError(
                f"{path} holds no rows of a campaign ({reason(error)}). Remove it to begin anew."
            ) from error

    def add(self, row: Row) -> None:
        """Keep one more row; the file is written whole or not at all."""
        self.rows.append(row)
        if self._path is not None:
            write_json(self._path, {"of": self._of, "rows": [asdict(row) for row in self.rows]})

    def remove(self) -> None:
        """Remove the file of a campaign that is complete."""
        if self._path is not None:
            self._path.unlink(missing_ok=True)


def kept_beside(report: Path | None) -> Path | None:
    """Return where the rows of a campaign are kept until its report can be written; None without a report."""
    return None if report is None else Path(f"{report}.rows")


def interruption(kept: Path | None) -> str:
    """Return what is said of a campaign that was interrupted."""
    goes_on = "" if kept is None else f" What is done is in {kept}; the same command goes on with it."
    return f"Interrupted.{goes_on}"
