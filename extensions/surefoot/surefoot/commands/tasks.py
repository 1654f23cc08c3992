"""``surefoot tasks list``: the tasks that can be trained and played."""

import argparse
import sys


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of ``surefoot tasks``."""
    parser.add_argument("action", choices=["list"], help="print one task id a line")


def run(args: argparse.Namespace) -> int:  # noqa: ARG001 - there is only one action
    """Print the ids of all tasks, then what cannot be used."""
    from surefoot.task_registry import refused_tasks, task_ids

    print("\n".join(task_ids()))
    for refusal in refused_tasks():
        print(refusal, file=sys.stderr)
    return 0
