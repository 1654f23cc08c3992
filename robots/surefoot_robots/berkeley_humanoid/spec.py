"""Specification of the Berkeley Humanoid. The source of each number is in `sources.md`."""

from pathlib import Path

from surefoot_robots import mjcf
from surefoot_robots.actuator_group import ActuatorGroup
from surefoot_robots.handling import Handling
from surefoot_robots.humanoid_tuning import humanoid_tuning
from surefoot_robots.interface import RobotInterface
from surefoot_robots.joint_group import JointGroup
from surefoot_robots.limbs import by_group, joint_mirror, symmetric_pose
from surefoot_robots.spec import RobotSpec

_MJCF = Path(__file__).with_name("berkeley_humanoid.xml")

_JOINTS = tuple(f"{leg}_{part}" for leg in ("LL", "LR") for part in ("HR", "HAA", "HFE", "KFE", "FFE", "FAA"))
_MIRROR = joint_mirror(_JOINTS, ("LL", "LR"), ".*_(HR|HAA|FAA)")


def _group(
    name: str,
    num_joints: int,
    *,
    stiffness: float,
    damping: float,
    effort_limit_nm: float,
    velocity_limit_rad_s: float,
    saturation_effort_nm: float,
    armature_kgm2: float,
    friction_nm: float,
    viscous_nms_rad: float = 0.02,
) -> ActuatorGroup:
    """Return the motors of a place in both legs, with the friction that their makers identified."""
    return ActuatorGroup(
        name=name,
        joint_pattern=f".*_({name})",
        num_joints=num_joints,
        stiffness=stiffness,
        damping=damping,
        effort_limit_nm=effort_limit_nm,
        velocity_limit_rad_s=velocity_limit_rad_s,
        saturation_effort_nm=saturation_effort_nm,
        armature_kgm2=armature_kgm2,
        friction_nm=friction_nm,
        viscous_nms_rad=viscous_nms_rad,
    )


_ACTUATORS = (
    _group(
        "HR|HAA",
        4,
        stiffness=10.0,
        damping=1.5,
        effort_limit_nm=20.0,
        velocity_limit_rad_s=23.0,
        saturation_effort_nm=402.0,
        armature_kgm2=0.0056,
        friction_nm=0.3,
    ),
    _group(
        "HFE",
        2,
        stiffness=15.0,
        damping=1.5,
        effort_limit_nm=30.0,
        velocity_limit_rad_s=20.0,
        saturation_effort_nm=443.0,
        armature_kgm2=0.007614,
        friction_nm=0.3,
    ),
    _group(
        "KFE",
        2,
        stiffness=15.0,
        damping=1.5,
        effort_limit_nm=30.0,
        velocity_limit_rad_s=14.0,
        saturation_effort_nm=560.0,
        armature_kgm2=0.01215,
        friction_nm=0.8,
    ),
    _group(
        "FFE",
        2,
        stiffness=1.0,
        damping=0.1,
        effort_limit_nm=20.0,
        velocity_limit_rad_s=23.0,
        saturation_effort_nm=402.0,
        armature_kgm2=0.0056,
        friction_nm=1.0,
    ),
    _group(
        "FAA",
        2,
        stiffness=1.0,
        damping=0.1,
        effort_limit_nm=5.0,
        velocity_limit_rad_s=42.0,
        saturation_effort_nm=112.0,
        armature_kgm2=0.0004941,
        friction_nm=0.1,
        viscous_nms_rad=0.005,
    ),
)

# mujoco_playground's gains, stiff enough to stand up with
_HELD_STIFFNESS = {"HR|HAA": 35.0, "HFE": 35.0, "KFE": 35.0, "FFE": 35.0, "FAA": 1.0}
_HELD_DAMPING = {"HR|HAA": 1.5, "HFE": 1.5, "KFE": 1.5, "FFE": 1.5, "FAA": 0.1}


def _pose(hfe: float, kfe: float, ffe: float) -> dict[str, float]:
    """Return a pose with bent knees and the legs apart as in every pose [rad]."""
    apart = {"LL_HR": -0.071, "LL_HAA": 0.103, "LL_FAA": 0.126}
    return symmetric_pose({**apart, "LL_HFE": hfe, "LL_KFE": kfe, "LL_FFE": ffe}, _MIRROR)


# Ends of the capsules along the edges of the sole: toe and heel, outer and inner.
_SOLES_M = tuple(
    tuple((side * y, *ends) for y in (0.0215, -0.0215) for ends in ((-0.055754, -0.059548), (-0.030054, 0.086203)))
    for side in (1.0, -1.0)
)

SPEC = RobotSpec(
    name="berkeley_humanoid",
    label="BerkeleyHumanoid",
    revision="1",
    kind="humanoid",
    mjcf_path=_MJCF,
    base_body="torso",
    joint_names=_JOINTS,
    sdk_joint_names=_JOINTS,  # Assumption: no source states it
    foot_bodies=("ll_faa", "lr_faa"),
    sole_offsets_m=_SOLES_M,
    sole_radius_m=0.006,
    base_height_m=0.5181,
    actuators=_ACTUATORS,
    default_joint_pos=_pose(-0.463, 0.983, -0.35),
    joint_limits_rad=mjcf.joint_ranges(_MJCF),
    action_scale_rad=dict.fromkeys(_JOINTS, 0.5),
    joint_groups={"legs": JointGroup(".*", 12), "whole_body": JointGroup(".*", 12)},
    joint_mirror=_MIRROR,
    foot_mirror={"ll_faa": "lr_faa", "lr_faa": "ll_faa"},
    foot_diagonal={},
    fall_bodies=("torso", "ll_kfe", "lr_kfe"),
    imu_site="imu",
    handling=Handling(
        stand_rad=_pose(-0.463, 0.983, -0.35),
        sit_rad=_pose(-0.573, 1.234, -0.491),
        crouch_rad=_pose(-0.518, 1.109, -0.421),
        stand_s=3.0,
        sit_s=3.0,
        crouch_s=0.3,
        stiffness_nm_per_rad=by_group(_ACTUATORS, _JOINTS, _HELD_STIFFNESS),
        damping_nms_per_rad=by_group(_ACTUATORS, _JOINTS, _HELD_DAMPING),
        damped_nms_per_rad=1.5,
        rests_without_gantry=False,
        passive_needs="the gantry carries it",
    ),
    interface=RobotInterface(
        sensors=("gyro", "gravity", "joint_pos", "joint_vel"),
        low_level_hz=500.0,
        motor_temperature_limit_c=80.0,
    ),
    tuning=humanoid_tuning(
        mass_kg=mjcf.total_mass(_MJCF), base_height_m=0.5181, payload_box_m=((-0.03, -0.06, 0.245), (0.07, 0.06, 0.345))
    ),
)
