"""A height grid on the device, as kernels read it."""

# A kernel is compiled by Warp, whose types have operators that their Python classes do not declare.
# pyright: reportArgumentType=false, reportIndexIssue=false, reportOperatorIssue=false, reportCallIssue=false
# pyright: reportAttributeAccessIssue=false, reportGeneralTypeIssues=false

from __future__ import annotations

import warp as wp

from .height_grid import HeightGrid

wp.set_module_options({"enable_backward": False})  # no gradients are taken; a CPU is faster without


@wp.struct
class GroundArray:
    """A height grid; the plane z = 0 where it has no cells."""

    heights_m: wp.array2d(dtype=float)
    spacing_m: float
    origin_x_m: float
    origin_y_m: float


@wp.func
def ground_height(ground: GroundArray, x: float, y: float) -> float:
    """Height of the ground at a place [m]: on the grid's triangles, as :meth:`HeightGrid.height` has it.

    It is always finite: beyond the border it is the border's, and 0 of a place that is no number.
    """
    last_x = ground.heights_m.shape[0] - 1
    last_y = ground.heights_m.shape[1] - 1
    in_x = (x - ground.origin_x_m) / ground.spacing_m
    in_y = (y - ground.origin_y_m) / ground.spacing_m
    if last_x < 1 or wp.isnan(in_x) or wp.isnan(in_y):
        return 0.0
    in_x = wp.clamp(in_x, 0.0, float(last_x))
    in_y = wp.clamp(in_y, 0.0, float(last_y))
    i = wp.min(int(in_x), last_x - 1)
    j = wp.min(int(in_y), last_y - 1)
    along_x = in_x - float(i)
    along_y = in_y - float(j)
    near = ground.heights_m[i, j]
    far = ground.heights_m[i + 1, j + 1]
    if along_x >= along_y:
        side = ground.heights_m[i + 1, j]
        return near + (side - near) * along_x + (far - side) * along_y
    side = ground.heights_m[i, j + 1]
    return near + (far - side) * along_x + (side - near) * along_y


def make_ground_array(grid: HeightGrid | None, device: str) -> GroundArray:
    """Copy a grid to a device.

    Args:
        grid: In the scene's frame; None for the plane z = 0.
        device: The device.
    """
    ground = GroundArray()
    if grid is None:
        ground.heights_m = wp.zeros((1, 1), dtype=wp.float32, device=device)
        ground.spacing_m = 1.0
        return ground
    ground.heights_m = wp.array(grid.heights_m, dtype=wp.float32, device=device)
    ground.spacing_m = grid.spacing_m
    ground.origin_x_m, ground.origin_y_m = grid.origin_xy_m
    return ground
