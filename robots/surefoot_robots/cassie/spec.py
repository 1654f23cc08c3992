"""Specification of Cassie as a tree of 12 joints. Sources, and what the tree changes, are in `sources.md`."""

from pathlib import Path

from surefoot_robots import mjcf
from surefoot_robots.actuator_group import ActuatorGroup
from surefoot_robots.handling import Handling
from surefoot_robots.humanoid_tuning import humanoid_tuning
from surefoot_robots.interface import RobotInterface
from surefoot_robots.joint_group import JointGroup
from surefoot_robots.limbs import by_group, joint_mirror, symmetric_pose
from surefoot_robots.spec import RobotSpec

_MJCF = Path(__file__).with_name("cassie.xml")

_JOINTS = tuple(
    f"{side}_{part}"
    for side in ("left", "right")
    for part in ("hip_roll", "hip_yaw", "hip_pitch", "knee", "tarsus", "foot")
)
_MIRROR = joint_mirror(_JOINTS, ("left", "right"), ".*_(roll|yaw)")
_FOUR_BAR_RAD = 0.227
"""Knee and tarsus in every pose: with rigid springs the Achilles rod keeps the tarsus parallel to the thigh [rad]."""


def _group(
    name: str,
    joint_pattern: str,
    num_joints: int,
    *,
    stiffness: float,
    damping: float,
    effort_limit_nm: float,
    velocity_limit_rad_s: float,
    armature_kgm2: float,
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
        armature_kgm2=armature_kgm2,
        friction_nm=0.0,
        viscous_nms_rad=0.0,
    )


_ACTUATORS = (
    _group(
        "hip_roll_yaw",
        ".*_hip_(roll|yaw)",
        4,
        stiffness=100.0,
        damping=3.0,
        effort_limit_nm=112.5,
        velocity_limit_rad_s=12.15,
        armature_kgm2=0.038125,
    ),
    # The tarsus has no motor: the knee's moves it too, through the Achilles rod.
    _group(
        "hip_pitch_knee_tarsus",
        ".*_(hip_pitch|knee|tarsus)",
        6,
        stiffness=200.0,
        damping=6.0,
        effort_limit_nm=195.2,
        velocity_limit_rad_s=8.51,
        armature_kgm2=0.09344,
    ),
    _group(
        "foot",
        ".*_foot",
        2,
        stiffness=20.0,
        damping=1.0,
        effort_limit_nm=45.0,
        velocity_limit_rad_s=11.52,
        armature_kgm2=0.01225,
    ),
)

# A quarter of the torque for an action of 1, but 0.25 to 0.5 rad.
_ACTION_SCALE_RAD = {"hip_roll_yaw": 0.28, "hip_pitch_knee_tarsus": 0.25, "foot": 0.5}
# Twice the policy's, for there is nobody to correct them
_HELD_STIFFNESS = {"hip_roll_yaw": 200.0, "hip_pitch_knee_tarsus": 400.0, "foot": 40.0}
_HELD_DAMPING = {"hip_roll_yaw": 6.0, "hip_pitch_knee_tarsus": 12.0, "foot": 2.0}


def _pose(hip_pitch: float, knee: float, foot: float) -> dict[str, float]:
    """Return a pose in which the tarsus is where the Achilles rod holds it [rad]."""
    bent = {"left_hip_pitch": hip_pitch, "left_knee": knee, "left_tarsus": _FOUR_BAR_RAD - knee, "left_foot": foot}
    return symmetric_pose({"left_hip_roll": 0.0045, **bent}, _MIRROR)


_SOLE_M = ((0.069746, -0.010224, 0.0), (-0.052821, 0.092622, 0.0))  # Ends of the capsule: a foot is a line.

SPEC = RobotSpec(
    name="cassie",
    label="Cassie",
    revision="1",
    kind="humanoid",
    mjcf_path=_MJCF,
    base_body="pelvis",
    joint_names=_JOINTS,
    sdk_joint_names=_JOINTS,  # Assumption: no source states it, and the robot has no motor at the tarsus
    foot_bodies=("left_foot_link", "right_foot_link"),
    sole_offsets_m=(_SOLE_M, _SOLE_M),
    sole_radius_m=0.02,
    base_height_m=1.0063,
    actuators=_ACTUATORS,
    default_joint_pos=_pose(0.4973, -1.1997, -1.5968),
    joint_limits_rad=mjcf.joint_ranges(_MJCF),
    action_scale_rad=by_group(_ACTUATORS, _JOINTS, _ACTION_SCALE_RAD),
    joint_groups={"legs": JointGroup(".*", 12), "whole_body": JointGroup(".*", 12)},
    joint_mirror=_MIRROR,
    foot_mirror={"left_foot_link": "right_foot_link", "right_foot_link": "left_foot_link"},
    foot_diagonal={},
    fall_bodies=("pelvis", "left_knee_link", "right_knee_link"),
    imu_site="imu",
    handling=Handling(
        stand_rad=_pose(0.4973, -1.1997, -1.5968),
        sit_rad=_pose(0.654, -1.518, -1.753),
        crouch_rad=_pose(0.58, -1.367, -1.679),
        stand_s=3.0,
        sit_s=3.0,
        crouch_s=0.3,
        stiffness_nm_per_rad=by_group(_ACTUATORS, _JOINTS, _HELD_STIFFNESS),
        damping_nms_per_rad=by_group(_ACTUATORS, _JOINTS, _HELD_DAMPING),
        damped_nms_per_rad=3.0,
        rests_without_gantry=False,
        passive_needs="the gantry carries it",
    ),
    interface=RobotInterface(
        sensors=("gyro", "gravity", "joint_pos", "joint_vel"),
        low_level_hz=500.0,
        motor_temperature_limit_c=80.0,
    ),
    tuning=humanoid_tuning(
        mass_kg=mjcf.total_mass(_MJCF), base_height_m=1.0063, payload_box_m=((-0.06, -0.1, 0.16), (0.09, 0.1, 0.26))
    ),
)
