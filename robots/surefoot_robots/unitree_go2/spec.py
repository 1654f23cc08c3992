"""Specification of the Unitree Go2. The source of each number is in `sources.md`."""

from collections.abc import Mapping
from pathlib import Path

from surefoot_robots import mjcf
from surefoot_robots.actuator_group import ActuatorGroup
from surefoot_robots.handling import Handling
from surefoot_robots.interface import RobotInterface
from surefoot_robots.joint_group import JointGroup
from surefoot_robots.spec import RobotSpec
from surefoot_robots.tuning import TaskTuning

_MJCF = Path(__file__).with_name("unitree_go2.xml")

_LEGS = ("FL", "FR", "RL", "RR")
_SDK_LEGS = ("FR", "FL", "RR", "RL")
_MIRRORED_LEG = {"FL": "FR", "FR": "FL", "RL": "RR", "RR": "RL"}
_DIAGONAL_LEG = {"FL": "RR", "RR": "FL", "FR": "RL", "RL": "FR"}
_PARTS = ("hip", "thigh", "calf")

_DEFAULT_POSE_RAD = {
    "FL": (0.1, 0.8, -1.5),
    "FR": (-0.1, 0.8, -1.5),
    "RL": (0.1, 1.0, -1.5),
    "RR": (-0.1, 1.0, -1.5),
}


def _by_joint(legs: Mapping[str, tuple[float, ...]]) -> dict[str, float]:
    """Return a number for each joint, given hip, thigh and calf of each leg."""
    return {f"{leg}_{part}_joint": number for leg in _LEGS for part, number in zip(_PARTS, legs[leg], strict=True)}


def _same(hip: float, thigh: float, calf: float) -> dict[str, float]:
    return _by_joint(dict.fromkeys(_LEGS, (hip, thigh, calf)))


SPEC = RobotSpec(
    name="unitree_go2",
    label="Go2",
    revision="2",
    kind="quadruped",
    mjcf_path=_MJCF,
    base_body="base",
    joint_names=tuple(f"{leg}_{part}_joint" for leg in _LEGS for part in _PARTS),
    sdk_joint_names=tuple(f"{leg}_{part}_joint" for leg in _SDK_LEGS for part in _PARTS),
    foot_bodies=tuple(f"{leg}_foot" for leg in _LEGS),
    sole_offsets_m=(((0.0, 0.0, 0.0),),) * 4,
    sole_radius_m=0.022,
    base_height_m=0.3235,  # Front feet on the ground, base level.
    actuators=(
        ActuatorGroup(
            name="hip_thigh",
            joint_pattern=".._(hip|thigh)_joint",
            num_joints=8,
            stiffness=25.0,
            damping=0.5,
            effort_limit_nm=23.7,
            velocity_limit_rad_s=30.1,
            saturation_effort_nm=23.7,
            armature_kgm2=0.01,
            friction_nm=0.2,
            viscous_nms_rad=0.0,
        ),
        ActuatorGroup(
            name="calf",
            joint_pattern=".._calf_joint",
            num_joints=4,
            stiffness=25.0,
            damping=0.5,
            effort_limit_nm=45.43,
            velocity_limit_rad_s=15.7,
            saturation_effort_nm=45.43,
            armature_kgm2=0.01,
            friction_nm=0.2,
            viscous_nms_rad=0.0,
        ),
    ),
    default_joint_pos=_by_joint(_DEFAULT_POSE_RAD),
    joint_limits_rad=mjcf.joint_ranges(_MJCF),
    action_scale_rad=_same(0.25, 0.25, 0.25),
    joint_groups={
        "abduction": JointGroup(".*_hip_joint", 4),
        "hip": JointGroup(".*_thigh_joint", 4),
        "knee": JointGroup(".*_calf_joint", 4),
    },
    joint_mirror={
        f"{leg}_{part}_joint": (f"{_MIRRORED_LEG[leg]}_{part}_joint", -1 if part == "hip" else 1)
        for leg in _LEGS
        for part in _PARTS
    },
    foot_mirror={f"{leg}_foot": f"{_MIRRORED_LEG[leg]}_foot" for leg in _LEGS},
    foot_diagonal={f"{leg}_foot": f"{_DIAGONAL_LEG[leg]}_foot" for leg in _LEGS},
    # A robot on its side lies on hips and thighs; the narrow trunk touches the ground only when it drops flat.
    fall_bodies=("base", *(f"{leg}_hip" for leg in _LEGS)),
    imu_site="imu",
    handling=Handling(
        stand_rad=_same(0.0, 0.8, -1.5),  # FixStand
        # Last target of the SDK's stand example: the belly lies on the ground, the legs are folded beside it.
        sit_rad=_by_joint(
            {"FL": (0.35, 1.36, -2.65), "FR": (-0.35, 1.36, -2.65), "RL": (0.5, 1.36, -2.65), "RR": (-0.5, 1.36, -2.65)}
        ),
        # 0.23 m high, its front feet 0.10 m ahead of the hips, its hind feet 0.12 m behind, all 0.06 m farther out. A
        # body that is stopped by stiff high legs tips over its front feet, the sooner the higher it is and the less
        # they are ahead of it: from the standing pose, 0.31 m high with its feet below its hips, down 10 degrees from
        # about 0.8 m/s on. One that is caught too low touches the ground with more than its feet, a narrow one rolls
        # over. Chosen among some 40 poses and durations by how many robots fell in the worst rows of the table of falls
        # (MuJoCo, 1 m/s, turning, and down 10 degrees). In ten rows of 100 none fell with this one in 0.12 s, 1 in
        # 0.15 s; in eight rows of 50 1 in 0.18 s, 4 in 0.25 s. In the whole table 1 of 8,750 fell.
        crouch_rad=_by_joint(
            {
                "FL": (0.25, 0.51, -1.77),
                "FR": (-0.25, 0.51, -1.77),
                "RL": (0.25, 1.44, -1.88),
                "RR": (-0.25, 1.44, -1.88),
            }
        ),
        stand_s=2.0,  # FixStand: 1 s to fold the legs, 1 s to rise; here both are one motion
        sit_s=1.8,  # The SDK's stand example: 900 ticks of 2 ms
        crouch_s=0.12,  # From walking, chosen as the pose was
        stiffness_nm_per_rad=_same(60.0, 80.0, 80.0),  # FixStand
        damping_nms_per_rad=_same(5.0, 4.0, 4.0),  # FixStand
        damped_nms_per_rad=3.0,  # Passive
        rests_without_gantry=True,
        passive_needs="its belly lies on the ground",
    ),
    interface=RobotInterface(
        sensors=("gyro", "gravity", "joint_pos", "joint_vel", "foot_contact"),
        low_level_hz=500.0,
        motor_temperature_limit_c=80.0,
    ),
    tuning=TaskTuning(
        swing_height_m=0.07,
        rest_group="abduction",
        lin_vel_x_m_s=1.0,
        lin_vel_y_m_s=0.5,
        ang_vel_z_rad_s=1.0,
        initial_speed=0.5,
        initial_joint_offset_rad=0.2,
        payload_box_m=((-0.1, -0.05, 0.05), (0.1, 0.05, 0.15)),  # on the trunk's back
        reward_weights={},
    ),
)
