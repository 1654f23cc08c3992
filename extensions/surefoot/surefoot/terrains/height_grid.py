"""Heights of the ground on a regular grid: the one source of a terrain in every engine."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from surefoot_bridge.errors import SurefootError

LARGEST_SPACING_M = 0.05
"""Of neighbouring nodes: two to a foot's width."""

MOST_NODES_PER_AXIS = 4096
"""More, and Newton would make the spacing coarser by itself."""


def check_shape(shape: tuple[int, ...]) -> None:
    """Refuse a grid of a shape that an engine cannot take, before anyone makes room for it.

    Raises:
        SurefootError: If it has too few or too many nodes along an axis.
    """
    if len(shape) != 2 or min(shape) < 2 or max(shape) > MOST_NODES_PER_AXIS:
        raise SurefootError(
            f"A grid of heights of shape {shape}; valid: two axes of 2 to {MOST_NODES_PER_AXIS} nodes. "
            "Make the terrain smaller, as by a shorter scenario."
        )


@dataclass(frozen=True, kw_only=True, eq=False)
class HeightGrid:
    """Heights at the nodes of a square grid, and the triangles between them.

    Each cell is cut into two triangles along the diagonal from its corner of least x and y to the opposite one, as
    MuJoCo's height fields are; the surface of all engines is these triangles. Beyond its border the ground is taken to
    go on at the border's height. Arrays are copied and cannot be written.

    Attributes:
        heights_m: Height of each node [m], (nx, ny), float32: first index along x, second along y.
        spacing_m: Between neighbouring nodes along x and along y [m].
        origin_xy_m: Where node (0, 0) is [m].
    """

    heights_m: np.ndarray
    spacing_m: float
    origin_xy_m: tuple[float, float]

    def __post_init__(self) -> None:
        """Check what no engine could be given."""
        heights = np.array(self.heights_m, dtype=np.float32)
        check_shape(heights.shape)
        if not np.isfinite(heights).all():
            raise SurefootError(f"{np.count_nonzero(~np.isfinite(heights))} heights are not finite numbers.")
        if not 0.0 < self.spacing_m <= LARGEST_SPACING_M:
            raise SurefootError(f"A grid spacing of {self.spacing_m:g} m; valid: above 0 up to {LARGEST_SPACING_M} m.")
        heights.flags.writeable = False
        object.__setattr__(self, "heights_m", heights)

    @property
    def is_flat(self) -> bool:
        """Whether it is the plane z = 0."""
        return not self.heights_m.any()

    @property
    def x_m(self) -> np.ndarray:
        """Where the nodes are along x [m], (nx,)."""
        return self.origin_xy_m[0] + self.spacing_m * np.arange(self.heights_m.shape[0])

    @property
    def y_m(self) -> np.ndarray:
        """Where the nodes are along y [m], (ny,)."""
        return self.origin_xy_m[1] + self.spacing_m * np.arange(self.heights_m.shape[1])

    def around(self, places_xy: np.ndarray, reach_m: float) -> HeightGrid:
        """Return the part that is near some places.

        Args:
            places_xy: The places [m], (N, 2).
            reach_m: How far it goes beyond them [m], where the grid does.
        """
        corner = np.array(self.origin_xy_m)
        low = np.floor((places_xy.min(axis=0) - reach_m - corner) / self.spacing_m).astype(int)
        high = np.ceil((places_xy.max(axis=0) + reach_m - corner) / self.spacing_m).astype(int)
        low = np.clip(low, 0, np.array(self.heights_m.shape) - 2)
        high = np.clip(high, low + 2, self.heights_m.shape)
        x, y = corner + low * self.spacing_m
        return HeightGrid(
            heights_m=self.heights_m[low[0] : high[0], low[1] : high[1]],
            spacing_m=self.spacing_m,
            origin_xy_m=(float(x), float(y)),
        )

    def height(self, x: np.ndarray | float, y: np.ndarray | float) -> np.ndarray:
        """Return the height of the ground [m] at some places, float64, in the shape to which x and y broadcast.

        Args:
            x: Along x [m].
            y: Along y [m].
        """
        corner, slope_x, slope_y, along_x, along_y = self._facet(x, y)
        return corner + slope_x * along_x + slope_y * along_y

    def normal(self, x: np.ndarray | float, y: np.ndarray | float) -> np.ndarray:
        """Return the unit vector that stands on the ground at some places, (..., 3), float64; z is positive.

        Args:
            x: Along x [m].
            y: Along y [m].
        """
        _, slope_x, slope_y, _, _ = self._facet(x, y)
        vector = np.stack((-slope_x, -slope_y, np.full_like(slope_x, self.spacing_m)), axis=-1)
        return vector / np.linalg.norm(vector, axis=-1, keepdims=True)

    def _facet(self, x: np.ndarray | float, y: np.ndarray | float) -> tuple[np.ndarray, ...]:
        """Return height of the cell's first corner, rise per cell along x and y, and place in the cell from 0 to 1."""
        last_x, last_y = self.heights_m.shape[0] - 1, self.heights_m.shape[1] - 1
        in_x = np.clip((np.asarray(x, dtype=np.float64) - self.origin_xy_m[0]) / self.spacing_m, 0.0, last_x)
        in_y = np.clip((np.asarray(y, dtype=np.float64) - self.origin_xy_m[1]) / self.spacing_m, 0.0, last_y)
        in_x, in_y = np.broadcast_arrays(in_x, in_y)
        # A robot whose state is not finite any more stands nowhere; its height is not finite either.
        i = np.minimum(np.nan_to_num(in_x), last_x - 1).astype(np.int64)
        j = np.minimum(np.nan_to_num(in_y), last_y - 1).astype(np.int64)
        along_x, along_y = in_x - i, in_y - j
        heights = self.heights_m
        near, far = heights[i, j].astype(np.float64), heights[i + 1, j + 1].astype(np.float64)
        # The third corner of the triangle: the one of greater x where x is further along, else that of greater y.
        below = along_x >= along_y
        side = np.where(below, heights[i + 1, j], heights[i, j + 1]).astype(np.float64)
        slope_x = np.where(below, side - near, far - side)
        slope_y = np.where(below, far - side, side - near)
        return near, slope_x, slope_y, along_x, along_y
