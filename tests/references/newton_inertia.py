"""Derived inertia of Newton in NumPy and by the textbook: M in full, inverted, times Jacobians.

Definitions: MuJoCo 3.12, engine_setconst.c, ``setFixed`` and ``set0``. Another route than the kernels' on purpose.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from surefoot.randomization.newton_inertia.tree import KinematicTree


@dataclass(frozen=True)
class Derived:
    """MuJoCo's constants of one world that follow from its inertial parameters."""

    subtree_mass: np.ndarray
    """Mass of each body with all that hangs on it [kg], shape (num_bodies,)."""
    mass_matrix: np.ndarray
    """Joint-space inertia with armature, shape (num_dofs, num_dofs). Free joints translate along world axes."""
    mean_inertia: float
    """Mean of its diagonal."""
    dof_inverse_weight: np.ndarray
    """Averaged diagonal of its inverse, shape (num_dofs,)."""
    body_inverse_weight: np.ndarray
    """Inverse inertia of each body's centre of mass in translation and rotation, shape (num_bodies, 2)."""


def derived(
    tree: KinematicTree, mass: np.ndarray, com: np.ndarray, inertia: np.ndarray, armature: np.ndarray
) -> Derived:
    """Compute the constants of one world.

    Args:
        tree: The kinematics at ``qpos0``.
        mass: Mass of each body [kg], shape (num_bodies,); the world's is 0.
        com: Centre of mass of each body in its axes [m], shape (num_bodies, 3).
        inertia: Rotational inertia at the centre of mass in the body's axes [kg.m^2], shape (num_bodies, 3, 3).
        armature: Armature of each degree of freedom [kg.m^2 or kg], shape (num_dofs,).
    """
    num_bodies, num_dofs = len(mass), len(armature)
    mass = np.asarray(mass, dtype=np.float64)
    jacobians = np.stack([_jacobian(tree, body, com[body]) for body in range(num_bodies)])  # (num_bodies, 6, num_dofs)
    mass_matrix = np.diag(np.asarray(armature, dtype=np.float64))
    for body in range(num_bodies):
        angular, linear = jacobians[body, :3], jacobians[body, 3:]
        rotation = tree.body_rotation[body]
        mass_matrix += mass[body] * linear.T @ linear + angular.T @ (rotation @ inertia[body] @ rotation.T) @ angular
    inverse = np.linalg.inv(mass_matrix) if num_dofs else mass_matrix

    diagonal = np.diag(inverse)
    groups = zip(tree.dof_group_first, tree.dof_group_size, strict=True)
    body_weight = np.zeros((num_bodies, 2))
    for body in np.flatnonzero(tree.body_link >= 0):
        response = np.diag(jacobians[body] @ inverse @ jacobians[body].T)
        weight = np.array([response[3:].mean(), response[:3].mean()])
        body_weight[body] = np.where(weight < 1e-15, weight.max(), weight)

    subtree_mass = mass.copy()
    for body in range(num_bodies - 1, 0, -1):
        subtree_mass[tree.body_parent[body]] += subtree_mass[body]
    return Derived(
        subtree_mass=subtree_mass,
        mass_matrix=mass_matrix,
        mean_inertia=float(np.diag(mass_matrix).mean()) if num_dofs else 1.0,
        dof_inverse_weight=np.array([diagonal[first : first + size].mean() for first, size in groups]),
        body_inverse_weight=body_weight,
    )


def _jacobian(tree: KinematicTree, body: int, com: np.ndarray) -> np.ndarray:
    """Angular (3) and linear (3) velocity of a body's centre of mass per joint velocity, shape (6, num_dofs)."""
    jacobian = np.zeros((6, len(tree.dof_parent)))
    point = tree.body_position[body] + tree.body_rotation[body] @ np.asarray(com, dtype=np.float64)
    dof = tree.body_link[body]
    while dof >= 0:
        angular, linear = tree.dof_motion[dof, :3], tree.dof_motion[dof, 3:]
        jacobian[:, dof] = np.concatenate([angular, linear + np.cross(angular, point)])
        dof = tree.dof_parent[dof]
    return jacobian


def principal_moments(inertia: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Principal moments [kg.m^2], the largest first, and the rotation whose columns are their axes."""
    moments, axes = np.linalg.eigh(np.asarray(inertia, dtype=np.float64))
    moments, axes = moments[::-1], axes[:, ::-1].copy()
    if np.linalg.det(axes) < 0.0:
        axes[:, 2] = -axes[:, 2]
    return moments, axes


def solref_of_gains(stiffness: float, damping: float) -> tuple[float, float]:
    """Time constant [s] and damping ratio of MuJoCo's constraint with a stiffness [1/s^2] and a damping [1/s]."""
    if stiffness <= 0.0 or damping <= 0.0:
        return 0.02, 1.0
    return 2.0 / damping, 0.5 * damping / float(np.sqrt(stiffness))
