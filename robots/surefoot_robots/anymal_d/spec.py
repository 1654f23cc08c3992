"""Specification of the ANYmal-D. The source of each number is in `sources.md`."""

from pathlib import Path

from surefoot_robots import mjcf
from surefoot_robots.actuator_group import ActuatorGroup
from surefoot_robots.handling import Handling
from surefoot_robots.interface import RobotInterface
from surefoot_robots.joint_group import JointGroup
from surefoot_robots.limbs import FourLegs
from surefoot_robots.spec import RobotSpec
from surefoot_robots.tuning import TaskTuning

_MJCF = Path(__file__).with_name("anymal_d.xml")
_LEGS = FourLegs(("LF", "RF", "LH", "RH"), ("HAA", "HFE", "KFE"), "{leg}_{part}", "{leg}_FOOT")
_DEFAULT_POSE_RAD = _LEGS.pose((0.0, 0.4, -0.8), (0.0, -0.4, 0.8))


def _drives(name: str, joint_pattern: str, num_joints: int, damping: float) -> ActuatorGroup:
    """Return joints of ANYdrives, which are the same in every place."""
    return ActuatorGroup(
        name=name,
        joint_pattern=joint_pattern,
        num_joints=num_joints,
        stiffness=240.0,
        damping=damping,
        effort_limit_nm=80.0,
        velocity_limit_rad_s=7.5,
        saturation_effort_nm=120.0,
        armature_kgm2=0.034,
        friction_nm=0.1,
        viscous_nms_rad=0.0,
    )


SPEC = RobotSpec(
    name="anymal_d",
    label="AnymalD",
    revision="1",
    kind="quadruped",
    mjcf_path=_MJCF,
    base_body="base",
    joint_names=_LEGS.joints,
    sdk_joint_names=_LEGS.joints,  # Assumption: no source states it
    foot_bodies=_LEGS.feet,
    sole_offsets_m=(((0.0, 0.0, 0.0),),) * 4,
    sole_radius_m=0.031455,
    base_height_m=0.5885,
    actuators=(_drives("hip", ".*_(HAA|HFE)", 8, 5.4), _drives("knee", ".*_KFE", 4, 3.7)),
    default_joint_pos=_DEFAULT_POSE_RAD,
    joint_limits_rad=mjcf.joint_ranges(_MJCF),
    action_scale_rad=_LEGS.alike(0.25, 0.25, 0.25),
    joint_groups={
        "abduction": JointGroup(".*_HAA", 4),
        "hip": JointGroup(".*_HFE", 4),
        "knee": JointGroup(".*_KFE", 4),
    },
    joint_mirror=_LEGS.joint_mirror,
    foot_mirror=_LEGS.foot_mirror,
    foot_diagonal=_LEGS.foot_diagonal,
    fall_bodies=("base", "LF_THIGH", "RF_THIGH", "LH_THIGH", "RH_THIGH"),
    imu_site="imu",  # Its readings are turned into the base's axes where they are made.
    handling=Handling(
        stand_rad=_DEFAULT_POSE_RAD,
        sit_rad=_LEGS.pose((0.005, 1.57, -2.652), (0.005, -1.57, 2.652)),
        crouch_rad=_LEGS.pose((0.0, 1.126, -1.611), (0.0, -1.126, 1.611)),
        stand_s=3.0,
        sit_s=3.0,
        crouch_s=0.5,
        stiffness_nm_per_rad=_LEGS.alike(480.0, 480.0, 480.0),
        damping_nms_per_rad=_LEGS.alike(20.0, 23.0, 10.0),
        damped_nms_per_rad=17.0,
        rests_without_gantry=True,
        passive_needs="its belly lies on the ground",
    ),
    interface=RobotInterface(
        sensors=("gyro", "gravity", "joint_pos", "joint_vel"),
        low_level_hz=400.0,
        motor_temperature_limit_c=80.0,
    ),
    tuning=TaskTuning(
        swing_height_m=0.11,
        rest_group="abduction",
        lin_vel_x_m_s=1.2,
        lin_vel_y_m_s=0.6,
        ang_vel_z_rad_s=1.0,
        initial_speed=0.5,
        initial_joint_offset_rad=0.2,
        payload_box_m=((-0.2, -0.08, 0.144), (0.2, 0.08, 0.244)),  # on the trunk's back
        # 3.4 times as heavy as a Go2 and 1.8 times as tall: squared torques are 38 times a Go2's.
        reward_weights={"torque": -3e-6, "mechanical_power": -1e-4},
    ),
)
