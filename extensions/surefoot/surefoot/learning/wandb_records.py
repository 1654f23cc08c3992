"""What Weights & Biases recorded on this disk: its folders, and the rows in them.

Facts about wandb 0.31 that shape this module: each start of a run makes a folder ``offline-run-DATE_TIME-ID``, or
``run-DATE_TIME-ID`` when it is online, with one file ``run-ID.wandb``; ``wandb leet inspect`` reads it, also when a
kill cut it short; ``wandb sync`` leaves a file ``run-ID.wandb.synced`` beside it. A kill in the first second leaves 7
bytes, a header without a record.
"""

from __future__ import annotations

import json
import subprocess
import sys
from contextlib import suppress
from pathlib import Path
from typing import Any

from surefoot_bridge.errors import SurefootError, reason

READING_TIMEOUT_S = 120
"""Time that reading a recorded run may take [s]."""

_HEADER_BYTES = 7


def read_records(file: Path) -> dict[str, list[Any]]:
    """Return the records of a ``.wandb`` file by type.

    Raises:
        SurefootError: If the package is not installed, or the file cannot be read or holds nothing.
    """
    command = [str(Path(sys.executable).with_name("wandb")), "leet", "inspect", "--json", str(file)]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=READING_TIMEOUT_S, check=False)
        lines = [json.loads(line) for line in done.stdout.splitlines()] if done.returncode == 0 else None
    except (OSError, subprocess.TimeoutExpired, ValueError) as error:
        raise SurefootError(f"{file} cannot be read: {reason(error)}.") from error
    if not lines:
        raise SurefootError(f"{file} cannot be read: {done.stderr.strip()[-300:] or 'it holds nothing'}.")
    records: dict[str, list[Any]] = {}
    for line in lines:
        records.setdefault(line["type"], []).append(line[line["type"]])
    return records


def history(data: Path, run_id: str) -> list[dict[str, Any]]:
    """Return the rows of a run from all its folders in ``data``, in order of their start."""
    rows = []
    for file in sorted(data.glob(f"*run-*-{run_id}/run-{run_id}.wandb"), key=lambda file: _start(file.parent)):
        with suppress(SurefootError):  # a kill in the first second leaves an empty file: nothing of it is recorded
            rows += [row["item"] for row in read_records(file).get("history", [])]
    return rows


def last_step(data: Path, run_id: str) -> int:
    """Return the last step of a run that any of its folders in ``data`` holds; 0 if none does."""
    return max((int(row["_step"]) for row in history(data, run_id)), default=0)


def unsent_folders(data: Path) -> list[Path]:
    """Return the folders in ``data`` that wait to be sent, in order of their start; the last may be under way.

    What was recorded offline before a later start online was sent there.
    """
    folders = sorted(data.glob("*run-*-*"), key=_start)
    online = [index for index, folder in enumerate(folders) if folder.name.startswith("run-")]
    offline = folders[online[-1] + 1 if online else 0 :]
    return [folder for folder in offline if folder == offline[-1] or _waits(folder)]


def _start(folder: Path) -> str:
    return folder.name.removeprefix("offline-")


def _waits(folder: Path) -> bool:
    """Return whether a folder holds records that were not sent."""
    sizes = [file.stat().st_size for file in folder.glob("run-*.wandb")]
    return max(sizes, default=0) > _HEADER_BYTES and not any(folder.glob("*.synced"))
