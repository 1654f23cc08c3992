"""``surefoot-bridge emulate --robot ROBOT``: a robot on the network, to which the bridge talks as to a real one.

What it takes besides, and how it is done, is the transport's.
"""

import argparse
from typing import Optional, Sequence

from surefoot_bridge.robots.transports import names, transport_of


def main(argv: Optional[Sequence[str]] = None) -> int:
    """Emulate a robot until it is told to end: 0.

    Raises:
        SurefootError: If it cannot be emulated.
    """
    parser = argparse.ArgumentParser(
        prog="surefoot-bridge emulate",
        usage="surefoot-bridge emulate --robot ROBOT ...",
        description="Emulate a robot on the network. `--robot ROBOT --help` says what that robot's emulator takes.",
        add_help=False,
        allow_abbrev=False,
    )
    parser.add_argument("--robot", metavar="ROBOT", help=f"which robot: {', '.join(names())}")
    parser.add_argument("-h", "--help", action="store_true", help="show this")
    arguments, others = parser.parse_known_args(argv)
    if arguments.robot is not None:
        others += ["--help"] if arguments.help else []
        return transport_of(arguments.robot).emulate(["--robot", arguments.robot, *others])
    if not arguments.help:
        parser.error("the following arguments are required: --robot")
    parser.print_help()
    return 0
