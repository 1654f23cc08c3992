""":class:`Terrain` is ground of any kind, for scenarios and for tasks."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal, override

import numpy as np

from .ground import Ground, Walker
from .kinds import KINDS, Bars, Gaps, Mixed, Slope, Stairs, Stones


class Terrain(Slope, Stairs, Mixed, Bars, Gaps, Stones):
    """Ground under a scenario; the robot starts at the origin, facing x."""

    kind: Literal["flat", "rough", "slope", "stairs", "obstacles", "bars", "gaps", "stones", "waves", "mixed"] = "flat"

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
    def tile_heights(self, spacing_m: float, i: np.ndarray, j: np.ndarray, rim: int) -> np.ndarray:
        return self.ground.tile_heights(spacing_m, i, j, rim)

    @override
    def is_flat(self) -> bool:
        return self.ground.is_flat()

    @override
    def words(self) -> str:
        return self.ground.words()

    @override
    def impossible(self) -> Iterator[tuple[str, str]]:
        return self.ground.impossible()

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
