"""A run of Weights & Biases as a run directory: its settings, its metrics, and the checkpoint that it stored.

Facts about wandb 0.31 that shape this module: a run in offline mode is a folder with one ``run-ID.wandb`` file, which
``wandb leet inspect`` reads; the bytes of its artifacts stay where they were staged, beside the folder; the public API
has a time limit for each request and fails at once without a key, but it waits a few seconds for its own service.
"""

from __future__ import annotations

import base64
import hashlib
import json
import re
import shutil
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import MISSING, dataclass, fields
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from surefoot.files import atomic_write, write_json
from surefoot.learning.run_directory import RunDirectory, RunSettings
from surefoot.learning.wandb_records import history, read_records
from surefoot.report import versions
from surefoot_bridge.errors import SurefootError

PREFIX = "wandb:"
"""What a reference to a run of W&B begins with."""

REQUEST_TIMEOUT_S = 20
"""Time that W&B has for one answer [s]."""

_VALID = (
    f"Valid: {PREFIX}ENTITY/PROJECT/RUN for a run that was sent to W&B, or {PREFIX}FOLDER for one on this disk: the "
    "folder offline-run-DATE-ID in the run directory's wandb/."
)
_KEPT = "Export from the run directory, which has all checkpoints: surefoot export RUN"


@dataclass(frozen=True)
class _Recorded:
    """What W&B has of a run.

    Attributes:
        config: What the run was started with.
        history: Rows of metrics, several for an iteration.
        checkpoint: File of the checkpoint.
        name: Name of the checkpoint.
    """

    config: Mapping[str, Any]
    history: Iterable[Mapping[str, Any]]
    checkpoint: Path
    name: str


@contextmanager
def fetched(reference: str) -> Iterator[Path]:
    """Make a run directory of a run of W&B, for as long as the block lasts.

    Args:
        reference: ``ENTITY/PROJECT/RUN``, or the folder of a run that was recorded offline, after :data:`PREFIX`.

    Yields:
        The run directory, with one checkpoint.

    Raises:
        SurefootError: If there is no such run, it has no checkpoint, it is none of ours, or W&B cannot be reached.
    """
    where = reference.removeprefix(PREFIX)
    with TemporaryDirectory(prefix="surefoot_") as folder:
        work = Path(folder)
        if where and Path(where).is_dir():
            recorded = _offline(Path(where))
        elif re.fullmatch(r"[\w.-]+/[\w.-]+/[\w.-]+", where):
            recorded = _online(where, work / "artifact")
        else:
            raise SurefootError(f"{reference!r} is no run: there is no such folder. {_VALID}")
        yield _write(recorded, work / "run", reference)


def _offline(folder: Path) -> _Recorded:
    """Read a run that was recorded offline."""
    files = sorted(folder.glob("run-*.wandb"))
    if len(files) != 1:
        raise SurefootError(f"{folder} holds {len(files)} files run-ID.wandb and must hold one. {_VALID}")
    records = _records(files[0])
    config: dict[str, Any] = {}
    for item in [*records.get("run", []), *records.get("config", [])]:
        config.update(item.get("config", item).get("update", {}))
    artifacts = [item for item in records.get("artifact", []) if item.get("type") == "model"]
    if not artifacts:
        raise SurefootError(
            f"{folder} stored no checkpoint: the last one becomes an artifact when a run ends by itself or is "
            f"interrupted, not when it is killed. {_KEPT}"
        )
    (entry,) = artifacts[-1]["manifest"]["contents"]
    rows = history(folder.parent, files[0].stem.removeprefix("run-"))  # of a resumed run, those of its folders before
    return _Recorded(config, rows, _staged(entry, folder), entry["path"])


def _records(file: Path) -> dict[str, list[Any]]:
    """Return the records of a ``.wandb`` file by type."""
    try:
        import wandb  # noqa: F401 - its command does the reading
    except ImportError:
        raise _without_package() from None
    try:
        return read_records(file)
    except SurefootError as error:
        raise SurefootError(f"{error} {_KEPT}") from error


def _staged(entry: Mapping[str, Any], folder: Path) -> Path:
    """Return the file of an artifact that was not sent, where it was staged or where the run's folder is now."""
    recorded = Path(entry["local_path"])
    places = (recorded, folder.parent / "artifacts" / "staging" / recorded.name)
    for place in places:
        if place.is_file():
            digest = base64.b64encode(hashlib.md5(place.read_bytes(), usedforsecurity=False).digest()).decode()
            if digest != entry["digest"]:
                raise SurefootError(f"{place} is not the checkpoint that the run stored: its hash is another. {_KEPT}")
            return place
    raise SurefootError(
        f"The checkpoint {entry['path']} of {folder} is neither {places[0]} nor {places[1]}: take the whole folder "
        f"wandb/ along. {_KEPT}"
    )


def _online(path: str, folder: Path) -> _Recorded:
    """Download a run's checkpoint, and read its settings and metrics."""
    try:
        import wandb
    except ImportError:
        raise _without_package() from None
    try:
        run = wandb.Api(timeout=REQUEST_TIMEOUT_S).run(path)
        models = [item for item in run.logged_artifacts() if item.type == "model"]
        if not models:
            raise SurefootError(f"The run {path} has no checkpoint among its artifacts. {_KEPT}")
        (file,) = sorted(Path(models[-1].download(root=str(folder))).glob("*.pt"))
        return _Recorded(dict(run.config), list(run.scan_history()), file, file.name)
    except SurefootError:
        raise
    except Exception as error:  # wandb raises its own kinds and those of its transport
        raise SurefootError(
            f"Weights & Biases did not give the run {path}: {str(error).strip() or type(error).__name__} Log in with "
            "wandb login or set WANDB_API_KEY, and see that the run exists and the network is up. Without a network: "
            f"{_KEPT}"
        ) from error


def _write(recorded: _Recorded, folder: Path, reference: str) -> Path:
    """Write a run directory."""
    needed = [item.name for item in fields(RunSettings) if item.default is MISSING] + ["versions", "commit"]
    missing = sorted(set(needed) - set(recorded.config))
    if missing:
        raise SurefootError(
            f"The run {reference} is none of surefoot train's: its configuration lacks {', '.join(missing)}. {_VALID}"
        )
    run = RunDirectory(folder)
    run.checkpoints.path.mkdir(parents=True)
    shutil.copy(recorded.checkpoint, run.checkpoints.path / recorded.name)
    record = {name: value for name, value in recorded.config.items() if name not in ("env", "agent")}
    write_json(run.record, {**record, "versions": _in_order(record["versions"])})
    rows: dict[int, dict[str, Any]] = {}
    for item in recorded.history:
        if isinstance(item.get("iteration"), int | float):
            numbers = {name: value for name, value in item.items() if isinstance(value, int | float)}
            rows.setdefault(int(item["iteration"]), {}).update(numbers)
    with atomic_write(run.metrics, "w") as file:
        file.writelines(json.dumps({**row, "iteration": iteration}) + "\n" for iteration, row in sorted(rows.items()))
    return folder


def _in_order(recorded: Mapping[str, str]) -> dict[str, str]:
    """Return versions in the order in which ``run.json`` has them, which W&B sorts by name."""
    order = list(versions())
    known = [name for name in order if name in recorded]
    return {name: recorded[name] for name in [*known, *(name for name in recorded if name not in order)]}


def _without_package() -> SurefootError:
    return SurefootError("Runs of Weights & Biases need the package wandb: pip install 'surefoot[wandb]'.")
