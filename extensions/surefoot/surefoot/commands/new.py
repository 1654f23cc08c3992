"""``surefoot new robot`` and ``surefoot new task``: small packages that ``pip install -e`` makes visible."""

import argparse
from pathlib import Path

from surefoot_bridge.arguments import FILE, OUTPUT_FOLDER
from surefoot_bridge.errors import SurefootError
from surefoot_bridge.offers import Offers

SUBCOMMANDS = {
    "robot": "Begin a package with a robot from its URDF or MJCF.",
    "task": "Begin a package with a task and a reward of one's own.",
}


def add_arguments(parser: argparse.ArgumentParser, name: str) -> None:
    """Declare what the two subcommands take."""
    if name == "robot":
        parser.add_argument(
            "--from", dest="source", type=FILE, required=True, metavar="FILE", help="URDF or MJCF of the robot"
        )
        parser.add_argument(
            "--feet",
            type=lambda text: text.split(","),
            default=(),
            metavar="A,B,...",
            help="its feet (default: found by where they are)",
        )
    else:
        parser.add_argument("--robot", default="unitree_go2", help="robot of the task (default: %(default)s)")
    parser.add_argument("name", help="its name: a-z, 0-9 and _")
    parser.add_argument(
        "--output", type=OUTPUT_FOLDER, metavar="FOLDER", help="folder of the package (default: the name)"
    )


def run(args: argparse.Namespace) -> int:
    """Write the package and say what it asks.

    Returns:
        0.
    """
    from surefoot.authoring.package_files import check_name, write_folder

    name = check_name(args.name)
    folder: Path = args.output or Path(name)
    if folder.exists():
        raise SurefootError(f"{folder} exists; take another name or --output, or remove it first.")
    OUTPUT_FOLDER.check("--output", folder)
    if args.subcommand == "task":
        from surefoot.authoring.task_package import make_task_package
        from surefoot.task_registry import TASKS

        _refuse_taken(TASKS, "task", name)
        write_folder(folder, make_task_package(name, args.robot))
        print(f"Written: {folder}. Next: pip install -e {folder} && pytest {folder}")
        return 0
    from surefoot_bridge.offers import ROBOTS

    _refuse_taken(ROBOTS, "robot", name)
    from surefoot.authoring.source_file import root_of

    root_of(args.source)
    from surefoot.authoring.robot_package import make_robot_package
    from surefoot_robots.question import open_questions

    write_folder(folder, make_robot_package(name, args.source, feet=args.feet))
    questions = open_questions(folder / f"{name}_robot" / "spec.py")
    print("\n".join(questions))
    print(
        f"Written: {folder}, with {len(questions)} questions; any with question(...) must be answered. "
        f"Next: pip install -e {folder} && pytest {folder}"
    )
    return 0


def _refuse_taken(offers: Offers, what: str, name: str) -> None:
    for offer in offers.by_name().get(name, ()):
        raise SurefootError(f"The package {offer.package!r} offers a {what} {name!r} already; take another name.")
