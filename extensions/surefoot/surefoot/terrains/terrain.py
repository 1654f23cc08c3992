"""What ground is: one class for each kind, and :class:`Terrain`, which is any of them, for scenarios and for tasks.

Robots start at the origin, facing x, on level ground of 1 m all round.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Literal, NamedTuple, override

import numpy as np
from pydantic import Field

from surefoot.random_numbers.philox_numpy import philox, unit_interval
from surefoot.strict_model import StrictModel

from .height_grid import LARGEST_SPACING_M

PLATFORM_M = 1.0
"""Half the edge of the level square around the origin."""

STAIRS_SPACING_M = LARGEST_SPACING_M
"""Largest spacing of stairs. A riser is one cell deep: one of 15 cm leans by 18 degrees. At half of this it would lean
by 9.5, but Newton would take nearly twice as long on a CPU, and shapes would touch more triangles than it has room for.
"""

BUMP_M = 0.2
"""Between the random heights of rough ground, which lines connect: the ``downsampled_scale`` with which legged_gym
makes its random uniform terrain (``legged_gym/utils/terrain.py``)."""


class Walker(NamedTuple):
    """What of a robot says on which ground it can walk at all.

    Attributes:
        name: Its name.
        hips_m: Height of its hips [m]: a foot cannot be set on what is higher.
        sole_m: Length of its longest sole [m].
    """

    name: str
    hips_m: float
    sole_m: float


class Ground(StrictModel):
    """A kind of ground. Its fields are what files say of it; each has a default, and other kinds may share it."""

    def spacing_m(self) -> float:
        """Return the distance between nodes of its grid [m]."""
        return LARGEST_SPACING_M

    def heights(self, spacing_m: float, i: np.ndarray, j: np.ndarray) -> np.ndarray:
        """Return the height at nodes [m], float64, in a shape that broadcasts to (len(i), len(j)).

        Args:
            spacing_m: Between nodes [m].
            i: Nodes from the origin along x, (ni, 1).
            j: Nodes along y, (1, nj).
        """
        del spacing_m, i, j
        return np.zeros((1, 1))

    def words(self) -> str:
        """Return what it is, for a report."""
        return "flat"

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


class Flat(Ground):
    """The plane z = 0."""


class Rough(Ground):
    """Uniform random heights at the corners of squares, linear between them along x and then along y."""

    roughness_m: float = Field(default=0.04, gt=0.0, le=0.3)
    """Of rough ground: largest height above and below the mean."""
    seed: int = Field(default=0, ge=0)
    """Of rough ground."""

    @override
    def heights(self, spacing_m: float, i: np.ndarray, j: np.ndarray) -> np.ndarray:
        per_bump = round(BUMP_M / spacing_m)
        (corner_i, part_i), (corner_j, part_j) = divmod(i, per_bump), divmod(j, per_bump)
        share_i, share_j = part_i / per_bump, part_j / per_bump

        def at(bump_i: np.ndarray, bump_j: np.ndarray) -> np.ndarray:
            level = np.maximum(np.abs(bump_i), np.abs(bump_j)) * BUMP_M <= PLATFORM_M + 1e-9
            return np.where(level, 0.0, self.roughness_m * _uniform(self.seed, bump_i, bump_j))

        low = at(corner_i, corner_j) * (1.0 - share_i) + at(corner_i + 1, corner_j) * share_i
        high = at(corner_i, corner_j + 1) * (1.0 - share_i) + at(corner_i + 1, corner_j + 1) * share_i
        return low * (1.0 - share_j) + high * share_j

    @override
    def words(self) -> str:
        return f"rough, up to {100 * self.roughness_m:g} cm above and below"

    @override
    def unfit(self, walker: Walker) -> Iterator[tuple[str, str]]:
        if 2 * self.roughness_m >= walker.hips_m:
            yield (
                "roughness_m",
                f"is {self.roughness_m:g}, {2 * self.roughness_m:g} m from lowest to highest; {walker.name} stands "
                f"{walker.hips_m:g} m high.",
            )


class _Directed(Ground):
    direction: Literal["up", "down"] = "up"
    """Of slope and stairs."""

    def _signed(self, rise: np.ndarray) -> np.ndarray:
        return rise if self.direction == "up" else -rise


class Slope(_Directed):
    """One slope from the platform's edge on."""

    grade_deg: float = Field(default=15.0, ge=0.0, le=45.0)
    """Of a slope."""

    @override
    def heights(self, spacing_m: float, i: np.ndarray, j: np.ndarray) -> np.ndarray:
        return self._signed(math.tan(math.radians(self.grade_deg)) * np.maximum(i * spacing_m - PLATFORM_M, 0.0))

    @override
    def words(self) -> str:
        return f"slope of {self.grade_deg:g}° {self.direction}"

    @override
    def grade(self) -> tuple[str, float] | None:
        return "grade_deg", self.grade_deg


class Stairs(_Directed):
    """Each step is a riser of one cell and a level part; the first riser begins at the platform's edge."""

    step_height_m: float = Field(default=0.15, gt=0.0, le=0.5)
    """Of stairs."""
    step_depth_m: float = Field(default=0.3, ge=0.1, le=2.0)
    """Of stairs."""

    @override
    def spacing_m(self) -> float:
        return self.step_depth_m / cells(self.step_depth_m, STAIRS_SPACING_M)  # of which a step's depth is a multiple

    @override
    def heights(self, spacing_m: float, i: np.ndarray, j: np.ndarray) -> np.ndarray:
        cells_per_step = round(self.step_depth_m / spacing_m)
        beyond_edge = np.maximum(i - cells(PLATFORM_M, spacing_m), 0)
        return self._signed(self.step_height_m * np.ceil(beyond_edge / cells_per_step))

    @override
    def words(self) -> str:
        size = f"{100 * self.step_height_m:g} cm high, {100 * self.step_depth_m:g} cm deep"
        return f"stairs {self.direction}, steps {size}"

    @override
    def unfit(self, walker: Walker) -> Iterator[tuple[str, str]]:
        if self.step_height_m >= walker.hips_m:
            yield (
                "step_height_m",
                f"is {self.step_height_m:g}; {walker.name} stands {walker.hips_m:g} m high and cannot set a foot above "
                "its hips.",
            )
        if self.step_depth_m < walker.sole_m:
            yield "step_depth_m", f"is {self.step_depth_m:g}; a sole of {walker.name} is {walker.sole_m:g} m long."

    @override
    def is_stepped(self) -> bool:
        return True


KINDS: dict[str, type[Ground]] = {"flat": Flat, "rough": Rough, "slope": Slope, "stairs": Stairs}
"""Every kind of ground by the name that files give it."""


class Terrain(Rough, Slope, Stairs):
    """Ground under a scenario; the robot starts at the origin, facing x."""

    kind: Literal["flat", "rough", "slope", "stairs"] = "flat"

    @property
    def ground(self) -> Ground:
        """What it is, without the fields that other kinds have."""
        fields = KINDS[self.kind].model_fields
        return KINDS[self.kind].model_validate({name: getattr(self, name) for name in fields})

    @override
    def spacing_m(self) -> float:
        return self.ground.spacing_m()

    @override
    def heights(self, spacing_m: float, i: np.ndarray, j: np.ndarray) -> np.ndarray:
        return self.ground.heights(spacing_m, i, j)

    @override
    def words(self) -> str:
        return self.ground.words()

    @override
    def unfit(self, walker: Walker) -> Iterator[tuple[str, str]]:
        return self.ground.unfit(walker)

    @override
    def grade(self) -> tuple[str, float] | None:
        return self.ground.grade()

    @override
    def is_stepped(self) -> bool:
        return self.ground.is_stepped()


FLAT = Terrain()
"""The ground that tasks are trained on unless they say otherwise."""


def cells(length_m: float, spacing_m: float) -> int:
    """Return how many cells cover a length."""
    return math.ceil(length_m / spacing_m - 1e-9)


def _uniform(seed: int, i: np.ndarray, j: np.ndarray) -> np.ndarray:
    """Return a number from (-1, 1) that depends on seed, i and j alone, in the shape to which i and j broadcast."""
    i, j = np.broadcast_arrays(i, j)
    counter = np.stack((i, j, np.zeros_like(i), np.zeros_like(i)), axis=-1) & 0xFFFFFFFF
    words = philox(counter.astype(np.uint32), (seed & 0xFFFFFFFF, seed >> 32 & 0xFFFFFFFF))
    return 2.0 * unit_interval(words[..., 0]).astype(np.float64) - 1.0
