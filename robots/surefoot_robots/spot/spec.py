"""Specification of Spot. The source of each number is in `sources.md`."""

from pathlib import Path

from surefoot_robots import mjcf
from surefoot_robots.actuator_group import ActuatorGroup
from surefoot_robots.handling import Handling
from surefoot_robots.interface import RobotInterface
from surefoot_robots.joint_group import JointGroup
from surefoot_robots.limbs import FourLegs
from surefoot_robots.spec import RobotSpec
from surefoot_robots.tuning import TaskTuning

_MJCF = Path(__file__).with_name("spot.xml")
_LEGS = FourLegs(("fl", "fr", "hl", "hr"), ("hx", "hy", "kn"), "{leg}_{part}", "{leg}_foot")
_DEFAULT_POSE_RAD = _LEGS.pose((0.1, 0.9, -1.5), (0.1, 1.1, -1.5))


def _group(
    name: str,
    joint_pattern: str,
    num_joints: int,
    *,
    damping: float,
    effort_limit_nm: float,
    velocity_limit_rad_s: float,
) -> ActuatorGroup:
    return ActuatorGroup(
        name=name,
        joint_pattern=joint_pattern,
        num_joints=num_joints,
        stiffness=190.0,
        damping=damping,
        effort_limit_nm=effort_limit_nm,
        velocity_limit_rad_s=velocity_limit_rad_s,
        saturation_effort_nm=effort_limit_nm,
        armature_kgm2=0.1,
        friction_nm=0.2,
        viscous_nms_rad=0.0,
    )


SPEC = RobotSpec(
    name="spot",
    label="Spot",
    revision="1",
    kind="quadruped",
    mjcf_path=_MJCF,
    base_body="body",
    joint_names=_LEGS.joints,
    sdk_joint_names=_LEGS.joints,
    foot_bodies=_LEGS.feet,
    sole_offsets_m=(((0.0, 0.0, 0.0),),) * 4,
    sole_radius_m=0.036,
    base_height_m=0.5187,  # Front feet on the ground, base level; the hind ones are 19 mm above it.
    actuators=(
        _group("hip", ".*_h[xy]", 8, damping=5.4, effort_limit_nm=45.0, velocity_limit_rad_s=13.0),
        _group("knee", ".*_kn", 4, damping=4.6, effort_limit_nm=113.24, velocity_limit_rad_s=7.0),
    ),
    default_joint_pos=_DEFAULT_POSE_RAD,
    joint_limits_rad=mjcf.joint_ranges(_MJCF),
    action_scale_rad=_LEGS.alike(0.25, 0.25, 0.25),
    joint_groups={
        "abduction": JointGroup(".*_hx", 4),
        "hip": JointGroup(".*_hy", 4),
        "knee": JointGroup(".*_kn", 4),
    },
    joint_mirror=_LEGS.joint_mirror,
    foot_mirror=_LEGS.foot_mirror,
    foot_diagonal=_LEGS.foot_diagonal,
    fall_bodies=("body", "fl_uleg", "fr_uleg", "hl_uleg", "hr_uleg"),
    imu_site="imu",  # Assumption: at the origin of the body; no source states it
    handling=Handling(
        stand_rad=_DEFAULT_POSE_RAD,
        # Knees up, as far folded as they fold, and apart: the belly is 1 cm above the ground, and sinks onto it.
        sit_rad=_LEGS.pose((0.4, 1.5, -2.75), (0.4, 1.5, -2.75)),
        crouch_rad=_LEGS.pose((0.0, 1.037, -1.933), (0.0, 1.037, -1.933)),
        stand_s=3.0,
        sit_s=3.0,
        crouch_s=0.5,
        stiffness_nm_per_rad=_LEGS.alike(380.0, 380.0, 380.0),
        damping_nms_per_rad=_LEGS.alike(15.0, 17.0, 13.0),
        damped_nms_per_rad=13.0,
        rests_without_gantry=True,
        passive_needs="its belly lies on the ground",
    ),
    interface=RobotInterface(
        sensors=("gyro", "gravity", "joint_pos", "joint_vel"),
        low_level_hz=333.0,
        motor_temperature_limit_c=80.0,
    ),
    tuning=TaskTuning(
        swing_height_m=0.09,
        rest_group="abduction",
        lin_vel_x_m_s=1.1,
        lin_vel_y_m_s=0.6,
        ang_vel_z_rad_s=1.0,
        initial_speed=0.5,
        initial_joint_offset_rad=0.2,
        payload_box_m=((-0.2, -0.06, 0.103), (0.2, 0.06, 0.203)),  # on the body's back
        # 3.3 times as heavy as a Go2 and 1.6 times as tall: squared torques are 28 times a Go2's.
        reward_weights={"torque": -4e-6, "mechanical_power": -1e-4},
    ),
)
