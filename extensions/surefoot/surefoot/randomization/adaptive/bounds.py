"""How ranges adapt, and which ends of which parameters do."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, NamedTuple, get_args

from surefoot.randomization.layout import EVENTS, TableLayout
from surefoot.randomization.parameter import Distribution, Operation, Parameter, ResolvedRange, draw_at, to_value
from surefoot_bridge.errors import SurefootError, unknown_name

Scheme = Literal["none", "bounds", "all"]
"""``bounds`` moves each end by the success of episodes at it, ``all`` all ends by the success of all episodes."""


@dataclass(kw_only=True)  # not frozen, for the reason that Range is not
class AdaptiveCfg:
    """How ranges adapt. A share is how much of the way from nominal to the declared end is in use.

    Attributes:
        scheme: What decides about what.
        boundary_share: Probability that an episode is at a bound, for ``bounds``; the paper's is 0.5.
        episodes_per_decision: Episodes that a decision takes at least.
        widen_above: Success rate from which an end widens.
        narrow_below: Success rate down to which it narrows.
        rate: Step of the share for ``bounds``; 0.1 multiplies it by 1.1 or 0.9 for ``all``.
        floor: Smallest share.
        ceiling: Largest share; above 1 where the values exist.
        initial_share: Share at the start.
    """

    scheme: Scheme = "bounds"
    boundary_share: float = 0.5
    episodes_per_decision: int = 32
    widen_above: float = 0.9
    narrow_below: float = 0.6
    rate: float = 0.1
    floor: float = 0.0
    ceiling: float = 1.0
    initial_share: float = 0.2

    def __post_init__(self) -> None:
        """Refuse what cannot be meant."""
        self.check()

    @property
    def largest_share(self) -> float:
        """The largest share that any range can ever be drawn with."""
        return 1.0 if self.scheme == "none" else max(1.0, self.ceiling)

    def check(self) -> None:
        """Refuse what cannot be meant; again when fields were set one by one.

        Raises:
            SurefootError: Naming the field, its value and the rule.
        """
        if self.scheme not in get_args(Scheme):
            raise unknown_name("scheme of adaptive ranges", self.scheme, get_args(Scheme))
        by_all = self.scheme == "all"
        for field, is_kept, rule in (
            ("boundary_share", 0.0 < self.boundary_share <= 1.0, "in (0, 1], it is a probability"),
            (
                "episodes_per_decision",
                isinstance(self.episodes_per_decision, int) and self.episodes_per_decision >= 1,
                "a whole number of at least 1",
            ),
            ("widen_above", 0.0 < self.widen_above <= 1.0, "in (0, 1], it is a success rate"),
            (
                "narrow_below",
                0.0 <= self.narrow_below < self.widen_above,
                f"in [0, {self.widen_above}), below widen_above",
            ),
            ("rate", 0.0 < self.rate < 1.0 or (self.rate == 1.0 and not by_all), f"in (0, 1{')' if by_all else ']'}"),
            ("floor", 0.0 <= self.floor <= self.ceiling, f"in [0, {self.ceiling}], up to the ceiling"),
            ("ceiling", 0.0 < self.ceiling < float("inf"), "above 0 and finite"),
            (
                "initial_share",
                self.floor <= self.initial_share <= self.ceiling,
                f"in [{self.floor}, {self.ceiling}], from floor to ceiling",
            ),
            ("initial_share", self.initial_share > 0.0 or not by_all, "above 0, because factors leave 0 where it is"),
        ):
            if not is_kept:
                raise SurefootError(
                    f"Adaptive ranges ({self.scheme}): {field} is {getattr(self, field)}; it must be {rule}."
                )


class Bound(NamedTuple):
    """What a decision is about.

    Attributes:
        name: For a person, and to tell one bound from another in a checkpoint.
        boundary: Code of the end that an environment is drawn at to measure it, as in the table; -1 for none.
        ends: Codes of the ends that move with it.
    """

    name: str
    boundary: int
    ends: tuple[int, ...]


class DeclaredRange(NamedTuple):
    """Draws of a parameter, of the element that has the farthest to go from its nominal value.

    Attributes:
        operation: How a draw becomes a value.
        unit: Unit of the draws: the parameter's, "-" for factors of the nominal value.
        nominal: Draw that gives the nominal value.
        low: Smallest declared draw.
        high: Largest declared draw.
        distribution: How draws are spread, which says how the range grows.
    """

    operation: Operation
    unit: str
    nominal: float
    low: float
    high: float
    distribution: Distribution = "uniform"

    def in_use(self, low_share: float, high_share: float) -> tuple[float, float]:
        """Return the range at a share of either end, as the table draws it."""
        low = draw_at(self.nominal, self.low, low_share, self.distribution)
        return low, max(low, draw_at(self.nominal, self.high, high_share, self.distribution))


def adaptive_parameters(layout: TableLayout) -> dict[int, tuple[Parameter, ResolvedRange]]:
    """Return the parameters that adapt, by their place.

    They are those that are drawn at a reset or with a push and can differ from nominal. What never adapts: what is
    drawn once at startup, discrete choices, which have no values in between, when pushes come, pushes that never come,
    and the state in which an episode begins, which is the task's. A push at a bound is so in all pushes of the episode.
    """
    intervals = [f"{event}_interval" for event in EVENTS]
    never = [event for event, interval in zip(EVENTS, intervals, strict=True) if not layout.is_random(interval)]
    return {
        place: (parameter, resolved)
        for place, (parameter, resolved) in enumerate(zip(layout.parameters, layout.ranges, strict=True))
        if layout.is_random(parameter.name)
        and parameter.occasion not in ("startup", *never)
        and parameter.name not in intervals
        and parameter.acts_on != "initial_state"
        and resolved.range.distribution != "discrete"
    }


def adaptive_bounds(layout: TableLayout, scheme: Scheme) -> tuple[Bound, ...]:
    """Return what is decided about.

    A range that lies on one side of nominal, such as 0 to 3 kg around 0 kg, has one bound, its far end. Both ends move
    with it: were a noise of 0.1 to 0.3 around 0 to move its near end by itself, widening would take the easy part away.
    """
    bounds = []
    for place, (parameter, resolved) in adaptive_parameters(layout).items():
        low, high = 2 * place, 2 * place + 1
        goes_down, goes_up = (
            any(sign * end > sign * identity for end, identity in zip(ends, resolved.identity, strict=True))
            for sign, ends in ((-1, resolved.low), (1, resolved.high))
        )
        both = goes_down and goes_up
        if goes_down:
            bounds.append(Bound(f"{parameter.name}/low", low, (low,) if both else (low, high)))
        if goes_up:
            bounds.append(Bound(f"{parameter.name}/high", high, (high,) if both else (low, high)))
    if scheme == "all":
        return (Bound("all", -1, tuple(sorted({end for bound in bounds for end in bound.ends}))),)
    return tuple(bounds)


def declared_ranges(layout: TableLayout) -> dict[str, DeclaredRange]:
    """Return the declared ranges of the parameters that adapt, by name."""
    declared = {}
    for parameter, resolved in adaptive_parameters(layout).values():
        elements = zip(resolved.identity, resolved.low, resolved.high, strict=True)
        farthest = max(elements, key=lambda ends: max(ends) - min(ends))
        operation = resolved.range.operation
        unit = "-" if operation == "scale" else parameter.unit
        declared[parameter.name] = DeclaredRange(operation, unit, *farthest, resolved.range.distribution)
    return declared


def check_ceiling(cfg: AdaptiveCfg, layout: TableLayout) -> None:
    """Refuse a ceiling at which values do not exist.

    Raises:
        SurefootError: Naming the first of them.
    """
    if cfg.ceiling <= 1.0:
        return  # between nominal and the declared end, which were checked
    for parameter, resolved in adaptive_parameters(layout).values():
        asked = resolved.range
        for ends in (resolved.low, resolved.high):
            for column, nominal, identity, end in zip(
                parameter.columns, parameter.nominal, resolved.identity, ends, strict=True
            ):
                value = to_value(asked.operation, nominal, draw_at(identity, end, cfg.ceiling, asked.distribution))
                if not parameter.minimum <= value <= parameter.maximum:
                    raise SurefootError(
                        f"Adaptive ranges: at the ceiling {cfg.ceiling:g}, {column} reaches {value:g} "
                        f"{parameter.unit}, which is {parameter.rule()}. Lower the ceiling, or narrow the range."
                    )
