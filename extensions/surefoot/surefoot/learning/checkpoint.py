"""Checkpoints: whole files, read without running code from them, the last few kept."""

from __future__ import annotations

import re
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from surefoot.files import atomic_write
from surefoot_bridge.errors import SurefootError
from surefoot_bridge.files import open_plain

SCHEMA = 1
"""Version of the content's layout; a file of another version is refused."""

NETWORKS = ("actor_state_dict", "critic_state_dict", "contract", "completed_iterations")
"""What a checkpoint holds beside the state of a training: enough to play, to export, and to begin a new run with."""

KEPT = 3
"""Number of latest checkpoints that stay on the disk, beside the best."""

_NUMBERED = re.compile(r"model_(\d+)\.pt")


class CheckpointError(SurefootError):
    """A checkpoint is missing, unreadable, or of another version."""


class CheckpointFolder:
    """The ``checkpoints`` folder of a run: ``model_000123.pt`` after 123 iterations, and ``model_best.pt``.

    Args:
        path: The folder; made at the first save.
    """

    def __init__(self, path: Path) -> None:
        self.path = path

    @property
    def best(self) -> Path:
        """Place of the weights with the best mean reward so far, without a simulation state."""
        return self.path / "model_best.pt"

    def numbered(self) -> list[Path]:
        """Return the numbered checkpoints, oldest first."""
        found = [
            (int(match[1]), path) for path in self.path.glob("model_*.pt") if (match := _NUMBERED.fullmatch(path.name))
        ]
        return [path for _, path in sorted(found)]

    def save(self, content: Mapping[str, Any], iterations: int) -> Path:
        """Write a numbered checkpoint, then remove all but the last few.

        Raises:
            SurefootError: If the folder cannot be written; earlier checkpoints are unharmed.
        """
        path = self.path / f"model_{iterations:06d}.pt"
        write_checkpoint(path, content)
        for old in self.numbered()[:-KEPT]:
            old.unlink(missing_ok=True)
        return path

    def set_aside_after(self, iterations: int) -> None:
        """Move checkpoints of more iterations into ``set_aside/``, so that a run resumed before them is the latest."""
        for path in self.numbered():
            if int(path.stem.removeprefix("model_")) > iterations:
                (self.path / "set_aside").mkdir(exist_ok=True)
                path.rename(self.path / "set_aside" / path.name)

    def load_latest(self) -> tuple[Path, dict[str, Any]]:
        """Read the latest checkpoint.

        Raises:
            CheckpointError: If there is none, or it cannot be read; the message names the last good one.
        """
        paths = self.numbered()
        if not paths:
            raise CheckpointError(f"{self.path} holds no checkpoint (model_*.pt), so there is nothing to resume from.")
        try:
            return paths[-1], read_checkpoint(paths[-1])
        except SurefootError as error:
            good = next((path for path in reversed(paths[:-1]) if _is_readable(path)), None)
            remedy = f"The last good one is {good}: resume from it by its path." if good else "No earlier one is good."
            raise CheckpointError(f"{error} {remedy}") from error


def write_checkpoint(path: Path, content: Mapping[str, Any]) -> None:
    """Write a checkpoint whole or not at all.

    Raises:
        SurefootError: If the disk is full or the folder cannot be written.
    """
    import torch

    with atomic_write(path) as file:
        torch.save({**content, "schema": SCHEMA}, file)


def read_checkpoint(path: Path, device: str = "cpu") -> dict[str, Any]:
    """Read a checkpoint without running code that it might hold.

    Raises:
        SurefootError: If the file is missing, is no checkpoint, is cut short, or has another layout.
    """
    check_form(path)
    import torch

    try:
        content = torch.load(path, map_location=device, weights_only=True)
    except Exception as error:  # torch raises a dozen kinds for a damaged file
        raise _damaged(path) from error
    check_schema(content, str(path))
    return content


def check_form(path: Path) -> None:
    """Refuse what cannot be a checkpoint at a glance, long before torch is there to read it.

    Raises:
        SurefootError: If the file is missing, no plain file, or no whole archive, which a checkpoint is.
    """
    with open_plain(path, "checkpoint") as file:
        if not zipfile.is_zipfile(file):
            raise _damaged(path)


def _damaged(path: Path) -> CheckpointError:
    return CheckpointError(
        f"{path} is no checkpoint, or a damaged one: it cannot be read. Name another; a run's are its "
        "checkpoints/model_*.pt."
    )


def check_schema(content: Any, name: str) -> None:
    """Refuse a content that is no checkpoint of this version.

    Raises:
        CheckpointError: Naming the version found and the one that is read here.
    """
    if not isinstance(content, dict) or "actor_state_dict" not in content:
        raise CheckpointError(f"{name} is no checkpoint of a training run.")
    if content.get("schema") != SCHEMA:
        raise CheckpointError(
            f"{name} has layout version {content.get('schema')}, this version of Surefoot reads {SCHEMA}. "
            "Read it with the version that wrote it (commit and versions are in the run's run.json)."
        )


def _is_readable(path: Path) -> bool:
    try:
        read_checkpoint(path)
    except SurefootError:
        return False
    return True
