"""One bridge for one robot: a lock that the system takes back when its holder ends, however it ends."""

import contextlib
import errno
import fcntl
import os
import stat
import sys
from pathlib import Path
from typing import Optional

from surefoot_bridge.errors import SurefootError

from .address import RobotAddress

_SHARED = (Path("/run/lock"), Path("/tmp"))  # the first that all users may write to; TMPDIR is each user's own
_NOTE_BYTES = 1024


class RobotLock:
    """Held while somebody commands a robot. It guards against bridges on the same computer only.

    Args:
        address: Where the robot is.
        purpose: Who holds it, in messages: ``bridge`` or ``emulator``. Locks of different purpose do not exclude each
            other.
        folder: Where lock files are; a folder of the system that all users share by default.

    Raises:
        SurefootError: If another process holds it; the process is named.

    Attributes:
        path: The lock file. It stays when the lock is given back.
    """

    def __init__(self, address: RobotAddress, *, purpose: str = "bridge", folder: Optional[Path] = None) -> None:
        self.path = lock_path(address, purpose=purpose, folder=folder)
        self._descriptor: Optional[int] = None
        try:
            descriptor = _open(self.path)
        except OSError as error:
            raise SurefootError(
                f"The lock file {self.path} cannot be opened: {error.strerror}. Make it accessible to you, or remove "
                "it when no bridge is running."
            ) from error
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            holder = _holder(descriptor)
            os.close(descriptor)
            if error.errno not in (errno.EWOULDBLOCK, errno.EACCES):
                raise
            raise SurefootError(
                f"Another {purpose} has {address}: {holder}. Two would fight over its joints. End that one first."
            ) from None
        self._descriptor = descriptor
        self.note(f"process {os.getpid()} ({Path(sys.argv[0] or 'python').name})")

    def note(self, holder: str) -> None:
        """Write who holds the lock, for the message that others get."""
        if self._descriptor is not None:
            write_note(self._descriptor, holder)

    @property
    def descriptor(self) -> int:
        """The open file. A process that inherits it holds the lock as well.

        Raises:
            SurefootError: If the lock was given back.
        """
        if self._descriptor is None:
            raise SurefootError(f"The lock {self.path} was given back.")
        return self._descriptor

    def release(self) -> None:
        """Give it back, as far as this process is concerned. Harmless when done again."""
        if self._descriptor is not None:
            os.close(self._descriptor)
            self._descriptor = None


def write_note(descriptor: int, holder: str) -> None:
    """Write who holds a lock into its file, in one piece: whoever reads it meanwhile finds the old or the new text."""
    os.pwrite(descriptor, holder.encode()[:_NOTE_BYTES].ljust(_NOTE_BYTES), 0)


def lock_path(address: RobotAddress, *, purpose: str, folder: Optional[Path] = None) -> Path:
    """Return the lock file of a robot."""
    return (folder or lock_folder()) / f"surefoot-{purpose}-{address.robot}-{address.interface}-{address.domain}.lock"


def lock_folder() -> Path:
    """Return the folder of lock files: the same for all users of this computer, whatever this one may do.

    Raises:
        SurefootError: If there is none: two users would lock in two places, and both drive the robot.
    """
    for folder in _SHARED:
        with contextlib.suppress(OSError):
            read_only = os.statvfs(str(folder)).f_flag & os.ST_RDONLY  # a container's, whatever its folders say
            if folder.stat().st_mode & stat.S_IWOTH and not read_only:
                return folder
    raise SurefootError(
        f"None of {' and '.join(map(str, _SHARED))} can be written to by all users, so no lock keeps another one's "
        f"bridge from this robot. Let them: chmod 1777 {_SHARED[-1]}."
    )


def _open(path: Path) -> int:
    flags = os.O_RDWR | os.O_CLOEXEC | os.O_NOFOLLOW  # a link laid here by somebody else is not followed
    try:
        return os.open(path, flags)
    except FileNotFoundError:
        descriptor = os.open(path, flags | os.O_CREAT, 0o666)
        with contextlib.suppress(OSError):
            os.fchmod(descriptor, 0o666)  # for other users too, whatever this one's mask is
        return descriptor


def _holder(descriptor: int) -> str:
    return (
        os.pread(descriptor, _NOTE_BYTES, 0).decode("utf-8", "replace").strip()
        or "a process that has not said its number"
    )
