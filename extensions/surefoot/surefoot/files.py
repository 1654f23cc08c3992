"""Files that are whole or not there: written beside their place, flushed to the disk, then renamed into it."""

import contextlib
import json
import os
import tempfile
from collections.abc import Callable, Collection, Iterator
from pathlib import Path
from typing import IO, Any, Literal

from surefoot_bridge.arguments import Place
from surefoot_bridge.errors import SurefootError

NEW_FILE = Place("file to write", makes_folders=True)
"""Type of an argument that is a file which :func:`atomic_write` makes."""


@contextlib.contextmanager
def atomic_write(path: str | Path, mode: Literal["w", "wb"] = "wb") -> Iterator[IO[Any]]:
    """Open a temporary file that takes the name of `path` only when the block ends without an error.

    A reader, or a run that is killed at any moment, sees the old content or the new, never a part.

    Args:
        path: Where the content goes; missing parent folders are made.
        mode: "w" for UTF-8 text, "wb" for bytes.

    Yields:
        The open file. It is closed, flushed to the disk and renamed when the block ends.

    Raises:
        SurefootError: The folder cannot be written, or the disk is full. What stood at `path` before is still there.
    """
    path = Path(path)
    partial = None
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        descriptor, name = tempfile.mkstemp(prefix=f".{path.name}.", suffix=".partial", dir=path.parent)
        partial = Path(name)
        with os.fdopen(descriptor, mode, encoding="utf-8" if mode == "w" else None) as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        # mkstemp makes a private file; the result gets the permissions that an ordinary new file would have.
        partial.chmod(0o666 & ~_umask())
        partial.replace(path)
        _sync_folder(path.parent)
    except OSError as error:
        raise SurefootError(
            f"Cannot write {path}: {error.strerror or error}. Free space on that disk or choose a folder that "
            "you may write; what stood there before is unchanged."
        ) from error
    finally:
        if partial is not None:
            partial.unlink(missing_ok=True)


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


def check_replaceable(folder: Path, *, kind: str, marks: Collection[str], holds: Callable[[], str], ours: str) -> None:
    """Refuse to write into a folder that holds what nobody asked to lose.

    Args:
        folder: The folder; one that is missing or empty may be written.
        kind: What the folder is to be, for messages ("bundle").
        marks: Names of which such a folder has at least one.
        holds: Returns what it holds, in the words of `ours`.
        ours: What is about to be written; what holds the same is replaced.

    Raises:
        SurefootError: If it holds something else.
    """
    if not folder.is_dir() or not any(folder.iterdir()):
        return
    if not any((folder / mark).exists() for mark in marks):
        raise SurefootError(f"{folder} holds other files and is no {kind}. Name an empty or new folder.")
    if (found := holds()) != ours:
        raise SurefootError(f"{folder} holds {found}, not {ours}. Name another folder, or replace it with --replace.")


def _umask() -> int:
    # The only portable way to read the mask is to set it.
    mask = os.umask(0o022)
    os.umask(mask)
    return mask


def _sync_folder(folder: Path) -> None:
    # The new name is on the disk only when its folder is.
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
