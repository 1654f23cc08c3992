"""A package with a task of one's own: the velocity task of a robot, and one more reward."""

from surefoot_robots import get_robot

from .package_files import camel_case, render

_FILES = {
    "pyproject.toml": "task/pyproject.toml.jinja",
    "{package}/__init__.py": "task/init.py.jinja",
    "{package}/task.py": "task/task.py.jinja",
    "tests/test_{name}.py": "task/test.py.jinja",
}


def make_task_package(name: str, robot: str) -> dict[str, str]:
    """Return the files of a package with the task, path below its folder -> text.

    Args:
        name: Name of the task.
        robot: Robot that does it.

    Raises:
        SurefootError: If there is no such robot.
    """
    camel = camel_case(name)
    package = f"{name}_task"
    context = {
        "name": name,
        "package": package,
        "camel": camel,
        "robot": robot,
        "task": f"{camel}-{get_robot(robot).label}",
    }
    return {path.format(**context): render(template, context) for path, template in _FILES.items()}
