"""Specification of the Unitree G1 with 29 joints. The source of each number is in `sources.md`."""

import math
import re
from pathlib import Path

from surefoot_robots import mjcf
from surefoot_robots.actuator_group import ActuatorGroup
from surefoot_robots.handling import Handling
from surefoot_robots.interface import RobotInterface
from surefoot_robots.joint_group import JointGroup
from surefoot_robots.spec import RobotSpec, Sign
from surefoot_robots.tuning import TaskTuning

_MJCF = Path(__file__).with_name("unitree_g1.xml")

_LEG = ("hip_pitch", "hip_roll", "hip_yaw", "knee", "ankle_pitch", "ankle_roll")
_WAIST = ("waist_yaw", "waist_roll", "waist_pitch")
_ARM = ("shoulder_pitch", "shoulder_roll", "shoulder_yaw", "elbow", "wrist_roll", "wrist_pitch", "wrist_yaw")
_JOINTS = (
    *(f"left_{part}_joint" for part in _LEG),
    *(f"right_{part}_joint" for part in _LEG),
    *(f"{part}_joint" for part in _WAIST),
    *(f"left_{part}_joint" for part in _ARM),
    *(f"right_{part}_joint" for part in _ARM),
)

_NATURAL_FREQUENCY_RAD_S = 2.0 * math.pi * 10.0
_DAMPING_RATIO = 2.0

_DEFAULT_POSE_RAD = {
    "hip_pitch": -0.312,
    "knee": 0.669,
    "ankle_pitch": -0.363,
    "shoulder_pitch": 0.2,
    "shoulder_roll": 0.2,  # Left; the right one is mirrored.
    "elbow": 0.6,
}


def _group(
    name: str,
    joint_pattern: str,
    num_joints: int,
    *,
    armature_kgm2: float,
    effort_limit_nm: float,
    velocity_limit_rad_s: float,
    friction_nm: float = 0.3,
) -> ActuatorGroup:
    """Return a group whose gains give its own armature a natural frequency of 10 Hz with damping ratio 2."""
    return ActuatorGroup(
        name=name,
        joint_pattern=joint_pattern,
        num_joints=num_joints,
        stiffness=armature_kgm2 * _NATURAL_FREQUENCY_RAD_S**2,
        damping=2.0 * _DAMPING_RATIO * armature_kgm2 * _NATURAL_FREQUENCY_RAD_S,
        effort_limit_nm=effort_limit_nm,
        velocity_limit_rad_s=velocity_limit_rad_s,
        saturation_effort_nm=effort_limit_nm,
        armature_kgm2=armature_kgm2,
        friction_nm=friction_nm,
        viscous_nms_rad=0.0,
    )


_ACTUATORS = (
    # Motor 7520-14
    _group(
        "hip_pitch_yaw_waist_yaw",
        "(.*_hip_(pitch|yaw)|waist_yaw)_joint",
        5,
        armature_kgm2=0.01017752,
        effort_limit_nm=88.0,
        velocity_limit_rad_s=32.0,
    ),
    # Motor 7520-22
    _group(
        "hip_roll_knee",
        ".*_(hip_roll|knee)_joint",
        4,
        armature_kgm2=0.025101925,
        effort_limit_nm=139.0,
        velocity_limit_rad_s=20.0,
    ),
    # Two motors 5020 in a parallel linkage
    _group(
        "ankle_waist",
        "(.*_ankle_(pitch|roll)|waist_(roll|pitch))_joint",
        6,
        armature_kgm2=0.00721945,
        effort_limit_nm=50.0,
        velocity_limit_rad_s=37.0,
    ),
    # Motor 5020
    _group(
        "arm",
        ".*_(shoulder_(pitch|roll|yaw)|elbow|wrist_roll)_joint",
        10,
        armature_kgm2=0.003609725,
        effort_limit_nm=25.0,
        velocity_limit_rad_s=37.0,
    ),
    # Motor 4010
    _group(
        "wrist",
        ".*_wrist_(pitch|yaw)_joint",
        4,
        armature_kgm2=0.00425,
        effort_limit_nm=5.0,
        velocity_limit_rad_s=22.0,
        friction_nm=0.1,
    ),
)


def _mirror(joint: str) -> tuple[str, Sign]:
    """Return the joint on the other side; rotation about x (roll) and z (yaw) changes sign in the x-z plane."""
    swapped = joint.replace("left_", "right_") if joint.startswith("left_") else joint.replace("right_", "left_")
    return swapped, -1 if joint.endswith(("_roll_joint", "_yaw_joint")) else 1


def _default(joint: str) -> float:
    part = joint.removeprefix("left_").removeprefix("right_").removesuffix("_joint")
    position = _DEFAULT_POSE_RAD.get(part, 0.0)
    return -position if joint == "right_shoulder_roll_joint" else position


def _action_scale(joint: str) -> float:
    """Return the target offset that asks the joint for a quarter of its effort limit [rad]."""
    group = next(group for group in _ACTUATORS if re.fullmatch(group.joint_pattern, joint))
    return 0.25 * group.effort_limit_nm / group.stiffness


def _by_joint(
    leg: tuple[float, ...], waist: tuple[float, ...], arm: tuple[float, ...], *, mirror: float
) -> dict[str, float]:
    """Return a number for each joint, given those of the left side.

    Args:
        leg: Left leg; its roll and yaw are 0 in every pose here, so the right one is the same.
        waist: Waist.
        arm: Left arm.
        mirror: Factor of the right arm's roll joints: -1 for angles, 1 for gains.
    """
    left, right = (*leg, *arm), [*leg, *arm]
    for place, part in enumerate((*_LEG, *_ARM)):
        if part.endswith("roll") and right[place]:
            right[place] *= mirror if part in _ARM else 1.0
    return {
        **{f"left_{part}_joint": number for part, number in zip((*_LEG, *_ARM), left, strict=True)},
        **{f"right_{part}_joint": number for part, number in zip((*_LEG, *_ARM), right, strict=True)},
        **{f"{part}_joint": number for part, number in zip(_WAIST, waist, strict=True)},
    }


# Ends of the capsules along the edges of the sole: heel and toe, left and right.
_SOLE_M = ((-0.085, 0.025, 0.0), (0.085, 0.03, 0.0), (-0.085, -0.025, 0.0), (0.085, -0.03, 0.0))

SPEC = RobotSpec(
    name="unitree_g1",
    label="G1",
    revision="1",
    kind="humanoid",
    mjcf_path=_MJCF,
    base_body="pelvis",
    joint_names=_JOINTS,
    sdk_joint_names=_JOINTS,
    foot_bodies=("left_foot", "right_foot"),
    sole_offsets_m=(_SOLE_M, _SOLE_M),
    sole_radius_m=0.01,
    base_height_m=0.757,  # Toes on the ground, base level; the heels are 1 mm above it.
    actuators=_ACTUATORS,
    default_joint_pos={joint: _default(joint) for joint in _JOINTS},
    joint_limits_rad=mjcf.joint_ranges(_MJCF),
    action_scale_rad={joint: _action_scale(joint) for joint in _JOINTS},
    joint_groups={
        "legs": JointGroup(".*_(hip|knee|ankle)_?.*_joint", 12),
        "waist": JointGroup("waist_.*_joint", 3),
        "arms": JointGroup(".*_(shoulder|elbow|wrist)_?.*_joint", 14),
        "whole_body": JointGroup(".*", 29),
    },
    joint_mirror={joint: _mirror(joint) for joint in _JOINTS},
    foot_mirror={"left_foot": "right_foot", "right_foot": "left_foot"},
    foot_diagonal={},
    fall_bodies=("pelvis", "torso_link", "left_knee_link", "right_knee_link"),
    imu_site="imu_in_pelvis",
    handling=Handling(
        stand_rad=_by_joint(
            (-0.1, 0.0, 0.0, 0.3, -0.2, 0.0), (0.0,) * 3, (0.0, 0.25, 0.0, 0.97, 0.15, 0.0, 0.0), mirror=-1.0
        ),  # FixStand
        # Assumption: no source lets a G1 down. These are mjlab's bent knees, with the centre of mass over the soles; a
        # humanoid does not come to rest on the ground by poses alone, so a gantry takes it from there.
        sit_rad=_by_joint(
            (-0.312, 0.0, 0.0, 0.669, -0.363, 0.0), (0.0,) * 3, (0.2, 0.2, 0.0, 0.6, 0.0, 0.0, 0.0), mirror=-1.0
        ),
        # Assumption: 0.4 of the way from standing to sitting.
        crouch_rad=_by_joint(
            (-0.1848, 0.0, 0.0, 0.4476, -0.2652, 0.0), (0.0,) * 3, (0.08, 0.23, 0.0, 0.822, 0.09, 0.0, 0.0), mirror=-1.0
        ),
        stand_s=3.0,  # FixStand
        sit_s=3.0,  # Assumption: as long as to stand
        crouch_s=0.3,  # Assumption: as a Go2
        stiffness_nm_per_rad=_by_joint(
            (100.0, 100.0, 100.0, 150.0, 40.0, 40.0), (200.0,) * 3, (40.0,) * 7, mirror=1.0
        ),  # FixStand
        damping_nms_per_rad=_by_joint((2.0, 2.0, 2.0, 4.0, 2.0, 2.0), (5.0,) * 3, (10.0,) * 7, mirror=1.0),  # FixStand
        damped_nms_per_rad=3.0,  # Passive
        rests_without_gantry=False,
        passive_needs="the gantry carries it",
    ),
    interface=RobotInterface(
        sensors=("gyro", "gravity", "joint_pos", "joint_vel"),
        low_level_hz=500.0,
        motor_temperature_limit_c=80.0,
    ),
    tuning=TaskTuning(
        swing_height_m=0.07,
        rest_group="whole_body",
        lin_vel_x_m_s=1.0,
        lin_vel_y_m_s=0.3,
        ang_vel_z_rad_s=1.0,
        # Holding its default pose it falls after 1.4 s when it starts at rest, after 0.9 s on average when it is thrown
        # as a quadruped is: little time for an untrained policy to find out what helps.
        initial_speed=0.1,
        initial_joint_offset_rad=0.05,
        payload_box_m=((-0.1, -0.1, 0.1), (0.1, 0.1, 0.3)),  # at the torso above the pelvis, which is the base
        # It has twice a quadruped's joints and ten times the squared torque, and stays up for less than a second at
        # first: penalties above tracking teach it to fall early. So each weighs less, and a fall costs by itself.
        reward_weights={
            "ang_vel_xy": -0.02,
            "mechanical_power": -1e-4,
            "torque": -5e-6,
            "action_rate": -0.005,
            "action_second_difference": -0.001,
            "joint_acceleration": -2e-8,
            "foot_clearance": -1.0,
            "pose_deviation": -0.05,
            "stand_still": -0.1,
            "termination": -50.0,
        },
    ),
)
