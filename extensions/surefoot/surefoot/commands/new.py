"""``surefoot new robot`` and ``surefoot new task``: small packages that ``pip install -e`` makes visible."""

import argparse
from pathlib import Path

from surefoot.authoring.package_files import check_name, write_folder
from surefoot_bridge.errors import SurefootError


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the two subcommands."""
    commands = parser.add_subparsers(dest="new_command", required=True)
    robot = commands.add_parser("robot", help="a robot from its URDF or MJCF")
    robot.add_argument(
        "--from", dest="source", type=Path, required=True, metavar="FILE", help="URDF or MJCF of the robot"
    )
    robot.add_argument(
        "--feet",
        type=lambda text: text.split(","),
        default=(),
        metavar="A,B,...",
        help="its feet (default: found by where they are)",
    )
    task = commands.add_parser("task", help="a task with a reward of one's own")
    task.add_argument("--robot", default="unitree_go2", help="robot of the task (default: %(default)s)")
    for command in (robot, task):
        command.add_argument("name", type=str, help="its name: a-z, 0-9 and _")
        command.add_argument("--output", type=Path, metavar="FOLDER", help="folder of the package (default: the name)")


def run(args: argparse.Namespace) -> int:
    """Write the package and say what it asks.

    Returns:
        0.
    """
    name = check_name(args.name)
    folder: Path = args.output or Path(name)
    if args.new_command == "task":
        from surefoot.authoring.task_package import make_task_package

        write_folder(folder, make_task_package(name, args.robot))
        print(f"Written: {folder}. Next: pip install -e {folder} && pytest {folder}")
        return 0
    from surefoot.authoring.robot_package import make_robot_package
    from surefoot_bridge.offers import ROBOTS
    from surefoot_robots.question import open_questions

    for offer in ROBOTS.by_name().get(name, ()):
        raise SurefootError(f"The package {offer.package!r} offers a robot {name!r} already; take another name.")
    write_folder(folder, make_robot_package(name, args.source, feet=args.feet))
    questions = open_questions(folder / f"{name}_robot" / "spec.py")
    print("\n".join(questions))
    print(
        f"Written: {folder}, with {len(questions)} questions; those with question(...) must be answered. "
        f"Next: pip install -e {folder} && pytest {folder}"
    )
    return 0
