"""The part of a MuJoCo model that its derived constants need and that randomized inertia does not change."""

from __future__ import annotations

import copy
from dataclasses import dataclass

import mujoco
import numpy as np


@dataclass(frozen=True)
class KinematicTree:
    """Bodies and degrees of freedom in the reference pose ``qpos0``, in MuJoCo's numbering.

    A link is what one degree of freedom moves, so a link has the number of its degree of freedom. Positions and
    motions are relative to the origin of the root body of a tree, with world axes.
    """

    body_parent: np.ndarray
    """Parent of each body, shape (num_bodies,); the world, body 0, is its own."""
    body_link: np.ndarray
    """Last degree of freedom that moves each body, -1 for none, shape (num_bodies,)."""
    body_position: np.ndarray
    """Origin of each body [m], shape (num_bodies, 3)."""
    body_rotation: np.ndarray
    """Rotation from body to world axes, shape (num_bodies, 3, 3)."""
    dof_parent: np.ndarray
    """Degree of freedom that moves each link's parent, -1 for none, shape (num_dofs,)."""
    dof_motion: np.ndarray
    """Angular and linear velocity of a link at the origin, per unit of velocity of its joint, shape (num_dofs, 6)."""
    dof_group_first: np.ndarray
    """First of the degrees of freedom whose inverse weight MuJoCo averages, shape (num_dofs,)."""
    dof_group_size: np.ndarray
    """Their number: 3 in a ball joint, 3 and 3 in a free joint, otherwise 1, shape (num_dofs,)."""
    joint_dof: np.ndarray
    """First degree of freedom of each joint, shape (num_joints,)."""


def kinematic_tree(model: mujoco.MjModel) -> KinematicTree:
    """Evaluate a model's kinematics at ``qpos0`` with MuJoCo.

    Args:
        model: The model; only its kinematics are read.

    Returns:
        The tree, in double precision.
    """
    data = mujoco.MjData(model)
    data.qpos[:] = model.qpos0
    mujoco.mj_kinematics(model, data)
    mujoco.mj_comPos(model, data)
    root_position = data.xpos[model.body_rootid]  # (num_bodies, 3)

    motion = data.cdof.copy()  # at the centre of mass of the whole tree, which depends on masses
    root_of_dof = model.body_rootid[model.dof_bodyid]
    to_origin = data.xpos[root_of_dof] - data.subtree_com[root_of_dof]  # (num_dofs, 3)
    motion[:, 3:] += np.cross(motion[:, :3], to_origin)

    first, size = np.arange(model.nv), np.ones(model.nv, dtype=int)
    for kind, start in zip(model.jnt_type, model.jnt_dofadr, strict=True):
        triples = {int(mujoco.mjtJoint.mjJNT_BALL): 1, int(mujoco.mjtJoint.mjJNT_FREE): 2}
        for triple in range(triples.get(int(kind), 0)):
            group = slice(start + 3 * triple, start + 3 * triple + 3)
            first[group], size[group] = group.start, 3
    return KinematicTree(
        body_parent=model.body_parentid.copy(),
        body_link=_last_dof(model),
        body_position=data.xpos - root_position,
        body_rotation=data.xmat.reshape(-1, 3, 3).copy(),
        dof_parent=model.dof_parentid.copy(),
        dof_motion=motion,
        dof_group_first=first,
        dof_group_size=size,
        joint_dof=model.jnt_dofadr.copy(),
    )


def model_with_fields(model: mujoco.MjModel, **fields: np.ndarray) -> mujoco.MjModel:
    """Copy a model and overwrite some of its arrays, for instance with those that a solver runs with."""
    changed = copy.copy(model)
    for name, value in fields.items():
        getattr(changed, name)[:] = value
    return changed


def _last_dof(model: mujoco.MjModel) -> np.ndarray:
    last = np.full(model.nbody, -1)
    for body in range(1, model.nbody):  # parents come first
        count = model.body_dofnum[body]
        last[body] = model.body_dofadr[body] + count - 1 if count else last[model.body_parentid[body]]
    return last
