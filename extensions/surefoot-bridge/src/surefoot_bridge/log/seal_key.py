"""The key with which the operator's logs are sealed: a file that nobody but its owner can read.

Each user of a computer has one, made the first time that a real robot runs: a run and ``surefoot-bridge stages`` on the
same computer need nothing more. Elsewhere ``--seal-key FILE`` names it.
"""

import base64
import os
import secrets
import stat
from pathlib import Path
from typing import Optional

from surefoot_bridge.errors import SurefootError
from surefoot_bridge.files import KEY_BYTES, from_base64, open_plain

_LARGEST_BYTES = 1024


def own_key_path() -> Path:
    """Return where a user's own key is: ``$XDG_DATA_HOME/surefoot/seal.key``, in ``~/.local/share`` by default.

    Raises:
        SurefootError: If the user has no home.
    """
    folder = Path(os.environ.get("XDG_DATA_HOME", ""))
    try:
        return (folder if folder.is_absolute() else Path.home() / ".local/share") / "surefoot" / "seal.key"
    except (RuntimeError, KeyError) as error:  # Python before 3.10 says it by the latter
        raise SurefootError(
            f"User {os.getuid()} has no home folder, so no key that seals logs of its own. Make one elsewhere "
            "(surefoot-bridge key seal FILE), and give --seal-key FILE."
        ) from error


def seal_key(path: Optional[Path] = None) -> bytes:
    """Return the key of a file, or the user's own one, which is made where there is none yet.

    Raises:
        SurefootError: If it cannot be read or made, others can read it, or it is no key.
    """
    own = own_key_path() if path is None else path
    if path is None and not os.path.lexists(own):
        try:
            own.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            write_seal_key(own)
        except (OSError, SurefootError) as error:
            reason = getattr(error, "strerror", None) or error
            raise SurefootError(
                f"The key that seals logs cannot be made in {own.parent}: {str(reason).rstrip('.')}. Make one "
                "elsewhere (surefoot-bridge key seal FILE), and give --seal-key FILE."
            ) from error
    return _read(own)


def known_seal_key(path: Optional[Path] = None) -> Optional[bytes]:
    """Return the key of a file, or the user's own one; None where there is none yet.

    Raises:
        SurefootError: As :func:`seal_key`.
    """
    if path is None:
        try:
            own = own_key_path()
        except SurefootError:  # a user without a home has none
            return None
        if not os.path.lexists(own):
            return None
    return seal_key(path)


def write_seal_key(path: Path) -> None:
    """Make a new key.

    Raises:
        SurefootError: If the file is there already, or cannot be written.
    """
    write_private(path, base64.b64encode(secrets.token_bytes(KEY_BYTES)).decode(), of="every seal that was made")


def write_private(path: Path, text: str, *, of: str) -> None:
    """Write one line to a new file that nobody but its owner may read.

    Args:
        path: The file, which must not exist.
        text: The line.
        of: What would be lost with a key that is overwritten, for the message.

    Raises:
        SurefootError: If it exists or cannot be written.
    """
    try:
        descriptor = os.open(str(path), os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600)
    except FileExistsError:
        raise SurefootError(
            f"{path} exists already. A key that is overwritten is lost, and with it {of}: choose another name, or move "
            "it away."
        ) from None
    except OSError as error:
        raise SurefootError(f"The key {path} cannot be written: {error.strerror}.") from error
    with os.fdopen(descriptor, "w", encoding="ascii") as file:
        os.fchmod(file.fileno(), 0o600)  # whatever the umask took away or left
        file.write(f"{text}\n")
        file.flush()
        os.fsync(file.fileno())


def _read(path: Path) -> bytes:
    with open_plain(path, "seal key") as file:
        mode = os.fstat(file.fileno()).st_mode
        if mode & (stat.S_IRWXG | stat.S_IRWXO):
            raise SurefootError(
                f"The seal key {path} can be used by others (mode {stat.S_IMODE(mode):04o}), who could seal logs with "
                f"it. If nobody has: chmod 600 {path}. Else make another: surefoot-bridge key seal FILE."
            )
        text = file.read(_LARGEST_BYTES)
    key = from_base64(text.strip(), KEY_BYTES)
    if not key:
        raise SurefootError(
            f"{path} is no seal key: it must hold {KEY_BYTES} bytes in base64. Make one: surefoot-bridge key seal FILE."
        )
    return key
