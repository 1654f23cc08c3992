"""Where guardians announce themselves, so that a person finds them: ``surefoot-bridge guardian list``.

Each guardian holds a lock of its own beside the robot's, and says in that file what it does. A file whose lock is free
is what a guardian has left that is gone.
"""

import contextlib
import fcntl
import os
import re
import signal
import time
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import List, Optional

from surefoot_bridge.errors import SurefootError
from surefoot_bridge.robots import RobotAddress, RobotLock
from surefoot_bridge.robots.lock import lock_folder

from .page import DAMPING, STATE, Page

_PURPOSE = "guardian"
_END_TIMEOUT_S = 5.0
_POLL_S = 0.005
_READ_S = 0.5  # longer than anybody reads a file
_NOTE = "guardian {pid} of bridge {parent}, {doing} since {since}; {reason}; {shown}; {finding}"
_PATTERN = re.compile(
    r"guardian (?P<pid>\d+) of bridge (?P<parent>\d+), (?P<doing>\w+) since (?P<since>[^;]*); (?P<reason>[^;]*); "
    r"(?P<shown>\w*); (?P<finding>[^;]*)"
)
_FILE = re.compile(rf"surefoot-{_PURPOSE}-(?P<robot>[^-]+)-(?P<interface>.+)-(?P<domain>\d+)\.lock")


@dataclass(frozen=True)
class Announced:
    """A guardian as it announces itself.

    Attributes:
        address: Its robot.
        pid: Its process.
        parent: Process of the bridge that has started it.
        damping: Whether it damps the robot; it watches the bridge otherwise.
        since: Since when, by the computer's clock, ISO 8601.
        reason: Why it damps; empty where it watches.
        shown: Whether the robot's reports show that it is damped.
        finding: What they say of it.
    """

    address: RobotAddress
    pid: int
    parent: int
    damping: bool
    since: str
    reason: str
    shown: bool
    finding: str

    def describe(self) -> str:
        """Return it as a person reads it."""
        if not self.damping:
            return f"{self.address}: guardian {self.pid} watches bridge {self.parent} since {self.since}."
        return (
            f"{self.address}: guardian {self.pid} of bridge {self.parent} DAMPS it since {self.since}: {self.reason}. "
            f"Its damping is {'shown' if self.shown else 'NOT known'}: {self.finding or 'nobody has looked yet'}."
        )


class Announcement:
    """A guardian's own entry, held for as long as the guardian lives.

    Args:
        address: Its robot.
        parent: Process of the bridge.

    Raises:
        SurefootError: If another guardian has this robot.
    """

    def __init__(self, address: RobotAddress, parent: int) -> None:
        self._lock = _locked(address)
        self._parent, self._since = parent, ""
        self._damping: Optional[bool] = None

    def say(self, page: Page) -> None:
        """Say what the guardian does, as its page has it."""
        damping = page.words[STATE] == DAMPING
        if damping != self._damping:
            self._damping, self._since = damping, datetime.now().astimezone().isoformat(timespec="seconds")
        self._lock.note(
            _NOTE.format(
                pid=os.getpid(),
                parent=self._parent,
                doing="damping" if damping else "watching",
                since=self._since,
                reason=page.reason.replace(";", ","),
                shown="shown" if page.shown else "unknown",
                finding=page.finding.replace(";", ","),
            )
        )


def guardians() -> List[Announced]:
    """Return the guardians of this computer, those of all users."""
    found = []
    for path in sorted(lock_folder().glob(f"surefoot-{_PURPOSE}-*.lock")):
        named, note = _FILE.fullmatch(path.name), _held_note(path)
        said = _PATTERN.match(note)
        if named is None or said is None:
            continue
        with contextlib.suppress(SurefootError):  # a file that somebody else has named like ours
            address = RobotAddress(named["robot"], named["interface"], int(named["domain"]))
            found.append(
                Announced(
                    address=address,
                    pid=int(said["pid"]),
                    parent=int(said["parent"]),
                    damping=said["doing"] == "damping",
                    since=said["since"],
                    reason=said["reason"],
                    shown=said["shown"] == "shown",
                    finding=said["finding"].strip(),
                )
            )
    return found


def end_guardian(address: RobotAddress) -> Optional[int]:
    """End a guardian that damps a robot; for when somebody has seen to the robot.

    Args:
        address: Where the robot is.

    Returns:
        Its process, None where none damps this robot.

    Raises:
        SurefootError: If it is another user's, or does not end.
    """
    of_it = [each for each in guardians() if each.address == address and each.damping]
    if not of_it:
        return None
    pid = of_it[0].pid
    try:
        os.kill(pid, signal.SIGTERM)
    except ProcessLookupError:
        return None
    except PermissionError as error:
        raise SurefootError(
            f"The guardian of {address} (process {pid}) is another user's: end it as that one."
        ) from error
    until = time.monotonic() + _END_TIMEOUT_S
    while any(each.pid == pid for each in guardians()):
        if time.monotonic() > until:
            raise SurefootError(f"The guardian of {address} (process {pid}) does not end. End it: kill -9 {pid}.")
        time.sleep(_POLL_S)
    return pid


def _locked(address: RobotAddress) -> RobotLock:
    """Lock the entry; whoever reads the list holds it for a moment."""
    until = time.monotonic() + _READ_S
    while True:
        try:
            return RobotLock(address, purpose=_PURPOSE)
        except SurefootError:
            if time.monotonic() > until:
                raise
        time.sleep(_POLL_S)


def _held_note(path: Path) -> str:
    """Return what stands in a lock file; nothing if nobody holds it."""
    try:
        descriptor = os.open(str(path), os.O_RDWR | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK)
    except OSError:
        return ""
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return os.pread(descriptor, 4096, 0).decode("utf-8", "replace")
    finally:
        os.close(descriptor)
    return ""
