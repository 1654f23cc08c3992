"""Files that a user names: only plain ones are opened, and no more is read of them than what they stand for can be.

A pipe would make the program wait for a writer that never comes, a device does whatever it does when it is opened, and
``/dev/zero`` has no end. What is written is there whole or not at all, and a container's own folders are known from
those that stay when it goes.
"""

import contextlib
import os
import re
import stat
import sys
import tempfile
from pathlib import Path
from typing import IO, Any, BinaryIO, Iterator, Tuple, Union

from .errors import SurefootError

_KINDS = (
    (stat.S_ISDIR, "a folder"),
    (stat.S_ISFIFO, "a pipe"),
    (stat.S_ISSOCK, "a socket"),
    (stat.S_ISCHR, "a device"),
    (stat.S_ISBLK, "a device"),
)

_CONTAINER_MARKS = (Path("/.dockerenv"), Path("/run/.containerenv"))  # Docker's and Podman's
_MOUNTS = Path("/proc/self/mountinfo")
_USER_NUMBERS = Path("/proc/self/uid_map")  # not there where the kernel knows no other numbering
_NAMELESS_VOLUME = re.compile(r"/volumes/[0-9a-f]{64}/_data(/|$)")  # one that nobody named: `--rm` removes it


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
    why = isinstance(error, PermissionError) and error.filename and _denied_by_mount(Path(error.filename).parent)
    return SurefootError(
        f"{what} cannot be written: {why}"
        if why
        else f"{what} cannot be written: {error.strerror or error}. Give a file in a folder that is there, has room, "
        "and that you may write to."
    )


def warn_if_lost(folder: Path) -> None:
    """Say of a folder that goes when the container goes that it does, and what keeps it; nothing of any other.

    Such are the container's own layer, and a volume that the image declares and nobody gave: ``docker run --rm``
    removes both.
    """
    if not _in_container():
        return
    folder = folder.resolve()
    root, point, kind = _mount_of(folder)
    is_layer = point == "/" and ("overlay" in kind or root != "/")  # of overlay2, fuse-overlayfs; of vfs, btrfs
    if is_layer or _NAMELESS_VOLUME.search(root):
        user, name = '"$(id -u):0"' if _is_root_root() else "0:0", folder.name
        print(
            f"Note: {folder} is this container's own and is deleted with it, by --rm as soon as it ends. To keep "
            f'what is written there: mkdir -p {name} && docker run --user {user} -v "$PWD/{name}:{folder}" ...',
            file=sys.stderr,
            flush=True,
        )


def _denied_by_mount(folder: Path) -> str:
    """Return why a folder that was mounted into a container is closed to this user, and what opens it."""
    if not _in_container() or not os.access(folder, os.F_OK) or _mount_of(folder.resolve())[1] == "/":
        return ""
    user, owner = os.geteuid(), folder.stat().st_uid
    if owner == user:
        return ""
    if owner == 0 and _is_root_root():
        return (
            f"{folder} belongs to root, as what Docker makes for a mount does, and this is user {user}. Give it to "
            f"that one on the host (sudo chown {user} and what is mounted there), and next time mkdir it first and "
            'start with --user "$(id -u):0" (compose: SUREFOOT_UID=$(id -u)).'
        )
    return (
        f"{folder} belongs to user {owner}, and this is user {user}. Start the container as that one: "
        f"--user {owner}:0 (compose: SUREFOOT_UID={owner})."
    )


def _in_container() -> bool:
    return any(mark.exists() for mark in _CONTAINER_MARKS)


def _is_root_root() -> bool:
    """Tell whether this system's root is the machine's; in a rootless container it is whoever started that."""
    return not _USER_NUMBERS.exists() or _USER_NUMBERS.read_text().split()[:2] == ["0", "0"]


def _mount_of(folder: Path) -> Tuple[str, str, str]:
    """Return which folder of its file system is mounted where a folder is, at which point, and that system's kind.

    See proc_pid_mountinfo(5).
    """
    found = ("/", "", "")
    for line in _MOUNTS.read_text().splitlines():
        mount, _, system = line.partition(" - ")
        root, point = (re.sub(r"\\(\d{3})", lambda code: chr(int(code[1], 8)), each) for each in mount.split()[3:5])
        if Path(point) in (folder, *folder.parents) and len(point) >= len(found[1]):  # of two at one point the later
            found = (root, point, system.split()[0])
    return found


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
