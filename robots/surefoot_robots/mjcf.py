"""Names and limits read from an MJCF as text, so that a specification can be checked without a physics engine."""

import xml.etree.ElementTree as ElementTree
from pathlib import Path
from typing import NamedTuple

from surefoot_bridge.errors import SurefootError


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


def _worldbody(path: Path) -> ElementTree.Element:
    try:
        worldbody = ElementTree.parse(path).getroot().find("worldbody")
    except FileNotFoundError:
        raise SurefootError(f"The robot model {path} does not exist.") from None
    except ElementTree.ParseError as error:
        raise SurefootError(f"The robot model {path} is not readable XML: {error}.") from error
    if worldbody is None:
        raise SurefootError(f"The robot model {path} has no <worldbody>; it must be an MJCF.")
    return worldbody


def total_mass(path: Path) -> float:
    """Return the sum of the masses of all bodies of an MJCF [kg]."""
    return sum(float(inertial.get("mass", "nan")) for inertial in _worldbody(path).iter("inertial"))
