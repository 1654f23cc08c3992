"""A robot on flat ground, as MuJoCo takes it."""

import ctypes.util
import math
from pathlib import Path
from typing import Any, Dict, List, Sequence, Tuple

import numpy as np

from surefoot_bridge.errors import SurefootError

from .model import RobotModel

GROUND = "ground"
"""Name of the ground's geom."""

_BODY_RGBA, _FOOT_RGBA = (0.16, 0.22, 0.30, 1.0), (0.93, 0.46, 0.10, 1.0)
"""Dark slate and orange: in a film of a gait one looks at the feet."""

_SKY = ([0.85, 0.89, 0.94], [0.62, 0.70, 0.80])
_CHECKER = ([0.78, 0.80, 0.82], [0.68, 0.70, 0.73])
"""Colours of horizon and nadir, and of the ground's squares, as shares of red, green and blue."""

_SUN = {"pos": [0.0, 0.0, 10.0], "dir": [0.55, 0.25, -0.8], "castshadow": False}
"""From ahead of the start and above, so that risers, treads and slopes differ. A shadow would take a CPU half as long
again as all the rest of a frame, and on uneven ground it speckles."""


def load_mujoco() -> Any:
    """Return the module.

    Raises:
        SurefootError: If it is not installed.
    """
    try:
        import mujoco  # pyright: ignore[reportMissingImports]
    except ImportError as error:
        raise SurefootError("An emulated robot needs MuJoCo: pip install 'surefoot-bridge[mujoco]'.") from error
    return mujoco


def offscreen_library() -> str:
    """Return the OpenGL library that draws without a screen: EGL beside an NVIDIA driver that has it, else OSMesa.

    A container may have the driver for computing alone: graphics is a capability of its own.
    """
    has_nvidia = Path("/proc/driver/nvidia/version").exists()
    return "egl" if has_nvidia and all(map(ctypes.util.find_library, ("EGL", "EGL_nvidia"))) else "osmesa"


def compose(mujoco: Any, model: RobotModel) -> Any:
    """Return the robot on the ground, with an accelerometer and a gantry that is let go."""
    scene = begin_scene(mujoco, model.mjcf_path, model.physics_dt_s)
    add_plane(mujoco, scene, model.ground_friction)
    scene.add_sensor(
        name="accelerometer",
        type=mujoco.mjtSensor.mjSENS_ACCELEROMETER,
        objtype=mujoco.mjtObj.mjOBJ_SITE,
        objname=model.imu_site,
    )
    weld = scene.add_equality(
        name="gantry", type=mujoco.mjtEq.mjEQ_WELD, objtype=mujoco.mjtObj.mjOBJ_BODY, name1="world", active=False
    )
    weld.name2 = model.base_body
    return scene.compile()


def begin_scene(mujoco: Any, mjcf_path: Path, physics_dt_s: float) -> Any:
    """Return the robot of an MJCF, to be added to, with the integrator of every simulation in MuJoCo.

    Args:
        mujoco: The module.
        mjcf_path: The MJCF.
        physics_dt_s: Length of a physics step [s].
    """
    scene = mujoco.MjSpec.from_file(str(mjcf_path))
    scene.option.timestep = physics_dt_s
    scene.option.integrator = mujoco.mjtIntegrator.mjINT_IMPLICITFAST
    return scene


def add_plane(mujoco: Any, scene: Any, friction: float) -> None:
    """Add the ground, the plane z = 0; see :func:`ground_contact`."""
    scene.worldbody.add_geom(type=mujoco.mjtGeom.mjGEOM_PLANE, size=[0.0, 0.0, 1.0], **ground_contact(friction))


def dress(mujoco: Any, scene: Any, foot_bodies: Sequence[str]) -> None:
    """Make a robot of primitive shapes fit to be looked at; one of meshes is left as it is. Of no use to physics.

    Its shapes are those of collisions: they leave gaps between bodies, which get a rod each, from the nearest end of
    the parent's shapes to the child. Its colours become such that it stands out from a light ground, its feet most.

    Args:
        mujoco: The module.
        scene: The robot, without ground; changed.
        foot_bodies: Its feet.
    """
    model = scene.copy().compile()
    if model.nmesh or not model.ngeom:
        return
    for geom in scene.geoms:
        geom.rgba = _FOOT_RGBA if geom.parent.name in foot_bodies else _BODY_RGBA
    radius = min(float(size[size > 0.0].min()) for size in model.geom_size)
    no_shape = {"contype": 0, "conaffinity": 0, "mass": 0.0, "rgba": _BODY_RGBA}
    for child in range(2, model.nbody):
        parent, place = int(model.body_parentid[child]), model.body_pos[child]
        shapes = np.flatnonzero(model.geom_bodyid == parent).tolist()
        ends = [end for geom in shapes for end in _ends(mujoco, model, geom)] or [np.zeros(3)]
        nearest = min(ends, key=lambda end: float(np.linalg.norm(end - place)))
        if parent and np.linalg.norm(nearest - place) > radius:
            rod = {"type": mujoco.mjtGeom.mjGEOM_CAPSULE, "size": [radius, 0.0, 0.0], "fromto": [*nearest, *place]}
            scene.bodies[parent].add_geom(**rod, **no_shape)


def light(mujoco: Any, scene: Any, size: Tuple[int, int]) -> None:
    """Give a scene with ground a sky, squares on the ground and light, for pictures of a size [pixels] at most."""
    visual = scene.visual
    visual.global_.offwidth, visual.global_.offheight = size
    visual.headlight.ambient, visual.headlight.diffuse = [0.45] * 3, [0.35] * 3
    visual.headlight.specular = [0.0] * 3
    visual.quality.offsamples = 0  # without a GPU smoothed edges would halve the rate
    sky = {"type": mujoco.mjtTexture.mjTEXTURE_SKYBOX, "builtin": mujoco.mjtBuiltin.mjBUILTIN_GRADIENT}
    scene.add_texture(name="sky", rgb1=_SKY[0], rgb2=_SKY[1], width=64, height=384, **sky)
    checker = {"type": mujoco.mjtTexture.mjTEXTURE_2D, "builtin": mujoco.mjtBuiltin.mjBUILTIN_CHECKER}
    scene.add_texture(name="checker", rgb1=_CHECKER[0], rgb2=_CHECKER[1], width=256, height=256, **checker)
    material = scene.add_material(name="checker", texuniform=True, texrepeat=[1.0, 1.0], reflectance=0.0)
    material.textures[mujoco.mjtTextureRole.mjTEXROLE_RGB] = "checker"
    scene.geom(GROUND).material = "checker"
    sun = {"type": mujoco.mjtLightType.mjLIGHT_DIRECTIONAL, "diffuse": [0.65] * 3, "specular": [0.0] * 3, **_SUN}
    scene.worldbody.add_light(name="sun", **sun)


def _ends(mujoco: Any, model: Any, geom: int) -> List[np.ndarray]:
    """Return the middle of a shape and both ends of its longest axis, in its body's frame [m]."""
    turn, size = np.zeros(9), model.geom_size[geom]
    mujoco.mju_quat2Mat(turn, model.geom_quat[geom])
    is_box = model.geom_type[geom] == mujoco.mjtGeom.mjGEOM_BOX
    axis = int(np.argmax(size)) if is_box else 2
    half = turn.reshape(3, 3)[:, axis] * (size[axis] if is_box else size[1])
    return [model.geom_pos[geom] + share * half for share in (-1.0, 0.0, 1.0)]


def ground_contact(friction: float) -> Dict[str, Any]:
    """Return name and contact of a ground's geom, of whatever shape it is.

    It collides with geoms of ``conaffinity`` 1, as robots' are. Its priority is 0, below that of the robots' feet, so
    that it is their friction, stiffness and damping which count there.

    Args:
        friction: Sliding friction with bodies of no priority of their own.
    """
    return {
        "name": GROUND,
        "friction": [friction, 0.005, 0.0001],  # spin and roll as by MuJoCo's default; contacts of condim 3 have none
        "contype": 1,
        "conaffinity": 0,
        "priority": 0,
    }


def lowest(physics: Any, data: Any, geom: int) -> float:
    """Return the lowest point of a box, capsule, cylinder or sphere [m]; 0 for the ground."""
    kind, size = physics.geom_type[geom], physics.geom_size[geom]
    if kind == 0:  # mjGEOM_PLANE
        return 0.0
    up = np.abs(data.geom_xmat[geom].reshape(3, 3)[2])  # share of each axis of the geom in the vertical
    below = {
        2: size[0],  # sphere
        3: size[0] + up[2] * size[1],  # capsule
        5: up[2] * size[1] + math.hypot(up[0], up[1]) * size[0],  # cylinder
        6: float(up @ size),  # box
    }.get(int(kind))
    if below is None:
        raise SurefootError(f"Geom {physics.geom(geom).name!r} is of type {kind}; an emulated robot is of primitives.")
    return float(data.geom_xpos[geom, 2]) - below
