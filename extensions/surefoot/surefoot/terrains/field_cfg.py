"""Configuration of a field of ground to train on."""

from __future__ import annotations

from dataclasses import dataclass, field

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


@dataclass(kw_only=True)  # not frozen, for the reason that Range is not
class PhaseCfg:
    """A phase of training: where its robots walk, and what it takes until the next phase opens.

    Attributes:
        ground: What it trains on, names of :data:`COLUMNS`; kinds of which the field has no column are passed over.
        weight: Share of the environments that it keeps once all phases are open, in proportion to the others.
        commands: Share of the commands' range in use that its robots are asked for; 0 asks them to stand.
        success: It is passed while this share of its last episodes succeeded: the robot did not fall, and got half as
            far as it was asked; one that was asked to stand stood.
        level: It is passed while its robots are on this level of the field in the mean, or on a higher one.
        all_levels: Whether its robots begin on all levels evenly, where each has the same ground. Many robots on few
            tiles make PhysX look at pairs that do not collide: 170 on a tile made a step twice as long.
    """

    ground: tuple[str, ...]
    weight: float
    commands: float = 1.0
    success: float
    level: float = 0.0
    all_levels: bool = False


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

    phases: dict[str, PhaseCfg | None] = field(default_factory=dict)
    """Phases in the order in which they open: each when all before it are passed, which they must stay for the next.
    Those that are None are left out; without any all ground is open from the start."""

    first_phase: str = ""
    """The last phase of those that are open when training begins; the first one if it is empty."""
