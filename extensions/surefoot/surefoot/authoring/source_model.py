"""A robot as it was given, URDF or MJCF, reduced to what a robot is: links, hinges, shapes and inertias."""

import xml.etree.ElementTree as ElementTree
from dataclasses import dataclass, field
from pathlib import Path

import mujoco
import numpy as np

from surefoot_bridge.errors import SurefootError, first_few

from .source_file import root_of

_CONTENT = ("actuators", "sensors", "keys", "equalities", "tendons", "excludes", "pairs", "materials", "textures")
"""Parts of an MJCF that are no part of the robot, or that Surefoot adds by itself."""

FREE_JOINT = "floating_base"


@dataclass(frozen=True)
class SourceModel:
    """A robot as a file describes it.

    Attributes:
        path: The file.
        spec: Its links, hinges, shapes and inertias, with a free joint at the base and nothing beside the robot.
        effort_nm: Joint -> largest torque [N m], of the joints for which the file states one.
        velocity_rad_s: Joint -> largest speed [rad/s], of the joints for which the file states one.
        home_rad: Joint -> position in the file's first keyframe [rad]; empty without one.
    """

    path: Path
    spec: mujoco.MjSpec
    effort_nm: dict[str, float] = field(default_factory=dict)
    velocity_rad_s: dict[str, float] = field(default_factory=dict)
    home_rad: dict[str, float] = field(default_factory=dict)


def read_source(path: Path) -> SourceModel:
    """Read a URDF or an MJCF.

    Raises:
        SurefootError: If the file is missing, is neither, holds no robot or several, has joints that are no hinges, or
            MuJoCo cannot compile it.
    """
    root = root_of(path)
    try:
        source = _from_urdf(path, root) if root.tag == "robot" else _from_mjcf(path)
        _reduce(source)
        source.spec.compile()
    except (ValueError, mujoco.FatalError) as error:
        found = " ".join(str(error).split())
        raise SurefootError(f"MuJoCo cannot compile {path}: {found}. Correct the file.") from error
    return source


def _from_urdf(path: Path, root: ElementTree.Element) -> SourceModel:
    """Read a URDF: MuJoCo welds its root to the world and reads no speed limits, so both are seen to here."""
    links = [link.get("name", "") for link in root.iter("link")]
    children = {child.get("link") for child in root.iter("child")}
    roots = [link for link in links if link not in children]
    if len(roots) != 1:
        raise SurefootError(f"{path} has the root links {', '.join(roots) or 'none'}; a robot has one.")
    if roots[0] != "world":
        ElementTree.SubElement(root, "link", name="world")
        joint = ElementTree.SubElement(root, "joint", name=FREE_JOINT, type="floating")
        ElementTree.SubElement(joint, "parent", link="world")
        ElementTree.SubElement(joint, "child", link=roots[0])
    shapes = root.findall("link/collision") or root.findall("link/visual")
    for mesh in (mesh for shape in shapes for mesh in shape.iter("mesh")):
        mesh.set("filename", str(_mesh_file(path, mesh.get("filename", ""))))
    for extension in root.findall("mujoco"):
        root.remove(extension)
    has_collisions = root.find("link/collision") is not None
    ElementTree.SubElement(
        ElementTree.SubElement(root, "mujoco"),
        "compiler",
        strippath="false",
        fusestatic="false",
        discardvisual="true" if has_collisions else "false",
        # An impossible inertia is told by name, not mended unseen.
        balanceinertia="true",
    )
    spec = mujoco.MjSpec.from_string(ElementTree.tostring(root, encoding="unicode"))
    limits = {joint.get("name", ""): joint.find("limit") for joint in root.findall("joint")}
    stated = {
        field: {
            name: float(limit.get(field, "0"))
            for name, limit in limits.items()
            if limit is not None and float(limit.get(field, "0")) > 0.0
        }
        for field in ("effort", "velocity")
    }
    return SourceModel(path, spec, effort_nm=stated["effort"], velocity_rad_s=stated["velocity"])


def _mesh_file(urdf: Path, reference: str) -> Path:
    """Return where a mesh of a URDF is: beside it, or in a ROS package that is a folder above it."""
    place = reference.removeprefix("file://")
    candidates = [urdf.parent / place]
    if reference.startswith("package://"):
        package, _, place = reference.removeprefix("package://").partition("/")
        above = [urdf.parent.resolve(), *urdf.parent.resolve().parents]
        candidates = [folder / place for folder in above] + [folder / package / place for folder in above]
    for candidate in candidates:
        if candidate.is_file():
            if candidate.suffix.lower() not in (".stl", ".obj", ".msh"):
                raise SurefootError(f"{candidate} is no mesh that MuJoCo reads; convert it to STL or OBJ.")
            return candidate.resolve()
    raise SurefootError(
        f"{urdf} names the mesh {reference}, which is neither beside it nor in a folder above it; put it there, or "
        "give that link a box, cylinder or sphere instead."
    )


def _from_mjcf(path: Path) -> SourceModel:
    spec = mujoco.MjSpec.from_file(str(path))
    model = spec.compile()
    effort = {
        model.joint(index).name: float(model.jnt_actfrcrange[index, 1])
        for index in range(model.njnt)
        if model.jnt_actfrclimited[index]
    }
    for index in range(model.nu):
        if model.actuator_trntype[index] == mujoco.mjtTrn.mjTRN_JOINT:
            limit = _actuator_limit_nm(model, index)
            if limit is not None:
                effort.setdefault(model.joint(model.actuator_trnid[index, 0]).name, limit)
    home = {}
    if model.nkey:
        joints = [model.joint(index) for index in range(model.njnt)]
        home = {joint.name: float(model.key_qpos[0, joint.qposadr[0]]) for joint in joints if len(joint.qpos0) == 1}
    return SourceModel(path, spec, effort_nm=effort, home_rad=home)


def _actuator_limit_nm(model: mujoco.MjModel, index: int) -> float | None:
    gear = abs(float(model.actuator_gear[index, 0]))
    if model.actuator_forcelimited[index]:
        return float(model.actuator_forcerange[index, 1]) * gear
    is_motor = not model.actuator_biasprm[index].any() and model.actuator_gainprm[index, 0] == 1.0
    return float(model.actuator_ctrlrange[index, 1]) * gear if is_motor and model.actuator_ctrllimited[index] else None


def _reduce(source: SourceModel) -> None:
    """Take away everything but the robot, give it a free joint, and give every shape a name."""
    spec = source.spec
    for content in _CONTENT:
        for element in list(getattr(spec, content)):
            spec.delete(element)
    world = spec.worldbody
    for element in (*world.geoms, *world.sites, *spec.cameras, *spec.lights):
        spec.delete(element)
    robots = [body for body in world.bodies if body.find_all(mujoco.mjtObj.mjOBJ_JOINT)]
    if len(robots) != 1:
        names = ", ".join(body.name for body in robots) or "none"
        raise SurefootError(f"{source.path} holds the robots {names}; Surefoot takes one, of bodies with joints.")
    for body in world.bodies:
        if body.name != robots[0].name:
            spec.delete(body)
    base = robots[0]
    if not base.joints:
        base.add_freejoint(name=FREE_JOINT)
    _check_joints(source.path, spec)
    spec.compiler.balanceinertia = True
    collides = [geom for geom in spec.geoms if geom.contype or geom.conaffinity]
    for body in spec.bodies:
        for index, geom in enumerate(list(body.geoms)):
            geom.material = ""
            geom.name = f"{body.name}_{index + 1}"
            if collides and not (geom.contype or geom.conaffinity) and body.explicitinertial:
                spec.delete(geom)
    used = {geom.meshname for geom in spec.geoms}
    for mesh in list(spec.meshes):
        if mesh.name not in used:
            spec.delete(mesh)


def _check_joints(path: Path, spec: mujoco.MjSpec) -> None:
    mistakes = []
    for body in spec.bodies:
        kinds = [joint.type for joint in body.joints]
        for joint in body.joints:
            if joint.type not in (mujoco.mjtJoint.mjJNT_HINGE, mujoco.mjtJoint.mjJNT_FREE):
                kind = joint.type.name.removeprefix("mjJNT_").lower()
                mistakes.append(f"{joint.name} is a {kind} joint; Surefoot drives hinges. Weld it, or make it a hinge.")
        if len(kinds) > 1:
            mistakes.append(f"{body.name} has {len(kinds)} joints; give each joint a body of its own.")
    if mistakes:
        raise SurefootError("\n  ".join([f"{path} cannot be used:", *first_few(mistakes)]))


def check_inertias(source: SourceModel) -> None:
    """Refuse masses and inertias that no body can have, as the file states them.

    Raises:
        SurefootError: Naming each body with its numbers.
    """
    mistakes = []
    for body in source.spec.bodies:
        if not body.explicitinertial:
            continue
        full = np.asarray(body.fullinertia)
        moments = np.sort(_moments(full) if np.isfinite(full[0]) and full[:3].any() else np.asarray(body.inertia))
        shown = " ".join(f"{moment:.3g}" for moment in moments)
        if body.mass < 0.0 or (body.mass == 0.0 and body.joints):
            mistakes.append(f"{body.name} has a mass of {body.mass:g} kg; it must be > 0.")
        elif body.mass > 0.0 and (moments[0] < 0.0 or (moments[0] == 0.0 and body.joints)):
            mistakes.append(f"{body.name} has the principal moments {shown} kg m^2; each must be > 0.")
        elif moments[0] + moments[1] < moments[2] * (1.0 - 1e-6):
            mistakes.append(
                f"{body.name} has the principal moments {shown} kg m^2; none may exceed the sum of the two others."
            )
    if mistakes:
        raise SurefootError(
            "\n  ".join([f"{source.path} states what no body can have; correct it:", *first_few(mistakes)])
        )


def _moments(full: np.ndarray) -> np.ndarray:
    xx, yy, zz, xy, xz, yz = full
    return np.linalg.eigvalsh(np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]))
