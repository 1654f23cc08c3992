"""The command line: ``surefoot <subcommand>``, one module to a subcommand, imported only when it is called."""

import argparse
import importlib
import importlib.metadata
import re
import shlex
import shutil
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from surefoot.processes import prepare_environment
from surefoot_bridge.arguments import Parser, subcommand
from surefoot_bridge.command_line import COMMANDS as BRIDGE_COMMANDS
from surefoot_bridge.command_line import EXIT_COULD_NOT_RUN, EXIT_FELL_SHORT, EXIT_HELD, EXIT_INTERRUPTED, ended
from surefoot_bridge.errors import SurefootError

__all__ = ["COMMANDS", "EXIT_COULD_NOT_RUN", "EXIT_FELL_SHORT", "EXIT_HELD", "EXIT_INTERRUPTED", "as_called", "main"]


@dataclass(frozen=True)
class Command:
    """A subcommand: a module with ``add_arguments(parser)`` and ``run(args) -> int``, and its line of help.

    Where the module has ``SUBCOMMANDS`` of its own, name to line of help, ``add_arguments`` gets the name as well, and
    ``args.subcommand`` is it.
    """

    module: str
    summary: str


COMMANDS = {
    "compare": Command("surefoot.commands.compare", "Set two evaluations side by side."),
    "distill": Command("surefoot.commands.distill", "Teach a policy to rest, and to do what it is asked wherever."),
    "train": Command("surefoot.commands.train", "Train a policy for a task."),
    "play": Command("surefoot.commands.play", "Run a trained policy: figures, video, live viewer."),
    "export": Command("surefoot.commands.export", "Turn a policy into a bundle for the robot."),
    "new": Command("surefoot.commands.new", "Begin a package with a robot or a task of your own."),
    "randomization": Command(
        "surefoot.commands.randomization", "Show what a task randomizes, or prove it in an engine."
    ),
    "replay": Command("surefoot.commands.replay", "Run one trial of a verification again, and film it."),
    "robots": Command("surefoot.commands.robots", "List the robots, or check one in every engine."),
    "tasks": Command("surefoot.commands.tasks", "List the tasks that can be trained and played."),
    "verify": Command("surefoot.commands.verify", "Hold a bundle against scenarios in several engines."),
}


def main(argv: Sequence[str] | None = None) -> int:
    """Run one subcommand.

    Args:
        argv: The arguments after the program's name; those of this process when None.

    Returns:
        The exit status: 0 held, 1 measured and fell short, 2 could not run, 130 interrupted.
    """
    arguments = list(sys.argv[1:] if argv is None else argv)
    plain = [argument for argument in arguments if argument != "--verbose"]
    return ended("surefoot", lambda: _run(plain), verbose=plain != arguments)


def _run(arguments: list[str]) -> int:
    prepare_environment()
    try:
        return _dispatch(arguments)
    except SurefootError as error:
        raise SurefootError(as_called(str(error))) from error


def _dispatch(arguments: list[str]) -> int:
    if arguments and arguments[0] == "--version":
        print(f"surefoot {importlib.metadata.version('surefoot')}")
        return EXIT_HELD
    purpose = "Train legged-robot policies in Isaac Lab and prove them in more than one physics engine."
    summaries = {name: command.summary for name, command in COMMANDS.items()}
    more = "surefoot SUBCOMMAND --help says more; surefoot --version which version this is."
    name, rest = subcommand("surefoot", purpose, summaries, arguments, more=more)
    if name is None:
        return EXIT_HELD
    command = COMMANDS[name]
    module, program = importlib.import_module(command.module), f"surefoot {name}"
    if hasattr(module, "SUBCOMMANDS"):
        part, rest = subcommand(program, command.summary, module.SUBCOMMANDS, rest)
        if part is None:
            return EXIT_HELD
        parser = Parser(f"{program} {part}", module.SUBCOMMANDS[part])
        module.add_arguments(parser, part)
        return module.run(argparse.Namespace(subcommand=part, **vars(parser.values(rest))))
    parser = Parser(program, command.summary)
    module.add_arguments(parser)
    return module.run(parser.values(rest))


def as_called(text: str) -> str:
    """Return a text with our programs named as they can be called from the working folder.

    They are on the PATH only where their environment is active.
    """
    return _PROGRAM.sub(lambda found: f"{_program(found[1])} ", text)


_PROGRAM = re.compile(
    rf"(?<![\w/.'\"-])(surefoot|surefoot-bridge) (?=(?:{'|'.join([*COMMANDS, *BRIDGE_COMMANDS])})\b|--help)"
)


@cache
def _program(name: str) -> str:
    """Return how a program of ours is called: by its name where that finds it, by its place otherwise."""
    place = Path(sys.executable).with_name(name)
    found = shutil.which(name)
    if (found and Path(found).resolve() == place.resolve()) or not place.is_file():
        return name
    here = Path.cwd()
    below = place.is_relative_to(here) and here != Path("/")
    return shlex.quote(str(place.relative_to(here) if below else place))


if __name__ == "__main__":
    sys.exit(main())
