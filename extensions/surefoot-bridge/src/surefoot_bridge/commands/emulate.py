"""``surefoot-bridge emulate --robot ROBOT``: a robot on the network, to which the bridge talks as to a real one.

What it takes besides, and how it is done, is the transport's.
"""

from typing import Sequence

from surefoot_bridge.arguments import Parser
from surefoot_bridge.words import network_robots


def main(argv: Sequence[str]) -> int:
    """Emulate a robot until it is told to end: 0.

    Raises:
        SurefootError: If it cannot be emulated.
    """
    parser = Parser(
        "surefoot-bridge emulate",
        "Emulate a robot on the network. With --robot ROBOT, --help says what that robot's emulator takes.",
        usage="surefoot-bridge emulate --robot ROBOT ...",
        add_help=False,
    )
    parser.add_argument("--robot", metavar="ROBOT", help=f"which robot: {', '.join(network_robots())}")
    parser.add_argument("-h", "--help", action="store_true", help="show this")
    arguments, others = parser.parse_known_args(argv)
    if arguments.robot is not None:
        from surefoot_bridge.robots.transports import transport_of

        others += ["--help"] if arguments.help else []
        return transport_of(arguments.robot).emulate(["--robot", arguments.robot, *others])
    if not arguments.help:
        parser.error("the following arguments are required: --robot")
    parser.print_help()
    return 0
