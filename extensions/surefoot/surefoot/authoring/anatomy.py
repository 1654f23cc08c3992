"""Feet, legs and left-right pairs of a robot, found by where its joints and shapes are, never by their names."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import mujoco
import numpy as np
from numpy.typing import NDArray

from surefoot_bridge.errors import SurefootError, unknown_name

Array = NDArray[np.float64]

MIRROR = np.array([1.0, -1.0, 1.0])
"""Reflection of a place in the x-z plane."""

_PAIR_TOLERANCE_M = 0.01
"""How far a joint may be from the mirror image of its partner; makers' models differ by millimetres."""

_LEVEL_SHARE = 0.1
"""Limbs that end within this share of the robot's height above its lowest point end in feet."""


class MirroredJoint(NamedTuple):
    """Where a joint is in the mirror."""

    partner: str
    sign: int
    """-1 where the mirrored motion has the other sign."""


@dataclass(frozen=True)
class Anatomy:
    """What a robot's geometry says, in the configuration of zeros with the base level at the origin.

    Attributes:
        base: Body of the free joint.
        joints: Hinges in order of declaration.
        feet: Bodies that are feet, front before hind ones, left before right ones.
        legs: For each foot, the joints between the base and it, from the base on.
        foot_mirror: Foot -> foot on the other side.
        foot_diagonal: Foot -> foot diagonally across; empty for two feet.
        joint_mirror: Joint -> its mirror image; joints without any are missing.
        body_mirror: Body -> body on the other side, itself for one in the middle; bodies without any are missing.
    """

    base: str
    joints: tuple[str, ...]
    feet: tuple[str, ...]
    legs: tuple[tuple[str, ...], ...]
    foot_mirror: dict[str, str]
    foot_diagonal: dict[str, str]
    joint_mirror: dict[str, MirroredJoint]
    body_mirror: dict[str, str]

    @property
    def unpaired(self) -> tuple[str, ...]:
        """Joints for which no mirror image was found."""
        return tuple(joint for joint in self.joints if joint not in self.joint_mirror)


def at_zero(model: mujoco.MjModel) -> mujoco.MjData:
    """Return the robot with all joints at zero, its base level at the origin."""
    data = mujoco.MjData(model)
    data.qpos[:] = 0.0
    data.qpos[3] = 1.0
    mujoco.mj_kinematics(model, data)
    mujoco.mj_comPos(model, data)
    return data


def shape_points(model: mujoco.MjModel, data: mujoco.MjData, geom: int) -> Array:
    """Return points whose convex hull, grown by the radius of a sphere or capsule, is a shape, in the world, (n, 3)."""
    kind, size = int(model.geom_type[geom]), model.geom_size[geom]
    if kind == mujoco.mjtGeom.mjGEOM_MESH:
        mesh = model.geom_dataid[geom]
        begin = model.mesh_vertadr[mesh]
        points = model.mesh_vert[begin : begin + model.mesh_vertnum[mesh]].astype(np.float64)
    elif kind == mujoco.mjtGeom.mjGEOM_SPHERE:
        points = np.zeros((1, 3))
    elif kind == mujoco.mjtGeom.mjGEOM_CAPSULE:
        points = np.array([[0.0, 0.0, -size[1]], [0.0, 0.0, size[1]]])
    elif kind == mujoco.mjtGeom.mjGEOM_CYLINDER:
        turn = np.linspace(0.0, 2.0 * np.pi, 16, endpoint=False)
        ring = np.stack([size[0] * np.cos(turn), size[0] * np.sin(turn), np.zeros_like(turn)], axis=1)
        half = np.array([0.0, 0.0, size[1]])
        points = np.concatenate([ring - half, ring + half])
    else:  # a box; an ellipsoid by the box around it
        corners = np.stack(np.meshgrid([-1.0, 1.0], [-1.0, 1.0], [-1.0, 1.0]), axis=-1).reshape(-1, 3)
        points = corners * size
    return data.geom_xpos[geom] + points @ data.geom_xmat[geom].reshape(3, 3).T


def shape_radius(model: mujoco.MjModel, geom: int) -> float:
    """Return by how much `shape_points` are grown [m]."""
    round_ones = (mujoco.mjtGeom.mjGEOM_SPHERE, mujoco.mjtGeom.mjGEOM_CAPSULE)
    return float(model.geom_size[geom, 0]) if int(model.geom_type[geom]) in map(int, round_ones) else 0.0


def shape_bottom(model: mujoco.MjModel, data: mujoco.MjData, geom: int) -> float:
    """Return the height of a shape's lowest point [m]."""
    return float(shape_points(model, data, geom)[:, 2].min()) - shape_radius(model, geom)


def find_feet(model: mujoco.MjModel, chosen: Sequence[str] = ()) -> tuple[str, ...]:
    """Return the bodies that are feet: those that carry the lowest shape of a limb which reaches the lowest level.

    Args:
        model: The robot, links that do not move against their parents still apart.
        chosen: The feet, where somebody names them.

    Raises:
        SurefootError: If they are not two or four, or there is no such body.
    """
    bodies = [model.body(index).name for index in range(1, model.nbody)]
    for name in chosen:
        if name not in bodies:
            raise unknown_name("body", name, bodies, "Name the feet with --feet A,B,...")
    data = at_zero(model)
    bottoms = {geom: shape_bottom(model, data, geom) for geom in range(model.ngeom)}
    lowest: dict[int, int] = {}  # link, with all that is welded to it -> its lowest shape
    for geom, height in bottoms.items():
        link = model.body_weldid[model.geom_bodyid[geom]]
        if link not in lowest or height < bottoms[lowest[link]]:
            lowest[link] = geom
    weld, parent = model.body_weldid, model.body_parentid
    inner = {weld[parent[body]] for body in range(1, model.nbody) if weld[parent[body]] != weld[body]}
    ends = [link for link in lowest if link not in inner]
    if not bottoms:
        raise SurefootError("No body has a shape to collide with; give each link a box, capsule, sphere or mesh.")
    ground, top = min(bottoms.values()), max(bottoms.values())
    level = ground + _LEVEL_SHARE * max(top - ground, -ground)
    found = [model.body(model.geom_bodyid[lowest[limb]]).name for limb in ends if bottoms[lowest[limb]] <= level]
    feet = tuple(chosen) or tuple(found)
    if len(feet) not in (2, 4):
        raise SurefootError(
            f"{len(feet)} feet were found ({', '.join(feet) or 'none'}); Surefoot knows robots with two or four. Name "
            f"them with --feet A,B,...; bodies: {', '.join(bodies)}."
        )
    places = {foot: data.body(foot).xpos for foot in feet}
    middle = np.mean([place[0] for place in places.values()])
    return tuple(sorted(feet, key=lambda foot: (places[foot][0] < middle if len(feet) == 4 else 0, -places[foot][1])))


def study(model: mujoco.MjModel, feet: Sequence[str]) -> Anatomy:
    """Find legs and pairs.

    Args:
        model: The robot, each foot a body of its own or the last link of its leg.
        feet: Its feet.

    Raises:
        SurefootError: If the feet are not in pairs, or the base does not look forward with its feet below.
    """
    data = at_zero(model)
    hinges = [model.joint(i) for i in range(model.njnt) if model.jnt_type[i] == mujoco.mjtJoint.mjJNT_HINGE]
    names = tuple(joint.name for joint in hinges)
    joint_mirror = _pair_joints(model, data)
    places = {foot: _foot_place(model, data, foot) for foot in feet}
    foot_mirror = {
        foot: min(feet, key=lambda other: np.linalg.norm(MIRROR * places[foot] - places[other])) for foot in feet
    }
    base = next(model.body(i).name for i in range(1, model.nbody) if model.body_parentid[i] == 0)
    if max(place[2] for place in places.values()) >= 0.0 or any(
        foot_mirror[foot] == foot or foot_mirror[foot_mirror[foot]] != foot for foot in feet
    ):
        shown = "; ".join(f"{foot} at {np.round(place, 3)} m" for foot, place in places.items())
        raise SurefootError(
            f"The feet are not in pairs left and right below {base}, whose x axis must point forward and whose z axis "
            f"up: {shown}. Turn the base's frame, or name other feet with --feet A,B,..."
        )
    diagonal = {}
    for foot in feet if len(feet) == 4 else ():
        across = [other for other in feet if (places[other][1] > 0.0) != (places[foot][1] > 0.0)]
        diagonal[foot] = next(other for other in across if other != foot_mirror[foot])
    return Anatomy(
        base=base,
        joints=names,
        feet=tuple(feet),
        legs=tuple(_joints_to(model, foot) for foot in feet),
        foot_mirror=foot_mirror,
        foot_diagonal=diagonal,
        joint_mirror=joint_mirror,
        body_mirror=_pair_bodies(model, joint_mirror, foot_mirror),
    )


def _foot_place(model: mujoco.MjModel, data: mujoco.MjData, foot: str) -> Array:
    body = model.body(foot)
    geoms = range(body.geomadr[0], body.geomadr[0] + body.geomnum[0])
    lowest = min(geoms, key=lambda geom: shape_bottom(model, data, geom), default=None)
    return data.body(foot).xpos.copy() if lowest is None else data.geom_xpos[lowest].copy()


def _joints_to(model: mujoco.MjModel, name: str) -> tuple[str, ...]:
    chain, body = [], model.body(name).id
    while body:
        first = model.body_jntadr[body]
        if first >= 0 and model.jnt_type[first] == mujoco.mjtJoint.mjJNT_HINGE:
            chain.append(model.joint(first).name)
        body = model.body_parentid[body]
    return tuple(reversed(chain))


def _pair_joints(model: mujoco.MjModel, data: mujoco.MjData) -> dict[str, MirroredJoint]:
    """Pair hinges whose axes are mirror images: an axis turns the other way in a mirror, but for its y component."""
    hinges = [i for i in range(model.njnt) if model.jnt_type[i] == mujoco.mjtJoint.mjJNT_HINGE]

    def misfit(joint: int, other: int) -> float:
        away = np.linalg.norm(MIRROR * data.xanchor[joint] - data.xanchor[other])
        turned = 1.0 - abs(float(-MIRROR * data.xaxis[joint] @ data.xaxis[other]))
        return float(away / _PAIR_TOLERANCE_M + turned / 0.01)

    nearest = {joint: min(hinges, key=lambda other: misfit(joint, other)) for joint in hinges}
    return {
        model.joint(joint).name: MirroredJoint(
            model.joint(other).name, 1 if -MIRROR * data.xaxis[joint] @ data.xaxis[other] > 0.0 else -1
        )
        for joint, other in nearest.items()
        if nearest[other] == joint and misfit(joint, other) < 1.0
    }


def _pair_bodies(model: mujoco.MjModel, joints: dict[str, MirroredJoint], feet: dict[str, str]) -> dict[str, str]:
    pairs = dict(feet)
    for index in range(1, model.nbody):
        name, first = model.body(index).name, model.body_jntadr[index]
        if first >= 0:
            joint = model.joint(first).name
            if model.jnt_type[first] == mujoco.mjtJoint.mjJNT_FREE:
                pairs[name] = name
            elif joint in joints:
                pairs[name] = model.body(model.joint(joints[joint].partner).bodyid[0]).name
    return pairs
