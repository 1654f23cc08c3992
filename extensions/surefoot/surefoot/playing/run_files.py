"""Find what to play: a run directory, one of its checkpoints, or a policy that came with the package."""

from __future__ import annotations

import dataclasses
import importlib.metadata
import importlib.util
import json
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from surefoot.task_registry import ENTRY_POINT_GROUP, check_task
from surefoot_bridge.errors import SurefootError, unknown_name

_CHECKPOINT = re.compile(r"model_(\d+)\.pt")


@dataclass(frozen=True)
class TrainedPolicy:
    """A checkpoint and what is known of its training.

    Attributes:
        folder: The run directory.
        checkpoint: The checkpoint's file.
        task: Id of the task.
        run: Content of the run's ``run.json``.
        output: Folder for what playing leaves: the run directory, unless that came with the package.
    """

    folder: Path
    checkpoint: Path
    task: str
    run: dict[str, Any]
    output: Path


def find_policy(path: Path | str) -> TrainedPolicy:
    """Find a checkpoint and the run that it belongs to.

    Args:
        path: A run directory, whose latest checkpoint is taken, or a checkpoint in its ``checkpoints`` folder.

    Raises:
        SurefootError: If there is no run there, it has no checkpoint, or its task is unknown.
    """
    path = Path(path)
    if path.is_dir():
        folder, checkpoint = path, None
    elif path.is_file():
        folder, checkpoint = path.parent.parent, path
    else:
        raise SurefootError(f"{str(path)!r} does not exist. Name a run directory (runs/TASK/NAME) or its checkpoint.")
    run = _read_run(folder)
    return TrainedPolicy(folder, checkpoint or _latest_checkpoint(folder), check_task(run["task"]), run, output=folder)


def find_pretrained(task: str) -> TrainedPolicy:
    """Find the policy for a task that came with the package that registers the task.

    Raises:
        SurefootError: If the task is unknown, or no policy came with it.
    """
    check_task(task)
    shipped = {folder.name: folder for root in _pretrained_roots() for folder in root.iterdir() if folder.is_dir()}
    if task not in shipped:
        raise unknown_name("pretrained policy", task, shipped, f"Train one with: surefoot train {task}")
    return dataclasses.replace(find_policy(shipped[task]), output=Path("runs") / task / "pretrained")


def _pretrained_roots() -> list[Path]:
    """Return the ``pretrained`` folders of all packages that register tasks."""
    specs = [importlib.util.find_spec(item.module) for item in importlib.metadata.entry_points(group=ENTRY_POINT_GROUP)]
    roots = [Path(place) / "pretrained" for spec in specs if spec for place in spec.submodule_search_locations or ()]
    return [root for root in roots if root.is_dir()]


def _read_run(folder: Path) -> dict[str, Any]:
    try:
        run = json.loads((folder / "run.json").read_text())
    except OSError:
        raise SurefootError(
            f"{str(folder)!r} is not a run directory: it has no readable run.json. Runs are in runs/TASK/NAME."
        ) from None
    except ValueError as error:
        raise SurefootError(f"{folder / 'run.json'} is not JSON: {error}. Was it edited or cut short?") from None
    if not isinstance(run, dict) or not isinstance(run.get("task"), str):
        raise SurefootError(f"{folder / 'run.json'} names no task; is it the record of a surefoot train run?")
    return run


def _latest_checkpoint(folder: Path) -> Path:
    numbered = [(match, file) for file in folder.glob("checkpoints/*") if (match := _CHECKPOINT.fullmatch(file.name))]
    if not numbered:
        raise SurefootError(
            f"The run {str(folder)!r} has no checkpoint (checkpoints/model_*.pt) yet; "
            "the first one comes within a minute of training."
        )
    return max(numbered, key=lambda item: int(item[0].group(1)))[1]
