"""Where a height scan looks: a grid of places around the base, turned with its heading."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np

RAYS_ALONG, RAYS_ACROSS = 17, 11
"""Places ahead and behind, and to both sides: 1.6 m by 1.0 m in steps of 0.1 m, as in Isaac Lab's rough velocity task
(``isaaclab_tasks.core.velocity``)."""

RAY_SPACING_M = 0.1

NUM_RAYS = RAYS_ALONG * RAYS_ACROSS


def ray_offsets_m() -> np.ndarray:
    """Return the places from the base [m], ahead and to the left, (NUM_RAYS, 2), float32.

    In rows from behind to ahead, each from right to left.
    """
    import numpy as np  # a command line that is refused has no use for it

    ahead, left = (RAY_SPACING_M * (np.arange(count) - (count - 1) / 2) for count in (RAYS_ALONG, RAYS_ACROSS))
    places = np.stack(np.meshgrid(ahead, left, indexing="ij"), axis=-1)
    return places.reshape(NUM_RAYS, 2).astype(np.float32)


def mirrored_rays() -> list[int]:
    """Return for each place the one on the other side, in order."""
    return [row * RAYS_ACROSS + RAYS_ACROSS - 1 - place for row in range(RAYS_ALONG) for place in range(RAYS_ACROSS)]
