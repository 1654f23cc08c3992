"""A robot on flat ground, as MuJoCo takes it."""

import math
from typing import Any

import numpy as np

from surefoot_bridge.errors import SurefootError

from .model import RobotModel


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
    scene = mujoco.MjSpec.from_file(str(model.mjcf_path))
    scene.option.timestep = model.physics_dt_s
    scene.option.integrator = mujoco.mjtIntegrator.mjINT_IMPLICITFAST
    scene.worldbody.add_geom(
        name="ground",
        type=mujoco.mjtGeom.mjGEOM_PLANE,
        size=[0.0, 0.0, 1.0],
        friction=[model.ground_friction, 0.005, 0.0001],
        contype=1,
        conaffinity=0,
        priority=0,
    )
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
