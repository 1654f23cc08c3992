"""The kinds of ground, one class each; training, evaluation and pictures make their height grids of these.

All but flat and rough ground lies ahead alone, for a robot that walks straight, or all around the platform, as in
training. What lies around has the same height at the same distance, by the larger of x and y: a slope is a pyramid.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import ClassVar, Literal, override

import numpy as np
from pydantic import Field

from .ground import PLATFORM_M, Ground, Growth, Walker, cells, symmetric, unit, whole_cells
from .height_grid import LARGEST_SPACING_M

STAIRS_SPACING_M = LARGEST_SPACING_M
"""Largest spacing of stairs. A riser is one cell deep: one of 15 cm leans by 18 degrees. At half of this it would lean
by 9.5, but Newton would take nearly twice as long on a CPU, and shapes would touch more triangles than it has room for.
"""

BUMP_M = 0.2
"""Between the random heights of rough ground, which lines connect: the ``downsampled_scale`` with which legged_gym
makes its random uniform terrain (``legged_gym/utils/terrain.py``)."""

STEEPEST_WAVE_DEG = 45.0
"""As steep as a slope may be."""

PATCH_M = 2.0
"""Edge of the squares of mixed ground."""


class Flat(Ground):
    """The plane z = 0."""

    @override
    def heights(self, spacing_m: float, i: np.ndarray, j: np.ndarray) -> np.ndarray:
        return np.zeros((1, 1))

    @override
    def is_flat(self) -> bool:
        return True

    @override
    def words(self) -> str:
        return "flat"


class Rough(Ground):
    """Uniform random heights at the corners of squares, linear between them along x and then along y."""

    # Of a Go2's 0.32 m: 1 to 5 cm.
    growth: ClassVar[Mapping[str, Growth]] = {"roughness_m": Growth(0.03, 0.155)}

    roughness_m: float = Field(default=0.04, gt=0.0, le=0.3)
    """Of rough and mixed ground: largest height above and below the mean."""
    seed: int = Field(default=0, ge=0)
    """Of rough ground, obstacles, stepping stones and mixed ground."""

    @override
    def heights(self, spacing_m: float, i: np.ndarray, j: np.ndarray) -> np.ndarray:
        per_bump = round(BUMP_M / spacing_m)
        (corner_i, part_i), (corner_j, part_j) = divmod(i, per_bump), divmod(j, per_bump)
        share_i, share_j = part_i / per_bump, part_j / per_bump

        def at(bump_i: np.ndarray, bump_j: np.ndarray) -> np.ndarray:
            level = np.maximum(np.abs(bump_i), np.abs(bump_j)) * BUMP_M <= PLATFORM_M + 1e-9
            return np.where(level, 0.0, self.roughness_m * symmetric(self.seed, bump_i, bump_j))

        low = at(corner_i, corner_j) * (1.0 - share_i) + at(corner_i + 1, corner_j) * share_i
        high = at(corner_i, corner_j + 1) * (1.0 - share_i) + at(corner_i + 1, corner_j + 1) * share_i
        return low * (1.0 - share_j) + high * share_j

    @override
    def words(self) -> str:
        return f"rough, up to {_cm(self.roughness_m)} above and below"

    @override
    def unfit(self, walker: Walker) -> Iterator[tuple[str, str]]:
        if 2 * self.roughness_m >= walker.hips_m:
            yield (
                "roughness_m",
                f"is {self.roughness_m:g}, {2 * self.roughness_m:g} m from lowest to highest; {walker.name} stands "
                f"{walker.hips_m:g} m high.",
            )


class _Placed(Ground):
    place: Literal["ahead", "around"] = "ahead"
    """Of all but flat and rough ground: ahead of the start alone, or all around it."""

    def _beyond(self, spacing_m: float, i: np.ndarray, j: np.ndarray) -> np.ndarray:
        """Return how many cells nodes are beyond the platform's edge, 0 on it and on what stays level."""
        way = np.maximum(np.abs(i), np.abs(j)) if self.place == "around" else i
        return np.maximum(way - cells(PLATFORM_M, spacing_m), 0)

    def _placed(self, text: str) -> str:
        return f"{text}, all around" if self.place == "around" else text


class _Directed(_Placed):
    direction: Literal["up", "down"] = "up"
    """Of slope and stairs."""

    def _signed(self, rise: np.ndarray) -> np.ndarray:
        return rise if self.direction == "up" else -rise

    @override
    def tile_heights(self, spacing_m: float, i: np.ndarray, j: np.ndarray, rim: int) -> np.ndarray:
        # It ends as high as it has come, whichever way.
        return self.heights(spacing_m, np.clip(i, -rim, rim), np.clip(j, -rim, rim))


class Slope(_Directed):
    """One slope from the platform's edge on."""

    growth: ClassVar[Mapping[str, Growth]] = {"grade_deg": Growth(5.0, 25.0, of_leg=False)}

    grade_deg: float = Field(default=15.0, ge=0.0, le=45.0)
    """Of a slope."""

    @override
    def heights(self, spacing_m: float, i: np.ndarray, j: np.ndarray) -> np.ndarray:
        return self._signed(math.tan(math.radians(self.grade_deg)) * spacing_m * self._beyond(spacing_m, i, j))

    @override
    def words(self) -> str:
        return self._placed(f"slope of {self.grade_deg:g}° {self.direction}")

    @override
    def grade(self) -> tuple[str, float] | None:
        return "grade_deg", self.grade_deg


class Stairs(_Directed):
    """Each step is a riser of one cell and a level part; the first riser begins at the platform's edge."""

    # Of a Go2's 0.32 m: 5 to 19 cm high. Depths are those of buildings, whoever climbs them.
    growth: ClassVar[Mapping[str, Growth]] = {
        "step_height_m": Growth(0.15, 0.6),
        "step_depth_m": Growth(0.4, 0.3, of_leg=False),
    }

    step_height_m: float = Field(default=0.15, gt=0.0, le=0.5)
    """Of stairs."""
    step_depth_m: float = Field(default=0.3, ge=0.1, le=2.0)
    """Of stairs."""

    @override
    def spacing_m(self) -> float:
        return self.step_depth_m / cells(self.step_depth_m, STAIRS_SPACING_M)  # of which a step's depth is a multiple

    @override
    def heights(self, spacing_m: float, i: np.ndarray, j: np.ndarray) -> np.ndarray:
        cells_per_step = whole_cells(self.step_depth_m, spacing_m)
        return self._signed(self.step_height_m * np.ceil(self._beyond(spacing_m, i, j) / cells_per_step))

    @override
    def words(self) -> str:
        size = f"{_cm(self.step_height_m)} high, {_cm(self.step_depth_m)} deep"
        return self._placed(f"stairs {self.direction}, steps {size}")

    @override
    def unfit(self, walker: Walker) -> Iterator[tuple[str, str]]:
        yield from _too_high("step_height_m", self.step_height_m, walker)
        yield from _too_short("step_depth_m", self.step_depth_m, walker)

    @override
    def is_stepped(self) -> bool:
        return True


class Obstacles(_Placed):
    """A box in each square of the plane, of a size and at a place of its own, on level ground.

    Squares are twice as wide as the longest side of a box. Sides are from half to all of that, heights likewise.
    """

    # Of a Go2's 0.32 m: boxes up to 5 to 19 cm high.
    growth: ClassVar[Mapping[str, Growth]] = {"obstacle_height_m": Growth(0.15, 0.6), "obstacle_size_m": Growth(1.5, 1)}

    obstacle_height_m: float = Field(default=0.1, gt=0.0, le=0.5)
    """Of obstacles, also of mixed ground: height of the highest; the lowest are half as high."""
    obstacle_size_m: float = Field(default=0.4, ge=0.2, le=2.0)
    """Of obstacles, also of mixed ground: longest side; the shortest are half as long."""
    seed: int = Field(default=0, ge=0)
    """Of rough ground, obstacles, stepping stones and mixed ground."""

    @override
    def heights(self, spacing_m: float, i: np.ndarray, j: np.ndarray) -> np.ndarray:
        per_square = 2 * whole_cells(self.obstacle_size_m, spacing_m, fewest=2)
        (square_i, part_i), (square_j, part_j) = divmod(i, per_square), divmod(j, per_square)
        sides = (unit(self.seed, square_i, square_j, word) for word in (0, 1))
        places = (symmetric(self.seed + 1, square_i, square_j, word) for word in (0, 1))
        inside = self._beyond(spacing_m, i, j) > 0
        for part, share, place in zip((part_i, part_j), sides, places, strict=True):
            half = 0.125 * per_square * (1.0 + share)  # an eighth to a quarter of the square
            middle = 0.5 * per_square + place * (0.5 * per_square - half - 1.0)  # off the square's border
            inside = inside & (np.abs(part - middle) <= half)
        height = 0.5 * self.obstacle_height_m * (1.0 + unit(self.seed, square_i, square_j, 2))
        return np.where(inside, height, 0.0)

    @override
    def words(self) -> str:
        size = f"up to {_cm(self.obstacle_height_m)} high and {_cm(self.obstacle_size_m)} long"
        return self._placed(f"obstacles {size}")

    @override
    def unfit(self, walker: Walker) -> Iterator[tuple[str, str]]:
        yield from _too_high("obstacle_height_m", self.obstacle_height_m, walker)

    @override
    def is_stepped(self) -> bool:
        return True


class Bars(_Placed):
    """Level bars at equal distances across the way: a step up and, behind it, as far down again."""

    # Of a Go2's 0.32 m: 5 to 19 cm high, as steps are.
    growth: ClassVar[Mapping[str, Growth]] = {"bar_height_m": Growth(0.15, 0.6), "bar_m": Growth(3.0, 3.0)}

    bar_height_m: float = Field(default=0.1, gt=0.0, le=0.5)
    """Of bars."""
    bar_m: float = Field(default=1.0, ge=0.1, le=5.0)
    """Of bars: from the front of one to its back, and from there to the next."""

    @override
    def heights(self, spacing_m: float, i: np.ndarray, j: np.ndarray) -> np.ndarray:
        bar = whole_cells(self.bar_m, spacing_m, fewest=2)
        # The first riser begins at the platform's edge; those at the back stand on the bar's own ground.
        on_bar = self._beyond(spacing_m, i, j) % (2 * bar)
        return np.where((on_bar > 0) & (on_bar < bar), self.bar_height_m, 0.0)

    @override
    def words(self) -> str:
        return self._placed(f"bars {_cm(self.bar_height_m)} high, one every {2 * self.bar_m:g} m")

    @override
    def unfit(self, walker: Walker) -> Iterator[tuple[str, str]]:
        yield from _too_high("bar_height_m", self.bar_height_m, walker)
        yield from _too_short("bar_m", self.bar_m, walker)

    @override
    def is_stepped(self) -> bool:
        return True


class _Void(_Placed):
    void_depth_m: float = Field(default=0.5, ge=0.1, le=2.0)
    """Of gaps and stepping stones: how far down it is between what can be stepped on."""


class Gaps(_Void):
    """Trenches at equal distances across the way; each wall is one cell, within the trench's width."""

    # Of a Go2's 0.32 m: 10 to 29 cm wide.
    growth: ClassVar[Mapping[str, Growth]] = {
        "gap_m": Growth(0.3, 0.9),
        "landing_m": Growth(2.0, 1.5),
        "void_depth_m": Growth(1.0, 1.0),
    }

    gap_m: float = Field(default=0.2, ge=0.05, le=1.0)
    """Of gaps: width from edge to edge."""
    landing_m: float = Field(default=0.6, ge=0.1, le=5.0)
    """Of gaps: level ground between one and the next."""

    @override
    def spacing_m(self) -> float:
        return _spacing_of_void(self.gap_m)

    @override
    def heights(self, spacing_m: float, i: np.ndarray, j: np.ndarray) -> np.ndarray:
        gap, landing = whole_cells(self.gap_m, spacing_m, fewest=2), whole_cells(self.landing_m, spacing_m)
        # The first begins at the platform's edge, which is its brink.
        in_gap = self._beyond(spacing_m, i, j) % (gap + landing)
        return np.where((in_gap > 0) & (in_gap < gap), -self.void_depth_m, 0.0)

    @override
    def words(self) -> str:
        return self._placed(f"gaps {_cm(self.gap_m)} wide, one every {_cm(self.gap_m + self.landing_m)}")

    @override
    def unfit(self, walker: Walker) -> Iterator[tuple[str, str]]:
        yield from _too_wide("gap_m", self.gap_m, walker)
        yield from _too_short("landing_m", self.landing_m, walker)

    @override
    def is_stepped(self) -> bool:
        return True


class Stones(_Void):
    """Square stones in rows and columns, each level and of a height of its own, above a void."""

    # Of a Go2's 0.32 m: stones of 52 to 26 cm, 10 to 23 cm apart, up to 2 cm higher or lower.
    growth: ClassVar[Mapping[str, Growth]] = {
        "stone_m": Growth(1.6, 0.8),
        "stone_gap_m": Growth(0.3, 0.7),
        "stone_height_m": Growth(0.0, 0.06),
        "void_depth_m": Growth(1.0, 1.0),
    }

    stone_m: float = Field(default=0.3, ge=0.05, le=2.0)
    """Of stepping stones: edge of their top."""
    stone_gap_m: float = Field(default=0.15, ge=0.05, le=1.0)
    """Of stepping stones: from one to the next."""
    stone_height_m: float = Field(default=0.02, ge=0.0, le=0.3)
    """Of stepping stones: how far above or below the start they are at most."""
    seed: int = Field(default=0, ge=0)
    """Of rough ground, obstacles, stepping stones and mixed ground."""

    @override
    def spacing_m(self) -> float:
        return _spacing_of_void(self.stone_gap_m)

    @override
    def heights(self, spacing_m: float, i: np.ndarray, j: np.ndarray) -> np.ndarray:
        stone, gap = whole_cells(self.stone_m, spacing_m), whole_cells(self.stone_gap_m, spacing_m, fewest=2)
        # Ahead the platform's edge is the brink of the first gap; sideways a stone is in the middle of the way.
        row, part_i = divmod(i - cells(PLATFORM_M, spacing_m) - gap, stone + gap)
        column, part_j = divmod(j + stone // 2, stone + gap)
        height = self.stone_height_m * symmetric(self.seed, row, column)
        ground = np.where((part_i <= stone) & (part_j <= stone), height, -self.void_depth_m)
        return np.where(self._beyond(spacing_m, i, j) > 0, ground, 0.0)

    @override
    def words(self) -> str:
        return self._placed(f"stepping stones of {_cm(self.stone_m)}, {_cm(self.stone_gap_m)} apart")

    @override
    def unfit(self, walker: Walker) -> Iterator[tuple[str, str]]:
        yield from _too_short("stone_m", self.stone_m, walker)
        yield from _too_wide("stone_gap_m", self.stone_gap_m, walker)
        yield from _too_high("stone_height_m", 2.0 * self.stone_height_m, walker)

    @override
    def is_stepped(self) -> bool:
        return True


class Waves(_Placed):
    """Cosine waves from the platform's edge on, which is a trough; all else is above it."""

    # Of a Go2's 0.32 m: 5 to 19 cm high, 1.6 to 1.3 m long, which is 6 to 25 degrees where it is steepest.
    growth: ClassVar[Mapping[str, Growth]] = {"wave_height_m": Growth(0.15, 0.6), "wave_length_m": Growth(5.0, 4.0)}

    wave_height_m: float = Field(default=0.1, gt=0.0, le=1.0)
    """Of waves, also of mixed ground: from trough to crest."""
    wave_length_m: float = Field(default=1.5, ge=0.5, le=10.0)
    """Of waves, also of mixed ground: from crest to crest."""

    @override
    def heights(self, spacing_m: float, i: np.ndarray, j: np.ndarray) -> np.ndarray:
        phase = 2.0 * math.pi * spacing_m / self.wave_length_m * self._beyond(spacing_m, i, j)
        return 0.5 * self.wave_height_m * (1.0 - np.cos(phase))

    @override
    def words(self) -> str:
        return self._placed(f"waves {_cm(self.wave_height_m)} high, {self.wave_length_m:g} m long")

    @override
    def impossible(self) -> Iterator[tuple[str, str]]:
        steepest_deg = math.degrees(math.atan(math.pi * self.wave_height_m / self.wave_length_m))
        if steepest_deg > STEEPEST_WAVE_DEG:
            yield (
                "wave_height_m",
                f"is {self.wave_height_m:g}: waves {self.wave_length_m:g} m long would be as steep as "
                f"{steepest_deg:.0f} degrees; valid: up to {STEEPEST_WAVE_DEG:g}, a height of "
                f"{self.wave_length_m / math.pi:.2g} m.",
            )

    @override
    def unfit(self, walker: Walker) -> Iterator[tuple[str, str]]:
        if self.wave_length_m <= walker.hips_m:  # legs cannot tell such a wave from a row of steps
            yield from _too_high("wave_height_m", self.wave_height_m, walker)


class Mixed(Rough, Obstacles, Waves):
    """Squares of 2 m that are level, rough, or have obstacles or waves, drawn for each; each fades into the next."""

    growth: ClassVar[Mapping[str, Growth]] = {**Rough.growth, **Obstacles.growth, **Waves.growth}

    @override
    def heights(self, spacing_m: float, i: np.ndarray, j: np.ndarray) -> np.ndarray:
        per_patch = whole_cells(PATCH_M, spacing_m)
        # Sideways a square is in the middle of the way.
        (patch_i, part_i), (patch_j, part_j) = divmod(i, per_patch), divmod(j + per_patch // 2, per_patch)
        drawn = np.floor(4.0 * unit(self.seed, patch_i, patch_j, 3))  # one of four
        kinds = (np.zeros((1, 1)), *(kind.heights(self, spacing_m, i, j) for kind in (Rough, Obstacles, Waves)))
        height = np.select([drawn == number for number in range(4)], kinds)
        to_border = np.minimum(np.minimum(part_i, per_patch - part_i), np.minimum(part_j, per_patch - part_j))
        faded = height * np.minimum(to_border * (spacing_m / BUMP_M), 1.0)
        return np.where(self._beyond(spacing_m, i, j) > 0, faded, 0.0)

    @override
    def words(self) -> str:
        parts = f"{_cm(self.roughness_m)} rough, obstacles of {_cm(self.obstacle_height_m)}"
        return self._placed(f"mixed: {parts}, waves of {_cm(self.wave_height_m)}")

    @override
    def unfit(self, walker: Walker) -> Iterator[tuple[str, str]]:
        for kind in (Rough, Obstacles, Waves):
            yield from kind.unfit(self, walker)


KINDS: dict[str, type[Ground]] = {
    "flat": Flat,
    "rough": Rough,
    "slope": Slope,
    "stairs": Stairs,
    "obstacles": Obstacles,
    "bars": Bars,
    "gaps": Gaps,
    "stones": Stones,
    "waves": Waves,
    "mixed": Mixed,
}
"""Every kind of ground by the name that files give it."""


def _spacing_of_void(gap_m: float) -> float:
    """Return a spacing of which a gap is a multiple, of two at least: its walls take one cell each."""
    return gap_m / max(2, cells(gap_m, LARGEST_SPACING_M))


def _cm(length_m: float) -> str:
    return f"{100 * length_m:.3g} cm"


def _too_high(field: str, height_m: float, walker: Walker) -> Iterator[tuple[str, str]]:
    if height_m >= walker.hips_m:
        text = f"is {height_m:g}; {walker.name} stands {walker.hips_m:g} m high and cannot set a foot above its hips."
        yield field, text


def _too_wide(field: str, gap_m: float, walker: Walker) -> Iterator[tuple[str, str]]:
    if gap_m >= walker.hips_m:
        yield field, f"is {gap_m:g}; {walker.name} has legs of {walker.hips_m:g} m and cannot step farther than that."


def _too_short(field: str, length_m: float, walker: Walker) -> Iterator[tuple[str, str]]:
    if length_m < walker.sole_m:
        yield field, f"is {length_m:g}; a sole of {walker.name} is {walker.sole_m:g} m long."
