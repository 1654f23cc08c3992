"""What every kind of ground is asked for, and what several of them are made with.

Robots start at the origin, facing x, on level ground of 1 m all round.
"""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, Self

import numpy as np

from surefoot.random_numbers.philox_numpy import philox, unit_interval
from surefoot.strict_model import StrictModel
from surefoot_bridge.errors import SurefootError

from .height_grid import LARGEST_SPACING_M

if TYPE_CHECKING:
    from surefoot_robots import RobotSpec

PLATFORM_M = 1.0
"""Half the edge of the level square around the origin."""

FADE_M = 0.25
"""Over this length [m] ground that is not made of steps or one slope ends at the rim of a tile."""


class Walker(NamedTuple):
    """What of a robot says on which ground it can walk at all.

    Attributes:
        name: Its name.
        hips_m: Height of its hips [m], the length of its legs: a foot cannot be set on what is higher.
        sole_m: Length of its longest sole [m].
    """

    name: str
    hips_m: float
    sole_m: float


def walker_of(spec: RobotSpec) -> Walker:
    """Return what of a robot says on which ground it can walk; its hips are at the height of its base."""
    soles = [[point[0] for point in sole] for sole in spec.sole_offsets_m]
    length_m = max(max(sole) - min(sole) for sole in soles) + 2.0 * spec.sole_radius_m
    return Walker(spec.name, spec.base_height_m, length_m)


class Growth(NamedTuple):
    """How a size grows with difficulty, linearly.

    Attributes:
        easy: At difficulty 0.
        hard: At difficulty 1.
        of_leg: Whether both are shares of the robot's leg length, and not in the size's own unit.
    """

    easy: float
    hard: float
    of_leg: bool = True


class Ground(StrictModel):
    """A kind of ground. Its fields are what files say of it; each has a default, and other kinds may share it."""

    growth: ClassVar[Mapping[str, Growth]] = {}
    """The sizes that grow with difficulty; all others are as they are by default."""

    @classmethod
    def of_difficulty(cls, difficulty: float, leg_m: float, **fields: Any) -> Self:
        """Return this kind of ground as hard as asked, for a robot of some size.

        Args:
            difficulty: From 0 to 1.
            leg_m: Length of the robot's legs [m], the height of its hips.
            fields: Further fields; they win over what difficulty says.

        Raises:
            SurefootError: If the difficulty is not from 0 to 1.
        """
        if not 0.0 <= difficulty <= 1.0:
            raise SurefootError(f"A difficulty of {difficulty:g}; valid: 0 to 1.")
        sizes = {
            name: cls._within(
                name, (size.easy + difficulty * (size.hard - size.easy)) * (leg_m if size.of_leg else 1.0)
            )
            for name, size in cls.growth.items()
        }
        return cls.model_validate({**sizes, **fields})

    @classmethod
    def _within(cls, name: str, value: float) -> float:
        """Return what is nearest to a value among those that a field may have: stairs for giants end somewhere."""
        for bound in cls.model_fields[name].metadata:
            value = max(value, getattr(bound, "ge", value))
            value = min(value, getattr(bound, "le", value))
        return value

    def spacing_m(self) -> float:
        """Return the distance between nodes of its grid [m]."""
        return LARGEST_SPACING_M

    @abstractmethod
    def heights(self, spacing_m: float, i: np.ndarray, j: np.ndarray) -> np.ndarray:
        """Return the height at nodes [m], float64, in a shape that broadcasts to (len(i), len(j)).

        Args:
            spacing_m: Between nodes [m]. Sizes are whole cells, so another than its own makes them a little different.
            i: Nodes from the origin along x, (ni, 1).
            j: Nodes along y, (1, nj).
        """

    def tile_heights(self, spacing_m: float, i: np.ndarray, j: np.ndarray, rim: int) -> np.ndarray:
        """Return :meth:`heights`, but level from some distance on, as the rim of a tile has to be.

        Args:
            spacing_m: As in :meth:`heights`.
            i: As in :meth:`heights`.
            j: As in :meth:`heights`.
            rim: Nodes from the origin, along x or y, from which the ground is level.
        """
        inside = rim - np.maximum(np.abs(i), np.abs(j))
        return self.heights(spacing_m, i, j) * np.clip(inside * (spacing_m / FADE_M), 0.0, 1.0)

    def is_flat(self) -> bool:
        """Return whether it is the plane z = 0."""
        return False

    @abstractmethod
    def words(self) -> str:
        """Return what it is, for a report."""

    def impossible(self) -> Iterator[tuple[str, str]]:
        """Yield each field that contradicts another, whatever the robot, with what is wrong."""
        yield from ()

    def unfit(self, walker: Walker) -> Iterator[tuple[str, str]]:
        """Yield each field that asks more than a robot can do, with what is wrong."""
        del walker
        yield from ()

    def grade(self) -> tuple[str, float] | None:
        """Return the field that says how steep all of it is, with its value [deg]; None of what does not slope."""
        return None

    def is_stepped(self) -> bool:
        """Return whether it is made of edges, which a drawing must not smooth."""
        return False


def cells(length_m: float, spacing_m: float) -> int:
    """Return how many cells cover a length."""
    return math.ceil(length_m / spacing_m - 1e-9)


def whole_cells(length_m: float, spacing_m: float, *, fewest: int = 1) -> int:
    """Return how many cells come nearest to a length."""
    return max(fewest, round(length_m / spacing_m))


def symmetric(seed: int, i: np.ndarray, j: np.ndarray, word: int = 0) -> np.ndarray:
    """Return a number from (-1, 1) that depends on seed, i and j alone, in the shape to which i and j broadcast.

    Args:
        seed: Any natural number.
        i: Whole numbers.
        j: Whole numbers.
        word: Which of four numbers that are independent of each other.
    """
    i, j = np.broadcast_arrays(i, j)
    counter = np.stack((i, j, np.zeros_like(i), np.zeros_like(i)), axis=-1) & 0xFFFFFFFF
    words = philox(counter.astype(np.uint32), (seed & 0xFFFFFFFF, seed >> 32 & 0xFFFFFFFF))
    return 2.0 * unit_interval(words[..., word]).astype(np.float64) - 1.0


def unit(seed: int, i: np.ndarray, j: np.ndarray, word: int = 0) -> np.ndarray:
    """Return a number from (0, 1); see :func:`symmetric`."""
    return 0.5 * (symmetric(seed, i, j, word) + 1.0)
