"""``surefoot-bridge key new FILE``: makes the keys with which bundles are signed."""

import argparse
import os
from pathlib import Path
from typing import Optional, Sequence

from .errors import SurefootError
from .signature import new_key


def main(argv: Optional[Sequence[str]] = None) -> int:
    """Run ``key``: 0 if a key was made."""
    parser = argparse.ArgumentParser(prog="surefoot-bridge key", description=__doc__)
    commands = parser.add_subparsers(dest="key_command", required=True)
    new = commands.add_parser("new", help="make a private key and print its public key")
    new.add_argument("file", type=Path, metavar="FILE", help="where the private key goes; it must not exist")
    arguments = parser.parse_args(argv)
    public = write_new_key(arguments.file)
    print(f"Private key: {arguments.file}, readable by you alone. For surefoot export ... --sign {arguments.file}")
    print(f"Public key:  {public}")
    print(f"Whoever loads the bundle asks for it: surefoot-bridge check BUNDLE --public-key {public}")
    return 0


def write_new_key(path: Path) -> str:
    """Write a new private key, 32 bytes in base64 as ``surefoot export --sign`` reads them, and return its public key.

    Args:
        path: The file, which must not exist. Nobody but its owner may read it.

    Raises:
        SurefootError: If it exists or cannot be written.
    """
    private, public = new_key()
    try:
        descriptor = os.open(str(path), os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600)
    except FileExistsError:
        raise SurefootError(
            f"{path} exists already. A key that is overwritten is lost, and with it every signature to come: choose "
            "another name, or move it away."
        ) from None
    except OSError as error:
        raise SurefootError(f"The key {path} cannot be written: {error.strerror}.") from error
    with os.fdopen(descriptor, "w", encoding="ascii") as file:
        os.fchmod(file.fileno(), 0o600)  # whatever the umask took away or left
        file.write(f"{private}\n")
        file.flush()
        os.fsync(file.fileno())
    return public
