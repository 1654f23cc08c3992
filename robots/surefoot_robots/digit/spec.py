"""Specification of Digit as a tree of 22 joints. Sources, and what the tree changes, are in `sources.md`."""

from pathlib import Path

from surefoot_robots import mjcf
from surefoot_robots.actuator_group import ActuatorGroup
from surefoot_robots.handling import Handling
from surefoot_robots.humanoid_tuning import humanoid_tuning
from surefoot_robots.interface import RobotInterface
from surefoot_robots.joint_group import JointGroup
from surefoot_robots.limbs import by_group, joint_mirror, symmetric_pose
from surefoot_robots.spec import RobotSpec

_MJCF = Path(__file__).with_name("digit.xml")

_LEG = (
    *("hip_abduction", "hip_rotation", "hip_flexion", "knee_joint", "shin_to_tarsus"),
    *("toe_pitch_joint", "toe_roll_joint"),
)
_ARM = ("shoulder_roll_joint", "shoulder_pitch_joint", "shoulder_yaw_joint", "elbow_joint")
_JOINTS = tuple(f"{part}_{side}" for side in ("left", "right") for part in (*_LEG, *_ARM))
_MIRROR = joint_mirror(_JOINTS, ("left", "right"), ".*")  # Frames of one side mirror the other's.
_FOUR_BAR_RAD = 0.0268
"""Knee and tarsus in every pose: with rigid springs the rod keeps the tarsus parallel to the thigh [rad]."""


def _group(
    name: str,
    joint_pattern: str,
    num_joints: int,
    *,
    stiffness: float,
    effort_limit_nm: float,
    velocity_limit_rad_s: float,
    damping: float = 5.0,
) -> ActuatorGroup:
    return ActuatorGroup(
        name=name,
        joint_pattern=joint_pattern,
        num_joints=num_joints,
        stiffness=stiffness,
        damping=damping,
        effort_limit_nm=effort_limit_nm,
        velocity_limit_rad_s=velocity_limit_rad_s,
        saturation_effort_nm=effort_limit_nm,
        armature_kgm2=0.1,
        friction_nm=0.0,
        viscous_nms_rad=0.0,
    )


_ACTUATORS = (
    _group("hip_abduction", "hip_abduction_.*", 2, stiffness=100.0, effort_limit_nm=126.0, velocity_limit_rad_s=12.15),
    _group("hip_rotation", "hip_rotation_.*", 2, stiffness=100.0, effort_limit_nm=79.0, velocity_limit_rad_s=12.15),
    _group("hip_flexion", "hip_flexion_.*", 2, stiffness=200.0, effort_limit_nm=216.0, velocity_limit_rad_s=8.5),
    # The tarsus has no motor: the knee's moves it too, through the rod.
    _group(
        "knee_tarsus",
        "(knee_joint|shin_to_tarsus)_.*",
        4,
        stiffness=200.0,
        effort_limit_nm=231.0,
        velocity_limit_rad_s=8.5085,
    ),
    # Two motors in parallel drive pitch and roll.
    _group("toe", "toe_.*", 4, stiffness=40.0, effort_limit_nm=82.0, velocity_limit_rad_s=11.5, damping=2.0),
    _group(
        "shoulder_roll_pitch",
        "shoulder_(roll|pitch)_.*",
        4,
        stiffness=150.0,
        effort_limit_nm=126.0,
        velocity_limit_rad_s=12.5,
    ),
    _group("shoulder_yaw", "shoulder_yaw_.*", 2, stiffness=100.0, effort_limit_nm=79.0, velocity_limit_rad_s=10.0),
    _group("elbow", "elbow_.*", 2, stiffness=100.0, effort_limit_nm=126.0, velocity_limit_rad_s=12.5),
)

# A quarter of the torque for an action of 1, but 0.25 to 0.5 rad.
_ACTION_SCALE_RAD = {
    "hip_abduction": 0.315,
    "hip_rotation": 0.25,
    "hip_flexion": 0.27,
    "knee_tarsus": 0.289,
    "toe": 0.5,
    "shoulder_roll_pitch": 0.25,
    "shoulder_yaw": 0.25,
    "elbow": 0.315,
}


def _held(quantity: str) -> dict[str, float]:
    """Return twice the policy's gain of each joint: there is nobody to correct it."""
    return by_group(_ACTUATORS, _JOINTS, {group.name: 2.0 * getattr(group, quantity) for group in _ACTUATORS})


def _pose(hip_flexion: float, knee: float, toe_pitch: float) -> dict[str, float]:
    """Return a pose in which the tarsus is where the rod holds it, with the arms of every pose [rad]."""
    stated = {
        "hip_abduction_left": 0.3655,
        "hip_rotation_left": -0.0065,
        "hip_flexion_left": hip_flexion,
        "knee_joint_left": knee,
        "shin_to_tarsus_left": _FOUR_BAR_RAD - knee,
        "toe_pitch_joint_left": toe_pitch,
        "toe_roll_joint_left": -0.0114,
        "shoulder_roll_joint_left": -0.1505,
        "shoulder_pitch_joint_left": 1.0905,
        "elbow_joint_left": -0.1391,
    }
    return symmetric_pose(stated, _MIRROR)


# Ends of the capsules along the edges of the sole: heel and toe, outer and inner.
_SOLES_M = tuple(
    tuple((x, side * y, z) for x in (0.032, -0.032) for y, z in ((0.009632, -0.121453), (-0.099142, 0.069776)))
    for side in (1.0, -1.0)
)

SPEC = RobotSpec(
    name="digit",
    label="Digit",
    revision="1",
    kind="humanoid",
    mjcf_path=_MJCF,
    base_body="torso",
    joint_names=_JOINTS,
    sdk_joint_names=_JOINTS,  # Assumption: no source states it, and the robot has other motors at tarsus and toes
    foot_bodies=("left_toe_roll", "right_toe_roll"),
    sole_offsets_m=_SOLES_M,
    sole_radius_m=0.01,
    base_height_m=1.0299,
    actuators=_ACTUATORS,
    default_joint_pos=_pose(0.3169, 0.358, 0.1701),
    joint_limits_rad=mjcf.joint_ranges(_MJCF),
    action_scale_rad=by_group(_ACTUATORS, _JOINTS, _ACTION_SCALE_RAD),
    joint_groups={
        "legs": JointGroup("(hip|knee|shin|toe)_.*", 14),
        "arms": JointGroup("(shoulder|elbow)_.*", 8),
        "whole_body": JointGroup(".*", 22),
    },
    joint_mirror=_MIRROR,
    foot_mirror={"left_toe_roll": "right_toe_roll", "right_toe_roll": "left_toe_roll"},
    foot_diagonal={},
    fall_bodies=("torso", "left_knee", "right_knee"),
    imu_site="imu",  # Assumption: at the origin of the torso; no source states it
    handling=Handling(
        stand_rad=_pose(0.3169, 0.358, 0.1701),
        sit_rad=_pose(0.163, 0.038, 0.017),
        crouch_rad=_pose(0.236, 0.19, 0.089),
        stand_s=3.0,
        sit_s=3.0,
        crouch_s=0.3,
        stiffness_nm_per_rad=_held("stiffness"),
        damping_nms_per_rad=_held("damping"),
        damped_nms_per_rad=5.0,
        rests_without_gantry=False,
        passive_needs="the gantry carries it",
    ),
    interface=RobotInterface(
        sensors=("gyro", "gravity", "joint_pos", "joint_vel"),
        low_level_hz=500.0,
        motor_temperature_limit_c=80.0,
    ),
    tuning=humanoid_tuning(
        mass_kg=mjcf.total_mass(_MJCF), base_height_m=1.0299, payload_box_m=((-0.07, -0.06, 0.53), (0.05, 0.06, 0.63))
    ),
)
