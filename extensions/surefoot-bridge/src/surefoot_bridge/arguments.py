"""What a command line takes, each kind in one place: numbers with bounds, names, keys and paths.

All of it is checked before anything heavy is imported, and every refusal is one line: what was given and where, what is
valid, and what to do.
"""

import argparse
import difflib
import os
import re
import stat
import tempfile
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Callable, Collection, List, Literal, Mapping, NoReturn, Optional, Sequence, Tuple, TypeVar

from .errors import SurefootError, unknown_name
from .files import KEY_BYTES, MANIFEST_FILE, cannot_write, from_base64, no_bundle

MOST_S = 1e6
"""Longest time that an option takes [s]: more than a week is a slip of the keyboard."""

_SHOWN = 200  # characters of what was typed
_Number = TypeVar("_Number", int, float)


class Parser(argparse.ArgumentParser):
    """A parser whose refusals are those of this package.

    Args:
        program: What is called, with its subcommand.
        purpose: What that does, for its help.
        more: Of :class:`argparse.ArgumentParser`.
    """

    def __init__(self, program: str, purpose: str, **more: Any) -> None:
        more = {"epilog": "With --verbose, an error also says what caused it.", "allow_abbrev": False, **more}
        super().__init__(prog=program, description=purpose, **more)

    def values(self, arguments: Optional[Sequence[str]] = None) -> argparse.Namespace:
        """Return what was given, after every path in it was looked at.

        Raises:
            SurefootError: If it cannot be understood, or a path is not as it must be.
        """
        found = self.parse_args(arguments)
        for action in self._actions:
            given = getattr(found, action.dest, None)
            if isinstance(action.type, Place) and given is not None:
                name = action.option_strings[0] if action.option_strings else str(action.metavar)
                for path in given if isinstance(given, list) else [given]:
                    action.type.check(name, path)
        return found

    def error(self, message: str) -> NoReturn:
        """Refuse, with what argparse has found put in our words."""
        see = f"See: {self.prog} --help"
        lacking = "the following arguments are required: "
        if message.startswith(lacking):
            raise SurefootError(f"Something is missing: {message[len(lacking) :]}. {see}")
        stray = re.match(r"unrecognized arguments: ([^ =]*)", message)
        if stray and stray[1].startswith("-"):
            options = [name for action in self._actions for name in action.option_strings if name.startswith("--")]
            raise unknown_name("option", stray[1], options, see)
        if stray:
            raise SurefootError(f"{stray[1]!r} is one argument too many. {see}")
        message = message[len("argument ") :] if message.startswith("argument ") else message
        message = message.replace(": expected one argument", " needs a value behind it").replace(": is ", " is ", 1)
        raise SurefootError(f"{message}. {see}")


@dataclass(frozen=True)
class Place:
    """A path, as the type of an argument; :meth:`Parser.values` looks at it once all arguments are understood.

    Attributes:
        kind: What is read there, or written.
        endings: How its name may end; anyhow where there are none.
        makes_folders: Whether what writes a file makes the folders above it as well.
        holds: A file that a folder must hold to be what it is given as.
    """

    kind: Literal["file", "folder", "file or folder", "file to write", "folder to write to"]
    endings: Tuple[str, ...] = ()
    makes_folders: bool = False
    holds: str = ""

    def __call__(self, text: str) -> Path:
        """Return a path as it was typed."""
        if not text or (self.endings and Path(text).suffix not in self.endings):
            ending = f" that ends in {' or '.join(self.endings)}" if self.endings else ""
            raise argparse.ArgumentTypeError(f"is {text[:_SHOWN]!r}; valid: the path of a {self.kind}{ending}")
        return Path(text)

    def check(self, name: str, path: Path) -> None:
        """Refuse a path that cannot be read, or where nothing can be written; nothing is left of the trial.

        Args:
            name: Where it was given, ``--log`` for example.
            path: The path.

        Raises:
            SurefootError: With what is near it, or what to give instead.
        """
        where = f"{name}{path}" if name.endswith(":") else f"{name} {path}"
        found = _kind(where, path)
        if found and found not in self.kind:
            raise SurefootError(f"{where} is a {found}; valid: a {self.kind}. Give another path.")
        if "write" in self.kind:
            _try_to_write(where, path, is_folder=self.kind.startswith("folder"), makes_folders=self.makes_folders)
        elif not found:
            raise SurefootError(f"{where}: there is no such {self.kind}. {_near(path)}")
        elif not os.access(path, os.R_OK):
            raise SurefootError(f"{where} may not be read by you. Have its owner give you access.")
        elif self.holds and not os.path.lexists(str(path / self.holds)):
            raise no_bundle(path)


FILE, FOLDER, FILE_OR_FOLDER = Place("file"), Place("folder"), Place("file or folder")
BUNDLE = Place("folder", holds=MANIFEST_FILE)
OUTPUT, OUTPUT_FOLDER = Place("file to write"), Place("folder to write to")


def number(what: str, low: float, high: float) -> Callable[[str], float]:
    """Return the type of an argument that is a finite number with bounds.

    Args:
        what: What it is and its unit, as ``a time in seconds``.
        low: Lowest that is valid.
        high: Highest.
    """
    return _within(float, what, low, high)


def whole(what: str, low: int, high: int) -> Callable[[str], int]:
    """Return the type of an argument that is a whole number with bounds; see :func:`number`."""
    return _within(int, what, low, high)


def seconds(text: str) -> float:
    """Read a time [s]; the type of an argument."""
    return number("a time in seconds", 0.0, MOST_S)(text)


def domain(text: str) -> int:
    """Read which network of an interface: a DDS domain or a UDP port, for example; the type of an argument."""
    return whole("the number of a network", 0, 65535)(text)


def one_of(kind: str, valid: Collection[str]) -> Callable[[str], str]:
    """Return the type of an argument that is one of some names.

    Args:
        kind: What they name, singular.
        valid: The names.
    """

    def parse(text: str) -> str:
        if text not in valid:
            raise unknown_name(kind, text[:_SHOWN], valid)
        return text

    return parse


def public_key(text: str) -> str:
    """Read the public key of a signer, 32 bytes in base64; the type of an argument."""
    if not from_base64(text, KEY_BYTES):
        raise argparse.ArgumentTypeError(
            f"is {text[:_SHOWN]!r}; valid: {KEY_BYTES} bytes in base64, as `surefoot-bridge key new FILE` prints them"
        )
    return text


def subcommand(
    program: str, purpose: str, commands: Mapping[str, str], arguments: Sequence[str], *, more: str = ""
) -> Tuple[Optional[str], List[str]]:
    """Return the subcommand that was given and what stands behind it; None where its usage was asked for, and shown.

    Args:
        program: What is called.
        purpose: What that does.
        commands: What each subcommand does.
        arguments: What stands behind the program.
        more: Last line of the usage.

    Raises:
        SurefootError: If none was given, or another.
    """
    see = f"See: {program} --help"
    if not arguments:
        raise SurefootError(f"A subcommand is missing; valid: {', '.join(commands)}. {see}")
    name, rest = arguments[0], list(arguments[1:])
    if name in ("-h", "--help"):
        width = max(map(len, commands))
        lines = [f"  {command.ljust(width)}  {does}" for command, does in commands.items()]
        more = more or f"{program} SUBCOMMAND --help says more."
        print("\n".join([f"usage: {program} SUBCOMMAND ...", "", purpose, "", *lines, "", more]))
        return None, rest
    if name not in commands:
        raise unknown_name("subcommand", name[:_SHOWN], commands, see)
    return name, rest


def _within(read: Callable[[str], _Number], what: str, low: _Number, high: _Number) -> Callable[[str], _Number]:
    def parse(text: str) -> _Number:
        try:
            value = read(text)
        except (ValueError, OverflowError):
            value = None
        if value is None or not low <= value <= high:  # what is no number is within no bounds
            raise argparse.ArgumentTypeError(f"is {text[:_SHOWN]!r}; valid: {what} from {low:.10g} to {high:.10g}")
        return value

    return parse


def _kind(where: str, path: Path) -> str:
    """Return what is at a path, as a word; empty where nothing is."""
    try:
        mode = path.stat().st_mode
    except (FileNotFoundError, NotADirectoryError):
        return ""
    except OSError as error:
        raise SurefootError(f"{where} cannot be looked at: {error.strerror}. Give another path.") from error
    return "folder" if stat.S_ISDIR(mode) else "file" if stat.S_ISREG(mode) else "pipe, socket or device"


def _try_to_write(where: str, path: Path, *, is_folder: bool, makes_folders: bool) -> None:
    folder = path if is_folder else path.parent
    while (is_folder or makes_folders) and not _kind(where, folder):
        folder = folder.parent
    try:
        trial, name = tempfile.mkstemp(prefix=f".{'' if is_folder else path.name}.", suffix=".tmp", dir=str(folder))
        os.close(trial)
        Path(name).unlink()
    except OSError as error:
        raise cannot_write(where, error) from error


def _near(path: Path) -> str:
    names: List[str] = []
    with suppress(OSError):
        names = [entry.name for entry in path.parent.iterdir()]
    near = difflib.get_close_matches(path.name, names, n=3)
    return f"Near it: {', '.join(near)}." if near else f"Nothing like it is in {path.parent}; give one that is there."
