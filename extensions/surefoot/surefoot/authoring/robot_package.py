"""A package with a robot of one's own, from its URDF or MJCF: what the file says, and proposals for what it does not."""

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import mujoco
import numpy as np

from .anatomy import Anatomy, at_zero, find_feet, shape_points, shape_radius, study
from .gains import ASSUMED_ARMATURE_KGM2_PER_NM, DAMPING_RATIO, SAG_RAD, JointGains, alike, propose_gains
from .model_file import BODY_FRICTION, joint_ranges, split_feet, write_model
from .package_files import camel_case, render
from .poses import CROUCH_SHARE, STAND_SHARE, Poser
from .primitives import Shape, fit_meshes, mirror_fits, shapes_of
from .source_model import SourceModel, check_inertias, read_source

PLAUSIBLE_DENSITY_KG_M3 = (50.0, 8000.0)
"""Of a link within its shapes: from a hollow shell to solid steel."""

_GO2_KG, _GO2_HEIGHT_M = 15.2, 0.3235
_GO2_WEIGHTS = {"torque": -1e-4, "mechanical_power": -5e-4}
"""Reward weights that suit a Go2 of this mass and height."""

Files = dict[str, str]


@dataclass(frozen=True)
class _Named:
    """Joints that are spoken of together."""

    name: str
    pattern: str
    joints: tuple[str, ...]


@dataclass(frozen=True)
class _Model:
    """The robot as its MJCF will have it, and as the file has it, without links that do not move."""

    model: mujoco.MjModel
    fused: mujoco.MjModel
    anatomy: Anatomy
    xml: str
    ranges: dict[str, tuple[float, float]]
    armature_kgm2: dict[str, float]
    remarks: tuple[str, ...]
    imu_known: bool


def make_robot_package(name: str, source_path: Path, *, feet: Sequence[str] = ()) -> Files:
    """Return the files of a package with the robot, path below its folder -> text.

    Args:
        name: Name of the robot.
        source_path: Its URDF or MJCF.
        feet: Its feet, where they are not what its geometry suggests.

    Raises:
        SurefootError: If the file holds no robot that Surefoot can use.
    """
    source = read_source(source_path)
    check_inertias(source)
    built = _build_model(name, source, feet)
    context = {"name": name, "package": f"{name}_robot", "source": source_path.name, **_describe(source, built)}
    context["label"] = camel_case(name)
    package = context["package"]
    base = f'<body name="{built.anatomy.base}"'
    xml = built.xml.replace(base, f'{base} pos="0 0 {context["height_m"]}"', 1)
    head = (
        f"<!-- {name} of primitive shapes, without ground or actuators, made by surefoot new robot from "
        f"{source_path.name}.\n     The robot collides with the ground only; joint friction acts in the actuator model "
        "(spec.py). -->\n"
    )
    return {
        "pyproject.toml": render("robot/pyproject.toml.jinja", context),
        f"{package}/__init__.py": render("robot/init.py.jinja", context),
        f"{package}/spec.py": render("robot/spec.py.jinja", context),
        f"{package}/{name}.xml": head + xml,
        f"tests/test_{name}.py": render("robot/test.py.jinja", context),
    }


def _build_model(name: str, source: SourceModel, chosen: Sequence[str]) -> _Model:
    """Fuse what does not move, fit shapes to meshes, and make each foot a body of its own."""
    spec = source.spec
    feet = find_feet(spec.compile(), chosen)
    imu_known = _mark_imu(spec)
    for foot in feet:  # what a sensor refers to is not fused
        spec.add_sensor(
            name=f"keeps_{foot}", type=mujoco.mjtSensor.mjSENS_FRAMEPOS, objtype=mujoco.mjtObj.mjOBJ_BODY, objname=foot
        )
    spec.compiler.fusestatic = True
    fits = fit_meshes(spec)
    model = spec.compile()
    anatomy = study(model, feet)
    shapes = shapes_of(model, fits)
    mirror_fits(model, shapes, anatomy.body_mirror)
    ranges = joint_ranges(model, anatomy.joint_mirror)
    armature = _armature(source, model, anatomy)
    site = model.site(_IMU_MARK) if imu_known else None
    on_base = site is not None and model.body(site.bodyid[0]).name == anatomy.base
    new_feet = split_feet(model, anatomy, shapes)
    xml = write_model(
        name,
        model,
        anatomy,
        shapes,
        ranges=ranges,
        armature_kgm2=armature,
        new_feet=new_feet,
        foot_friction=_foot_friction(model, anatomy),
        imu_m=site.pos if site is not None and on_base else (0.0, 0.0, 0.0),
    )
    written = mujoco.MjModel.from_xml_string(xml)
    names = [new_feet[foot].body if foot in new_feet else foot for foot in anatomy.feet]
    remarks = (
        *(f"{shape.name} is a mesh; the shape fitted to it is {1000 * shape.misfit_m:.0f} mm away on average. Is it near enough?"
          for shape in fits.values() if (shape.misfit_m or 0.0) > 0.01),
        *_range_remarks(model, ranges),
        *_density_remarks(model, shapes),
    )
    return _Model(written, model, study(written, names), xml, ranges, armature, remarks, on_base)


_IMU_MARK = "surefoot_imu"


def _mark_imu(spec: mujoco.MjSpec) -> bool:
    """Mark where a link or site with "imu" in its name is; return whether there is one."""
    for site in spec.sites:
        if "imu" in site.name.lower():
            site.name = _IMU_MARK
            return True
    for body in spec.bodies:
        if "imu" in body.name.lower():
            body.add_site(name=_IMU_MARK)
            return True
    return False


def _armature(source: SourceModel, model: mujoco.MjModel, anatomy: Anatomy) -> dict[str, float]:
    """Return the rotor inertia of each joint: the file's, or by torque from a Go2's."""
    armature = {}
    for group in alike(anatomy):
        stated = [float(model.dof_armature[model.joint(joint).dofadr[0]]) for joint in group]
        effort = min((source.effort_nm[joint] for joint in group if joint in source.effort_nm), default=23.7)
        value = max(stated) if min(stated) > 0.0 else float(f"{ASSUMED_ARMATURE_KGM2_PER_NM * effort:.2g}")
        armature.update(dict.fromkeys(group, value))
    return armature


def _foot_friction(model: mujoco.MjModel, anatomy: Anatomy) -> tuple[float, ...]:
    geoms = [geom for geom in range(model.ngeom) if model.body(model.geom_bodyid[geom]).name in anatomy.feet]
    stated = {tuple(map(float, model.geom_friction[geom])) for geom in geoms}
    usual = (1.0, 0.005, 0.0001)  # MuJoCo's, which a URDF has: nobody chose it
    return next(iter(stated)) if len(stated) == 1 and usual not in stated else BODY_FRICTION


def _range_remarks(model: mujoco.MjModel, ranges: Mapping[str, tuple[float, float]]) -> Iterator[str]:
    without = [
        joint
        for joint in ranges
        if not model.jnt_limited[model.joint(joint).id] or np.abs(model.joint(joint).range).max() > 1.01 * math.pi
    ]
    if without:
        yield f"the ranges of {', '.join(without)}, a turn and more or none in the file; assumed half a turn either way."
    for joint, (lower, upper) in ranges.items():
        stated = model.joint(joint).range
        if joint not in without and max(abs(stated - (lower, upper))) > 1e-3:
            yield (
                f"the range of {joint} was {stated[0]:.4g} to {stated[1]:.4g} rad, unlike its mirror image's; the "
                "narrower is taken for both. Is that right?"
            )


def _density_remarks(model: mujoco.MjModel, shapes: Mapping[str, Sequence[Shape]]) -> Iterator[str]:
    low, high = PLAUSIBLE_DENSITY_KG_M3
    odd: dict[str, list[str]] = {}  # links of the same numbers together
    for body, own in shapes.items():
        volume = sum(map(_volume_m3, own))
        mass = float(model.body(body).mass[0])
        if own and not low <= mass / volume <= high:
            numbers = f"{mass:.3g} kg in shapes of {1000 * volume:.3g} l, {mass / volume:.0f} kg/m^3"
            odd.setdefault(numbers, []).append(body)
    for numbers, bodies in odd.items():
        yield f"the mass of {', '.join(bodies)}: {numbers}. Is that right?"


def _actuator_remarks(groups: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    assumed = [group["name"] for group in groups if group["armature_assumed"]]
    if assumed:
        yield f"the inertia of the rotors of {', '.join(assumed)} at the joint; assumed by torque from a Go2's."
    smooth = [group["name"] for group in groups if group["friction_nm"] == 0.0]
    if smooth:
        yield f"the friction of the joints of {', '.join(smooth)}; the file states none."


def _volume_m3(shape: Shape) -> float:
    a, b, c = map(float, shape.size)
    return {
        mujoco.mjtGeom.mjGEOM_BOX.value: 8.0 * a * b * c,
        mujoco.mjtGeom.mjGEOM_SPHERE.value: 4.0 / 3.0 * math.pi * a**3,
        mujoco.mjtGeom.mjGEOM_CAPSULE.value: math.pi * a**2 * (2.0 * b + 4.0 / 3.0 * a),
        mujoco.mjtGeom.mjGEOM_CYLINDER.value: 2.0 * math.pi * a**2 * b,
    }.get(shape.kind, 4.0 / 3.0 * math.pi * a * b * c)


def _describe(source: SourceModel, built: _Model) -> dict[str, Any]:
    """Return everything that the specification's template asks for."""
    model, anatomy = built.model, built.anatomy
    count = len(anatomy.feet)
    kind = {4: "quadruped", 2: "humanoid"}[count]
    poser = Poser(model, anatomy, built.ranges)
    knees, ambiguous = poser.knees()
    sit, crouch = poser.sit(knees), poser.stand(CROUCH_SHARE[count], knees)
    home = _usable_home(source, built)
    default = home or poser.stand(STAND_SHARE[count], knees).joint_pos
    height = round(poser.height_m(default), 4)
    gains = propose_gains(model, anatomy, default, effort_nm=source.effort_nm, armature_kgm2=built.armature_kgm2)
    groups = [_actuators(source, built, group, gains) for group in alike(anatomy)]
    bent = "" if home else f"feet below the {'hips' if count == 4 else 'centre of mass'}, hips at {STAND_SHARE[count]} of the straight leg over them."
    pose_questions = []
    if ambiguous:
        pose_questions.append("the knees can bend either way; the way nearer to zero is taken. Is it your robot's?")
    if sit.error_m > 0.02 and kind == "quadruped":
        pose_questions.append(f"sitting, the feet are up to {sit.error_m:.3f} m from where the belly would lie. Does it rest?")
    joint_groups, rest_group = _joint_groups(anatomy, model)
    scale = {
        joint: round(float(np.clip(0.25 * source.effort_nm.get(joint, 0.0) / gains[joint].stiffness, 0.25, 0.5)), 3)
        for joint in anatomy.joints
    }
    for group in alike(anatomy):
        scale.update(dict.fromkeys(group, min(scale[joint] for joint in group)))
    forward = round(0.5 * math.sqrt(9.81 * height), 1)
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
        "sit_reason": "the legs folded until the belly lies on the ground." if kind == "quadruped"
        else "knees bent, soles flat: a robot on two feet does not come to rest by poses alone.",
        "crouch_reason": f"as standing, hips at {CROUCH_SHARE[count]} of the straight leg: lower, so it tips less.",
        "pose_questions": pose_questions,
        "model_questions": built.remarks,
        "groups": groups,
        "actuator_questions": list(_actuator_remarks(groups)),
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


def _usable_home(source: SourceModel, built: _Model) -> dict[str, float] | None:
    """Return the file's keyframe if it is a pose within the ranges that is its own mirror image."""
    home = {joint: round(source.home_rad.get(joint, math.nan), 4) for joint in built.anatomy.joints}
    for joint, position in home.items():
        lower, upper = built.ranges[joint]
        partner = built.anatomy.joint_mirror.get(joint)
        if not lower <= position <= upper or (partner and abs(partner.sign * home[partner.partner] - position) > 1e-9):
            return None
    return home


def _actuators(
    source: SourceModel, built: _Model, joints: tuple[str, ...], gains: Mapping[str, JointGains]
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
        "viscous_nms_rad": 0.0,
    }


def _least(stated: Mapping[str, float], joints: Sequence[str]) -> float | None:
    return min(stated[joint] for joint in joints) if all(joint in stated for joint in joints) else None


def _name_of(joints: tuple[str, ...], every: Sequence[str]) -> _Named:
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
        return _Named(ending, pattern, joints)
    return _Named(ending or joints[0], "|".join(map(re.escape, joints)), joints)


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
                groups.append(_Named(name, _name_of(tuple(joints), anatomy.joints).pattern, tuple(joints)))
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
