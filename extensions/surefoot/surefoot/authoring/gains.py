"""Gains that are proposed for a robot, from the torques and inertias of its own model in its default pose."""

from collections.abc import Mapping
from typing import NamedTuple

import mujoco
import numpy as np

from .anatomy import Anatomy, Array

SAG_RAD = 0.12
"""How far a joint may give way under the robot's weight; an action reaches two to four times as far."""

DAMPING_RATIO = 0.5
"""Of a joint on its gains, with the inertia that it moves in the default pose: a Go2's is 0.3 to 0.6."""

LARGEST_RATE_HZ = 200.0
"""Physics steps per second of training: damping is held below the rotor's inertia times this, or it would shake."""

ASSUMED_ARMATURE_KGM2_PER_NM = 0.01 / 23.7
"""Rotor inertia at the joint by torque, that of a Go2's hip: 0.01 kg m^2 with 23.7 N m."""


class JointGains(NamedTuple):
    """What is proposed for a joint.

    Attributes:
        stiffness: [N m/rad].
        damping: [N m s/rad].
        hold_stiffness: While it stands, sits and crouches without its policy [N m/rad].
        hold_damping: The same [N m s/rad].
        static_nm: Torque that carries the robot in the default pose; outside four legs at least what holds out all that
            hangs from the joint [N m].
    """

    stiffness: float
    damping: float
    hold_stiffness: float
    hold_damping: float
    static_nm: float


def propose_gains(
    model: mujoco.MjModel,
    anatomy: Anatomy,
    default_rad: Mapping[str, float],
    *,
    effort_nm: Mapping[str, float],
    armature_kgm2: Mapping[str, float],
) -> dict[str, JointGains]:
    """Return gains for each joint, alike for both sides and for all legs; four legs have one stiffness for all joints.

    Args:
        model: The robot.
        anatomy: Its feet, legs and pairs.
        default_rad: Joint -> position of the default pose [rad].
        effort_nm: Joint -> largest torque [N m], of the joints for which it is known.
        armature_kgm2: Joint -> inertia of its rotor [kg m^2].
    """
    static, hanging, inertia = _loads(model, anatomy, default_rad, armature_kgm2)
    in_legs = {joint for leg in anatomy.legs for joint in leg}
    most_nm = max(static[joint] for joint in in_legs)
    gains = {}
    for group in alike(anatomy):
        of_four_legs = len(anatomy.feet) == 4 and in_legs.issuperset(group)
        torque = max(static[joint] if of_four_legs else max(static[joint], hanging[joint]) for joint in group)
        carried = most_nm if of_four_legs else torque
        moved = min(inertia[joint] for joint in group)
        rotor = min(armature_kgm2[joint] for joint in group)
        # An action of 1, a quarter of a radian, asks for a quarter of the torque: with less there is little to learn.
        stiffness = max(
            carried / SAG_RAD, min((effort_nm[joint] for joint in group if joint in effort_nm), default=0.0)
        )
        stiffness = _rounded(max(stiffness, 1.0))
        ratio = 2.0 * DAMPING_RATIO
        damping = _rounded(min(ratio * np.sqrt(stiffness * moved), 0.8 * rotor * LARGEST_RATE_HZ))
        held = _rounded(2.0 * stiffness)
        values = JointGains(stiffness, damping, held, _rounded(2.0 * ratio * np.sqrt(held * moved)), torque)
        gains.update(dict.fromkeys(group, values))
    return gains


def alike(anatomy: Anatomy) -> list[tuple[str, ...]]:
    """Return joints that are given the same gains: those of one place in all legs, and those of both sides."""
    groups: list[tuple[str, ...]] = []
    lengths = {len(leg) for leg in anatomy.legs}
    if len(lengths) == 1:
        groups = [tuple(joints) for joints in zip(*anatomy.legs, strict=True)]
    grouped = {joint for group in groups for joint in group}
    for joint in anatomy.joints:
        if joint not in grouped:
            partner = anatomy.joint_mirror[joint].partner if joint in anatomy.joint_mirror else joint
            group = tuple(dict.fromkeys((joint, partner)))
            groups.append(group)
            grouped.update(group)
    return groups


def _loads(
    model: mujoco.MjModel, anatomy: Anatomy, default_rad: Mapping[str, float], armature_kgm2: Mapping[str, float]
) -> tuple[dict[str, float], dict[str, float], dict[str, float]]:
    """Return for each joint the torque that carries the robot, the one that holds out horizontally what hangs from it
    [N m], and the inertia that it moves [kg m^2].
    """
    data = mujoco.MjData(model)
    data.qpos[:] = 0.0
    data.qpos[3] = 1.0
    for joint, position in default_rad.items():
        data.qpos[model.joint(joint).qposadr[0]] = position
    mujoco.mj_forward(model, data)
    weight = float(model.body_subtreemass[0]) * 9.81
    torques = data.qfrc_bias.copy()
    jacobian = np.zeros((3, model.nv))
    for foot in anatomy.feet:
        mujoco.mj_jacBody(model, data, jacobian, None, model.body(foot).id)
        torques -= jacobian[2] * weight / len(anatomy.feet)
    mass = np.zeros((model.nv, model.nv))
    mujoco.mj_fullM(model, data, mass)
    dofs = {joint: int(model.joint(joint).dofadr[0]) for joint in anatomy.joints}
    for joint, dof in dofs.items():
        mass[dof, dof] += armature_kgm2[joint] - model.dof_armature[dof]
    free: Array = 1.0 / np.diag(np.linalg.inv(mass))
    hanging = {}
    for joint in dofs:
        index = model.joint(joint).id
        body = model.jnt_bodyid[index]
        arm_m = np.linalg.norm(data.subtree_com[body] - data.xanchor[index])
        hanging[joint] = float(model.body_subtreemass[body] * 9.81 * arm_m)
    return (
        {joint: abs(float(torques[dof])) for joint, dof in dofs.items()},
        hanging,
        {joint: float(free[dof]) for joint, dof in dofs.items()},
    )


def _rounded(value: float) -> float:
    """Return a number with two digits: more would claim to be measured."""
    return float(f"{value:.2g}")
