"""Warp kernels that carry changed inertial and contact parameters of some worlds into the MuJoCo Warp solver.

A world is one environment of a batch. MuJoCo keeps, beside the parameters themselves, constants that it derives from
them in the reference pose ``qpos0`` (``mj_setConst``, MuJoCo 3.12, engine_setconst.c: ``set0`` and ``setFixed``):

    body_subtreemass   mass of a body and of everything that hangs on it
    meaninertia        mean of the diagonal of the joint-space inertia M, armature included
    dof_invweight0     diagonal of M^-1, averaged over the axes of a ball joint, over each triple of a free joint
    body_invweight0    traces / 3 of J M^-1 J^T, with J the translation and the rotation of the body's centre of mass

MuJoCo forms M, factors it and solves once per degree of freedom and six times per body. Here two sweeps over the tree
give the same without M, in time linear in the number of degrees of freedom: towards the root the articulated-body
inertia (Featherstone, Rigid Body Dynamics Algorithms, 2008, section 7.2), towards the tips the inverse inertia at each
link, "what acceleration does a force on this link cause" (Lilly & Orin, "Efficient O(N) recursive computation of the
operational space inertia matrix", IEEE Trans. SMC 23, 1993, the force propagation method). With link ``i`` moved by
the motion ``S`` of one degree of freedom of armature ``a`` on link ``p``:

    U = I_i S,  D = S.U + a,  g = U / D,  I_p += I_i - U g^T
    w = W_p g,  (M^-1)_ii = 1 / D + g.w,  W_i = W_p - S w^T - w S^T + (M^-1)_ii S S^T

Spatial vectors are (angular, linear) at the origin of the tree's root body, in world axes at ``qpos0``: nothing is
transformed on the way. The sweeps are in double precision: at a foot a metre from the root most of the digits of
``W`` cancel. They are a few thousand operations, so that this costs little on GPUs with few double-precision units too.

Scratch arrays have the world last: neighbouring threads read neighbouring numbers.
"""

# Warp's types have operators that their Python classes do not declare, and kernels index them with integers of Warp.
# pyright: reportArgumentType=false, reportOperatorIssue=false, reportCallIssue=false, reportIndexIssue=false
# pyright: reportGeneralTypeIssues=false, reportAttributeAccessIssue=false, reportAssignmentType=false

import warp as wp

from .functions import (
    MIN_VALUE,
    SOLREF_FORCE_SPACE,
    SOLREF_RAW,
    inverse_weight,
    limit_mode,
    principal_axes,
    rigid_inertia,
    solref_of_gains,
    spatial_inertia,
)
from .structs import NewtonParameters, RigidInertia, Scratch, SolverParameters, Tree

wp.set_module_options({"enable_backward": False})


@wp.func
def write_inertia_of(
    body: int, world: int, tree: Tree, newton: NewtonParameters, solver: SolverParameters, scratch: Scratch
) -> None:
    """Write the parameters of a body, their inverses, and its inertia at ``qpos0``."""
    index = newton.body_index[world, body]
    if index < 0:  # the world itself
        scratch.rigid[body, world] = RigidInertia()
        scratch.subtree_mass[body, world] = wp.float64(0.0)
        return
    mass = newton.body_mass[index]
    com = newton.body_com[index]
    inertia = newton.body_inertia[index]
    if mass > 0.0:
        newton.body_inv_mass[index] = 1.0 / mass
        newton.body_inv_inertia[index] = wp.inverse(inertia)
    else:
        newton.body_inv_mass[index] = 0.0
        newton.body_inv_inertia[index] = wp.mat33(0.0)

    solver.body_mass[world, body] = mass
    solver.body_ipos[world, body] = com
    exact = wp.mat33d(inertia)
    axes = principal_axes(exact)
    moments = wp.get_diag(wp.transpose(axes) * exact * axes)
    solver.body_inertia[world, body] = wp.vec3(float(moments[0]), float(moments[1]), float(moments[2]))
    rotation = wp.normalize(wp.quat_from_matrix(axes))
    # MuJoCo's order is (w, x, y, z), kept in Warp's type of (x, y, z, w).
    solver.body_iquat[world, body] = wp.quat(
        float(rotation[3]), float(rotation[0]), float(rotation[1]), float(rotation[2])
    )

    turn = tree.body_rotation[body]
    point = tree.body_position[body] + turn * wp.vec3d(com)
    scratch.rigid[body, world] = rigid_inertia(wp.float64(mass), point, turn * exact * wp.transpose(turn))
    scratch.subtree_mass[body, world] = wp.float64(mass)


@wp.kernel
def write_inertia(
    world_mask: wp.array(dtype=bool),
    lanes: int,
    tree: Tree,
    newton: NewtonParameters,
    # outputs
    solver: SolverParameters,
    scratch: Scratch,
) -> None:
    """One thread per (lane, world): in those of the mask, :func:`write_inertia_of` the bodies a multiple away."""
    lane, world = wp.tid()  # pyright: ignore - as many integers as the launch has dimensions
    if world_mask[world]:
        for body in range(lane, tree.body_parent.shape[0], lanes):
            write_inertia_of(body, world, tree, newton, solver, scratch)


@wp.kernel
def sweep_tree(
    world_mask: wp.array(dtype=bool),
    tree: Tree,
    newton: NewtonParameters,
    # outputs
    solver: SolverParameters,
    scratch: Scratch,
) -> None:
    """One thread per world: in those of the mask, armature, subtree masses, mean inertia, both sweeps over the tree."""
    world = wp.tid()
    if not world_mask[world]:
        return
    num_bodies = tree.body_parent.shape[0]
    num_dofs = tree.dof_parent.shape[0]
    for dof in range(num_dofs):
        scratch.composite[dof, world] = RigidInertia()
    for step in range(num_bodies):
        body = num_bodies - 1 - step
        link = tree.body_link[body]
        if link >= 0:
            scratch.composite[link, world] = scratch.composite[link, world] + scratch.rigid[body, world]
        mass = scratch.subtree_mass[body, world]
        solver.body_subtreemass[world, body] = float(mass)
        if body > 0:
            parent_body = tree.body_parent[body]
            scratch.subtree_mass[parent_body, world] = scratch.subtree_mass[parent_body, world] + mass
    for dof in range(num_dofs):
        scratch.inertia[dof, world] = spatial_inertia(scratch.composite[dof, world])

    trace = wp.float64(0.0)
    for step in range(num_dofs):
        dof = num_dofs - 1 - step
        index = newton.dof_index[world, dof]
        if index >= 0:
            solver.dof_armature[world, dof] = newton.joint_armature[index]
        armature = wp.float64(solver.dof_armature[world, dof])
        motion = tree.dof_motion[dof]
        composite = scratch.composite[dof, world]
        trace += armature + wp.dot(motion, spatial_inertia(composite) * motion)
        articulated = scratch.inertia[dof, world]
        force = articulated * motion
        inverse = wp.float64(1.0) / wp.max(wp.dot(motion, force) + armature, MIN_VALUE)
        propagation = inverse * force
        scratch.propagation[dof, world] = propagation
        scratch.inverse_diagonal[dof, world] = inverse
        parent = tree.dof_parent[dof]
        if parent >= 0:
            scratch.composite[parent, world] = scratch.composite[parent, world] + composite
            handed = articulated - wp.outer(force, propagation)
            scratch.inertia[parent, world] = scratch.inertia[parent, world] + handed
    if num_dofs > 0:
        solver.meaninertia[world] = float(trace / wp.float64(num_dofs))

    for dof in range(num_dofs):
        motion = tree.dof_motion[dof]
        propagation = scratch.propagation[dof, world]
        inverse = scratch.inverse_diagonal[dof, world]
        parent = tree.dof_parent[dof]
        if parent >= 0:
            above = scratch.inertia[parent, world]
            response = above * propagation
            inverse += wp.dot(propagation, response)
            lost = wp.outer(motion, response)
            scratch.inertia[dof, world] = above - lost - wp.transpose(lost) + inverse * wp.outer(motion, motion)
        else:
            scratch.inertia[dof, world] = inverse * wp.outer(motion, motion)
        scratch.inverse_diagonal[dof, world] = inverse


@wp.func
def mean_inverse_diagonal(tree: Tree, scratch: Scratch, dof: int, world: int) -> float:
    """Diagonal of M^-1, averaged over the degrees of freedom that MuJoCo takes together."""
    total = wp.float64(0.0)
    first = tree.dof_group_first[dof]
    size = tree.dof_group_size[dof]
    for i in range(size):
        total += scratch.inverse_diagonal[first + i, world]
    return float(total / wp.float64(size))


@wp.func
def write_inverse_weights_of(
    item: int,
    world: int,
    tree: Tree,
    newton: NewtonParameters,
    scratch: Scratch,
    limit_solref: wp.array(dtype=wp.vec2),
    limit_solref_mode: wp.array(dtype=int),
    solver: SolverParameters,
) -> None:
    """Write what depends on M^-1 of the body, the degree of freedom and the joint of a number."""
    if item < tree.body_parent.shape[0]:
        link = tree.body_link[item]
        weight = wp.vec2d()
        if link >= 0:
            point = tree.body_position[item] + tree.body_rotation[item] * wp.vec3d(solver.body_ipos[world, item])
            weight = inverse_weight(scratch.inertia[link, world], point)
        solver.body_invweight0[world, item] = wp.vec2(float(weight[0]), float(weight[1]))
    if item < tree.dof_parent.shape[0]:
        solver.dof_invweight0[world, item] = mean_inverse_diagonal(tree, scratch, item, world)
    if item >= tree.joint_dof.shape[0]:
        return
    index = newton.joint_dof_index[world, item]
    if index < 0:
        return
    # Only a limit in units of force depends on inertia: MuJoCo multiplies by it what Newton divides here.
    if limit_mode(index, limit_solref, limit_solref_mode) == SOLREF_FORCE_SPACE:
        weight_of_dof = mean_inverse_diagonal(tree, scratch, tree.joint_dof[item], world)
        free = 1.0 - solver.jnt_solimp[world, item][1]
        scale = wp.where(weight_of_dof > 0.0 and free > 0.0, weight_of_dof * free, 1.0)
        solver.jnt_solref[world, item] = solref_of_gains(
            scale * newton.joint_limit_ke[index], scale * newton.joint_limit_kd[index]
        )


@wp.kernel
def write_inverse_weights(
    world_mask: wp.array(dtype=bool),
    lanes: int,
    tree: Tree,
    newton: NewtonParameters,
    scratch: Scratch,
    limit_solref: wp.array(dtype=wp.vec2),
    limit_solref_mode: wp.array(dtype=int),
    # outputs
    solver: SolverParameters,
) -> None:
    """One thread per (lane, world): in those of the mask, :func:`write_inverse_weights_of` numbers a multiple away."""
    lane, world = wp.tid()  # pyright: ignore - as many integers as the launch has dimensions
    if world_mask[world]:
        for item in range(lane, wp.max(tree.body_parent.shape[0], tree.dof_parent.shape[0]), lanes):
            write_inverse_weights_of(item, world, tree, newton, scratch, limit_solref, limit_solref_mode, solver)


@wp.kernel
def write_contact_parameters(
    world_mask: wp.array(dtype=bool),
    lanes: int,
    shape_index: wp.array2d(dtype=int),
    shape_mu: wp.array(dtype=float),
    shape_mu_torsional: wp.array(dtype=float),
    shape_mu_rolling: wp.array(dtype=float),
    shape_ke: wp.array(dtype=float),
    shape_kd: wp.array(dtype=float),
    shape_solref: wp.array(dtype=wp.vec2),
    shape_solref_mode: wp.array(dtype=int),
    # outputs
    geom_friction: wp.array2d(dtype=wp.vec3),
    geom_solref: wp.array2d(dtype=wp.vec2),
) -> None:
    """One thread per (lane, world): in those of the mask, friction, stiffness and damping as Newton has them.

    A thread writes the geometries that are a multiple of lanes away.
    """
    lane, world = wp.tid()  # pyright: ignore - as many integers as the launch has dimensions
    if not world_mask[world]:
        return
    for geom in range(lane, shape_index.shape[1], lanes):
        shape = shape_index[world, geom]
        if shape >= 0:
            geom_friction[world, geom] = wp.vec3(shape_mu[shape], shape_mu_torsional[shape], shape_mu_rolling[shape])
            raw = wp.bool(False)
            if shape_solref_mode and shape_solref:
                raw = shape_solref_mode[shape] == SOLREF_RAW
            if raw:
                geom_solref[world, geom] = shape_solref[shape]
            else:
                geom_solref[world, geom] = solref_of_gains(shape_ke[shape], shape_kd[shape])
