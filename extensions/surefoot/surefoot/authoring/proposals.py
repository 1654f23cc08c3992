"""What is proposed for a robot: everything that the template of its specification asks for."""

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import mujoco
import numpy as np

from surefoot_bridge.errors import SurefootError

from .anatomy import Anatomy, at_zero, shape_points, shape_radius
from .built_model import BuiltModel
from .gains import DAMPING_RATIO, SAG_RAD, JointGains, alike, propose_gains
from .poses import CROUCH_SHARE, STAND_SHARE, Poser
from .remarks import actuator_remarks
from .source_model import SourceModel

LARGEST_HEIGHT_M = 3.0
"""No legged robot stands higher [m]; one in millimetres does."""

_GO2_KG, _GO2_HEIGHT_M = 15.2, 0.3235
_GO2_WEIGHTS = {"torque": -1e-4, "mechanical_power": -5e-4}
"""Reward weights that suit a Go2 of this mass and height."""


@dataclass(frozen=True)
class _Named:
    """Joints that are spoken of together."""

    name: str
    pattern: str
    joints: tuple[str, ...]


def describe(source: SourceModel, built: BuiltModel) -> dict[str, Any]:
    """Return everything that the specification's template asks for.

    Raises:
        SurefootError: If the robot is larger than any.
    """
    model, anatomy = built.model, built.anatomy
    count = len(anatomy.feet)
    kind = {4: "quadruped", 2: "humanoid"}[count]
    poser = Poser(model, anatomy, built.ranges)
    knees, ambiguous = poser.knees()
    sit, crouch = poser.sit(knees), poser.stand(CROUCH_SHARE[count], knees)
    home = _usable_home(source, built)
    default = home or poser.stand(STAND_SHARE[count], knees).joint_pos
    height = round(poser.height_m(default), 4)
    if height > LARGEST_HEIGHT_M:
        raise SurefootError(
            f"The robot stands {height:.3g} m high; valid: up to {LARGEST_HEIGHT_M:g} m. Lengths are in metres: scale "
            "those of the file by 0.001 if they are in millimetres."
        )
    gains = propose_gains(model, anatomy, default, effort_nm=source.effort_nm, armature_kgm2=built.armature_kgm2)
    groups = [_actuators(source, built, group, gains) for group in alike(anatomy)]
    below = "hips" if count == 4 else "centre of mass"
    bent = f"feet below the {below}, hips at {STAND_SHARE[count]} of the straight leg over them."
    pose_questions = []
    if ambiguous:
        pose_questions.append("the knees can bend either way; the way nearer to zero is taken. Is it your robot's?")
    if sit.error_m > 0.02 and kind == "quadruped":
        pose_questions.append(
            f"sitting, the feet are up to {sit.error_m:.3f} m from where the belly would lie. Does it rest?"
        )
    joint_groups, rest_group = _joint_groups(anatomy, model)
    scale = {
        joint: round(float(np.clip(0.25 * source.effort_nm.get(joint, 0.0) / gains[joint].stiffness, 0.25, 0.5)), 3)
        for joint in anatomy.joints
    }
    for group in alike(anatomy):
        scale.update(dict.fromkeys(group, min(scale[joint] for joint in group)))
    forward = largest_forward_m_s(height)
    ratio_mass, ratio_height = float(model.body_subtreemass[0]) / _GO2_KG, height / _GO2_HEIGHT_M
    factors = {"torque": (ratio_mass * ratio_height) ** 2, "mechanical_power": ratio_mass * math.sqrt(ratio_height)}
    weights = {term: float(f"{weight / factors[term]:.1g}") for term, weight in _GO2_WEIGHTS.items()}
    if kind == "humanoid":
        weights["termination"] = -50.0
    return {
        "kind": kind,
        "base": anatomy.base,
        "joints": anatomy.joints,
        "mirror": anatomy.joint_mirror,
        "feet": anatomy.feet,
        "foot_mirror": anatomy.foot_mirror,
        "foot_diagonal": anatomy.foot_diagonal,
        "soles": poser.soles,
        "height_m": height,
        "default": default,
        "sit": sit.joint_pos,
        "crouch": crouch.joint_pos,
        "stand_reason": f"the first keyframe of {source.path.name}." if home else bent,
        "sit_reason": "the legs folded until the belly lies on the ground."
        if kind == "quadruped"
        else "knees bent, soles flat: a robot on two feet does not come to rest by poses alone.",
        "crouch_reason": f"as standing, hips at {CROUCH_SHARE[count]} of the straight leg: lower, so it tips less.",
        "pose_questions": pose_questions,
        "model_questions": built.remarks,
        "groups": groups,
        "actuator_questions": list(actuator_remarks(groups)),
        "asks": bool(anatomy.unpaired) or any(g["effort_nm"] is None or g["velocity_rad_s"] is None for g in groups),
        "sag_rad": SAG_RAD,
        "damping_ratio": DAMPING_RATIO,
        "damped_nms_per_rad": float(f"{0.75 * max(joint.hold_damping for joint in gains.values()):.2g}"),
        "action_scale": scale,
        "joint_groups": joint_groups,
        "rest_group": rest_group,
        "fall_bodies": _fall_bodies(model, anatomy),
        "imu_known": built.imu_known,
        "swing_height_m": round(0.18 * height, 2),
        "lin_vel_x_m_s": forward,
        "lin_vel_y_m_s": round(0.5 * forward, 1),
        "payload_box_m": _payload_box(model, anatomy),
        "reward_weights": weights,
    }


def largest_forward_m_s(height_m: float) -> float:
    """Return the largest forward velocity that a policy should be trained with [m/s].

    It has a Froude number v^2 / (g h) of 1/4, an easy walk. A small robot takes a brisker one, up to 1/2, for the
    suites that come with the package ask for 1 m/s.

    Args:
        height_m: Height of the standing robot's base, h [m].
    """
    easy, brisk = (math.sqrt(froude * 9.81 * height_m) for froude in (0.25, 0.5))
    return round(min(max(easy, 1.0), brisk), 1)


def _usable_home(source: SourceModel, built: BuiltModel) -> dict[str, float] | None:
    """Return the file's keyframe if it is a pose within the ranges that is its own mirror image."""
    home = {joint: round(source.home_rad.get(joint, math.nan), 4) for joint in built.anatomy.joints}
    for joint, position in home.items():
        lower, upper = built.ranges[joint]
        partner = built.anatomy.joint_mirror.get(joint)
        if not lower <= position <= upper or (partner and abs(partner.sign * home[partner.partner] - position) > 1e-9):
            return None
    return home


def _actuators(
    source: SourceModel, built: BuiltModel, joints: tuple[str, ...], gains: Mapping[str, JointGains]
) -> dict[str, Any]:
    named = _name_of(joints, built.anatomy.joints)
    own = gains[joints[0]]
    dofs = [built.fused.joint(joint).dofadr[0] for joint in joints]
    return {
        "name": named.name,
        "pattern": named.pattern,
        "joints": joints,
        "stiffness": own.stiffness,
        "damping": own.damping,
        "hold_stiffness": own.hold_stiffness,
        "hold_damping": own.hold_damping,
        "static_nm": f"{own.static_nm:.2g}",
        "effort_nm": _least(source.effort_nm, joints),
        "velocity_rad_s": _least(source.velocity_rad_s, joints),
        "armature_kgm2": built.armature_kgm2[joints[0]],
        "armature_assumed": bool(min(built.fused.dof_armature[dofs]) == 0.0),
        "friction_nm": float(max(built.fused.dof_frictionloss[dofs])),
        "viscous_nms_rad": float(np.max(built.fused.dof_damping[dofs])),
    }


def _least(stated: Mapping[str, float], joints: Sequence[str]) -> float | None:
    return min(stated[joint] for joint in joints) if all(joint in stated for joint in joints) else None


def _name_of(joints: Sequence[str], every: Sequence[str]) -> _Named:
    """Return joints with the words that all their names end in, and a pattern that matches them and no other."""
    words = [joint.split("_") for joint in joints]
    shared = 0
    while len(joints) > 1 and all(len(parts) > shared + 1 for parts in words):
        if len({parts[-shared - 1] for parts in words}) > 1:
            break
        shared += 1
    ending = "_".join(words[0][len(words[0]) - shared :])
    pattern = f".*_{re.escape(ending)}"
    if shared and {joint for joint in every if re.fullmatch(pattern, joint)} == set(joints):
        return _Named(ending, pattern, tuple(joints))
    return _Named(ending or joints[0], "|".join(map(re.escape, joints)), tuple(joints))


def _joint_groups(anatomy: Anatomy, model: mujoco.MjModel) -> tuple[list[_Named], str]:
    """Return joints that tasks speak of together, and the name of those that rest while the robot walks."""
    data = at_zero(model)
    groups = [_Named("whole_body", ".*", anatomy.joints)]
    in_legs = [joint for joint in anatomy.joints if any(joint in leg for leg in anatomy.legs)]
    if {len(leg) for leg in anatomy.legs} == {3}:
        places = list(zip(*anatomy.legs, strict=True))
        across = [abs(float(data.xaxis[model.joint(joints[0]).id][1])) > 0.7 for joints in places]
        if across == [False, True, True]:
            for name, joints in zip(("abduction", "hip", "knee"), places, strict=True):
                groups.append(_Named(name, _name_of(joints, anatomy.joints).pattern, tuple(joints)))
            return groups, "abduction"
    groups.append(_Named("legs", "|".join(map(re.escape, in_legs)), tuple(in_legs)))
    return groups, "whole_body"


def _fall_bodies(model: mujoco.MjModel, anatomy: Anatomy) -> list[str]:
    bodies = [anatomy.base]
    for foot in anatomy.feet:
        chain, body = [], int(model.body(foot).parentid[0])
        while body and model.body(body).name != anatomy.base:
            chain.append(body)
            body = int(model.body_parentid[body])
        shaped = [model.body(body).name for body in reversed(chain) if model.body_geomnum[body]]
        bodies += shaped[:1]
    return bodies


def _payload_box(model: mujoco.MjModel, anatomy: Anatomy) -> tuple[tuple[float, ...], tuple[float, ...]]:
    """Return lowest and highest corner of the box above the middle of the base's shapes [m]."""
    data, base = at_zero(model), model.body(anatomy.base)
    shapes = range(base.geomadr[0], base.geomadr[0] + base.geomnum[0])
    grown = [
        shape_points(model, data, geom) + side * shape_radius(model, geom) for geom in shapes for side in (-1.0, 1.0)
    ]
    points = np.concatenate(grown) if grown else np.zeros((1, 3))
    low, high = points.min(axis=0), points.max(axis=0)
    middle, half = 0.5 * (low + high), 0.25 * (high - low)
    corners = np.array([[*(middle - half)[:2], high[2]], [*(middle + half)[:2], high[2] + 0.1]])
    return tuple(tuple(round(float(number), 3) + 0.0 for number in corner) for corner in corners)  # pyright: ignore[reportReturnType]
