"""The files of one log: one after the other, named by when they were begun, each with the contract at its head.

A log is a folder of its own, ``20261128T181705.123456Z_unitree_go2``, made for it alone: two logs never share a file.
"""

import shutil
import time
from datetime import datetime, timezone
from pathlib import Path
from typing import Any, Callable, Dict, List, Mapping, Optional, TypeVar

from .encoding import encode
from .files import SUFFIX
from .mcap_file import McapFile
from .seal import SealedPart, write_seal

T = TypeVar("T")


class DiskNearlyFullError(Exception):
    """Less space is left than the log must leave to others; the message says how much."""


class RotatingLog:
    """Writes messages to files of bounded size and duration.

    Args:
        folder: Where the files go; it exists.
        head: Fields of ``/contract``, but for ``part`` and ``started_utc``.
        channels: For each topic the metadata of its channel.
        rotate_bytes: Size from which a new file is begun.
        rotate_s: Time after which a new file is begun [s].
        min_free_bytes: Space that is left to others.

    Raises:
        DiskNearlyFullError: If there is less from the start.
        OSError: If the files cannot be written.
    """

    def __init__(
        self,
        folder: Path,
        *,
        head: Mapping[str, Any],
        channels: Mapping[str, Mapping[str, str]],
        rotate_bytes: int,
        rotate_s: float,
        min_free_bytes: int,
    ) -> None:
        self._folder = folder
        self._head = head
        self._channels = channels
        self._rotate_bytes = rotate_bytes
        self._rotate_s = rotate_s
        self._min_free_bytes = min_free_bytes
        self._finished: List[SealedPart] = []
        self._before = (0, 0)  # bytes and messages of the files before this one
        self._part = 0
        self._last_time_ns: Optional[int] = None
        self._last_mode: Optional[bytes] = None
        self._check_space()
        self._file = self._begin()

    def add(self, topic: str, log_time_ns: int, message: Dict[str, Any]) -> None:
        """Add a message."""
        data = encode(message)
        if topic == "/mode":
            self._last_mode = data
        self._last_time_ns = log_time_ns
        self._file.add(topic, log_time_ns, data)

    def flush(self) -> None:
        """Bring to the disk what was added; begin a new file where it is time.

        Raises:
            DiskNearlyFullError: If too little space is left; what was added is on the disk.
            OSError: If the disk refuses.
        """
        self._file.flush()
        self._check_space()
        if self._file.num_bytes >= self._rotate_bytes or time.monotonic() - self._begun_s >= self._rotate_s:
            self.finish()
            self._before = (self.num_bytes, self.num_messages)
            self._part += 1
            self._file = self._begin()

    def finish(self) -> None:
        """Finish the last file."""
        self._file.finish()
        self._finished.append(SealedPart(self._file.path.name, self._file.num_bytes, self._file.sha256))

    def seal(self, key: Optional[bytes]) -> None:
        """Seal all files, when the last is finished; see :mod:`surefoot_bridge.log.seal`.

        Raises:
            OSError: If the disk refuses.
        """
        write_seal(self._folder, self._head["session"], self._finished, key)

    def abandon(self) -> None:
        """Leave the last file as it is, for a disk that takes nothing any more."""
        self._file.abandon()

    @property
    def num_bytes(self) -> int:
        """Bytes of all files that are safe on the disk."""
        return self._before[0] + self._file.num_bytes

    @property
    def num_messages(self) -> int:
        """Messages in all files."""
        return self._before[1] + self._file.num_messages

    @property
    def last_time_ns(self) -> Optional[int]:
        """Time of the last message; None before the first."""
        return self._last_time_ns

    def _begin(self) -> McapFile:
        self._begun_s = time.monotonic()
        file = first_free(lambda name: McapFile(self._folder / f"{name}{SUFFIX}", self._channels), stamp())
        started = file.path.name[: -len(SUFFIX)]
        time_ns = time.time_ns() if self._last_time_ns is None else self._last_time_ns
        file.add("/contract", time_ns, encode({**self._head, "part": self._part, "started_utc": started}))
        if self._last_mode is not None:  # so that each file tells its mode from its start
            file.add("/mode", time_ns, self._last_mode)
        file.flush()
        return file

    def _check_space(self) -> None:
        free = shutil.disk_usage(str(self._folder)).free
        if free < self._min_free_bytes:
            raise DiskNearlyFullError(
                f"{free / 2**20:.0f} MiB are free on the disk of {self._folder}; "
                f"{self._min_free_bytes / 2**20:.0f} MiB must be left"
            )


def stamp() -> str:
    """Return the time as it stands in names: UTC, to the microsecond."""
    return datetime.now(timezone.utc).strftime("%Y%m%dT%H%M%S.%fZ")


def first_free(make: Callable[[str], T], name: str, *, number: int = 1) -> T:
    """Make something new under a name, or under the name with a number where there is one already.

    Args:
        make: Makes it, or raises FileExistsError.
        name: The name.
        number: The first number to try; 1 is the name itself.
    """
    try:
        return make(name if number == 1 else f"{name}-{number}")
    except FileExistsError:
        return first_free(make, name, number=number + 1)
