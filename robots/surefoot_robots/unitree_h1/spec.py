"""Specification of the Unitree H1 with 19 joints. The source of each number is in `sources.md`."""

from pathlib import Path

from surefoot_robots import mjcf
from surefoot_robots.actuator_group import ActuatorGroup
from surefoot_robots.handling import Handling
from surefoot_robots.humanoid_tuning import humanoid_tuning
from surefoot_robots.interface import RobotInterface
from surefoot_robots.joint_group import JointGroup
from surefoot_robots.limbs import by_group, joint_mirror, symmetric_pose
from surefoot_robots.spec import RobotSpec

_MJCF = Path(__file__).with_name("unitree_h1.xml")

_LEG = ("hip_yaw", "hip_roll", "hip_pitch", "knee", "ankle")
_ARM = ("shoulder_pitch", "shoulder_roll", "shoulder_yaw", "elbow")
_JOINTS = (
    *(f"left_{part}" for part in _LEG),
    *(f"right_{part}" for part in _LEG),
    "torso",
    *(f"left_{part}" for part in _ARM),
    *(f"right_{part}" for part in _ARM),
)
_MIRROR = joint_mirror(_JOINTS, ("left", "right"), ".*_(roll|yaw)|torso")


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
        armature_kgm2=0.1,
        friction_nm=0.0,
        viscous_nms_rad=0.0,
    )


_ACTUATORS = (
    _group("hip", ".*_hip_.*", 6, stiffness=150.0, damping=2.0, effort_limit_nm=200.0, velocity_limit_rad_s=23.0),
    _group("knee", ".*_knee", 2, stiffness=200.0, damping=4.0, effort_limit_nm=300.0, velocity_limit_rad_s=14.0),
    _group("ankle", ".*_ankle", 2, stiffness=40.0, damping=2.0, effort_limit_nm=40.0, velocity_limit_rad_s=9.0),
    _group("torso", "torso", 1, stiffness=300.0, damping=6.0, effort_limit_nm=200.0, velocity_limit_rad_s=23.0),
    _group(
        "shoulder_pitch",
        ".*_shoulder_pitch",
        2,
        stiffness=100.0,
        damping=2.0,
        effort_limit_nm=40.0,
        velocity_limit_rad_s=9.0,
    ),
    _group(
        "shoulder_roll",
        ".*_shoulder_roll",
        2,
        stiffness=50.0,
        damping=2.0,
        effort_limit_nm=40.0,
        velocity_limit_rad_s=9.0,
    ),
    _group(
        "shoulder_yaw_elbow",
        ".*_(shoulder_yaw|elbow)",
        4,
        stiffness=50.0,
        damping=2.0,
        effort_limit_nm=18.0,
        velocity_limit_rad_s=20.0,
    ),
)

# FixStand
_HELD_STIFFNESS = {
    "hip": 200.0,
    "knee": 300.0,
    "ankle": 40.0,
    "torso": 200.0,
    "shoulder_pitch": 100.0,
    "shoulder_roll": 50.0,
    "shoulder_yaw_elbow": 50.0,
}
_HELD_DAMPING = {
    "hip": 5.0,
    "knee": 6.0,
    "ankle": 2.0,
    "torso": 5.0,
    "shoulder_pitch": 2.0,
    "shoulder_roll": 2.0,
    "shoulder_yaw_elbow": 2.0,
}


def _pose(hip_pitch: float, knee: float, ankle: float) -> dict[str, float]:
    """Return a pose with bent knees and the arms of every pose [rad]."""
    legs = {"left_hip_pitch": hip_pitch, "left_knee": knee, "left_ankle": ankle}
    return symmetric_pose({**legs, "left_shoulder_pitch": 0.2, "left_elbow": 0.32}, _MIRROR)


# Ends of the capsules along the edges of the sole: heel and toe, left and right.
_SOLE_M = ((-0.035, 0.03, -0.056), (0.14, 0.03, -0.056), (-0.035, -0.03, -0.056), (0.14, -0.03, -0.056))

SPEC = RobotSpec(
    name="unitree_h1",
    label="H1",
    revision="1",
    kind="humanoid",
    mjcf_path=_MJCF,
    base_body="pelvis",
    joint_names=_JOINTS,
    # The SDK's table has 20 motors; its tenth, between the yaw of the right hip and the left ankle, is not used.
    sdk_joint_names=(
        *(f"right_{part}" for part in ("hip_roll", "hip_pitch", "knee")),
        *(f"left_{part}" for part in ("hip_roll", "hip_pitch", "knee")),
        *("torso", "left_hip_yaw", "right_hip_yaw", "left_ankle", "right_ankle"),
        *(f"right_{part}" for part in _ARM),
        *(f"left_{part}" for part in _ARM),
    ),
    foot_bodies=("left_ankle_link", "right_ankle_link"),
    sole_offsets_m=(_SOLE_M, _SOLE_M),
    sole_radius_m=0.014,
    base_height_m=1.0342,
    actuators=_ACTUATORS,
    default_joint_pos=_pose(-0.1, 0.3, -0.2),
    joint_limits_rad=mjcf.joint_ranges(_MJCF),
    action_scale_rad=dict.fromkeys(_JOINTS, 0.25),
    joint_groups={
        "legs": JointGroup(".*_(hip_.*|knee|ankle)", 10),
        "waist": JointGroup("torso", 1),
        "arms": JointGroup(".*_(shoulder_.*|elbow)", 8),
        "whole_body": JointGroup(".*", 19),
    },
    joint_mirror=_MIRROR,
    foot_mirror={"left_ankle_link": "right_ankle_link", "right_ankle_link": "left_ankle_link"},
    foot_diagonal={},
    fall_bodies=("torso_link", "left_knee_link", "right_knee_link"),
    # The IMU is on the torso: its readings are turned back by the torso's joint where they are made.
    imu_site="imu",
    handling=Handling(
        stand_rad=_pose(-0.1, 0.3, -0.2),
        sit_rad=_pose(-0.479, 1.073, -0.594),
        crouch_rad=_pose(-0.339, 0.784, -0.445),
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
        mass_kg=mjcf.total_mass(_MJCF), base_height_m=1.0342, payload_box_m=((-0.1, -0.1, 0.1), (0.1, 0.1, 0.3))
    ),
)
