"""Configuration of a field of ground to train on."""

from __future__ import annotations

from dataclasses import field

from isaaclab.utils import configclass

COLUMNS = {
    "flat": 1,
    "rough": 2,
    "slope_up": 2,
    "slope_down": 2,
    "stairs_up": 3,
    "stairs_down": 3,
    "obstacles": 2,
    "gaps": 1,
    "stones": 1,
    "waves": 2,
    "mixed": 1,
}
"""Columns of a field by what they are made of: a kind of ground, with its direction where it has one. Twenty in all, as
Isaac Lab's rough terrain has them, and like it mostly stairs (``isaaclab.terrains.config.rough``)."""


@configclass
class FieldCfg:
    """Tiles in rows of equal difficulty, and in columns of one kind of ground each."""

    levels: int = 10
    """Rows, from the easiest to the hardest."""

    columns: dict[str, int] = field(default_factory=lambda: dict(COLUMNS))
    """Columns of each kind, see :data:`COLUMNS`; 0 leaves a kind out."""

    tile_m: float = 6.0
    """Edge of a tile [m]. One of 8 m, as in Isaac Lab, has nearly twice the triangles at our spacing of 5 cm, which is
    half of Isaac Lab's."""

    seed: int = 0
    """Of what is drawn in tiles; each tile draws its own."""

    first_levels: int = 3
    """Levels that environments begin on when training begins, evenly from the easiest on; without the curriculum of
    levels, as in play, they are spread over all."""
