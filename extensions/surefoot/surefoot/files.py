"""Files that are whole or not there: written beside their place, flushed to the disk, then renamed into it."""

import contextlib
import json
from collections.abc import Callable, Collection, Iterator
from pathlib import Path
from typing import IO, Any, Literal

from surefoot_bridge.arguments import Place
from surefoot_bridge.errors import SurefootError
from surefoot_bridge.files import cannot_write, whole_file

NEW_FILE = Place("file to write", makes_folders=True)
"""Type of an argument that is a file which :func:`atomic_write` makes."""


@contextlib.contextmanager
def atomic_write(path: str | Path, mode: Literal["w", "wb"] = "wb") -> Iterator[IO[Any]]:
    """Write a file as `whole_file` of the bridge does, missing parent folders included.

    Raises:
        SurefootError: The folder cannot be written, or the disk is full. What stood at `path` before is still there.
    """
    path = Path(path)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with whole_file(path, mode) as file:
            yield file
    except OSError as error:
        raise cannot_write(str(path), error) from error


def write_json(path: str | Path, content: object) -> None:
    """Write `content` as indented JSON, whole or not at all.

    Args:
        path: The file to write.
        content: What `json.dumps` takes. NaN and infinity are refused: other readers of JSON do not know them.

    Raises:
        SurefootError: The content holds NaN or infinity, or the file cannot be written.
    """
    try:
        text = json.dumps(content, indent=2, allow_nan=False)
    except ValueError as error:
        raise SurefootError(f"Cannot write {path}: {error}. Put null where there is no number.") from error
    with atomic_write(path, "w") as file:
        file.write(text + "\n")


def check_replaceable(
    folder: Path, *, kind: str, marks: Collection[str], ours: str = "", holds: Callable[[], str] | None = None
) -> None:
    """Refuse to write into a folder that holds what nobody asked to lose.

    Args:
        folder: The folder; one that is missing or empty may be written.
        kind: What the folder is to be, for messages ("bundle").
        marks: Names of which such a folder has at least one.
        ours: What is about to be written; what holds the same is replaced.
        holds: Returns what it holds, in the words of `ours`; None where any of the kind may be replaced.

    Raises:
        SurefootError: If it holds something else, or is no such folder.
    """
    if not folder.is_dir() or not any(folder.iterdir()):
        return
    if not any((folder / mark).exists() for mark in marks):
        raise SurefootError(f"{folder} holds other files and is no {kind}. Name an empty or new folder.")
    if holds is not None and (found := holds()) != ours:
        raise SurefootError(f"{folder} holds {found}, not {ours}. Name another folder, or replace it with --replace.")
