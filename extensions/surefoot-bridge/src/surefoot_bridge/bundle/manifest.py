"""The manifest of a bundle: what every one of its files hashes to, and how a folder is held against it.

A bundle is a flat folder of plain files. Its files are read once, and what was hashed is what is used afterwards.
"""

import hashlib
import json
import os
import re
import stat
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Dict, Iterator, Tuple

from surefoot_bridge.contract.strict_json import from_data, parse_json, to_json
from surefoot_bridge.errors import SurefootError, refusal
from surefoot_bridge.files import MANIFEST_FILE, no_bundle, write_whole

FORMAT = 1
"""Version of the bundle's format that this package writes and reads."""

SIGNATURE_FILE = "manifest.json.sig"

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")
_LARGEST_MANIFEST = 1 << 20
_LARGEST_FILE = 64 << 20
_MOST_FILES = 100
_AGAIN = "Copy the bundle again, or export it again."


@dataclass(frozen=True)
class FileEntry:
    """One file of a bundle.

    Attributes:
        sha256: SHA-256 of its content, 64 hexadecimal digits.
        size_bytes: Its length.
    """

    sha256: str
    size_bytes: int


@dataclass(frozen=True)
class Manifest:
    """What a bundle consists of.

    Attributes:
        format: Version of the format, :data:`FORMAT`.
        files: Every file of the folder by name, without the manifest and its signature.
        parity: How far the exported forms of the policy were from the trained one, by figure.
    """

    format: int
    files: Dict[str, FileEntry]
    parity: Dict[str, float]

    def __post_init__(self) -> None:
        """Refuse names that could lead out of the folder, and hashes and sizes that are none."""
        mistakes = list(_mistakes(self))
        if mistakes:
            raise refusal("", mistakes)


def canonical(manifest: Manifest) -> bytes:
    """Return the text of a manifest that is hashed and signed: sorted keys, no space."""
    text = json.dumps(asdict(manifest), sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)
    return text.encode()


def identity(manifest: Manifest) -> str:
    """Return the first 12 digits of the manifest's SHA-256, which tell one bundle from another."""
    return hashlib.sha256(canonical(manifest)).hexdigest()[:12]


def write_manifest(folder: Path, parity: Dict[str, float]) -> Manifest:
    """Hash every file of a folder and write its ``manifest.json``; an older signature is removed with it.

    Args:
        folder: The bundle.
        parity: How far the exported forms of the policy are from the trained one, by figure.

    Raises:
        SurefootError: If the folder holds anything but plain files with plain names.
    """
    folder = Path(folder)
    names = sorted(set(_plain_files(folder)) - {MANIFEST_FILE, SIGNATURE_FILE})
    contents = {name: (folder / name).read_bytes() for name in names}
    entries = {name: FileEntry(_sha256(data), len(data)) for name, data in contents.items()}
    manifest = Manifest(FORMAT, entries, dict(parity))
    if (folder / SIGNATURE_FILE).exists():
        (folder / SIGNATURE_FILE).unlink()
    write_whole(folder / MANIFEST_FILE, to_json(manifest).encode())
    return manifest


def read_manifest(data: bytes, *, where: str) -> Manifest:
    """Read the content of a ``manifest.json``.

    Raises:
        SurefootError: If it is of another format, or anything in it is missing, unknown or mistyped.
    """
    try:
        text = data.decode()
    except UnicodeDecodeError as error:
        raise SurefootError(f"{where} is no text in UTF-8. {_AGAIN}") from error
    content = parse_json(text, what=where)
    version = content.get("format") if isinstance(content, dict) else None
    if isinstance(version, int) and version != FORMAT:
        newer = " Install a newer surefoot-bridge." if version > FORMAT else " Export the policy again."
        raise SurefootError(f"{where} is of format {version}; this surefoot-bridge reads {FORMAT}.{newer}")
    return from_data(Manifest, content, what=where)


def read_files(folder: Path) -> Tuple[Manifest, Dict[str, bytes]]:
    """Read a bundle's manifest and all of its files, and hold one against the other.

    Returns:
        The manifest, and the content of every file that it lists, and of the signature where there is one, by name.

    Raises:
        SurefootError: If a file is missing, extra, a link, shorter or longer than it should be, or hashes to something
            else; the first few such files are named at once.
    """
    folder = Path(folder)
    if folder.is_dir() and not os.path.lexists(str(folder / MANIFEST_FILE)):
        raise no_bundle(folder)
    present = _plain_files(folder)
    where = str(folder / MANIFEST_FILE)
    manifest = read_manifest(_read(folder / MANIFEST_FILE, _LARGEST_MANIFEST), where=where)
    mistakes = [f"{name} is missing." for name in manifest.files if name not in present]
    known = {*manifest.files, MANIFEST_FILE, SIGNATURE_FILE}
    mistakes += [f"{name} is extra: the manifest does not list it. Remove it." for name in present if name not in known]
    contents = {}
    for name, entry in manifest.files.items():
        if name in present:
            contents[name] = _read(folder / name, entry.size_bytes + 1)
            mistakes += _differences(name, entry, contents[name])
    if mistakes:
        raise refusal(f"The bundle {folder} is not what its manifest says:", mistakes, _AGAIN)
    if SIGNATURE_FILE in present:
        contents[SIGNATURE_FILE] = _read(folder / SIGNATURE_FILE, _LARGEST_MANIFEST)
    return manifest, contents


def _differences(name: str, entry: FileEntry, data: bytes) -> Iterator[str]:
    if len(data) < entry.size_bytes:
        yield f"{name} is truncated: {len(data)} of {entry.size_bytes} bytes."
    elif len(data) > entry.size_bytes:
        yield f"{name} is longer than its {entry.size_bytes} bytes."
    elif _sha256(data) != entry.sha256:
        yield f"{name} has SHA-256 {_sha256(data)}; expected {entry.sha256}."


def _plain_files(folder: Path) -> Tuple[str, ...]:
    """Return the names in a folder, sorted; links, folders and odd names are refused."""
    if not folder.is_dir():
        remedy = "A bundle is a folder; unpack it first." if folder.is_file() else "There is no such folder."
        raise SurefootError(f"{folder} is no bundle. {remedy}")
    mistakes, names = [], []
    with os.scandir(folder) as entries:
        for entry in sorted(entries, key=lambda item: item.name):
            names.append(entry.name)
            if entry.is_symlink():
                mistakes.append(f"{entry.name} is a link; put the file itself there.")
            elif not entry.is_file(follow_symlinks=False):
                mistakes.append(f"{entry.name} is no plain file; remove it.")
            elif not _NAME.fullmatch(entry.name):
                mistakes.append(f"{entry.name!r} is no name of a bundle's file; remove it.")
    if mistakes:
        raise refusal(f"The bundle {folder} holds what no bundle does:", mistakes)
    return tuple(names)


def _read(path: Path, at_most: int) -> bytes:
    """Read a plain file, never through a link that took its place meanwhile."""
    try:
        descriptor = os.open(str(path), os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    except OSError as error:
        raise SurefootError(f"{path} cannot be read: {error.strerror}. {_AGAIN}") from error
    with os.fdopen(descriptor, "rb") as file:
        if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
            raise SurefootError(f"{path} is no plain file.")
        return file.read(at_most)


def _sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def _mistakes(manifest: Manifest) -> Iterator[str]:
    if manifest.format != FORMAT:
        yield f"format is {manifest.format}; it must be {FORMAT}."
    if len(manifest.files) > _MOST_FILES:
        yield f"files names {len(manifest.files)} files; a bundle has at most {_MOST_FILES}."
    for name, entry in manifest.files.items():
        if not _NAME.fullmatch(name) or name in (MANIFEST_FILE, SIGNATURE_FILE):
            yield f"files names {name[:100]!r}; valid: files of the folder itself, of letters, digits, '.', '_', '-'."
        if not re.fullmatch("[0-9a-f]{64}", entry.sha256):
            yield f"files.{name[:100]}.sha256 is {entry.sha256[:100]!r}; it must be 64 hexadecimal digits."
        if not 0 <= entry.size_bytes <= _LARGEST_FILE:
            yield f"files.{name[:100]}.size_bytes is {entry.size_bytes}; it must be 0 to {_LARGEST_FILE}."
