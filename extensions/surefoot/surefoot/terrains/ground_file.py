"""Height grids beside an endless plane as a USD file, kept in a cache of the user."""

# USD's Python bindings come without types of their own.
# pyright: reportAttributeAccessIssue=false, reportOptionalMemberAccess=false, reportCallIssue=false

from __future__ import annotations

import contextlib
import hashlib
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from surefoot_bridge.errors import SurefootError, reason
from surefoot_robots.usd import cache_directory

from . import FLAT_GROUND_USD
from .height_grid import HeightGrid
from .triangle_mesh import triangle_mesh

NEWTON_HEIGHT_FIELD = "newton:heightfield:resolution"
"""Attribute by which Isaac Lab knows a mesh that Newton is to take as a height field of this spacing [m]."""

UNUSED_S = 30 * 86400.0
"""Files that nobody used for so long are deleted when another is written [s]: each different suite leaves one."""

_FORM = b"1"
"""Part of the key of files in the cache: another number makes files of another form."""


def ground_file(grids: Sequence[HeightGrid]) -> Path:
    """Return the flat ground's plane and material with a mesh for each grid, writing the file if it is not there.

    The root prim is ``/Ground``, meshes are ``/Ground/Tile_0`` and so on. Several processes may call this at once.

    Args:
        grids: In the scene's frame.

    Raises:
        SurefootError: If the cache cannot be written.
    """
    folder = cache_directory().with_name("ground")
    path = folder / f"ground-{_content_key(grids)}.usdc"
    if path.is_file():
        with contextlib.suppress(OSError):  # a cache that cannot be written can be read
            path.touch()
        return path
    try:
        folder.mkdir(parents=True, exist_ok=True)
        _delete_unused(folder)
        with tempfile.TemporaryDirectory(prefix=f".{path.stem}-", dir=folder) as scratch:
            whole = Path(scratch) / path.name
            _write(whole, grids)
            whole.replace(path)
    except OSError as error:
        raise SurefootError(
            f"The cache {folder} cannot be written: {reason(error)}. Set SUREFOOT_CACHE_DIR to a writable directory."
        ) from error
    return path


def _delete_unused(folder: Path) -> None:
    for path in folder.glob("ground-*.usdc"):
        with contextlib.suppress(FileNotFoundError):  # another process deletes them, too
            if time.time() - path.stat().st_mtime > UNUSED_S:
                path.unlink()


def _content_key(grids: Sequence[HeightGrid]) -> str:
    content = hashlib.sha256(_FORM + FLAT_GROUND_USD.read_bytes())
    for grid in grids:
        content.update(repr((grid.heights_m.shape, float(grid.spacing_m), grid.origin_xy_m)).encode())
        content.update(grid.heights_m.tobytes())
    return content.hexdigest()[:16]


def _write(path: Path, grids: Sequence[HeightGrid]) -> None:
    from pxr import Sdf, Usd, UsdGeom, UsdPhysics, UsdShade, Vt

    layer = Sdf.Layer.CreateNew(str(path))
    layer.TransferContent(Sdf.Layer.FindOrOpen(str(FLAT_GROUND_USD)))
    stage = Usd.Stage.Open(layer)
    ground = stage.GetDefaultPrim().GetPath()
    material = UsdShade.Material.Get(stage, ground.AppendChild("Material"))
    for number, grid in enumerate(grids):
        mesh = UsdGeom.Mesh.Define(stage, ground.AppendChild(f"Tile_{number}"))
        surface = triangle_mesh(grid)
        mesh.CreatePointsAttr(Vt.Vec3fArray.FromNumpy(surface.vertices_m))
        mesh.CreateFaceVertexIndicesAttr(Vt.IntArray.FromNumpy(surface.triangles.ravel()))
        mesh.CreateFaceVertexCountsAttr(Vt.IntArray(len(surface.triangles), 3))
        mesh.CreateSubdivisionSchemeAttr(UsdGeom.Tokens.none)
        prim = mesh.GetPrim()
        UsdPhysics.CollisionAPI.Apply(prim)
        UsdPhysics.MeshCollisionAPI.Apply(prim).CreateApproximationAttr(UsdPhysics.Tokens.none)
        UsdShade.MaterialBindingAPI.Apply(prim).Bind(material, UsdShade.Tokens.weakerThanDescendants, "physics")
        prim.CreateAttribute(NEWTON_HEIGHT_FIELD, Sdf.ValueTypeNames.Float).Set(grid.spacing_m)
    layer.Save()
