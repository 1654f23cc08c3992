"""Files that a user names: only plain ones are opened, and no more is read of them than what they stand for can be.

A pipe would make the program wait for a writer that never comes, a device does whatever it does when it is opened, and
``/dev/zero`` has no end. What is written is there whole or not at all.
"""

import base64
import binascii
import contextlib
import os
import stat
import tempfile
from pathlib import Path
from typing import IO, Any, BinaryIO, Iterator, Union

from .errors import SurefootError

KEY_BYTES = 32
"""Length of a key: of ed25519's two, and of HMAC-SHA256's, as long as its hash (RFC 2104)."""

MANIFEST_FILE = "manifest.json"
"""The file by which a folder is a bundle."""

_KINDS = (
    (stat.S_ISDIR, "a folder"),
    (stat.S_ISFIFO, "a pipe"),
    (stat.S_ISSOCK, "a socket"),
    (stat.S_ISCHR, "a device"),
    (stat.S_ISBLK, "a device"),
)


def no_bundle(folder: Path) -> SurefootError:
    """Return the refusal of a folder without a manifest."""
    return SurefootError(
        f"{folder} is no bundle: it has no {MANIFEST_FILE}. Copy the bundle again, or export it again."
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


def from_base64(text: Union[str, bytes], num_bytes: int) -> bytes:
    """Return what a text in base64 says; nothing where that is not so many bytes."""
    try:
        data = base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError):
        return b""
    return data if len(data) == num_bytes else b""


def write_whole(path: Path, data: bytes) -> None:
    """Write a file so that it is there whole or not at all; see :func:`whole_file`.

    Raises:
        SurefootError: If it cannot be written; what stood there before is still there.
    """
    try:
        with whole_file(path) as file:
            file.write(data)
    except OSError as error:
        raise cannot_write(str(path), error) from error


def cannot_write(what: str, error: OSError) -> SurefootError:
    """Return the refusal of an output, with its remedy."""
    why = ""
    if isinstance(error, PermissionError) and error.filename:
        from .containers import denied_by_mount  # most commands never need it

        why = denied_by_mount(Path(error.filename).parent)
    remedy = "Give a file in a folder that is there, has room, and that you may write to."
    return SurefootError(f"{what} cannot be written: {why or f'{error.strerror or error}. {remedy}'}")


@contextlib.contextmanager
def whole_file(path: Path, mode: str = "wb") -> Iterator[IO[Any]]:
    """Open a temporary file that takes the name of ``path`` only when the block ends without an error.

    A reader, or a run that is killed at any moment, sees the old content or the new, never a part.

    Args:
        path: Where the content goes.
        mode: "w" for UTF-8 text, "wb" for bytes.

    Raises:
        OSError: If it cannot be written; what stood there before is still there.
    """
    descriptor, name = tempfile.mkstemp(prefix=f".{path.name}.", suffix=".partial", dir=str(path.parent))
    partial = Path(name)
    try:
        with os.fdopen(descriptor, mode, encoding="utf-8" if mode == "w" else None) as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        # mkstemp makes a private file; the result gets the permissions that an ordinary new file would have.
        partial.chmod(0o666 & ~_umask())
        partial.replace(path)
        sync_folder(path.parent)
    finally:
        with contextlib.suppress(FileNotFoundError):
            partial.unlink()


def _umask() -> int:
    # The only portable way to read the mask is to set it.
    mask = os.umask(0o022)
    os.umask(mask)
    return mask


def sync_folder(folder: Path) -> None:
    """Write a folder to the disk: a new name in it is there only then."""
    descriptor = os.open(str(folder), os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
