"""Inertia and contact parameters as MuJoCo wants them: the functions of :mod:`.kernels`."""

# Warp's types have operators that their Python classes do not declare, and kernels index them with integers of Warp.
# pyright: reportArgumentType=false, reportOperatorIssue=false, reportCallIssue=false, reportIndexIssue=false
# pyright: reportGeneralTypeIssues=false, reportAttributeAccessIssue=false, reportAssignmentType=false, reportReturnType=false

import warp as wp

from .structs import RigidInertia

MIN_VALUE = wp.constant(wp.float64(1e-15))
"""MuJoCo's mjMINVAL: what is below counts as zero."""

SOLREF_FORCE_SPACE = wp.constant(0)
SOLREF_RAW = wp.constant(1)
SOLREF_MUJOCO_DEFAULT = wp.constant(2)
"""Newton 1.6.1's SOLREF_MODE_*: where a joint limit's or a shape's ``solref`` comes from."""


@wp.func
def rigid_inertia(mass: wp.float64, com: wp.vec3d, inertia: wp.mat33d) -> RigidInertia:
    """Inertia at the origin of a body whose rotational inertia at its centre of mass is given (parallel axes)."""
    square = wp.dot(com, com)
    return RigidInertia(
        mass,
        mass * com[0],
        mass * com[1],
        mass * com[2],
        inertia[0, 0] + mass * (square - com[0] * com[0]),
        inertia[1, 1] + mass * (square - com[1] * com[1]),
        inertia[2, 2] + mass * (square - com[2] * com[2]),
        inertia[0, 1] - mass * com[0] * com[1],
        inertia[0, 2] - mass * com[0] * com[2],
        inertia[1, 2] - mass * com[1] * com[2],
    )


@wp.func
def spatial_inertia(rigid: RigidInertia) -> wp.spatial_matrixd:
    """The 6 x 6 matrix that maps a motion (angular, linear) to its momentum."""
    zero = wp.float64(0.0)
    m, x, y, z = rigid[0], rigid[1], rigid[2], rigid[3]
    # fmt: off
    return wp.spatial_matrixd(
        rigid[4], rigid[7], rigid[8], zero,   -z,   y,
        rigid[7], rigid[5], rigid[9],    z, zero,  -x,
        rigid[8], rigid[9], rigid[6],   -y,    x, zero,
        zero,         z,    -y,       m, zero, zero,
        -z,        zero,     x,    zero,    m, zero,
        y,           -x,  zero,    zero, zero,    m,
    )
    # fmt: on


@wp.func
def inverse_weight(inverse: wp.spatial_matrixd, point: wp.vec3d) -> wp.vec2d:
    """Mean inverse inertia of a point of a link, of its translation [1/kg] and rotation [1/(kg.m^2)]."""
    third = wp.float64(1.0) / wp.float64(3.0)
    two = wp.float64(2.0)
    angular = inverse[0, 0] + inverse[1, 1] + inverse[2, 2]
    linear = inverse[3, 3] + inverse[4, 4] + inverse[5, 5]
    # The point moves by v + w x p. Mean square over the links' responses: v.v + (w x p).(w x p) + 2 p.(v x w).
    turn = wp.vec3d(
        inverse[0, 0] * point[0] + inverse[0, 1] * point[1] + inverse[0, 2] * point[2],
        inverse[1, 0] * point[0] + inverse[1, 1] * point[1] + inverse[1, 2] * point[2],
        inverse[2, 0] * point[0] + inverse[2, 1] * point[1] + inverse[2, 2] * point[2],
    )
    mixed = wp.vec3d(inverse[2, 4] - inverse[1, 5], inverse[0, 5] - inverse[2, 3], inverse[1, 3] - inverse[0, 4])
    linear += wp.dot(point, point) * angular - wp.dot(point, turn) + two * wp.dot(point, mixed)
    linear *= third
    angular *= third
    # As MuJoCo: a body that cannot translate (or rotate) borrows the other number.
    if linear < MIN_VALUE and angular > MIN_VALUE:
        linear = angular
    elif angular < MIN_VALUE and linear > MIN_VALUE:
        angular = linear
    return wp.vec2d(linear, angular)


@wp.func
def principal_axes(inertia: wp.mat33d) -> wp.mat33d:
    """Rotation whose columns are the principal axes of an inertia, the largest moment first."""
    vectors, values = wp.eig3(inertia)
    rows = wp.transpose(vectors)
    for i in range(2):
        for j in range(2 - i):
            if values[j] < values[j + 1]:
                value = values[j]
                values[j] = values[j + 1]
                values[j + 1] = value
                row = wp.vec3d(rows[j, 0], rows[j, 1], rows[j, 2])
                for k in range(3):
                    rows[j, k] = rows[j + 1, k]
                    rows[j + 1, k] = row[k]
    if wp.determinant(rows) < wp.float64(0.0):
        for k in range(3):
            rows[2, k] = -rows[2, k]
    return wp.transpose(rows)


@wp.func
def solref_of_gains(stiffness: float, damping: float) -> wp.vec2:
    """Time constant [s] and damping ratio of MuJoCo's constraint with a stiffness [1/s^2] and a damping [1/s].

    MuJoCo's "Solver parameters" at full impedance: k = 1 / (timeconst dampratio)^2, b = 2 / timeconst. Without gains
    MuJoCo's default.
    """
    if stiffness > 0.0 and damping > 0.0:
        return wp.vec2(2.0 / damping, 0.5 * damping / wp.sqrt(stiffness))
    return wp.vec2(0.02, 1.0)


@wp.func
def limit_mode(dof: int, solref: wp.array(dtype=wp.vec2), mode: wp.array(dtype=int)) -> int:
    """Where a joint limit's ``solref`` comes from, as Newton decides it; both arrays may be missing."""
    if mode:
        return mode[dof]
    if solref:
        given = solref[dof]
        if given[0] != 0.0 or given[1] != 0.0:
            return int(SOLREF_RAW)
    return int(SOLREF_FORCE_SPACE)
