"""What can be randomized, and how: a physical parameter of a robot or its world, and the range it is drawn from."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass
from functools import partial
from typing import Literal, get_args

from surefoot.symmetry import MirrorKind
from surefoot_bridge.errors import SurefootError, unknown_name

Over = Literal["environment", "joint", "foot", "xyz"]
"""What a parameter has a value for: each environment, each joint or foot of its robot, or each axis."""

Occasion = Literal["startup", "reset", "push_velocity", "push_force"]
"""When values are drawn: once, when an episode starts, or when a push is due."""

ActsOn = Literal["contact", "body", "joint", "actuator", "sensor", "world", "initial_state"]
"""The part of the simulation that reads the value."""

Operation = Literal["absolute", "scale", "offset"]
"""How a draw becomes a value: it is the value, a factor of the nominal, or is added to the nominal."""

Distribution = Literal["uniform", "log_uniform", "truncated_normal", "discrete"]
"""``truncated_normal`` has its mean in the middle of the range and two standard deviations to either end."""


@dataclass(frozen=True, kw_only=True)
class Parameter:
    """A physical quantity with one column in the table for each of its elements.

    Attributes:
        name: Name in the table, in configurations and in reports.
        unit: SI unit, "-" for a ratio.
        description: One line for a person.
        over: What the elements are.
        elements: Their names, as long as ``nominal``; one empty name for a quantity of the environment.
        nominal: Value without randomization.
        minimum: Smallest value that exists in nature.
        maximum: Largest value that exists in nature.
        occasion: When it is drawn.
        acts_on: Who reads it.
        mirror: How it changes when left and right are exchanged.
    """

    name: str
    unit: str
    description: str
    over: Over
    elements: tuple[str, ...]
    nominal: tuple[float, ...]
    minimum: float = -math.inf
    maximum: float = math.inf
    occasion: Occasion = "reset"
    acts_on: ActsOn
    mirror: MirrorKind

    def __post_init__(self) -> None:
        """Refuse a nominal value that the rules for drawn values forbid."""
        if len(self.elements) != len(self.nominal):
            raise SurefootError(
                f"Parameter {self.name!r} has {len(self.nominal)} nominal values for {len(self.elements)} elements."
            )
        for value in self.nominal:
            if not self.minimum <= value <= self.maximum:
                raise SurefootError(f"Parameter {self.name!r}: nominal {value} {self.unit} is {self.rule()}.")

    def rule(self) -> str:
        """Return the words that say which values do not exist."""
        return f"outside [{self.minimum:g}, {self.maximum:g}] {self.unit}"

    @property
    def columns(self) -> tuple[str, ...]:
        """Names of its columns, such as ``"stiffness.FL_hip_joint"``."""
        return tuple(f"{self.name}.{element}" if element else self.name for element in self.elements)


@dataclass  # not frozen: Isaac Lab writes the fields of a configuration's parts back when it copies them
class Range:
    """The range that a parameter's values are drawn from. Make one with `scale`, `offset`, `absolute` or `one_of`.

    Attributes:
        operation: How a draw becomes a value.
        low: Smallest draw, for all elements or for each.
        high: Largest draw, for all elements or for each.
        distribution: How draws are spread over the range.
        choices: The values of a discrete distribution.
        shared: Whether one draw serves all elements of the parameter.
        only: Regular expression that full-matches the elements to randomize; the others keep their nominal value.
        source: Where the range comes from.
    """

    operation: Operation
    low: float | Sequence[float]
    high: float | Sequence[float]
    _: KW_ONLY
    distribution: Distribution = "uniform"
    choices: tuple[float, ...] = ()
    shared: bool = False
    only: str = ".*"
    source: str = ""


scale = partial(Range, "scale")
"""``scale(low, high)`` draws a factor of the nominal value."""

offset = partial(Range, "offset")
"""``offset(low, high)`` draws what is added to the nominal value."""

absolute = partial(Range, "absolute")
"""``absolute(low, high)`` draws the value itself."""


def one_of(*choices: float, shared: bool = False, only: str = ".*", source: str = "") -> Range:
    """Draw one of some values, each as likely as the others."""
    low, high = (min(choices), max(choices)) if choices else (math.nan, math.nan)
    return Range(
        "absolute",
        low,
        high,
        distribution="discrete",
        choices=tuple(sorted(choices)),
        shared=shared,
        only=only,
        source=source,
    )


@dataclass(frozen=True)
class ResolvedRange:
    """A range that was checked against its parameter: one entry for each element.

    Attributes:
        range: What was asked for.
        identity: Draw that gives the nominal value, (num_elements,).
        low: Smallest draw, (num_elements,); the identity where the element is not to be randomized.
        high: Largest draw, (num_elements,).
    """

    range: Range
    identity: tuple[float, ...]
    low: tuple[float, ...]
    high: tuple[float, ...]


def nominal_range(parameter: Parameter) -> ResolvedRange:
    """Return the range in which a parameter always has its nominal value."""
    values = parameter.nominal
    return ResolvedRange(absolute(values, values), values, values, values)


def resolve_range(parameter: Parameter, asked: Range) -> ResolvedRange:
    """Check a range against the parameter that it is for.

    Raises:
        SurefootError: If the range cannot be meant: wrong kind, order, number or pattern, or values that do not exist.
    """
    name, count = parameter.name, len(parameter.elements)
    for kind, value, valid in (
        ("operation", asked.operation, get_args(Operation)),
        ("distribution", asked.distribution, get_args(Distribution)),
    ):
        if value not in valid:
            raise unknown_name(f"{kind} of parameter {name!r}:", value, valid)
    low, high = _per_element(parameter, "low", asked.low), _per_element(parameter, "high", asked.high)
    chosen = [re.fullmatch(asked.only, element) is not None for element in parameter.elements]
    if not any(chosen):
        raise SurefootError(
            f"Parameter {name!r}: pattern {asked.only!r} matches nothing; elements: {', '.join(parameter.elements)}."
        )
    for lower, upper in zip(low, high, strict=True):
        if not (math.isfinite(lower) and math.isfinite(upper)):
            raise SurefootError(f"Parameter {name!r}: range [{lower}, {upper}] is not finite.")
        if lower > upper:
            raise SurefootError(f"Parameter {name!r}: range [{lower}, {upper}] is inverted; write the smaller first.")
    identity = {"absolute": parameter.nominal, "scale": (1.0,) * count, "offset": (0.0,) * count}[asked.operation]
    if asked.distribution == "log_uniform" and min(*low, *identity) <= 0.0:
        raise SurefootError(
            f"Parameter {name!r}: a log-uniform range needs positive draws around a positive nominal one, but is "
            f"{asked.operation} [{min(low)}, {max(high)}] around {min(identity)}."
        )
    if (asked.distribution == "discrete") != bool(asked.choices):
        raise SurefootError(
            f"Parameter {name!r}: distribution {asked.distribution!r} with {len(asked.choices)} choices; "
            "a discrete distribution needs choices and no other has any."
        )
    for column, nominal, is_chosen in zip(parameter.columns, parameter.nominal, chosen, strict=True):
        if is_chosen and asked.operation == "scale" and nominal == 0.0:
            raise SurefootError(
                f"Parameter {name!r}: {column} is nominally 0, and a factor of 0 changes nothing. "
                "Use an absolute range or an offset."
            )
    low = tuple(a if c else i for a, i, c in zip(low, identity, chosen, strict=True))
    high = tuple(a if c else i for a, i, c in zip(high, identity, chosen, strict=True))
    for nominal, *draws in zip(parameter.nominal, low, high, strict=True):
        for draw in draws:
            value = to_value(asked.operation, nominal, draw)
            if not parameter.minimum <= value <= parameter.maximum:
                raise SurefootError(
                    f"Parameter {name!r}: {asked.operation} range [{min(low):g}, {max(high):g}] reaches "
                    f"{value:g} {parameter.unit}, which is {parameter.rule()}."
                )
    return ResolvedRange(asked, identity, low, high)


def draw_at(identity: float, end: float, share: float, distribution: Distribution) -> float:
    """Go a share of the way from the nominal draw to the declared end, in the logarithm for a log-uniform range."""
    if share == 1.0:
        return end  # exactly
    if distribution == "log_uniform":
        return identity * (end / identity) ** share
    return identity + share * (end - identity)


def to_value(operation: Operation, nominal: float, draw: float) -> float:
    """Turn a draw into a value."""
    return {"absolute": draw, "scale": nominal * draw, "offset": nominal + draw}[operation]


def _per_element(parameter: Parameter, side: str, value: float | Sequence[float]) -> tuple[float, ...]:
    count = len(parameter.elements)
    if isinstance(value, Sequence):
        if len(value) != count:
            raise SurefootError(
                f"Parameter {parameter.name!r}: {side} has {len(value)} entries, but the parameter has {count}: "
                f"{', '.join(parameter.columns)}. Give one number, or one for each."
            )
        return tuple(float(item) for item in value)
    return (float(value),) * count
