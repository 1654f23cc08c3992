"""The arrays that :mod:`.kernels` read and write, and how they are bound."""

# Warp's types have operators that their Python classes do not declare, and kernels index them with integers of Warp.
# pyright: reportArgumentType=false, reportOperatorIssue=false, reportCallIssue=false, reportIndexIssue=false
# pyright: reportGeneralTypeIssues=false, reportAttributeAccessIssue=false, reportAssignmentType=false

from collections.abc import Iterable
from typing import Any

import warp as wp

from .tree import KinematicTree

RigidInertia = wp.types.vector(length=10, dtype=wp.float64)
"""Mass m, first moment m c (3) and rotational inertia at the origin (xx, yy, zz, xy, xz, yz)."""

SolverImpedance = wp.types.vector(length=5, dtype=wp.float32)
"""MuJoCo's five numbers of an impedance, ``solimp``."""


@wp.struct
class Tree:
    """A :class:`.tree.KinematicTree` on the device: what is the same in all worlds."""

    body_parent: wp.array(dtype=int)
    body_link: wp.array(dtype=int)
    body_position: wp.array(dtype=wp.vec3d)
    body_rotation: wp.array(dtype=wp.mat33d)
    dof_parent: wp.array(dtype=int)
    dof_motion: wp.array(dtype=wp.spatial_vectord)
    dof_group_first: wp.array(dtype=int)
    dof_group_size: wp.array(dtype=int)
    joint_dof: wp.array(dtype=int)


@wp.struct
class NewtonParameters:
    """Newton's model, all worlds in one row, and which of its elements the solver's are, [world, element]."""

    body_index: wp.array2d(dtype=int)
    dof_index: wp.array2d(dtype=int)
    joint_dof_index: wp.array2d(dtype=int)
    body_mass: wp.array(dtype=float)
    body_com: wp.array(dtype=wp.vec3)
    body_inertia: wp.array(dtype=wp.mat33)
    body_inv_mass: wp.array(dtype=float)
    body_inv_inertia: wp.array(dtype=wp.mat33)
    joint_armature: wp.array(dtype=float)
    joint_limit_ke: wp.array(dtype=float)
    joint_limit_kd: wp.array(dtype=float)


@wp.struct
class SolverParameters:
    """MuJoCo Warp's model, [world, element]."""

    body_mass: wp.array2d(dtype=float)
    body_ipos: wp.array2d(dtype=wp.vec3)
    body_inertia: wp.array2d(dtype=wp.vec3)
    body_iquat: wp.array2d(dtype=wp.quat)
    body_subtreemass: wp.array2d(dtype=float)
    body_invweight0: wp.array2d(dtype=wp.vec2)
    dof_armature: wp.array2d(dtype=float)
    dof_invweight0: wp.array2d(dtype=float)
    jnt_solimp: wp.array2d(dtype=SolverImpedance)
    jnt_solref: wp.array2d(dtype=wp.vec2)
    meaninertia: wp.array(dtype=float)


@wp.struct
class Scratch:
    """Between the launches, [element, world]."""

    rigid: wp.array2d(dtype=RigidInertia)
    subtree_mass: wp.array2d(dtype=wp.float64)
    composite: wp.array2d(dtype=RigidInertia)
    inertia: wp.array2d(dtype=wp.spatial_matrixd)
    """Articulated-body inertia of a link on the way to the root, its inverse inertia after the way back."""
    propagation: wp.array2d(dtype=wp.spatial_vectord)
    """Share of a force on a link that its joint hands to the parent, g."""
    inverse_diagonal: wp.array2d(dtype=wp.float64)
    """1 / D on the way to the root, diagonal of M^-1 after the way back."""


def tree_on_device(tree: KinematicTree, device: Any) -> Any:
    """Copy a tree to a device."""
    struct = Tree()
    types = {"body_position": wp.vec3d, "body_rotation": wp.mat33d, "dof_motion": wp.spatial_vectord}
    for name, value in vars(tree).items():
        setattr(struct, name, wp.array(value, dtype=types.get(name, wp.int32), device=device))
    return struct


def _bind(struct: Any, names: Iterable[str], owner: Any) -> Any:
    for name in names:
        setattr(struct, name, getattr(owner, name))
    return struct


def newton_parameters(solver: Any) -> Any:
    """Bind the arrays of a solver's Newton model, and the solver's maps into them."""
    struct = NewtonParameters()
    struct.body_index = solver.mjc_body_to_newton
    struct.dof_index = solver.mjc_dof_to_newton_dof
    struct.joint_dof_index = solver.mjc_jnt_to_newton_dof
    bodies = ("body_mass", "body_com", "body_inertia", "body_inv_mass", "body_inv_inertia")
    return _bind(struct, (*bodies, "joint_armature", "joint_limit_ke", "joint_limit_kd"), solver.model)


def solver_parameters(mjw_model: Any) -> Any:
    """Bind the arrays of a MuJoCo Warp model."""
    bodies = ("body_mass", "body_ipos", "body_inertia", "body_iquat", "body_subtreemass", "body_invweight0")
    joints = ("dof_armature", "dof_invweight0", "jnt_solimp", "jnt_solref")
    struct = _bind(SolverParameters(), (*bodies, *joints), mjw_model)
    struct.meaninertia = mjw_model.stat.meaninertia
    return struct


def scratch(tree: KinematicTree, num_worlds: int, device: Any) -> Any:
    """Allocate what the launches need for a number of worlds."""
    struct = Scratch()
    bodies, dofs = (len(tree.body_parent), num_worlds), (len(tree.dof_parent), num_worlds)
    struct.rigid = wp.zeros(bodies, dtype=RigidInertia, device=device)
    struct.subtree_mass = wp.zeros(bodies, dtype=wp.float64, device=device)
    struct.composite = wp.zeros(dofs, dtype=RigidInertia, device=device)
    struct.inertia = wp.zeros(dofs, dtype=wp.spatial_matrixd, device=device)
    struct.propagation = wp.zeros(dofs, dtype=wp.spatial_vectord, device=device)
    struct.inverse_diagonal = wp.zeros(dofs, dtype=wp.float64, device=device)
    return struct
