"""``surefoot tasks list``: the tasks that can be trained and played."""

import argparse
import sys

SUBCOMMANDS = {"list": "Print one task id a line."}


def add_arguments(parser: argparse.ArgumentParser, name: str) -> None:
    """Add nothing: the list takes no arguments."""


def run(args: argparse.Namespace) -> int:  # noqa: ARG001 - there is only one subcommand
    """Print the ids of all tasks, then what cannot be used."""
    from surefoot.task_registry import refused, task_ids

    print("\n".join(task_ids()))
    for refusal in refused():
        print(refusal, file=sys.stderr)
    return 0
