"""The seal of a log: how many parts it has, what is in each, and a keyed hash over all of that.

The log's process hashes every byte that it writes, and seals the log when the control loop has closed it: a log whose
bridge was killed, or whose disk was full, has no seal. The keyed hash (HMAC-SHA256, FIPS 198-1) is made with the
operator's key; the log of a robot that is not real gets none, so that no edit can make one of it that counts.
"""

import hashlib
import hmac
import json
import os
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Dict, List, Optional, Sequence, Tuple

from surefoot_bridge.errors import SurefootError
from surefoot_bridge.files import open_plain, read_plain, whole_file

from .files import SUFFIX

SEAL_FILE = "seal.json"
"""Name of the seal in the folder of a log."""

_FORMAT = 1
_PURPOSE = b"surefoot-bridge log seal 1\n"  # so that a hash made with the same key for another purpose is none of these
_LARGEST_BYTES = 1 << 20  # a part takes 150 bytes, and an hour of logging makes six of them
_BLOCK_BYTES = 1 << 20


@dataclass(frozen=True)
class SealedPart:
    """One file of a log.

    Attributes:
        name: Its name.
        size_bytes: Its size [bytes].
        sha256: SHA-256 of its bytes, as hexadecimal digits.
    """

    name: str
    size_bytes: int
    sha256: str


@dataclass(frozen=True)
class Seal:
    """What a seal says.

    Attributes:
        session: Session of the log.
        parts: Its files, in their order.
        key_id: Which key it was made with; empty for none.
        hmac_sha256: The keyed hash, as hexadecimal digits; empty where there is no key.
    """

    session: str
    parts: Tuple[SealedPart, ...]
    key_id: str
    hmac_sha256: str


def write_seal(folder: Path, session: str, parts: Sequence[SealedPart], key: Optional[bytes]) -> None:
    """Seal a log that is complete.

    Args:
        folder: Its folder.
        session: Its session.
        parts: Its files, in their order.
        key: The operator's key; None for a log that proves nothing.

    Raises:
        OSError: If it cannot be written.
    """
    seal = Seal(session, tuple(parts), "" if key is None else key_id(key), "")
    content = {"format": _FORMAT, **asdict(seal), "hmac_sha256": "" if key is None else _keyed_hash(seal, key)}
    with whole_file(folder / SEAL_FILE, "w") as file:
        file.write(json.dumps(content, indent=2) + "\n")


def read_seal(folder: Path) -> Optional[Seal]:
    """Read the seal of a log, without checking that it fits; None where there is none.

    Raises:
        SurefootError: If it is malformed.
    """
    path = folder / SEAL_FILE
    if not os.path.lexists(path):
        return None
    data = read_plain(path, "seal of a log", largest_bytes=_LARGEST_BYTES)
    try:
        content = json.loads(data)
        if content["format"] != _FORMAT:
            raise SurefootError(
                f"The seal {path} is of format {content['format']!r}; this surefoot-bridge reads {_FORMAT}."
            )
        parts = tuple(_part(item) for item in content["parts"])
        return Seal(_text(content["session"]), parts, _text(content["key_id"]), _text(content["hmac_sha256"]))
    except (KeyError, TypeError, ValueError, RecursionError) as error:
        raise SurefootError(
            f"The seal {path} is malformed: it was changed, or is none. Without it the log proves nothing."
        ) from error


def broken_seal(folder: Path, session: str, key: Optional[bytes]) -> str:
    """Return why the seal of a log does not hold, as the rest of a sentence; nothing if it does.

    Args:
        folder: The log's folder.
        session: The log's session, as its files say.
        key: The operator's key; None where there is none on this computer.

    Raises:
        SurefootError: If the seal is malformed, or a file cannot be read.
    """
    seal = read_seal(folder)
    if seal is None:
        return "it has no seal: the bridge was killed, the disk was full, or it is of an older surefoot-bridge."
    missing = missing_parts(seal, folder)
    if missing:
        return f"{len(missing)} of its {len(seal.parts)} parts are missing: {', '.join(missing)}."
    if not seal.hmac_sha256:
        return "its seal has no key: its robot was not a real one."
    if key is None:
        return f"its seal (key {seal.key_id}) cannot be checked without the key: give --seal-key FILE."
    if seal.key_id != key_id(key):
        return f"it was sealed with another key, {seal.key_id} and not {key_id(key)}: give that one by --seal-key FILE."
    if not hmac.compare_digest(seal.hmac_sha256, _keyed_hash(seal, key)) or seal.session != session:
        return "its seal was altered."
    strangers = {file.name for file in folder.glob(f"*{SUFFIX}")} - {part.name for part in seal.parts}
    if strangers:
        return f"its seal does not know {', '.join(sorted(strangers))}."
    changed = [part.name for part in seal.parts if _measured(folder / part.name) != part]
    if changed:
        return f"{', '.join(changed)} was altered after it was sealed."
    return ""


def missing_parts(seal: Seal, folder: Path) -> List[str]:
    """Return the parts that a seal names and a folder lacks."""
    return [part.name for part in seal.parts if not (folder / part.name).is_file()]


def key_id(key: bytes) -> str:
    """Return what a key is called, from which nothing can be learnt of it: 12 hexadecimal digits."""
    return hashlib.sha256(_PURPOSE + b"key\n" + key).hexdigest()[:12]


def _keyed_hash(seal: Seal, key: bytes) -> str:
    said = {"format": _FORMAT, **asdict(seal), "hmac_sha256": ""}
    text = json.dumps(said, sort_keys=True, separators=(",", ":"))
    return hmac.new(key, _PURPOSE + text.encode(), hashlib.sha256).hexdigest()


def _measured(path: Path) -> SealedPart:
    found, size = hashlib.sha256(), 0
    with open_plain(path, "part of a log") as file:
        for block in iter(lambda: file.read(_BLOCK_BYTES), b""):
            found.update(block)
            size += len(block)
    return SealedPart(path.name, size, found.hexdigest())


def _part(item: Dict[str, Any]) -> SealedPart:
    name, size = _text(item["name"]), item["size_bytes"]
    if Path(name).name != name or not name.endswith(SUFFIX) or type(size) is not int:
        raise ValueError(f"{item!r} is no part")
    return SealedPart(name, size, _text(item["sha256"]))


def _text(value: Any) -> str:
    if type(value) is not str:
        raise TypeError(f"{value!r} is no text")
    return value
