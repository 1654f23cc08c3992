"""The command line: ``surefoot-bridge <subcommand>``, one module to a subcommand, imported only when it is called."""

import importlib
import sys
from typing import Dict, Optional, Sequence

from .errors import SurefootError, unknown_name

EXIT_HELD, EXIT_FELL_SHORT, EXIT_COULD_NOT_RUN, EXIT_INTERRUPTED = 0, 1, 2, 130


COMMANDS: Dict[str, str] = {
    "check": "Check a bundle and say what is in it.",
    "run": "Run a bundle on a robot: a real one, an emulated one, or one in MuJoCo.",
    "emulate": "Emulate a robot on the network, for the bridge to talk to.",
    "guardian": "Show, end or be what damps a robot without a bridge.",
    "stages": "Show which stages its logs have opened to a bundle.",
    "log": "Say what is in a log, and draw it.",
    "key": "Make the keys with which bundles are signed and logs are sealed.",
}
"""Line of help of each subcommand, which is a module of :mod:`surefoot_bridge.commands` with ``main(argv) -> int``."""


def main(argv: Optional[Sequence[str]] = None) -> int:
    """Run one subcommand.

    Args:
        argv: The arguments after the program's name; those of this process when None.

    Returns:
        The exit status: 0 held, 1 measured and fell short, 2 could not run, 130 interrupted.
    """
    arguments = list(sys.argv[1:] if argv is None else argv)
    try:
        return _dispatch(arguments)
    except SurefootError as error:
        print(f"surefoot-bridge: {error}", file=sys.stderr)
        return EXIT_COULD_NOT_RUN
    except KeyboardInterrupt:
        print("surefoot-bridge: interrupted", file=sys.stderr)
        return EXIT_INTERRUPTED


def _dispatch(arguments: Sequence[str]) -> int:
    if not arguments:
        print(_usage(), file=sys.stderr)
        return EXIT_COULD_NOT_RUN
    name, rest = arguments[0], list(arguments[1:])
    if name in ("-h", "--help"):
        print(_usage())
        return EXIT_HELD
    if name == "--version":
        from importlib.metadata import version

        print(f"surefoot-bridge {version('surefoot-bridge')}")
        return EXIT_HELD
    if name not in COMMANDS:
        raise unknown_name("subcommand", name, COMMANDS, "See: surefoot-bridge --help")
    return importlib.import_module(f"surefoot_bridge.commands.{name}").main(rest)


def _usage() -> str:
    width = max(map(len, COMMANDS))
    lines = [f"  {name.ljust(width)}  {summary}" for name, summary in COMMANDS.items()]
    return "\n".join(
        [
            "usage: surefoot-bridge SUBCOMMAND ...",
            "",
            "The robot's side of Surefoot: runs a trained policy on the robot's own computer.",
            "",
            *lines,
            "",
            "surefoot-bridge SUBCOMMAND --help says more; surefoot-bridge --version which version this is.",
        ]
    )


if __name__ == "__main__":
    sys.exit(main())
