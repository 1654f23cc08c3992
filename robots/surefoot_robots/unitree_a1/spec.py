"""Specification of the Unitree A1. The source of each number is in `sources.md`."""

from pathlib import Path

from surefoot_robots import mjcf
from surefoot_robots.actuator_group import ActuatorGroup
from surefoot_robots.handling import Handling
from surefoot_robots.interface import RobotInterface
from surefoot_robots.joint_group import JointGroup
from surefoot_robots.limbs import FourLegs
from surefoot_robots.spec import RobotSpec
from surefoot_robots.tuning import TaskTuning

_MJCF = Path(__file__).with_name("unitree_a1.xml")
_LEGS = FourLegs(("FL", "FR", "RL", "RR"), ("hip", "thigh", "calf"), "{leg}_{part}_joint", "{leg}_foot")
_DEFAULT_POSE_RAD = _LEGS.pose((0.1, 0.8, -1.5), (0.1, 1.0, -1.5))

SPEC = RobotSpec(
    name="unitree_a1",
    label="A1",
    revision="1",
    kind="quadruped",
    mjcf_path=_MJCF,
    base_body="trunk",
    joint_names=_LEGS.joints,
    sdk_joint_names=tuple(f"{leg}_{part}_joint" for leg in ("FR", "FL", "RR", "RL") for part in _LEGS.parts),
    foot_bodies=_LEGS.feet,
    sole_offsets_m=(((0.0, 0.0, 0.0),),) * 4,
    sole_radius_m=0.02,
    base_height_m=0.3024,  # Front feet on the ground, base level.
    actuators=(
        ActuatorGroup(
            name="legs",
            joint_pattern=".*",
            num_joints=12,
            stiffness=25.0,
            damping=0.5,
            effort_limit_nm=33.5,
            velocity_limit_rad_s=21.0,
            saturation_effort_nm=33.5,
            armature_kgm2=0.01,
            friction_nm=0.2,
            viscous_nms_rad=0.0,
        ),
    ),
    default_joint_pos=_DEFAULT_POSE_RAD,
    joint_limits_rad=mjcf.joint_ranges(_MJCF),
    action_scale_rad=_LEGS.alike(0.25, 0.25, 0.25),
    joint_groups={
        "abduction": JointGroup(".*_hip_joint", 4),
        "hip": JointGroup(".*_thigh_joint", 4),
        "knee": JointGroup(".*_calf_joint", 4),
    },
    joint_mirror=_LEGS.joint_mirror,
    foot_mirror=_LEGS.foot_mirror,
    foot_diagonal=_LEGS.foot_diagonal,
    # As a Go2: on its side it lies on hips and thighs, and its narrow trunk touches the ground only when it drops flat.
    fall_bodies=("trunk", "FL_hip", "FR_hip", "RL_hip", "RR_hip"),
    imu_site="imu",
    handling=Handling(
        stand_rad=_DEFAULT_POSE_RAD,
        # As far folded as the calves fold: the belly is 13 mm above the ground, and sinks onto it.
        sit_rad=_LEGS.pose((0.407, 1.57, -2.661), (0.407, 1.57, -2.661)),
        crouch_rad=_LEGS.pose((0.0, 0.927, -1.855), (0.0, 0.927, -1.855)),
        stand_s=2.0,
        sit_s=2.0,
        crouch_s=0.3,
        stiffness_nm_per_rad=_LEGS.alike(68.0, 68.0, 68.0),
        damping_nms_per_rad=_LEGS.alike(2.5, 2.7, 2.0),
        damped_nms_per_rad=2.0,
        rests_without_gantry=True,
        passive_needs="its belly lies on the ground",
    ),
    interface=RobotInterface(
        sensors=("gyro", "gravity", "joint_pos", "joint_vel"),
        low_level_hz=500.0,
        motor_temperature_limit_c=80.0,
    ),
    tuning=TaskTuning(
        swing_height_m=0.05,
        rest_group="abduction",
        lin_vel_x_m_s=1.0,
        lin_vel_y_m_s=0.5,
        ang_vel_z_rad_s=1.0,
        initial_speed=0.5,
        initial_joint_offset_rad=0.2,
        payload_box_m=((-0.06, -0.05, 0.058), (0.06, 0.05, 0.158)),  # on the trunk's back
        reward_weights={},  # 0.82 of a Go2's mass and nearly its height
    ),
)
