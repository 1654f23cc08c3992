"""A robot on flat ground, as MuJoCo takes it."""

import math
from pathlib import Path
from typing import Any, Dict

import numpy as np

from surefoot_bridge.errors import SurefootError

from .model import RobotModel

GROUND = "ground"
"""Name of the ground's geom."""


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
