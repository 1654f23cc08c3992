"""What a container does with folders: some are deleted with it, and some that were mounted belong to another user."""

import os
import re
import sys
from pathlib import Path
from typing import Tuple

_CONTAINER_MARKS = (Path("/.dockerenv"), Path("/run/.containerenv"))  # Docker's and Podman's
_MOUNTS = Path("/proc/self/mountinfo")
_USER_NUMBERS = Path("/proc/self/uid_map")  # not there where the kernel knows no other numbering
_NAMELESS_VOLUME = re.compile(r"/volumes/[0-9a-f]{64}/_data(/|$)")  # one that nobody named: `--rm` removes it


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


def denied_by_mount(folder: Path) -> str:
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
