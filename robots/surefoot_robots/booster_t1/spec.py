"""Specification of the Booster T1 with 23 joints. The source of each number is in `sources.md`."""

from pathlib import Path

from surefoot_robots import mjcf
from surefoot_robots.actuator_group import ActuatorGroup
from surefoot_robots.handling import Handling
from surefoot_robots.humanoid_tuning import humanoid_tuning
from surefoot_robots.interface import RobotInterface
from surefoot_robots.joint_group import JointGroup
from surefoot_robots.limbs import by_group, joint_mirror, symmetric_pose
from surefoot_robots.spec import RobotSpec

_MJCF = Path(__file__).with_name("booster_t1.xml")

_ARM = ("Shoulder_Pitch", "Shoulder_Roll", "Elbow_Pitch", "Elbow_Yaw")
_LEG = ("Hip_Pitch", "Hip_Roll", "Hip_Yaw", "Knee_Pitch", "Ankle_Pitch", "Ankle_Roll")
_JOINTS = (
    *("AAHead_yaw", "Head_pitch"),
    *(f"Left_{part}" for part in _ARM),
    *(f"Right_{part}" for part in _ARM),
    "Waist",
    *(f"Left_{part}" for part in _LEG),
    *(f"Right_{part}" for part in _LEG),
)
_MIRROR = joint_mirror(_JOINTS, ("Left", "Right"), ".*_(Roll|Yaw|yaw)|Waist")


def _group(
    name: str,
    joint_pattern: str,
    num_joints: int,
    *,
    stiffness: float,
    damping: float,
    effort_limit_nm: float,
    velocity_limit_rad_s: float,
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
        armature_kgm2=0.01,
        friction_nm=0.1,
        viscous_nms_rad=0.0,
    )


_ACTUATORS = (
    _group(
        "head", "AAHead_yaw|Head_pitch", 2, stiffness=20.0, damping=2.0, effort_limit_nm=7.0, velocity_limit_rad_s=12.56
    ),
    _group(
        "arm",
        ".*_(Shoulder|Elbow)_.*",
        8,
        stiffness=20.0,
        damping=2.0,
        effort_limit_nm=18.0,
        velocity_limit_rad_s=18.84,
    ),
    _group("waist", "Waist", 1, stiffness=50.0, damping=3.0, effort_limit_nm=30.0, velocity_limit_rad_s=10.88),
    _group(
        "hip_pitch", ".*_Hip_Pitch", 2, stiffness=30.0, damping=3.0, effort_limit_nm=45.0, velocity_limit_rad_s=12.5
    ),
    _group(
        "hip_roll_yaw",
        ".*_Hip_(Roll|Yaw)",
        4,
        stiffness=30.0,
        damping=3.0,
        effort_limit_nm=30.0,
        velocity_limit_rad_s=10.9,
    ),
    _group("knee", ".*_Knee_Pitch", 2, stiffness=30.0, damping=3.0, effort_limit_nm=60.0, velocity_limit_rad_s=11.7),
    _group(
        "ankle_pitch", ".*_Ankle_Pitch", 2, stiffness=10.0, damping=3.0, effort_limit_nm=20.0, velocity_limit_rad_s=18.8
    ),
    _group(
        "ankle_roll", ".*_Ankle_Roll", 2, stiffness=10.0, damping=3.0, effort_limit_nm=15.0, velocity_limit_rad_s=12.4
    ),
)

# A quarter of the torque for an action of 1, but 0.25 to 0.5 rad.
_ACTION_SCALE_RAD = {
    "head": 0.25,
    "arm": 0.25,
    "waist": 0.25,
    "hip_pitch": 0.375,
    "hip_roll_yaw": 0.25,
    "knee": 0.5,
    "ankle_pitch": 0.5,
    "ankle_roll": 0.375,
}
# holosoma's gains: 200 and 5 of the robot's own controller, 50 and 3 at the ankles
_HELD_STIFFNESS = {
    **dict.fromkeys(("waist", "hip_pitch", "hip_roll_yaw", "knee"), 200.0),
    **dict.fromkeys(("ankle_pitch", "ankle_roll"), 50.0),
    "head": 5.0,
    "arm": 20.0,
}
_HELD_DAMPING = {
    **dict.fromkeys(("waist", "hip_pitch", "hip_roll_yaw", "knee"), 5.0),
    **dict.fromkeys(("ankle_pitch", "ankle_roll"), 3.0),
    "head": 0.5,
    "arm": 0.5,
}


def _pose(hip_pitch: float, knee: float, ankle: float) -> dict[str, float]:
    """Return a pose with bent knees and the arms of every pose [rad]."""
    legs = {"Left_Hip_Pitch": hip_pitch, "Left_Knee_Pitch": knee, "Left_Ankle_Pitch": ankle}
    return symmetric_pose({**legs, "Left_Shoulder_Roll": -1.4, "Left_Elbow_Yaw": -0.4}, _MIRROR)


# Ends of the capsules along the edges of the sole: heel and toe, left and right.
_SOLE_M = ((-0.0865, 0.035, -0.015), (0.1065, 0.035, -0.015), (-0.0865, -0.035, -0.015), (0.1065, -0.035, -0.015))

SPEC = RobotSpec(
    name="booster_t1",
    label="T1",
    revision="1",
    kind="humanoid",
    mjcf_path=_MJCF,
    base_body="Trunk",
    joint_names=_JOINTS,
    sdk_joint_names=_JOINTS,
    foot_bodies=("left_foot_link", "right_foot_link"),
    sole_offsets_m=(_SOLE_M, _SOLE_M),
    sole_radius_m=0.015,
    base_height_m=0.6659,
    actuators=_ACTUATORS,
    default_joint_pos=_pose(-0.2, 0.4, -0.2),
    joint_limits_rad=mjcf.joint_ranges(_MJCF),
    action_scale_rad=by_group(_ACTUATORS, _JOINTS, _ACTION_SCALE_RAD),
    joint_groups={
        "legs": JointGroup(".*_(Hip|Knee|Ankle)_.*", 12),
        "waist": JointGroup("Waist", 1),
        "arms": JointGroup(".*_(Shoulder|Elbow)_.*", 8),
        "head": JointGroup(".*Head_.*", 2),
        "whole_body": JointGroup(".*", 23),
    },
    joint_mirror=_MIRROR,
    foot_mirror={"left_foot_link": "right_foot_link", "right_foot_link": "left_foot_link"},
    foot_diagonal={},
    fall_bodies=("Trunk", "Shank_Left", "Shank_Right"),
    imu_site="imu",
    handling=Handling(
        stand_rad=_pose(-0.2, 0.4, -0.2),
        sit_rad=_pose(-0.604, 1.148, -0.544),
        crouch_rad=_pose(-0.449, 0.862, -0.413),
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
        mass_kg=mjcf.total_mass(_MJCF), base_height_m=0.6659, payload_box_m=((-0.04, -0.1, 0.27), (0.16, 0.1, 0.37))
    ),
)
