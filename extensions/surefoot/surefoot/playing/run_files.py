"""Find what to play: a run directory, one of its checkpoints, or a policy that came with the package."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from pathlib import Path

from surefoot.learning.run_directory import RunDirectory, RunSettings
from surefoot.task_registry import check_task, package_folders
from surefoot_bridge.errors import SurefootError, unknown_name


@dataclass(frozen=True)
class TrainedPolicy:
    """A checkpoint and what is known of its training.

    Attributes:
        checkpoint: The checkpoint's file.
        settings: Settings of the run that it belongs to.
        output: Folder for what playing leaves: the run directory, unless that came with the package.
    """

    checkpoint: Path
    settings: RunSettings
    output: Path


def find_policy(path: Path | str) -> TrainedPolicy:
    """Find a checkpoint and the run that it belongs to.

    Args:
        path: A run directory, whose latest checkpoint is taken, or a checkpoint in its ``checkpoints`` folder.

    Raises:
        SurefootError: If there is no run there, it has no checkpoint, or its task is unknown.
    """
    path = Path(path)
    run = RunDirectory.open(path)
    settings = run.read_settings()
    check_task(settings.task)
    return TrainedPolicy(path if path.is_file() else _latest_checkpoint(run), settings, output=run.path)


def find_pretrained(task: str) -> TrainedPolicy:
    """Find the policy for a task that came with the package that registers the task.

    Such a package has a folder ``pretrained`` with one run directory a task, named as the task.

    Raises:
        SurefootError: If the task is unknown, or no policy came with it.
    """
    check_task(task)
    shipped = {folder.name: folder for root in _pretrained_roots() for folder in root.iterdir() if folder.is_dir()}
    if task not in shipped:
        raise unknown_name("pretrained policy", task, shipped, f"Train one with: surefoot train --task {task}")
    return dataclasses.replace(find_policy(shipped[task]), output=Path("runs") / task / "pretrained")


def _pretrained_roots() -> list[Path]:
    """Return the ``pretrained`` folders of all packages that register tasks."""
    return [root for folder in package_folders() if (root := folder / "pretrained").is_dir()]


def _latest_checkpoint(run: RunDirectory) -> Path:
    checkpoints = run.checkpoints.numbered() or [path for path in (run.checkpoints.best,) if path.is_file()]
    if not checkpoints:
        raise SurefootError(
            f"The run {run.path} has no checkpoint (checkpoints/model_*.pt) yet; "
            "the first one comes within a minute of training."
        )
    return checkpoints[-1]
