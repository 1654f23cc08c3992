"""How high a robot's base must be for its feet to touch the ground."""

from __future__ import annotations

import mujoco
import numpy as np

from surefoot_robots import RobotSpec


def standing_height_m(spec: RobotSpec, joint_pos_rad: np.ndarray, quat_wxyz: np.ndarray) -> np.ndarray:
    """Return the height of each robot's base above level ground at which its lowest sole touches it [m], (N,).

    Args:
        spec: The robot.
        joint_pos_rad: Joint positions [rad] in the policy's order, (N, num_joints).
        quat_wxyz: Rotations from the base's frame to the world, (N, 4).
    """
    model = mujoco.MjModel.from_xml_path(str(spec.mjcf_path))
    data = mujoco.MjData(model)
    base = int(model.body(spec.base_body).jntadr[0])
    free = int(model.jnt_qposadr[base])
    joints = [int(model.joint(name).qposadr[0]) for name in spec.joint_names]
    feet = [
        (model.body(name).id, np.array(points))
        for name, points in zip(spec.foot_bodies, spec.sole_offsets_m, strict=True)
    ]
    heights = np.empty(len(joint_pos_rad))
    for trial, (positions, quat) in enumerate(zip(joint_pos_rad, quat_wxyz, strict=True)):
        data.qpos[free : free + 7] = (0.0, 0.0, 0.0, *quat)
        data.qpos[joints] = positions
        mujoco.mj_kinematics(model, data)
        lowest = min((data.xpos[foot, 2] + points @ data.xmat[foot, 6:9]).min() for foot, points in feet)
        heights[trial] = spec.sole_radius_m - lowest
    return heights
