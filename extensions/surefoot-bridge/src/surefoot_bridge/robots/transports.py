"""Which transports are installed: each a :class:`~surefoot_bridge.robots.Transport` behind an entry point.

The entry point's name is what a user writes after ``--robot``, its object the transport. Those of this package stand in
its own ``pyproject.toml``, like any other's. What one package gets wrong is named with that package; the transports of
all others go on working.
"""

from contextlib import suppress
from typing import Dict, Iterator, Optional, Tuple

from surefoot_bridge.errors import SurefootError, unknown_name
from surefoot_bridge.offers import TRANSPORTS, Offer, import_reference
from surefoot_bridge.words import IN_PROCESS

from .hardware_caps import HardwareCaps
from .transport import Transport


def names() -> Tuple[str, ...]:
    """Return what users may write after ``--robot`` for a robot on a network. Nothing is imported for it."""
    return tuple(name for name in _offers() if name not in IN_PROCESS)


def offer_of(name: str) -> Offer:
    """Return the entry point of a name.

    Raises:
        SurefootError: If there is none, or several packages have taken the name.
    """
    if name in IN_PROCESS and name in _offers():
        package = _offers()[name][0].package
        raise SurefootError(
            f"The package {package!r} offers a transport {name!r}, a name that is the bridge's own; give it another in "
            f"its entry point of the group {TRANSPORTS.group}, or take it away: pip uninstall {package}."
        )
    if name not in names():
        raise unknown_name("robot", name, names(), INSTALL)
    return TRANSPORTS.named(name)


def transport_of(name: str) -> Transport:
    """Return the transport of a name.

    Raises:
        SurefootError: If there is none, several packages have taken the name, or its package does not work.
    """
    return _loaded(offer_of(name))


def offer_for(robot: str) -> Optional[Offer]:
    """Return the first entry point whose transport is for a robot, this package's own before others; None for none."""
    return next((offer for offer, transport in _working() if transport.robot == robot), None)


def known_caps(robot: str) -> Optional[HardwareCaps]:
    """Return the caps of a robot that an installed transport knows; None of another."""
    offer = offer_for(robot)
    return None if offer is None else _loaded(offer).caps


def no_transport(robot: str) -> SurefootError:
    """Return the refusal of a robot that no installed transport is for."""
    known = ", ".join(f"{offer.name} ({transport.robot})" for offer, transport in _working()) or "none"
    return SurefootError(
        " ".join([f"No installed transport is for {robot}; installed: {known}. {INSTALL}", *transport_errors()])
    )


def transport_errors() -> Tuple[str, ...]:
    """Return what keeps installed transports from being used, one sentence each, with package and remedy."""
    return (*filter(None, map(_trouble, _offers())), *TRANSPORTS.taken())


def load_transport(reference: str, package: str = "") -> Transport:
    """Import a transport; nothing is asked of what is installed.

    Args:
        reference: Where it is, ``module:object``.
        package: Distribution that offers it, for the refusal; the module's name by default.

    Raises:
        SurefootError: If it cannot be imported, or is none.
    """
    offer = Offer(reference, reference, package or reference.partition(":")[0].partition(".")[0])
    try:
        found = import_reference(reference)
    except SurefootError as error:
        raise TRANSPORTS.broken(offer, str(error)) from error
    if not isinstance(found, Transport):
        what = f"it is a {type(found).__name__} and no surefoot_bridge.robots.Transport"
        raise TRANSPORTS.broken(offer, what)
    if not isinstance(getattr(found, "caps", None), HardwareCaps):
        raise TRANSPORTS.broken(offer, "it lacks `caps`, which say what the hardware bears")
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
        with suppress(SurefootError):  # told by `transport_errors`, and to whoever asks for it by name
            found = offer_of(name), transport_of(name)
        if found is not None:
            yield found


def _trouble(name: str) -> str:
    try:
        transport_of(name)
    except SurefootError as error:
        return str(error)
    return ""


def _offers() -> Dict[str, Tuple[Offer, ...]]:
    """Return all transports' offers.

    Raises:
        SurefootError: If this package's own are not among them.
    """
    offers = TRANSPORTS.by_name()
    if not any(of_name[0].package == TRANSPORTS.own for of_name in offers.values()):
        raise SurefootError(
            f"What is installed of {TRANSPORTS.own} names no robots (entry points of the group {TRANSPORTS.group}): it "
            "is older than this code, or this code is used without being installed. Install it again: pip install "
            f"{TRANSPORTS.own}, or `make bootstrap` in a checkout."
        )
    return offers
