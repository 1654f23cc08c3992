"""The MJCF of a robot as Surefoot takes it: primitive shapes, no ground, no actuators, each foot a body of its own."""

import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import mujoco
import numpy as np

from surefoot_bridge.state import rotation_matrix

from .anatomy import Anatomy, Array, MirroredJoint
from .primitives import Shape, quaternion
from .source_model import FREE_JOINT

IMU_SITE = "imu"
FOOT_DENSITY_KG_M3 = 1000.0
"""Density of a foot that is taken out of its shank: rubber."""

BODY_FRICTION = (0.6, 0.005, 0.0001)
"""Friction of all shapes but the feet, that of Surefoot's Go2."""


class NewFoot(NamedTuple):
    """A foot that was the end of its shank.

    Attributes:
        body: Its name.
        shape: Name of the sphere that it is.
        mass_kg: What was taken out of the shank [kg].
    """

    body: str
    shape: str
    mass_kg: float


def joint_ranges(model: mujoco.MjModel, mirror: Mapping[str, MirroredJoint]) -> dict[str, tuple[float, float]]:
    """Return joint -> (lower, upper) [rad]: the narrower of both sides, and at most half a turn either way.

    Args:
        model: The robot.
        mirror: Joint -> its mirror image.
    """
    ranges = {}
    for index in range(model.njnt):
        if model.jnt_type[index] == mujoco.mjtJoint.mjJNT_HINGE:
            limited = bool(model.jnt_limited[index])
            lower, upper = model.jnt_range[index] if limited else (-np.pi, np.pi)
            ranges[model.joint(index).name] = (max(float(lower), -np.pi), min(float(upper), np.pi))
    both = {}
    for joint, (lower, upper) in ranges.items():
        partner, sign = mirror.get(joint, MirroredJoint(joint, 1))
        other = sorted(sign * limit for limit in ranges[partner])
        # Six digits, as the file has them, so that both sides are written alike.
        both[joint] = (float(f"{max(lower, other[0]):.6g}"), float(f"{min(upper, other[1]):.6g}"))
    return both


def write_model(
    name: str,
    model: mujoco.MjModel,
    anatomy: Anatomy,
    shapes: Mapping[str, Sequence[Shape]],
    *,
    ranges: Mapping[str, tuple[float, float]],
    armature_kgm2: Mapping[str, float],
    new_feet: Mapping[str, NewFoot],
    foot_friction: Sequence[float],
    imu_m: Sequence[float],
) -> str:
    """Return the MJCF, the base at the origin.

    Args:
        name: Name of the robot.
        model: The robot, links that do not move fused with their parents.
        anatomy: Its feet.
        shapes: Body -> its shapes, in its frame.
        ranges: Joint -> (lower, upper) [rad].
        armature_kgm2: Joint -> inertia of its rotor [kg m^2].
        new_feet: Shank -> foot that is taken out of it.
        foot_friction: Friction of the feet: sliding, torsional, rolling.
        imu_m: Place of the IMU in the base's frame [m].
    """
    spec = mujoco.MjSpec()
    spec.modelname = name
    spec.compiler.degree = False
    spec.option.cone, spec.option.impratio = mujoco.mjtCone.mjCONE_ELLIPTIC, 100.0
    spec.default.joint.solref_limit = [0.01, 1.0]
    common = spec.default.geom
    common.density, common.contype, common.conaffinity, common.priority, common.condim = 0.0, 0, 1, 1, 3
    common.solref, common.friction = [0.01, 1.0], BODY_FRICTION
    foot_class = spec.add_default("foot", spec.default)
    foot_class.geom.friction = foot_friction
    feet = {*anatomy.feet, *(foot.body for foot in new_feet.values())}
    bodies = {0: spec.worldbody}
    for index in range(1, model.nbody):
        source = model.body(index)
        body = bodies[index] = bodies[model.body_parentid[index]].add_body(name=source.name)
        if source.name != anatomy.base:
            body.pos, body.quat = source.pos, source.quat
        else:
            body.add_freejoint(name=FREE_JOINT)
            body.add_site(name=IMU_SITE, pos=imu_m)
        first = model.body_jntadr[index]
        if first >= 0 and source.name != anatomy.base:
            joint = model.joint(first)
            body.add_joint(
                name=joint.name,
                pos=joint.pos,
                axis=joint.axis,
                range=ranges[joint.name],
                limited=mujoco.mjtLimited.mjLIMITED_TRUE,
                armature=armature_kgm2[joint.name],
            )
        mass, com, inertia = _inertia(model, index)
        taken = new_feet.get(source.name)
        for shape in shapes[source.name]:
            if taken is not None and shape.name == taken.shape:
                foot = body.add_body(name=taken.body, pos=shape.pos)
                ball = 0.4 * taken.mass_kg * shape.size[0] ** 2 * np.eye(3)
                _set_inertia(foot, taken.mass_kg, np.zeros(3), ball)
                mass, com, inertia = _without(mass, com, inertia, taken.mass_kg, shape.pos, ball)
                _add_shape(foot, shape._replace(pos=np.zeros(3)), foot_class)
            else:
                _add_shape(body, shape, foot_class if source.name in feet else spec.default)
        _set_inertia(body, mass, com, inertia)
    spec.compile()
    return re.sub(r"(<joint name=\"\w+\" type=\"free\")[^/]*/>", rf'<freejoint name="{FREE_JOINT}"/>', spec.to_xml())


def split_feet(model: mujoco.MjModel, anatomy: Anatomy, shapes: Mapping[str, Sequence[Shape]]) -> dict[str, NewFoot]:
    """Return the feet that are to become bodies: spheres at the end of a shank that has other shapes too.

    Contact of a foot can then be told from contact of its shank in every engine.

    Args:
        model: The robot.
        anatomy: Its feet, the shanks themselves.
        shapes: Body -> its shapes, in its frame.
    """
    names = {model.body(index).name for index in range(model.nbody)}
    feet = {}
    for shank in anatomy.feet:
        balls = [shape for shape in shapes[shank] if shape.kind == mujoco.mjtGeom.mjGEOM_SPHERE]
        if len(shapes[shank]) > 1 and balls:
            ball = max(balls, key=lambda shape: np.linalg.norm(shape.pos))
            mass = FOOT_DENSITY_KG_M3 * 4.0 / 3.0 * np.pi * float(ball.size[0]) ** 3
            body = next(name for name in (f"{shank}_foot", f"{shank}_foot_body") if name not in names)
            feet[shank] = NewFoot(body, ball.name, round(min(mass, 0.2 * float(model.body(shank).mass[0])), 4))
    return feet


def _inertia(model: mujoco.MjModel, index: int) -> tuple[float, Array, Array]:
    turn = rotation_matrix(model.body_iquat[index])
    inertia = turn @ np.diag(model.body_inertia[index]) @ turn.T
    return float(model.body_mass[index]), model.body_ipos[index].copy(), inertia


def _without(
    mass: float, com: Array, inertia: Array, part_mass: float, part_com: Array, part_inertia: Array
) -> tuple[float, Array, Array]:
    """Return mass, centre of mass and inertia of what is left without a part, by the parallel-axis theorem."""
    left = mass - part_mass
    centre = (mass * com - part_mass * part_com) / left

    def about_whole(weight: float, place: Array) -> Array:
        arm = place - com
        return weight * (arm @ arm * np.eye(3) - np.outer(arm, arm))

    rest = inertia - part_inertia - about_whole(part_mass, part_com) - about_whole(left, centre)
    return left, centre, rest


def _set_inertia(body: mujoco.MjsBody, mass: float, com: Array, inertia: Array) -> None:
    moments, axes = np.linalg.eigh(inertia)
    axes[:, 2] *= np.sign(np.linalg.det(axes))
    body.mass, body.ipos, body.inertia, body.iquat = mass, com, moments, quaternion(axes)
    body.explicitinertial = True


def _add_shape(body: mujoco.MjsBody, shape: Shape, default: mujoco.MjsDefault) -> None:
    kind = mujoco.mjtGeom(shape.kind)
    body.add_geom(default, name=shape.name, type=kind, size=shape.size, pos=shape.pos, quat=shape.quat)
