"""The command line: ``surefoot <subcommand>``, one module to a subcommand, imported only when it is called."""

import argparse
import importlib
import importlib.metadata
import os
import sys
from collections.abc import Sequence
from dataclasses import dataclass

from surefoot_bridge.errors import SurefootError, unknown_name

EXIT_HELD, EXIT_FELL_SHORT, EXIT_COULD_NOT_RUN, EXIT_INTERRUPTED = 0, 1, 2, 130


@dataclass(frozen=True)
class Command:
    """A subcommand: a module with ``add_arguments(parser)`` and ``run(args) -> int``, and its line of help."""

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


PROCESS_DEFAULTS = {
    # Threads that wait must not spin: beside another busy process a spinning pool makes PPO several times slower.
    "OMP_WAIT_POLICY": "PASSIVE",
    # rsl_rl imports GitPython, which raises on a machine without git.
    "GIT_PYTHON_REFRESH": "quiet",
}
"""Environment variables of every command, unless they are set; libraries read them when they load, which is later."""


def main(argv: Sequence[str] | None = None) -> int:
    """Run one subcommand.

    Args:
        argv: The arguments after the program's name; those of this process when None.

    Returns:
        The exit status: 0 held, 1 measured and fell short, 2 could not run, 130 interrupted.
    """
    arguments = list(sys.argv[1:] if argv is None else argv)
    for name, value in PROCESS_DEFAULTS.items():
        os.environ.setdefault(name, value)
    try:
        return _dispatch(arguments)
    except SurefootError as error:
        print(f"surefoot: {error}", file=sys.stderr)
        return EXIT_COULD_NOT_RUN
    except KeyboardInterrupt:
        print("surefoot: interrupted", file=sys.stderr)
        return EXIT_INTERRUPTED


def _dispatch(arguments: list[str]) -> int:
    if not arguments:
        print(_usage(), file=sys.stderr)
        return EXIT_COULD_NOT_RUN
    name, rest = arguments[0], arguments[1:]
    if name in ("-h", "--help"):
        print(_usage())
        return EXIT_HELD
    if name == "--version":
        print(f"surefoot {importlib.metadata.version('surefoot')}")
        return EXIT_HELD
    if name not in COMMANDS:
        raise unknown_name("subcommand", name, COMMANDS, "See: surefoot --help")
    command = COMMANDS[name]
    module = importlib.import_module(command.module)
    parser = argparse.ArgumentParser(prog=f"surefoot {name}", description=command.summary)
    module.add_arguments(parser)
    return module.run(parser.parse_args(rest))


def _usage() -> str:
    width = max(map(len, COMMANDS))
    lines = [f"  {name:<{width}}  {command.summary}" for name, command in COMMANDS.items()]
    return "\n".join(
        [
            "usage: surefoot [--help | --version] SUBCOMMAND ...",
            "",
            "Train legged-robot policies in Isaac Lab and prove them in more than one physics engine.",
            "",
            *lines,
            "",
            "See surefoot SUBCOMMAND --help.",
        ]
    )


if __name__ == "__main__":
    sys.exit(main())
