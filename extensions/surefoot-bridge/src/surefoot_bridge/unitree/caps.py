"""Joints, feet and limits of Unitree's robots.

Sources:

- Ranges: ``unitree_go2/go2.xml`` and ``unitree_g1/g1.xml`` in google-deepmind/mujoco_menagerie@75df466.
- Go2, torque and speed: Menagerie and isaaclab 3.0.0 (``isaaclab_assets/robots/unitree.py``). The calf drives through a
  further reduction of 1.917 than hip and thigh, which both of its numbers show.
- G1, torque and speed: the motors in mjlab 1.6.0 (``g1_constants.py``); ankles, waist roll and pitch have two. The
  URDF ``g1_29dof_rev_1_0`` (fan-ziqi/robot_lab@09f7fb4) has 35 N m for the ankles, Menagerie 50 N m as here.
- Order of the motors. Go2: ``example/go2/unitree_legged_const`` of unitree_sdk2. G1: the enum in unitree_rl_lab's
  ``deploy/include/unitree/dds_wrapper/robots/g1/defines.h``.
- Temperature: an assumption on the cautious side, since none states one; below what neodymium magnets of the common
  grade stand.
- Rate of commands: the SDK's low-level examples.
"""

from typing import Dict, Tuple

from surefoot_bridge.contract import Interval
from surefoot_bridge.robots import HardwareCaps

_TEMPERATURE_C, _LOW_LEVEL_HZ = 80.0, 500.0

_Joint = Tuple[Tuple[float, float], float, float]  # range [rad], speed [rad/s], torque [N m]

_GO2_HIP: _Joint = ((-1.0472, 1.0472), 30.1, 23.7)
_GO2_FRONT_THIGH: _Joint = ((-1.5708, 3.4907), 30.1, 23.7)
_GO2_REAR_THIGH: _Joint = ((-0.5236, 4.5379), 30.1, 23.7)
_GO2_CALF: _Joint = ((-2.7227, -0.83776), 15.7, 45.43)
_GO2: Dict[str, _Joint] = {
    f"{leg}_{part}_joint": joint
    for leg in ("FR", "FL", "RR", "RL")
    for part, joint in (
        ("hip", _GO2_HIP),
        ("thigh", _GO2_FRONT_THIGH if leg.startswith("F") else _GO2_REAR_THIGH),
        ("calf", _GO2_CALF),
    )
}

_SMALL = (37.0, 25.0)  # motor 5020
_TWO_SMALL = (37.0, 50.0)
_MIDDLE = (32.0, 88.0)  # motor 7520-14
_LARGE = (20.0, 139.0)  # motor 7520-22
_WRIST = (22.0, 5.0)  # motor 4010
_G1_LEG: Dict[str, _Joint] = {
    "hip_pitch": ((-2.5307, 2.8798), *_MIDDLE),
    "hip_roll": ((-0.5236, 2.9671), *_LARGE),
    "hip_yaw": ((-2.7576, 2.7576), *_MIDDLE),
    "knee": ((-0.087267, 2.8798), *_LARGE),
    "ankle_pitch": ((-0.87267, 0.5236), *_TWO_SMALL),
    "ankle_roll": ((-0.2618, 0.2618), *_TWO_SMALL),
}
_G1_WAIST: Dict[str, _Joint] = {
    "waist_yaw": ((-2.618, 2.618), *_MIDDLE),
    "waist_roll": ((-0.52, 0.52), *_TWO_SMALL),
    "waist_pitch": ((-0.52, 0.52), *_TWO_SMALL),
}
_G1_ARM: Dict[str, _Joint] = {
    "shoulder_pitch": ((-3.0892, 2.6704), *_SMALL),
    "shoulder_roll": ((-1.5882, 2.2515), *_SMALL),
    "shoulder_yaw": ((-2.618, 2.618), *_SMALL),
    "elbow": ((-1.0472, 2.0944), *_SMALL),
    "wrist_roll": ((-1.97222, 1.97222), *_SMALL),
    "wrist_pitch": ((-1.61443, 1.61443), *_WRIST),
    "wrist_yaw": ((-1.61443, 1.61443), *_WRIST),
}


def _side(side: str, parts: Dict[str, _Joint]) -> Dict[str, _Joint]:
    """Return the joints of a side, given those of the left: rotation about x and z changes sign between the two."""
    joints: Dict[str, _Joint] = {}
    for part, ((low, high), speed, torque) in parts.items():
        turned = side == "right" and part.endswith(("roll", "yaw"))
        joints[f"{side}_{part}_joint"] = ((-high, -low) if turned else (low, high), speed, torque)
    return joints


_G1: Dict[str, _Joint] = {
    **_side("left", _G1_LEG),
    **_side("right", _G1_LEG),
    **{f"{part}_joint": joint for part, joint in _G1_WAIST.items()},
    **_side("left", _G1_ARM),
    **_side("right", _G1_ARM),
}


def _caps(robot: str, feet: Tuple[str, ...], joints: Dict[str, _Joint]) -> HardwareCaps:
    return HardwareCaps(
        robot=robot,
        joint_names=tuple(joints),
        foot_names=feet,
        joint_pos_rad=tuple(Interval(*ends) for ends, _, _ in joints.values()),
        joint_vel_rad_s=tuple(speed for _, speed, _ in joints.values()),
        torque_nm=tuple(torque for _, _, torque in joints.values()),
        motor_temperature_c=_TEMPERATURE_C,
        low_level_hz=_LOW_LEVEL_HZ,
    )


GO2_CAPS = _caps("unitree_go2", ("FL_foot", "FR_foot", "RL_foot", "RR_foot"), _GO2)
G1_CAPS = _caps("unitree_g1", ("left_foot", "right_foot"), _G1)
