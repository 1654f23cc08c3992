"""Files that a user names: only plain ones are opened, and no more is read of them than what they stand for can be.

A pipe would make the program wait for a writer that never comes, a device does whatever it does when it is opened, and
``/dev/zero`` has no end. What is written is there whole or not at all.
"""

import os
import stat
from contextlib import suppress
from pathlib import Path
from typing import BinaryIO, Union

from .errors import SurefootError

_KINDS = (
    (stat.S_ISDIR, "a folder"),
    (stat.S_ISFIFO, "a pipe"),
    (stat.S_ISSOCK, "a socket"),
    (stat.S_ISCHR, "a device"),
    (stat.S_ISBLK, "a device"),
)


def open_plain(path: Union[str, Path], what: str) -> BinaryIO:
    """Open a plain file, or a link to one, for reading. It never waits.

    Args:
        path: The file.
        what: What it is meant to be, for messages.

    Raises:
        SurefootError: If it cannot be opened, or is no plain file.
    """
    try:
        descriptor = os.open(str(path), os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except (OSError, ValueError) as error:  # ValueError: a zero byte in the name
        raise SurefootError(
            f"The {what} {path} cannot be read: {getattr(error, 'strerror', None) or error}."
        ) from error
    mode = os.fstat(descriptor).st_mode
    if not stat.S_ISREG(mode):
        os.close(descriptor)
        kind = next((name for matches, name in _KINDS if matches(mode)), "no plain file")
        raise SurefootError(f"The {what} {path} is {kind}; give a plain file.")
    return os.fdopen(descriptor, "rb")


def read_plain(path: Union[str, Path], what: str, *, largest_bytes: int) -> bytes:
    """Read a plain file.

    Args:
        path: The file.
        what: What it is meant to be, for messages.
        largest_bytes: Size beyond which it cannot be that [bytes].

    Raises:
        SurefootError: If it cannot be read, is no plain file, or is larger.
    """
    try:
        with open_plain(path, what) as file:
            data = file.read(largest_bytes + 1)
    except OSError as error:
        raise SurefootError(f"The {what} {path} cannot be read: {error.strerror}.") from error
    if len(data) > largest_bytes:
        raise SurefootError(f"{path} is larger than {largest_bytes / 2**20:.3g} MiB: it is no {what}.")
    return data


def write_whole(path: Path, data: bytes) -> None:
    """Write a file so that it is there whole or not at all.

    Raises:
        SurefootError: If it cannot be written.
    """
    temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        with temporary.open("wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(path)
    except OSError as error:
        with suppress(OSError):
            temporary.unlink()
        raise cannot_write(str(path), error) from error


def cannot_write(what: str, error: OSError) -> SurefootError:
    """Return the refusal of an output, with its remedy."""
    return SurefootError(
        f"{what} cannot be written: {error.strerror or error}. Give a file in a folder that is there, has room, and "
        "that you may write to."
    )
