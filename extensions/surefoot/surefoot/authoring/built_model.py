"""A robot's model as its package will have it, built from the file that describes it."""

import xml.etree.ElementTree as ElementTree
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import mujoco
import numpy as np

from .anatomy import Anatomy, at_zero, find_feet, study
from .gains import ASSUMED_ARMATURE_KGM2_PER_NM, alike
from .model_file import BODY_FRICTION, joint_ranges, split_feet, write_model
from .primitives import fit_meshes, mirror_fits, shapes_of
from .remarks import density_remarks, mass_remarks, range_remarks, shape_remarks
from .source_model import SourceModel


@dataclass(frozen=True)
class BuiltModel:
    """The robot as its MJCF will have it, and as the file has it, without links that do not move.

    Attributes:
        model: The robot as written.
        fused: The robot as the file has it.
        anatomy: Feet, legs and pairs of the robot as written.
        xml: Its MJCF, the base at the origin.
        ranges: Joint -> (lower, upper) [rad].
        armature_kgm2: Joint -> inertia of its rotor [kg m^2].
        remarks: What somebody should look at.
        imu_known: Whether the file says where the IMU is.
    """

    model: mujoco.MjModel
    fused: mujoco.MjModel
    anatomy: Anatomy
    xml: str
    ranges: dict[str, tuple[float, float]]
    armature_kgm2: dict[str, float]
    remarks: tuple[str, ...]
    imu_known: bool


def build_model(name: str, source: SourceModel, chosen: Sequence[str]) -> BuiltModel:
    """Fuse what does not move, fit shapes to meshes, and make each foot a body of its own.

    Args:
        name: Name of the robot.
        source: Its file.
        chosen: Its feet, where somebody names them.

    Raises:
        SurefootError: If it has no two or four feet, or they are not in pairs below the base.
    """
    spec = source.spec
    whole = spec.compile()
    feet, unstated = find_feet(whole, chosen), tuple(mass_remarks(spec, whole))
    imu_known = _mark_imu(spec)
    spec = _fuse(spec, whole, feet)
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
    remarks = (*unstated, *shape_remarks(fits), *range_remarks(model, ranges), *density_remarks(model, shapes))
    return BuiltModel(written, model, study(written, names), xml, ranges, armature, remarks, on_base)


_IMU_MARK = "surefoot_imu"


def _fuse(spec: mujoco.MjSpec, whole: mujoco.MjModel, feet: Sequence[str]) -> mujoco.MjSpec:
    """Return a robot whose links that do not move are part of the link that carries them, but for its feet.

    MuJoCo's own ``fusestatic`` leaves some of them apart where anything refers to a foot, as to keep it needs.
    """
    data, carriers = at_zero(whole), {0: 0}
    for index in range(1, whole.nbody):
        stays = whole.body_weldid[index] == index or whole.body(index).name in feet
        carriers[index] = index if stays else carriers[int(whole.body_parentid[index])]
    root = ElementTree.fromstring(spec.to_xml())
    folder = Path(spec.modelfiledir, spec.meshdir).resolve()
    root.find("compiler").set("meshdir", str(folder))  # type: ignore[union-attr]  (MuJoCo writes one)
    for element in root.iter("body"):
        index = whole.body(element.get("name")).id
        parts = [part for part, carrier in carriers.items() if carrier == index]
        if len(parts) != 1 and (stated := element.find("inertial")) is not None:
            element.remove(stated)
        if not parts:
            element.tag = "frame"
            for attribute in set(element.keys()) - {"pos", "quat", "childclass"}:
                del element.attrib[attribute]
        elif len(parts) > 1 and whole.body_mass[parts].any():
            element.insert(0, ElementTree.Element("inertial", _inertial(whole, data, index, parts)))
    return mujoco.MjSpec.from_string(ElementTree.tostring(root, encoding="unicode"))


def _inertial(model: mujoco.MjModel, data: mujoco.MjData, carrier: int, parts: Sequence[int]) -> dict[str, str]:
    """Return the MJCF attributes of the mass of links together, in the frame of the one that carries them."""
    masses, centres = model.body_mass[parts], data.xipos[parts]  # (num_parts,), (num_parts, 3)
    mass = masses.sum()
    com = masses @ centres / mass
    inertia = np.zeros((3, 3))
    for part, weight, arm in zip(parts, masses, centres - com, strict=True):
        axes = data.ximat[part].reshape(3, 3)
        inertia += axes @ np.diag(model.body_inertia[part]) @ axes.T
        inertia += weight * (arm @ arm * np.eye(3) - np.outer(arm, arm))
    turn = data.xmat[carrier].reshape(3, 3)
    place, full = turn.T @ (com - data.xpos[carrier]), turn.T @ inertia @ turn
    six = [*np.diag(full), full[0, 1], full[0, 2], full[1, 2]]
    return {"mass": repr(float(mass)), "pos": _numbers(place), "fullinertia": _numbers(six)}


def _numbers(values: Iterable[float]) -> str:
    return " ".join(repr(float(value)) for value in values)


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
        stated_kgm2 = float(f"{max(stated):.6g}")  # as many digits as the MJCF has
        value = stated_kgm2 if min(stated) > 0.0 else float(f"{ASSUMED_ARMATURE_KGM2_PER_NM * effort:.2g}")
        armature.update(dict.fromkeys(group, value))
    return armature


def _foot_friction(model: mujoco.MjModel, anatomy: Anatomy) -> tuple[float, ...]:
    geoms = [geom for geom in range(model.ngeom) if model.body(model.geom_bodyid[geom]).name in anatomy.feet]
    stated = {tuple(map(float, model.geom_friction[geom])) for geom in geoms}
    usual = (1.0, 0.005, 0.0001)  # MuJoCo's, which a URDF has: nobody chose it
    return next(iter(stated)) if len(stated) == 1 and usual not in stated else BODY_FRICTION
