"""What installed packages offer by entry points, and whose offer counts when two have one name.

A package keeps the names of its own group: robots those of Surefoot, transports those of this package. A name that two
others give is refused and not guessed. What one package gets wrong is named with that package; the offers of all others
go on working.
"""

import importlib
import sys
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Dict, List, Tuple

from .errors import SurefootError, unknown_name


@dataclass(frozen=True)
class Offer:
    """An entry point of a package.

    Attributes:
        name: Its name.
        reference: What it offers, ``module:object``.
        package: Distribution that offers it.
    """

    name: str
    reference: str
    package: str


@dataclass(frozen=True)
class Offers:
    """The entry points of one group.

    Attributes:
        group: Name of the group.
        own: Distribution whose names nobody takes.
        kind: What is offered, singular.
    """

    group: str
    own: str
    kind: str

    def by_name(self) -> Dict[str, Tuple[Offer, ...]]:
        """Return all offers by their names, those of `own` first. Nothing is imported for it."""
        by_name: Dict[str, Tuple[Offer, ...]] = {}
        every = _read(self.group, tuple(sys.path))
        for offer in sorted(every, key=lambda offer: (offer.package != self.own, offer.name, offer.package)):
            by_name[offer.name] = (*by_name.get(offer.name, ()), offer)
        return by_name

    def named(self, name: str, *, remedy: str = "") -> Offer:
        """Return the offer of a name that counts.

        Args:
            name: The name.
            remedy: What is done about a name that nobody offers.

        Raises:
            SurefootError: If nobody offers it, or two packages do and neither is `own`.
        """
        offers = self.by_name()
        if name not in offers:
            raise unknown_name(self.kind, name, offers, remedy)
        first = offers[name][0]
        packages = [offer.package for offer in offers[name]]
        if len(packages) > 1 and first.package != self.own:
            raise SurefootError(
                f"The packages {' and '.join(map(repr, packages))} offer a {self.kind} {name!r} each; rename one, or "
                f"take it away: pip uninstall {packages[-1]}."
            )
        return first

    def taken(self) -> Tuple[str, ...]:
        """Return one line for each offer whose name `own` has: the package, what is wrong, and the remedy."""
        return tuple(
            f"The package {offer.package!r} offers a {self.kind} {name!r}, a name that {self.own!r} has; give it "
            f"another name, in its entry point of the group {self.group} and wherever it names itself."
            for name, offers in self.by_name().items()
            for offer in offers[1:]
            if offers[0].package == self.own
        )

    def load(self, offer: Offer) -> Any:
        """Import what is offered.

        Raises:
            SurefootError: If it cannot be imported.
        """
        try:
            return import_reference(offer.reference)
        except SurefootError as error:
            raise self.broken(offer, str(error)) from error

    def broken(self, offer: Offer, reason: str) -> SurefootError:
        """Return the refusal of an offer that cannot be kept."""
        return SurefootError(
            f"The {self.kind} {offer.name!r} of the package {offer.package!r} cannot be used: {reason.rstrip('.')}. "
            f"Correct {offer.reference.partition(':')[0]}, or take it away: pip uninstall {offer.package}."
        )


def import_reference(reference: str) -> Any:
    """Return the object ``module:object``.

    Raises:
        SurefootError: With what its package raises while it is imported.
    """
    module, _, name = reference.partition(":")
    try:
        found = importlib.import_module(module)
        return getattr(found, name) if name else found
    except SurefootError:
        raise
    except Exception as error:  # whatever a package does while it is imported
        raise SurefootError(f"{type(error).__name__}: {error}") from error


ROBOTS = Offers("surefoot.robots", own="surefoot", kind="robot")
"""Descriptions of robots: objects of ``surefoot_robots.RobotSpec``, which the bridge only reads."""

TRANSPORTS = Offers("surefoot_bridge.robots", own="surefoot-bridge", kind="transport")
"""Ways to robots on the network: objects of :class:`~surefoot_bridge.robots.Transport`."""


@lru_cache(maxsize=8)
def _read(group: str, path: Tuple[str, ...]) -> List[Offer]:
    """Return the entry points of a group; reading what is installed takes some 20 ms.

    Args:
        group: The group.
        path: Where packages are looked for.
    """
    from importlib import metadata  # takes a while, and the guardian does without it

    offers: Dict[str, List[Offer]] = {}
    for installed in metadata.distributions(path=list(path)):
        if group not in (installed.read_text("entry_points.txt") or ""):
            continue
        package = (installed.metadata["Name"] or "without a name").lower().replace("_", "-").replace(".", "-")
        if package not in offers:  # the first on the path is the one that is imported
            points = [point for point in installed.entry_points if point.group == group]
            offers[package] = [Offer(point.name, point.value.replace(" ", ""), package) for point in points]
    return [offer for package in offers.values() for offer in package]
