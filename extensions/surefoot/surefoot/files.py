"""Files that are whole or not there: written beside their place, flushed to the disk, then renamed into it."""

import contextlib
import json
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any, Literal

from surefoot_bridge.errors import SurefootError
from surefoot_bridge.files import whole_file


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
        raise SurefootError(
            f"Cannot write {path}: {error.strerror or error}. Free space on that disk or choose a folder that "
            "you may write; what stood there before is unchanged."
        ) from error


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
