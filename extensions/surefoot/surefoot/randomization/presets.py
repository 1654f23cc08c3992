"""Named sets of ranges, from nothing to more than a robot will meet, each range with its source.

``standard`` is the middle of what policies were trained with that then ran on a robot of the same class, ``mild`` about
half of that, ``harsh`` the far end; the ranges stand with the parameters in :mod:`surefoot.randomization.catalogue`. A
range's source is a key of :data:`surefoot.randomization.preset_sources.SOURCES`, a colon and what is stated there;
several are separated by semicolons. Where no source states a range it says "assumption" and why. Ranges are facts of
the sources; no text or code is taken from them.

Sources add a mass to the base that may be negative; here the base's own mass varies by a factor and the payload is a
mass of its own that is never negative.
"""

from __future__ import annotations

from dataclasses import replace
from types import MappingProxyType
from typing import Literal, get_args

from surefoot_bridge.errors import unknown_name
from surefoot_robots import RobotSpec

from .catalogue import DECLARED
from .declaration import ASSUMPTION
from .parameter import Range, one_of

Preset = Literal["none", "mild", "standard", "harsh"]

PRESETS: tuple[Preset, ...] = get_args(Preset)

SURFACES = MappingProxyType({"wood": 0.4, "carpet": 0.8, "wet": 0.2})
"""Friction coefficients of named floors under a rubber foot; `surfaces` draws among them."""

Ranges = dict[str, Range]


def preset_ranges(name: str, spec: RobotSpec) -> Ranges:
    """Return the ranges of a preset by parameter; what it does not name keeps its nominal value.

    Raises:
        SurefootError: If there is no such preset.
    """
    if name not in PRESETS:
        raise unknown_name("randomization preset", name, PRESETS)
    ranges: Ranges = {}
    for item in DECLARED.values():
        declared = {
            "none": (),
            "mild": (item.mild,),
            "standard": (item.standard,),
            "harsh": (item.harsh, item.standard),
        }
        for drawn in declared[name]:
            chosen = drawn if drawn is None or isinstance(drawn, Range) else drawn(spec)
            if chosen is not None:
                ranges[item.name] = replace(chosen)  # a configuration's own, which it may change
                break
    if not any(spec.joint_values("friction_nm")):  # a factor of nothing
        ranges.pop("coulomb_friction", None)
    return ranges


def surfaces(*names: str) -> Range:
    """Draw the friction of all feet from named floors; from all of them when none is named.

    Raises:
        SurefootError: If a floor is unknown.
    """
    for name in names:
        if name not in SURFACES:
            raise unknown_name("surface", name, SURFACES)
    chosen = names or tuple(SURFACES)
    return one_of(*(SURFACES[name] for name in chosen), shared=True, source=f"{ASSUMPTION}: rubber on named floors")


def sensor_noise() -> Ranges:
    """Return the noise of the sensors alone, as in ``mild`` and ``standard``."""
    return {
        item.name: replace(item.mild)
        for item in DECLARED.values()
        if item.law == "gaussian_std" and isinstance(item.mild, Range)
    }
