"""A randomizable parameter, declared once: what it is, the ranges of the presets, who shows it and where it acts.

Everything else derives from the declarations in :mod:`surefoot.randomization.catalogue`: the table's columns, presets,
what an engine supports, the parameters that kernels of sensors read, and what a contract says of a sensor's errors.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import KW_ONLY, dataclass
from types import MappingProxyType
from typing import Literal, NamedTuple

from surefoot.symmetry import MirrorKind
from surefoot_bridge.contract import ErrorLaw, Source
from surefoot_robots import RobotSpec

from .parameter import ActsOn, Distribution, Occasion, Over, Parameter, Range

ASSUMPTION = "assumption"
"""Key of a range that no source states."""

Nominal = float | tuple[float, ...] | Callable[[RobotSpec], float | Sequence[float]]
"""One number for all elements, one for each, or what a robot's specification says."""

RangeOf = Range | Callable[[RobotSpec], Range | None]
"""A range, or that of a robot; None leaves the parameter at its nominal value."""

Ends = float | tuple[float, ...]
Level = Literal["supported", "scene-wide", "unsupported"]
"""``supported`` parameters act in each environment by itself and are what ``surefoot randomization prove`` proves."""


class Support(NamedTuple):
    """How an engine treats a parameter, with the reason where it does not act by environment."""

    level: Level
    reason: str = ""


SUPPORTED = Support("supported")

_MIRROR_KINDS: MappingProxyType[Over, MirrorKind] = MappingProxyType(
    {"environment": "scalar", "xyz": "polar_vector", "joint": "joint_scalar", "foot": "foot_scalar"}
)


@dataclass(frozen=True)
class Declared:
    """A parameter.

    Attributes:
        name: Name in the table, in configurations and in reports.
        unit: SI unit, "-" for a ratio.
        description: One line for a person.
        nominal: Value without randomization.
        over: What it has a value for.
        acts_on: Who reads it.
        minimum: Smallest value that exists in nature.
        maximum: Largest value that exists in nature.
        occasion: When it is drawn.
        mirror: How it changes when left and right are exchanged; None for what is usual of what it has a value for.
        mild: Range of that preset; None for the nominal value.
        standard: Likewise.
        harsh: Likewise; None for that of ``standard``.
        in_engine: Whether it is written into an engine by means of its own, or our kernels or Isaac Lab see to it.
        physx: How PhysX treats it.
        newton: How Newton treats it.
        errs: Sources that show something else than the truth because of it.
        law: What its value means for them.
    """

    name: str
    unit: str
    description: str
    nominal: Nominal = 0.0
    _: KW_ONLY
    over: Over
    acts_on: ActsOn
    minimum: float = -math.inf
    maximum: float = math.inf
    occasion: Occasion = "reset"
    mirror: MirrorKind | None = None
    mild: RangeOf | None = None
    standard: RangeOf | None = None
    harsh: RangeOf | None = None
    in_engine: bool = False
    physx: Support = SUPPORTED
    newton: Support = SUPPORTED
    errs: tuple[Source, ...] = ()
    law: ErrorLaw | None = None

    def of(self, spec: RobotSpec) -> Parameter:
        """Return the parameter of a robot."""
        elements = {
            "environment": ("",),
            "xyz": ("x", "y", "z"),
            "joint": spec.joint_names,
            "foot": spec.foot_bodies,
        }[self.over]
        nominal = self.nominal(spec) if callable(self.nominal) else self.nominal
        values = nominal if isinstance(nominal, Sequence) else (nominal,) * len(elements)
        return Parameter(
            name=self.name,
            unit=self.unit,
            description=self.description,
            over=self.over,
            elements=tuple(elements),
            nominal=tuple(map(float, values)),
            minimum=self.minimum,
            maximum=self.maximum,
            occasion=self.occasion,
            acts_on=self.acts_on,
            mirror=self.mirror or _MIRROR_KINDS[self.over],
        )


def of_joints(quantity: str) -> Callable[[RobotSpec], Sequence[float]]:
    """Take the nominal value of each joint from a robot's specification."""
    return lambda spec: spec.joint_values(quantity)


def times(low: float, high: float, source: str, distribution: Distribution = "uniform") -> Range:
    """Draw a factor of the nominal value."""
    return Range(operation="scale", low=low, high=high, distribution=distribution, source=source)


def between(low: Ends, high: Ends, source: str, distribution: Distribution = "uniform", shared: bool = False) -> Range:
    """Draw the value itself."""
    return Range(operation="absolute", low=low, high=high, distribution=distribution, shared=shared, source=source)


def around(half_width: Ends, source: str) -> Range:
    """Draw what is added to the nominal value, as much to either side."""
    low = tuple(-value for value in half_width) if isinstance(half_width, tuple) else -half_width
    return Range(operation="offset", low=low, high=half_width, source=source)


def by_kind(*, quadruped: Range | None = None, humanoid: Range | None = None) -> Callable[[RobotSpec], Range | None]:
    """Take the range for a robot's kind."""
    return lambda spec: {"quadruped": quadruped, "humanoid": humanoid}[spec.kind]
