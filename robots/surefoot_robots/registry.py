"""Robots by name, from every installed package that offers some: Surefoot's own come through the same door.

A package offers a robot by an entry point whose name is the robot's and whose object is its `RobotSpec`:

    [project.entry-points."surefoot.robots"]
    anymal_d = "my_robots.anymal_d:SPEC"

A package that cannot keep its offer is named by whatever asks for that robot, and takes no other robot with it.
"""

import sys
from collections.abc import Mapping
from functools import lru_cache
from importlib.metadata import EntryPoint, entry_points

from surefoot_bridge.errors import SurefootError, unknown_name
from surefoot_robots.spec import RobotSpec

ENTRY_POINTS = "surefoot.robots"
"""Group of the entry points."""

_OWN_PACKAGE = "surefoot"
"""Distribution of the robots in this package; nobody takes their names."""


def list_robots() -> tuple[str, ...]:
    """Return the names of all robots that can be used, sorted."""
    return tuple(name for name, found in _every() if isinstance(found, RobotSpec))


def refused_robots() -> tuple[str, ...]:
    """Return one line for each offer that cannot be kept: the package, what is wrong, and the remedy."""
    refused = [str(found) for _, found in _every() if isinstance(found, SurefootError)]
    taken = [
        f"The package {_package(point)!r} offers a robot {name!r}, a name that {_OWN_PACKAGE!r} has; give it another "
        "name, in its RobotSpec and in its entry point."
        for name, points in _offers(tuple(sys.path)).items()
        for point in points[1:]
        if _package(points[0]) == _OWN_PACKAGE
    ]
    return (*refused, *taken)


def get_robot(name: str) -> RobotSpec:
    """Return the specification of a robot.

    Args:
        name: One of `list_robots()`.

    Raises:
        SurefootError: If no package offers such a robot, two do, or the one that does cannot keep its offer.
    """
    offers = _offers(tuple(sys.path))
    if name in offers:
        return _load(name, offers[name])
    remedy = "Others cannot be used, see: surefoot robots list." if refused_robots() else ""
    if not offers:
        remedy = "Install the package that offers it again, in a checkout of Surefoot with: make bootstrap."
    raise unknown_name("robot", name, list_robots(), remedy)


def _every() -> list[tuple[str, RobotSpec | SurefootError]]:
    """Return each name with its robot, or with why there is none, sorted by name."""
    found: dict[str, RobotSpec | SurefootError] = {}
    owner_of: dict[str, str] = {}
    offers = _offers(tuple(sys.path))
    for name, points in sorted(offers.items(), key=lambda offer: _package(offer[1][0]) != _OWN_PACKAGE):
        try:
            spec = _load(name, points)
            owner = owner_of.setdefault(spec.label, name)
            found[name] = spec if owner == name else _broken(name, points[0], f"its label is that of {owner!r}")
        except SurefootError as error:
            found[name] = error
    return sorted(found.items(), key=lambda item: item[0])


@lru_cache(maxsize=1)
def _offers(search_path: tuple[str, ...]) -> Mapping[str, tuple[EntryPoint, ...]]:  # noqa: ARG001 - the cache's key
    """Return the entry points of each name, Surefoot's own first; reading what is installed takes some 20 ms."""
    by_name: dict[str, list[EntryPoint]] = {}
    for point in sorted(entry_points(group=ENTRY_POINTS), key=lambda point: (point.name, _package(point))):
        by_name.setdefault(point.name, []).append(point)
    return {
        name: tuple(sorted(points, key=lambda point: _package(point) != _OWN_PACKAGE))
        for name, points in by_name.items()
    }


def _load(name: str, points: tuple[EntryPoint, ...]) -> RobotSpec:
    first, package = points[0], _package(points[0])
    if len(points) > 1 and package != _OWN_PACKAGE:
        packages = [_package(point) for point in points]
        raise SurefootError(
            f"The packages {' and '.join(map(repr, packages))} offer a robot {name!r} each; rename one, or take it "
            f"away: pip uninstall {packages[-1]}."
        )
    try:
        spec = first.load()
    except Exception as error:  # whatever a package raises while it is imported
        reason = str(error) if isinstance(error, SurefootError) else f"{type(error).__name__}: {error}"
        raise _broken(name, first, reason.rstrip(".")) from error
    if not isinstance(spec, RobotSpec):
        raise _broken(name, first, f"{first.value} is no RobotSpec but {type(spec).__name__}")
    if spec.name != name:
        raise _broken(name, first, f"its RobotSpec is named {spec.name!r}, and its entry point must be too")
    return spec


def _broken(name: str, point: EntryPoint, reason: str) -> SurefootError:
    package = _package(point)
    return SurefootError(
        f"The robot {name!r} of the package {package!r} cannot be used: {reason}. Correct {point.module}, or take it "
        f"away: pip uninstall {package}."
    )


def _package(point: EntryPoint) -> str:
    return "unknown" if point.dist is None else point.dist.name
