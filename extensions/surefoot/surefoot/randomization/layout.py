"""Parameters and their ranges laid out as flat arrays, for the kernels and for their NumPy reference alike."""

from __future__ import annotations

import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import get_args

import numpy as np

from surefoot_bridge.errors import unknown_name

from .parameter import Occasion, Parameter, Range, ResolvedRange, draw_at, nominal_range, resolve_range, to_value

BLOCK_WIDTH = 4
"""Columns that one call of the generator serves: it gives four words."""

DISTRIBUTIONS = ("uniform", "log_uniform", "truncated_normal", "discrete")
"""Names of the codes that stand in the arrays; the kernels' constants are in the same order."""

EVENTS: tuple[Occasion, ...] = ("push_velocity", "push_force")
"""Occasions that come again within an episode. Each has a parameter ``<event>_interval`` [s] that says when."""


@dataclass(frozen=True)
class Block:
    """Neighbouring columns of one parameter that are drawn together.

    Attributes:
        parameter: Place of the parameter.
        first_column: First of its columns.
        width: How many columns; more than `BLOCK_WIDTH` only where they share one number.
        shared: Whether the columns share one number.
        stream: The generator's word for this block, from the parameter's name: adding a parameter moves no other's.
        occasion: When it is drawn.
    """

    parameter: int
    first_column: int
    width: int
    shared: bool
    stream: int
    occasion: Occasion


@dataclass(frozen=True, eq=False)
class TableLayout:
    """Columns of a table, with everything that drawing them needs.

    Attributes:
        parameters: The parameters, in the order of their columns.
        ranges: Range of each parameter, in the same order.
    """

    parameters: tuple[Parameter, ...]
    ranges: tuple[ResolvedRange, ...]
    first_columns: dict[str, int] = field(init=False)
    blocks: tuple[Block, ...] = field(init=False)

    def __post_init__(self) -> None:
        """Count the columns and cut them into blocks."""
        firsts, blocks, column = {}, [], 0
        for index, (parameter, resolved) in enumerate(zip(self.parameters, self.ranges, strict=True)):
            firsts[parameter.name] = column
            blocks += _blocks(index, column, parameter, resolved.range.shared)
            column += len(parameter.elements)
        object.__setattr__(self, "first_columns", firsts)
        object.__setattr__(self, "blocks", tuple(blocks))

    @classmethod
    def build(cls, parameters: Sequence[Parameter], ranges: Mapping[str, Range]) -> TableLayout:
        """Check ranges against parameters; a parameter without a range keeps its nominal value.

        Raises:
            SurefootError: If a name is unknown or a range cannot be meant.
        """
        names = [parameter.name for parameter in parameters]
        for name in ranges:
            if name not in names:
                raise unknown_name("randomized parameter", name, names)
        resolved = [
            resolve_range(parameter, ranges[parameter.name]) if parameter.name in ranges else nominal_range(parameter)
            for parameter in parameters
        ]
        return cls(tuple(parameters), tuple(resolved))

    @property
    def num_columns(self) -> int:
        """Number of columns."""
        return sum(len(parameter.elements) for parameter in self.parameters)

    def first_column(self, name: str) -> int:
        """Return the first column of a parameter.

        Raises:
            SurefootError: If there is no such parameter.
        """
        if name not in self.first_columns:
            raise unknown_name("randomized parameter", name, self.first_columns)
        return self.first_columns[name]

    def column_slice(self, name: str) -> slice:
        """Return the columns of a parameter."""
        first = self.first_column(name)
        return slice(first, first + len(self.parameter(name).elements))

    def parameter(self, name: str) -> Parameter:
        """Return a parameter by name."""
        return self.parameters[list(self.first_columns).index(name)]

    def range_of(self, name: str) -> ResolvedRange:
        """Return the range of a parameter by name."""
        return self.ranges[list(self.first_columns).index(name)]

    def largest_value(self, name: str, *, share: float = 1.0) -> float:
        """Return the largest value that a parameter can have at a share of its range."""
        parameter, resolved = self.parameter(name), self.range_of(name)
        kind, columns = (
            resolved.range,
            zip(parameter.nominal, resolved.identity, resolved.low, resolved.high, strict=True),
        )
        ends = [
            to_value(kind.operation, nominal, draw_at(identity, end, share, kind.distribution))
            for nominal, identity, *both_ends in columns
            for end in both_ends
        ]
        return max(*ends, *parameter.nominal)

    def is_random(self, name: str) -> bool:
        """Tell whether a parameter can have another value than its nominal one."""
        resolved = self.range_of(name)
        return resolved.low != resolved.identity or resolved.high != resolved.identity

    def varies(self, name: str) -> bool:
        """Tell whether a parameter's range has a width."""
        resolved = self.range_of(name)
        return resolved.low != resolved.high

    def per_column(self) -> dict[str, np.ndarray]:
        """Return what a draw of each column needs, float32, each (num_columns,).

        Returns:
            ``nominal``; ``identity``, ``low`` and ``high`` of the draws; ``gain`` and ``bias`` that make a value of a
            draw; ``centre`` and ``normalised_gain`` that map a draw within the declared range to [-1, 1].
        """
        pairs = list(zip(self.parameters, self.ranges, strict=True))
        rows = {
            "nominal": [value for parameter, _ in pairs for value in parameter.nominal],
            **{
                name: [value for _, resolved in pairs for value in getattr(resolved, name)]
                for name in ("identity", "low", "high")
            },
        }
        columns = {name: np.array(values, dtype=np.float32) for name, values in rows.items()}
        operations = np.array(
            [resolved.range.operation for parameter, resolved in pairs for _ in parameter.elements], dtype=object
        )
        width = columns["high"] - columns["low"]
        return {
            **columns,
            "gain": np.where(operations == "scale", columns["nominal"], np.float32(1.0)),
            "bias": np.where(operations == "offset", columns["nominal"], np.float32(0.0)),
            "centre": np.float32(0.5) * (columns["low"] + columns["high"]),
            "normalised_gain": np.divide(2.0, width, out=np.zeros_like(width), where=width > 0.0),
        }

    def per_parameter(self) -> dict[str, np.ndarray]:
        """Return ``distribution``, ``first_choice`` and ``num_choices``, int32, each (num_parameters,)."""
        ranges = [resolved.range for resolved in self.ranges]
        counts = np.array([len(item.choices) for item in ranges])
        rows = {
            "distribution": [DISTRIBUTIONS.index(item.distribution) for item in ranges],
            "first_choice": np.cumsum(counts) - counts,
            "num_choices": counts,
        }
        return {name: np.array(values, dtype=np.int32) for name, values in rows.items()}

    def choices(self) -> np.ndarray:
        """Return the choices of all discrete parameters one after the other, float32."""
        return np.array([choice for resolved in self.ranges for choice in resolved.range.choices], dtype=np.float32)


def _blocks(index: int, column: int, parameter: Parameter, shared: bool) -> list[Block]:
    assert parameter.occasion in get_args(Occasion)
    count = len(parameter.elements)
    width = count if shared else BLOCK_WIDTH
    name_word = zlib.crc32(parameter.name.encode())
    return [
        Block(
            parameter=index,
            first_column=column + start,
            width=min(width, count - start),
            shared=shared,
            stream=(name_word + start // width) % 2**32,
            occasion=parameter.occasion,
        )
        for start in range(0, count, width)
    ]
