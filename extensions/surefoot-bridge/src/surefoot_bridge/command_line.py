"""The command line: ``surefoot-bridge <subcommand>``, one module to a subcommand, imported only when it is called."""

import importlib
import sys
from typing import Callable, Dict, List, Mapping, NamedTuple, Optional, Sequence

from .errors import SurefootError, unknown_name

EXIT_HELD, EXIT_FELL_SHORT, EXIT_COULD_NOT_RUN, EXIT_INTERRUPTED = 0, 1, 2, 130


class Program(NamedTuple):
    """A program of subcommands, whose name is that of its distribution.

    Attributes:
        name: Its name.
        purpose: What it is for, in one sentence.
        summaries: Line of help of each subcommand.
        run: Runs a subcommand with its arguments, and returns the exit status.
    """

    name: str
    purpose: str
    summaries: Mapping[str, str]
    run: Callable[[str, List[str]], int]

    def main(self, argv: Optional[Sequence[str]]) -> int:
        """Run one subcommand.

        Args:
            argv: The arguments after the program's name; those of this process when None.

        Returns:
            The exit status: 0 held, 1 measured and fell short, 2 could not run, 130 interrupted.
        """
        try:
            return self._dispatch(list(sys.argv[1:] if argv is None else argv))
        except SurefootError as error:
            print(f"{self.name}: {error}", file=sys.stderr)
            return EXIT_COULD_NOT_RUN
        except KeyboardInterrupt:
            print(f"{self.name}: interrupted", file=sys.stderr)
            return EXIT_INTERRUPTED

    def _dispatch(self, arguments: List[str]) -> int:
        if not arguments:
            print(self._usage(), file=sys.stderr)
            return EXIT_COULD_NOT_RUN
        name, rest = arguments[0], arguments[1:]
        if name in ("-h", "--help"):
            print(self._usage())
            return EXIT_HELD
        if name == "--version":
            from importlib.metadata import version

            print(f"{self.name} {version(self.name)}")
            return EXIT_HELD
        if name not in self.summaries:
            raise unknown_name("subcommand", name, self.summaries, f"See: {self.name} --help")
        return self.run(name, rest)

    def _usage(self) -> str:
        width = max(map(len, self.summaries))
        lines = [f"  {name.ljust(width)}  {summary}" for name, summary in self.summaries.items()]
        more = f"{self.name} SUBCOMMAND --help says more; {self.name} --version which version this is."
        return "\n".join([f"usage: {self.name} SUBCOMMAND ...", "", self.purpose, "", *lines, "", more])


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
    """Run one subcommand; see :meth:`Program.main`."""
    purpose = "The robot's side of Surefoot: runs a trained policy on the robot's own computer."
    return Program("surefoot-bridge", purpose, COMMANDS, _run).main(argv)


def _run(name: str, arguments: List[str]) -> int:
    return importlib.import_module(f"surefoot_bridge.commands.{name}").main(arguments)


if __name__ == "__main__":
    sys.exit(main())
