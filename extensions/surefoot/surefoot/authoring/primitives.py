"""Boxes, capsules and spheres in the place of meshes, fitted by MuJoCo's compiler."""

from itertools import product
from typing import NamedTuple

import mujoco
import numpy as np

from surefoot_bridge.state import rotation_matrix

from .anatomy import MIRROR, Array, at_zero

_KINDS = (mujoco.mjtGeom.mjGEOM_BOX, mujoco.mjtGeom.mjGEOM_CAPSULE, mujoco.mjtGeom.mjGEOM_SPHERE)
"""Shapes that are fitted. No cylinders: PhysX collides them as general convex bodies, which costs time."""


class Shape(NamedTuple):
    """A primitive shape in the frame of its body.

    Attributes:
        name: Its name.
        kind: A `mujoco.mjtGeom`.
        size: As MuJoCo has it [m], (3,).
        pos: Its centre [m], (3,).
        quat: Rotation from its frame to the body's, scalar first, (4,).
        misfit_m: Mean distance of the mesh's surface from it [m]; None of a shape that was no mesh.
    """

    name: str
    kind: int
    size: Array
    pos: Array
    quat: Array
    misfit_m: float | None = None


def fit_meshes(spec: mujoco.MjSpec) -> dict[str, Shape]:
    """Return the primitive nearest to each mesh, by the name of its shape.

    Each kind is fitted twice by MuJoCo's compiler, to the mesh's moments of inertia and to the box around it; the one
    from which the mesh's surface is least away is taken.

    Args:
        spec: The robot, each shape with a name. It is left as it was.
    """
    names = [geom.name for geom in spec.geoms if geom.type == mujoco.mjtGeom.mjGEOM_MESH]
    if not names:
        return {}
    model = spec.compile()
    surfaces = {name: _surface(model, model.geom(name).id) for name in names}
    best: dict[str, Shape] = {}
    for kind, around in product(_KINDS, (False, True)):
        trial = spec.copy()
        trial.compiler.fitaabb = around
        for geom in trial.geoms:
            if geom.name in surfaces:
                geom.type = kind
        fitted = trial.compile()
        for name, (points, weights) in surfaces.items():
            geom = fitted.geom(name)
            shape = Shape(name, int(kind), geom.size.copy(), geom.pos.copy(), geom.quat.copy())
            misfit = float(np.average(np.abs(_distance(shape, points)), weights=weights))
            if name not in best or misfit < (best[name].misfit_m or 0.0):
                best[name] = shape._replace(misfit_m=misfit)
    return best


def _surface(model: mujoco.MjModel, geom: int) -> tuple[Array, Array]:
    """Return the middles of a mesh's triangles in the frame of the body, (n, 3), and their areas, (n,)."""
    mesh = model.geom_dataid[geom]
    vertices = model.mesh_vert[model.mesh_vertadr[mesh] :][: model.mesh_vertnum[mesh]].astype(np.float64)
    faces = model.mesh_face[model.mesh_faceadr[mesh] :][: model.mesh_facenum[mesh]]
    corners = vertices[faces]  # (n, 3, 3)
    areas = 0.5 * np.linalg.norm(np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]), axis=1)
    return model.geom_pos[geom] + corners.mean(axis=1) @ rotation_matrix(model.geom_quat[geom]).T, areas


def _distance(shape: Shape, points: Array) -> Array:
    """Return how far points are outside of a shape, negative inside [m], (n,)."""
    local = (points - shape.pos) @ rotation_matrix(shape.quat)
    if shape.kind == mujoco.mjtGeom.mjGEOM_BOX:
        beyond = np.abs(local) - shape.size
        return np.linalg.norm(np.maximum(beyond, 0.0), axis=1) + np.minimum(beyond.max(axis=1), 0.0)
    if shape.kind == mujoco.mjtGeom.mjGEOM_CAPSULE:
        local = local - np.clip(local, [0.0, 0.0, -shape.size[1]], [0.0, 0.0, shape.size[1]])
    return np.linalg.norm(local, axis=1) - shape.size[0]


def shapes_of(model: mujoco.MjModel, fitted: dict[str, Shape]) -> dict[str, list[Shape]]:
    """Return the shapes of each body, meshes replaced by what was fitted.

    Args:
        model: The robot.
        fitted: The primitive for each mesh, by the name of its shape.
    """
    shapes: dict[str, list[Shape]] = {model.body(index).name: [] for index in range(1, model.nbody)}
    for index in range(model.ngeom):
        geom = model.geom(index)
        plain = Shape(geom.name, int(geom.type[0]), geom.size.copy(), geom.pos.copy(), geom.quat.copy())
        shapes[model.body(model.geom_bodyid[index]).name].append(fitted.get(geom.name, plain))
    return shapes


def mirror_fits(model: mujoco.MjModel, shapes: dict[str, list[Shape]], body_mirror: dict[str, str]) -> None:
    """Make fitted shapes symmetric in place: right ones become left ones' mirror images, middle ones their own.

    Two meshes that mirror each other are fitted alike up to millimetres; a policy that learns from mirrored experience
    needs a model that is symmetric.

    Args:
        model: The robot.
        shapes: Body -> its shapes, in its frame.
        body_mirror: Body -> body on the other side.
    """
    data = at_zero(model)
    for left, right in body_mirror.items():
        if all(shape.misfit_m is None for shape in shapes[left]):
            continue
        if left == right:
            shapes[left] = _symmetric([_moved(data, left, shape) for shape in shapes[left]])
            shapes[left] = [_moved(data, left, shape, back=True) for shape in shapes[left]]
        elif data.body(left).xpos[1] > data.body(right).xpos[1] and len(shapes[left]) == len(shapes[right]):
            shapes[right] = [
                _moved(data, right, _reflected(_moved(data, left, one)), back=True)._replace(name=other.name)
                for one, other in zip(shapes[left], shapes[right], strict=True)
            ]


def _moved(data: mujoco.MjData, body: str, shape: Shape, *, back: bool = False) -> Shape:
    """Return a shape of a body's frame in the world's, or the other way round."""
    place, turn = data.body(body).xpos, data.body(body).xmat.reshape(3, 3)
    pos, axes = shape.pos, rotation_matrix(shape.quat)
    pos, axes = (turn.T @ (pos - place), turn.T @ axes) if back else (place + turn @ pos, turn @ axes)
    return shape._replace(pos=pos, quat=quaternion(axes))


def _reflected(shape: Shape) -> Shape:
    """Return the mirror image of a shape that is its own image in its own x-z plane."""
    return shape._replace(
        pos=MIRROR * shape.pos, quat=quaternion(np.diag(MIRROR) @ rotation_matrix(shape.quat) * MIRROR)
    )


def _symmetric(shapes: list[Shape]) -> list[Shape]:
    """Return shapes of the world's frame so that each fitted one has its image among them, or is its own."""
    result = list(shapes)
    for index, shape in enumerate(shapes):
        if shape.misfit_m is None:
            continue
        image = MIRROR * shape.pos
        partner = min(range(len(shapes)), key=lambda other: np.linalg.norm(shapes[other].pos - image))
        if partner == index:
            result[index] = _centred(shape)
        elif shape.pos[1] > shapes[partner].pos[1]:
            result[partner] = _reflected(shape)._replace(name=shapes[partner].name)
    return result


def _centred(shape: Shape) -> Shape:
    """Return a shape moved into the x-z plane and turned by the least that makes it its own image."""
    axes = rotation_matrix(shape.quat)  # columns are its axes
    across = int(np.argmax(np.abs(axes[1])))
    along = int(np.argmin(np.abs(axes[1])))
    turned = np.zeros((3, 3))
    turned[1, across] = 1.0
    turned[:, along] = axes[:, along] * [1.0, 0.0, 1.0] / np.hypot(axes[0, along], axes[2, along])
    last = 3 - across - along
    turned[:, last] = np.cross(turned[:, (last + 1) % 3], turned[:, (last + 2) % 3])
    return shape._replace(pos=shape.pos * [1.0, 0.0, 1.0], quat=quaternion(turned))


def quaternion(matrix: Array) -> Array:
    """Return the quaternion of a rotation matrix, scalar first, (4,)."""
    quat = np.empty(4)
    mujoco.mju_mat2Quat(quat, np.ascontiguousarray(matrix, dtype=np.float64).reshape(9))
    return quat
