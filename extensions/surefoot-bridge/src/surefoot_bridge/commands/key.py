"""``surefoot-bridge key new FILE`` makes the keys with which bundles are signed, ``key seal FILE`` one for logs."""

from pathlib import Path
from typing import Sequence

from surefoot_bridge.arguments import OUTPUT, Parser, subcommand

_PURPOSE = "Make the keys with which bundles are signed and logs are sealed."
_KINDS = {
    "new": "make a private key that signs bundles, and print its public key",
    "seal": "make a key that seals logs, other than your own one, which the first run makes",
}


def main(argv: Sequence[str]) -> int:
    """Run ``key``: 0 if a key was made."""
    kind, rest = subcommand("surefoot-bridge key", _PURPOSE, _KINDS, argv)
    if kind is None:
        return 0
    parser = Parser(f"surefoot-bridge key {kind}", f"{_KINDS[kind].capitalize()}.")
    parser.add_argument("file", type=OUTPUT, metavar="FILE", help="where the key goes; it must not exist")
    arguments = parser.values(rest)
    if kind == "seal":
        from surefoot_bridge.log.seal_key import write_seal_key

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
    from surefoot_bridge.bundle import new_key
    from surefoot_bridge.log.seal_key import write_private

    private, public = new_key()
    write_private(path, private, of="every signature to come")
    return public
