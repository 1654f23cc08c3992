"""``surefoot-bridge key new FILE`` makes the keys with which bundles are signed, ``key seal FILE`` one for logs."""

import argparse
from pathlib import Path
from typing import Optional, Sequence

from surefoot_bridge.bundle import new_key
from surefoot_bridge.log.seal_key import own_key_path, write_private, write_seal_key


def main(argv: Optional[Sequence[str]] = None) -> int:
    """Run ``key``: 0 if a key was made."""
    parser = argparse.ArgumentParser(prog="surefoot-bridge key", description=__doc__)
    commands = parser.add_subparsers(dest="key_command", required=True)
    new = commands.add_parser("new", help="make a private key that signs bundles, and print its public key")
    new.add_argument("file", type=Path, metavar="FILE", help="where the private key goes; it must not exist")
    seal = commands.add_parser(
        "seal", help=f"make a key that seals logs, other than your own one, which is {own_key_path()}"
    )
    seal.add_argument("file", type=Path, metavar="FILE", help="where the key goes; it must not exist")
    arguments = parser.parse_args(argv)
    if arguments.key_command == "seal":
        write_seal_key(arguments.file)
        print(f"Seal key: {arguments.file}, readable by you alone. For run and stages: --seal-key {arguments.file}")
        return 0
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
    write_private(path, private, of="every signature to come")
    return public
