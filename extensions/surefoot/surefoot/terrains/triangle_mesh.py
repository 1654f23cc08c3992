"""The surface of a height grid as a triangle mesh."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from .height_grid import HeightGrid


class TriangleMesh(NamedTuple):
    """Triangles in space.

    Attributes:
        vertices_m: Corners [m], (num_vertices, 3), float32.
        triangles: Corners of each triangle, counterclockwise seen from above, (num_triangles, 3), int32.
    """

    vertices_m: np.ndarray
    triangles: np.ndarray


def triangle_mesh(grid: HeightGrid) -> TriangleMesh:
    """Return exactly the grid's triangles: nothing is moved to make risers vertical."""
    nx, ny = grid.heights_m.shape
    vertices = np.empty((nx, ny, 3), dtype=np.float32)
    vertices[..., 0] = grid.x_m[:, None]
    vertices[..., 1] = grid.y_m[None, :]
    vertices[..., 2] = grid.heights_m
    node = np.arange(nx * ny, dtype=np.int32).reshape(nx, ny)
    near, far = node[:-1, :-1], node[1:, 1:]
    greater_x, greater_y = node[1:, :-1], node[:-1, 1:]
    corners = np.stack((near, greater_x, far, near, far, greater_y), axis=-1)  # (nx - 1, ny - 1, 6)
    return TriangleMesh(vertices.reshape(-1, 3), corners.reshape(-1, 3))
