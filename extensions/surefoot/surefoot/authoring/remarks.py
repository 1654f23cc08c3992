"""What a robot's file says that may be wrong, as questions for a person."""

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import mujoco
import numpy as np

from .primitives import Shape

FAR_M = 0.01
"""Mean distance of a mesh from its shape from which somebody should look at it."""

PLAUSIBLE_DENSITY_KG_M3 = (50.0, 8000.0)
"""Of a link within its shapes: from a hollow shell to solid steel."""

WATER_KG_M3 = 1000.0
"""What MuJoCo takes for the density of a shape whose file states none."""


def shape_remarks(fits: Mapping[str, Shape]) -> Iterator[str]:
    """Ask about meshes whose shapes are far off."""
    for shape in fits.values():
        if shape.misfit_m is not None and shape.misfit_m > FAR_M:
            away = f"{1000 * shape.misfit_m:.0f} mm away from it on average"
            yield f"{shape.name} is a mesh; the shape fitted to it is {away}. Is it near enough?"


def range_remarks(model: mujoco.MjModel, ranges: Mapping[str, tuple[float, float]]) -> Iterator[str]:
    """Ask about ranges that are missing, no joint's, or unlike on both sides."""
    without = [
        joint
        for joint in ranges
        if not model.jnt_limited[model.joint(joint).id] or np.abs(model.joint(joint).range).max() > 1.01 * math.pi
    ]
    if without:
        yield f"the ranges of {', '.join(without)}, a turn or none in the file; assumed half a turn either way."
    for joint, (lower, upper) in ranges.items():
        stated = model.joint(joint).range
        if joint not in without and max(abs(stated - (lower, upper))) > 1e-3:
            yield (
                f"the range of {joint} was {stated[0]:.4g} to {stated[1]:.4g} rad, unlike its mirror image's; the "
                "narrower is taken for both. Is that right?"
            )


def mass_remarks(spec: mujoco.MjSpec, model: mujoco.MjModel) -> Iterator[str]:
    """Ask about links whose mass the file does not state: they get that of their shapes in water."""
    assumed = []
    for body in spec.bodies:
        stated = any(not math.isnan(geom.mass) or geom.density != WATER_KG_M3 for geom in body.geoms)
        if body.geoms and not body.explicitinertial and not stated:
            assumed.append(f"{body.name} {float(model.body(body.name).mass[0]):.3g} kg")
    if assumed:
        yield f"the mass of {', '.join(assumed)}; the file states none, and this is that of the shapes in water."


def density_remarks(model: mujoco.MjModel, shapes: Mapping[str, Sequence[Shape]]) -> Iterator[str]:
    """Ask about links that are lighter or heavier than anything in their shapes would be."""
    low, high = PLAUSIBLE_DENSITY_KG_M3
    odd: dict[str, list[str]] = {}  # links of the same numbers together
    for body, own in shapes.items():
        volume = sum(map(_volume_m3, own))
        mass = float(model.body(body).mass[0])
        if own and not low <= mass / volume <= high:
            numbers = f"{mass:.3g} kg in shapes of {1000 * volume:.3g} l, {mass / volume:.3g} kg/m^3"
            odd.setdefault(numbers, []).append(body)
    for numbers, bodies in odd.items():
        yield f"the mass of {', '.join(bodies)}: {numbers}. Is that right?"


def actuator_remarks(groups: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """Ask about rotors and friction that the file does not state, and about damping that it does."""
    assumed = [group["name"] for group in groups if group["armature_assumed"]]
    if assumed:
        yield f"the inertia of the rotors of {', '.join(assumed)} at the joint; assumed by torque from a Go2's."
    smooth = [group["name"] for group in groups if group["friction_nm"] == 0.0]
    if smooth:
        yield f"the friction of the joints of {', '.join(smooth)}; the file states none."
    damped = [
        f"{group['name']} {group['viscous_nms_rad']:.3g} N m s/rad" for group in groups if group["viscous_nms_rad"]
    ]
    if damped:
        yield f"the damping of the file, {', '.join(damped)}, is taken for viscous friction. Is it no controller's?"


def _volume_m3(shape: Shape) -> float:
    a, b, c = map(float, shape.size)
    return {
        mujoco.mjtGeom.mjGEOM_BOX.value: 8.0 * a * b * c,
        mujoco.mjtGeom.mjGEOM_SPHERE.value: 4.0 / 3.0 * math.pi * a**3,
        mujoco.mjtGeom.mjGEOM_CAPSULE.value: math.pi * a**2 * (2.0 * b + 4.0 / 3.0 * a),
        mujoco.mjtGeom.mjGEOM_CYLINDER.value: 2.0 * math.pi * a**2 * b,
    }.get(shape.kind, 4.0 / 3.0 * math.pi * a * b * c)
