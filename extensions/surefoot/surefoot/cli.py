"""The command line: ``surefoot <subcommand>``, one module to a subcommand, imported only when it is called."""

import argparse
import importlib
import os
import sys
from collections.abc import Sequence
from dataclasses import dataclass

from surefoot_bridge.command_line import Program


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
    """Run one subcommand; see :meth:`~surefoot_bridge.command_line.Program.main`."""
    for name, value in PROCESS_DEFAULTS.items():
        os.environ.setdefault(name, value)
    purpose = "Train legged-robot policies in Isaac Lab and prove them in more than one physics engine."
    summaries = {name: command.summary for name, command in COMMANDS.items()}
    return Program("surefoot", purpose, summaries, _run).main(argv)


def _run(name: str, arguments: list[str]) -> int:
    command = COMMANDS[name]
    module = importlib.import_module(command.module)
    parser = argparse.ArgumentParser(prog=f"surefoot {name}", description=command.summary)
    module.add_arguments(parser)
    return module.run(parser.parse_args(arguments))


if __name__ == "__main__":
    sys.exit(main())
