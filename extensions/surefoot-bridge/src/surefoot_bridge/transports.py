"""Which transports are installed: each a :class:`~surefoot_bridge.transport.Transport` behind an entry point.

The entry point's name is what a user writes after ``--robot``, its object the transport. Those of this package stand in
its own ``pyproject.toml``, like any other's. What one package gets wrong is named with that package; the transports of
all others go on working.
"""

import importlib
import sys
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache
from typing import Dict, Iterator, List, Optional, Tuple

from .errors import SurefootError, unknown_name
from .hardware_caps import HardwareCaps
from .transport import Transport

ENTRY_POINTS = "surefoot_bridge.robots"
"""Group of the entry points."""

IN_PROCESS = ("mujoco", "replay")
"""Robots that need no transport; no entry point can take their names."""

_OURS = "surefoot-bridge"


@dataclass(frozen=True)
class Offer:
    """An entry point of a package.

    Attributes:
        name: What a user writes after ``--robot``.
        reference: The transport, ``module:object``.
        package: Distribution that offers it.
    """

    name: str
    reference: str
    package: str


def names() -> Tuple[str, ...]:
    """Return what users may write after ``--robot`` for a robot on a network. Nothing is imported for it."""
    return tuple(name for name in _offers() if name not in IN_PROCESS)


def offer_of(name: str) -> Offer:
    """Return the entry point of a name.

    Raises:
        SurefootError: If there is none, or several packages have taken the name.
    """
    offers = _offers()
    if name not in offers:
        raise unknown_name("robot", name, names(), INSTALL)
    one, *others = offers[name]
    if name in IN_PROCESS:
        raise SurefootError(
            f"The package {one.package} offers a robot by the name {name}, which is the bridge's own. It needs "
            f"another name in its entry point of the group {ENTRY_POINTS}. Until then: pip uninstall {one.package}."
        )
    if others:
        packages = " and ".join(offer.package for offer in offers[name])
        raise SurefootError(
            f"--robot {name} is offered by {packages}, and it is not known whose is meant. Uninstall one of them, or "
            f"have it take another name in its entry point of the group {ENTRY_POINTS}."
        )
    return one


def transport_of(name: str) -> Transport:
    """Return the transport of a name.

    Raises:
        SurefootError: If there is none, several packages have taken the name, or its package does not work.
    """
    return _loaded(offer_of(name))


def offer_for(robot: str) -> Optional[Offer]:
    """Return the first entry point whose transport is for a robot, this package's own before others; None for none.

    Args:
        robot: Name of the robot, as contracts have it.
    """
    return next((offer for offer, transport in _working() if transport.robot == robot), None)


def known_caps(robot: str) -> Optional[HardwareCaps]:
    """Return the caps of a robot that an installed transport knows; None of another."""
    offer = offer_for(robot)
    return None if offer is None else _loaded(offer).caps


def no_transport(robot: str) -> SurefootError:
    """Return the refusal of a robot that no installed transport is for."""
    known = ", ".join(f"{offer.name} ({transport.robot})" for offer, transport in _working()) or "none"
    return SurefootError(
        " ".join([f"No installed transport is for {robot}; installed: {known}. {INSTALL}", *troubles()])
    )


def troubles() -> Tuple[str, ...]:
    """Return what keeps installed transports from being used, one sentence each, with package and remedy."""
    return tuple(filter(None, map(_trouble, _offers())))


def load_transport(reference: str, package: str = "") -> Transport:
    """Import a transport; nothing is asked of what is installed.

    Args:
        reference: Where it is, ``module:object``.
        package: Distribution that offers it, for the refusal; the module's name by default.

    Raises:
        SurefootError: If it cannot be imported, or is none.
    """
    module, _, name = reference.partition(":")
    package = package or module.partition(".")[0]
    try:
        found = getattr(importlib.import_module(module), name)
    except Exception as error:  # whatever a package does while it is imported
        raise SurefootError(
            f"The transport {reference} of the package {package} cannot be used: {type(error).__name__}: {error}. "
            f"Repair it or uninstall it: pip uninstall {package}."
        ) from error
    caps = getattr(found, "caps", None)
    if not isinstance(found, Transport) or not isinstance(caps, HardwareCaps):
        what = "without `caps`" if isinstance(found, Transport) else f"a {type(found).__name__}"
        raise SurefootError(
            f"{reference} of the package {package} is {what}; it must be a surefoot_bridge.transport.Transport whose "
            f"`caps` say what the hardware bears. Repair it or uninstall it: pip uninstall {package}."
        )
    return found


INSTALL = (
    "A robot on a network needs a package with its transport: install that, or write one (see "
    "docs/bridge/transports.md); --robot mujoco and replay:LOG need none."
)
"""What is done about a robot without a transport."""


def _loaded(offer: Offer) -> Transport:
    return load_transport(offer.reference, offer.package)


def _working() -> Iterator[Tuple[Offer, Transport]]:
    for name in _offers():
        found = None
        with suppress(SurefootError):  # told by `troubles`, and to whoever asks for it by name
            found = offer_of(name), transport_of(name)
        if found is not None:
            yield found


def _trouble(name: str) -> str:
    try:
        transport_of(name)
    except SurefootError as error:
        return str(error)
    return ""


def _offers() -> Dict[str, List[Offer]]:
    return _read_offers(tuple(sys.path))


@lru_cache(maxsize=8)
def _read_offers(path: Tuple[str, ...]) -> Dict[str, List[Offer]]:
    """Return all entry points by their names, this package's own first.

    Args:
        path: Where packages are looked for.

    Raises:
        SurefootError: If this package's own are not among them.
    """
    from importlib import metadata  # takes a while, and the guardian does without it

    of_package: Dict[str, List[Offer]] = {}
    for installed in metadata.distributions(path=list(path)):
        if ENTRY_POINTS not in (installed.read_text("entry_points.txt") or ""):
            continue
        package = _canonical(installed.metadata["Name"] or "without a name")
        if package not in of_package:  # the first on the path is the one that is imported
            points = [point for point in installed.entry_points if point.group == ENTRY_POINTS]
            of_package[package] = [Offer(point.name, point.value.replace(" ", ""), package) for point in points]
    ours = of_package.pop(_OURS, [])
    if not ours:
        raise SurefootError(
            f"What is installed of {_OURS} names no robots (entry points of the group {ENTRY_POINTS}): it is older "
            f"than this code, or this code is used without being installed. Install it again: pip install {_OURS}, or "
            "`make bootstrap` in a checkout."
        )
    by_name: Dict[str, List[Offer]] = {}
    for offer in [*ours, *(offer for package in sorted(of_package) for offer in of_package[package])]:
        by_name.setdefault(offer.name, []).append(offer)
    return by_name


def _canonical(package: str) -> str:
    return package.lower().replace("_", "-").replace(".", "-")
