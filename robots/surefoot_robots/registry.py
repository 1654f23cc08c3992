"""Robots by name."""

from functools import cache
from importlib import import_module

from surefoot_bridge.errors import unknown_name
from surefoot_robots.spec import RobotSpec

_ROBOTS = ("unitree_go2", "unitree_g1")


def list_robots() -> tuple[str, ...]:
    """Return the names of all robots."""
    return _ROBOTS


@cache
def get_robot(name: str) -> RobotSpec:
    """Return the specification of a robot.

    Args:
        name: One of `list_robots()`.

    Raises:
        SurefootError: If there is no such robot.
    """
    if name not in _ROBOTS:
        raise unknown_name("robot", name, _ROBOTS)
    return import_module(f"surefoot_robots.{name}.spec").SPEC
