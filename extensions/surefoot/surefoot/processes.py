"""What every process of ours begins with: its environment, and how one starts another."""

from __future__ import annotations

import os
import pwd
import sys
import tempfile
from pathlib import Path

from surefoot_bridge.errors import SurefootError

PROCESS_DEFAULTS = {
    # Threads that wait must not spin: beside another busy process a spinning pool makes PPO several times slower.
    "OMP_WAIT_POLICY": "PASSIVE",
    # rsl_rl imports GitPython, which raises on a machine without git.
    "GIT_PYTHON_REFRESH": "quiet",
}
"""Environment variables of every command, unless they are set; libraries read them when they load, which is later."""


def prepare_environment() -> None:
    """Set what is not set of the environment that other people's packages take for granted."""
    for name, value in {**PROCESS_DEFAULTS, **_name_of_user()}.items():
        os.environ.setdefault(name, value)
    if not _has_cache():
        folder = Path(tempfile.gettempdir()) / f"surefoot-{os.getuid()}"
        for name, value in _caches(folder).items():
            os.environ.setdefault(name, str(value))
        if not _is_writable(Path(os.environ.get("HOME", "/"))):
            os.environ["HOME"] = str(folder)
        _claim(folder)


def _claim(folder: Path) -> None:
    """Make a folder that nobody else has, where anybody can make one."""
    folder.mkdir(mode=0o700, exist_ok=True)
    if folder.is_symlink() or folder.stat().st_uid != os.getuid():
        raise SurefootError(f"{folder} is another user's. Set HOME to a folder that you may write.")


def _name_of_user() -> dict[str, str]:
    """Return a name for a user id that has none, as in a container: torch asks for one to name a folder."""
    try:
        pwd.getpwuid(os.getuid())
    except KeyError:
        return dict.fromkeys(("USER", "LOGNAME"), f"user{os.getuid()}")
    return {}


def _caches(folder: Path) -> dict[str, Path]:
    return {
        "XDG_CACHE_HOME": folder,
        "WARP_CACHE_PATH": folder / "warp",
        "TORCHINDUCTOR_CACHE_DIR": folder / "inductor",
        "MPLCONFIGDIR": folder / "matplotlib",
    }


def _has_cache() -> bool:
    """Tell whether caches can be kept where they are by default."""
    try:
        home = Path(os.environ.get("HOME") or pwd.getpwuid(os.getuid()).pw_dir)
    except KeyError:
        return False
    return _is_writable(Path(os.environ.get("XDG_CACHE_HOME") or home / ".cache"))


def _is_writable(folder: Path) -> bool:
    """Tell whether a folder can be written, or made."""
    try:
        while not folder.exists() and folder != folder.parent:
            folder = folder.parent
    except PermissionError:  # not even that may be seen
        return False
    return os.access(folder, os.W_OK | os.X_OK)


def most_processes() -> int:
    """Return how many processes one may ask for: some more than there are cores, but not so many that memory goes."""
    return max(8, 4 * len(os.sched_getaffinity(0)))


def module_command(module: str, *arguments: str) -> list[str]:
    """Return the command that runs a module in a process of its own.

    ``-P`` keeps the working folder off the path: a file ``random.py`` there is the user's, not the standard module.
    """
    return [sys.executable, "-P", "-m", module, *arguments]
