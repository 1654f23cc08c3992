"""Where a robot carries its payload: the same place in every engine."""

from __future__ import annotations

from functools import lru_cache

import mujoco
import numpy as np

from surefoot_bridge.robots.mujoco_scene import lowest
from surefoot_robots import RobotSpec


@lru_cache
def payload_position_b(spec: RobotSpec) -> tuple[float, float, float]:
    """Return where a payload's mass is, in the base's frame [m]: on the highest shape of the base, over its origin.

    A payload is a point mass: what a box of 0.2 m adds by its own extent is below a tenth of the base's inertia.
    """
    model = mujoco.MjModel.from_xml_path(str(spec.mjcf_path))
    data = mujoco.MjData(model)
    data.qpos[:7] = (0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0)  # upside down: what was highest is lowest
    mujoco.mj_kinematics(model, data)
    base = model.body(spec.base_body).id
    shapes = np.flatnonzero(model.geom_bodyid == base)
    return 0.0, 0.0, -min(lowest(model, data, int(shape)) for shape in shapes)
