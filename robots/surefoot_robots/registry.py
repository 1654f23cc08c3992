"""Robots by name, from every installed package that offers some: Surefoot's own come through the same door.

A package offers a robot by an entry point whose name is the robot's and whose object is its `RobotSpec`:

    [project.entry-points."surefoot.robots"]
    my_dog = "my_robots.my_dog:SPEC"

A package that cannot keep its offer is named by whatever asks for that robot, and takes no other robot with it.
"""

from surefoot_bridge.errors import SurefootError, unknown_name
from surefoot_bridge.offers import ROBOTS, Offer
from surefoot_robots.spec import RobotSpec


def list_robots() -> tuple[str, ...]:
    """Return the names of all robots that can be used, sorted."""
    return tuple(name for name, found in _every() if isinstance(found, RobotSpec))


def refused_robots() -> tuple[str, ...]:
    """Return one line for each offer that cannot be kept: the package, what is wrong, and the remedy."""
    return (*(str(found) for _, found in _every() if isinstance(found, SurefootError)), *ROBOTS.taken())


def get_robot(name: str) -> RobotSpec:
    """Return the specification of a robot.

    Args:
        name: One of `list_robots()`.

    Raises:
        SurefootError: If no package offers such a robot, two do, or the one that does cannot keep its offer.
    """
    offers = ROBOTS.by_name()
    if name in offers:
        return _load(ROBOTS.named(name))
    remedy = "Others cannot be used, see: surefoot robots list." if refused_robots() else ""
    if not offers:
        remedy = "Install the package that offers it again, in a checkout of Surefoot with: make bootstrap."
    raise unknown_name("robot", name, list_robots(), remedy)


def _every() -> list[tuple[str, RobotSpec | SurefootError]]:
    """Return each name with its robot, or with why there is none, sorted by name."""
    found: dict[str, RobotSpec | SurefootError] = {}
    owner_of: dict[str, str] = {}
    for name, offers in sorted(ROBOTS.by_name().items(), key=lambda item: item[1][0].package != ROBOTS.own):
        try:
            spec = _load(ROBOTS.named(name))
            owner = owner_of.setdefault(spec.label, name)
            taken = f"its label is that of {owner!r}"
            found[name] = spec if owner == name else ROBOTS.broken(offers[0], taken)
        except SurefootError as error:
            found[name] = error
    return sorted(found.items(), key=lambda item: item[0])


def _load(offer: Offer) -> RobotSpec:
    spec = ROBOTS.load(offer)
    if not isinstance(spec, RobotSpec):
        raise ROBOTS.broken(offer, f"{offer.reference} is no RobotSpec but {type(spec).__name__}")
    if spec.name != offer.name:
        raise ROBOTS.broken(offer, f"its RobotSpec is named {spec.name!r}, and its entry point must be too")
    return spec
