"""The command line: ``surefoot <subcommand>``, one module to a subcommand, imported only when it is called."""

import argparse
import importlib
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
from surefoot_bridge.command_line import EXIT_HELD, Program


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
    "terrain": Command("surefoot.commands.terrain", "Draw the ground that robots train and are judged on."),
    "verify": Command("surefoot.commands.verify", "Hold a bundle against scenarios in several engines."),
}


def main(argv: Sequence[str] | None = None) -> int:
    """Run one subcommand; see :meth:`~surefoot_bridge.command_line.Program.main`."""
    purpose = "Train legged-robot policies in Isaac Lab and prove them in more than one physics engine."
    summaries = {name: command.summary for name, command in COMMANDS.items()}
    return Program("surefoot", purpose, summaries, _run, as_called).main(argv)


def _run(name: str, arguments: list[str]) -> int:
    prepare_environment()
    command = COMMANDS[name]
    module, program = importlib.import_module(command.module), f"surefoot {name}"
    if hasattr(module, "SUBCOMMANDS"):
        part, rest = subcommand(program, command.summary, module.SUBCOMMANDS, arguments)
        if part is None:
            return EXIT_HELD
        parser = Parser(f"{program} {part}", module.SUBCOMMANDS[part])
        module.add_arguments(parser, part)
        return module.run(argparse.Namespace(subcommand=part, **vars(parser.values(rest))))
    parser = Parser(program, command.summary)
    module.add_arguments(parser)
    return module.run(parser.values(arguments))


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
