"""Names and limits read from an MJCF as text, so that a specification can be checked without a physics engine."""

import math
import xml.etree.ElementTree as ElementTree
from pathlib import Path
from typing import NamedTuple

from surefoot_bridge.errors import SurefootError, reason, unknown_name


class MjcfNames(NamedTuple):
    """Names in an MJCF in their order of declaration."""

    bodies: tuple[str, ...]
    joints: tuple[str, ...]
    """Joints with one degree of freedom; the free joint of the base is not among them."""


def read_names(path: Path) -> MjcfNames:
    """Return the names of bodies and joints.

    Raises:
        SurefootError: If the file is missing or is no MJCF.
    """
    worldbody = _worldbody(path)
    return MjcfNames(
        bodies=tuple(body.get("name", "") for body in worldbody.iter("body")),
        joints=tuple(joint.get("name", "") for joint in worldbody.iter("joint") if joint.get("type") != "free"),
    )


def joint_ranges(path: Path) -> dict[str, tuple[float, float]]:
    """Return joint -> (lower, upper) [rad].

    Raises:
        SurefootError: If the file is missing, is no MJCF, or a joint states no range.
    """
    ranges = {}
    for joint in _worldbody(path).iter("joint"):
        numbers = joint.get("range", "").split()
        if joint.get("type") != "free":
            if len(numbers) != 2:
                raise SurefootError(f"{path}: joint {joint.get('name')!r} states no range; write range='lower upper'.")
            ranges[joint.get("name", "")] = (float(numbers[0]), float(numbers[1]))
    return ranges


def joints_to(path: Path, body: str) -> tuple[str, ...]:
    """Return the joints between the base and a body, from the base on; the free joint is not among them.

    Raises:
        SurefootError: If the file is missing, is no MJCF, or has no such body.
    """
    chains: dict[str, tuple[str, ...]] = {}

    def follow(element: ElementTree.Element, above: tuple[str, ...]) -> None:
        for child in element.findall("body"):
            own = (joint.get("name", "") for joint in child.findall("joint") if joint.get("type") != "free")
            chains[child.get("name", "")] = chain = (*above, *own)
            follow(child, chain)

    follow(_worldbody(path), ())
    if body not in chains:
        raise unknown_name(f"body of {path.name}", body, tuple(chains))
    return chains[body]


class Site(NamedTuple):
    """A site of an MJCF."""

    body: str
    """Body that carries it."""
    pos_m: tuple[float, ...]
    """Its place in the frame of the body [m], (3,)."""
    quat_wxyz: tuple[float, ...]
    """Rotation from its frame to the body's, scalar first, (4,)."""


def read_site(path: Path, name: str) -> Site:
    """Return a site.

    Raises:
        SurefootError: If the file is missing or is no MJCF, it has no such site, or one turned by anything else than a
            quaternion.
    """
    sites = {site.get("name", ""): (body, site) for body in _worldbody(path).iter("body") for site in body.iter("site")}
    if name not in sites:
        raise unknown_name(f"site of {path.name}", name, tuple(sites))
    body, site = sites[name]  # the innermost body is met last
    turned = sorted({"euler", "axisangle", "xyaxes", "zaxis"} & set(site.keys()))
    if turned:
        raise SurefootError(f"{path}: site {name!r} is turned by {turned[0]}; write quat='w x y z'.")
    pos, quat = (tuple(map(float, site.get(key, nothing).split())) for key, nothing in _SITE_DEFAULTS.items())
    return Site(body.get("name", ""), pos, quat)


_SITE_DEFAULTS = {"pos": "0 0 0", "quat": "1 0 0 0"}


def _worldbody(path: Path) -> ElementTree.Element:
    try:
        worldbody = ElementTree.parse(path).getroot().find("worldbody")
    except FileNotFoundError:
        raise SurefootError(f"The robot model {path} does not exist.") from None
    except ElementTree.ParseError as error:
        raise SurefootError(f"The robot model {path} is not readable XML: {reason(error)}.") from error
    if worldbody is None:
        raise SurefootError(f"The robot model {path} has no <worldbody>; it must be an MJCF.")
    return worldbody


def total_mass(path: Path) -> float:
    """Return the sum of the masses of all bodies of an MJCF [kg]."""
    return sum(float(inertial.get("mass", "nan")) for inertial in _worldbody(path).iter("inertial"))


def reach(path: Path) -> float:
    """Return a distance from the origin of the base frame that no shape gets beyond, whatever the joints do [m].

    The lengths of the links from the base on are added up, so it is somewhat more than the robot's own.
    """

    def of(body: ElementTree.Element) -> float:
        shapes = [_extent(geom) for geom in body.findall("geom")]
        links = [math.hypot(*_floats(child, "pos")) + of(child) for child in body.findall("body")]
        return max([0.0, *shapes, *links])

    return max([0.0, *map(of, _worldbody(path).findall("body"))])


def _extent(geom: ElementTree.Element) -> float:
    ends = _floats(geom, "fromto") or _floats(geom, "pos")
    return max(math.hypot(*ends[:3]), math.hypot(*ends[3:])) + sum(_floats(geom, "size"))


def _floats(element: ElementTree.Element, name: str) -> list[float]:
    return [float(number) for number in element.get(name, "").split()]
