"""A made-up biped whose every field a test can replace, and the robots that there are."""

from pathlib import Path

import pytest

from surefoot_bridge.errors import SurefootError
from surefoot_robots import (
    ActuatorGroup,
    Handling,
    JointGroup,
    RobotInterface,
    RobotSpec,
    TaskTuning,
    get_robot,
    list_robots,
)

every_robot = pytest.mark.parametrize("spec", [get_robot(name) for name in list_robots()], ids=lambda spec: spec.name)

DECLARED = ("left_hip", "left_knee", "right_hip", "right_knee")

PASSIVE = {"saturation_effort_nm": 20.0, "friction_nm": 0.0, "viscous_nms_rad": 0.0}


def group(name, pattern, num_joints, **changes):
    numbers = {
        "stiffness": 30.0,
        "damping": 1.0,
        "effort_limit_nm": 20.0,
        "velocity_limit_rad_s": 10.0,
        "armature_kgm2": 0.01,
        **PASSIVE,
    }
    return ActuatorGroup(name=name, joint_pattern=pattern, num_joints=num_joints, **{**numbers, **changes})


def mjcf(folder: Path, joints=DECLARED) -> Path:
    legs = "".join(
        f'<body name="{joint}_link"><joint name="{joint}" range="-1 2"/><body name="{joint}_foot"/></body>'
        for joint in joints
    )
    path = folder / "biped.xml"
    site = '<site name="imu" pos="0.1 0 0.05"/>'
    path.write_text(f'<mujoco><worldbody><body name="trunk"><freejoint/>{site}{legs}</body></worldbody></mujoco>')
    return path


def handling(**changes) -> Handling:
    numbers = {"stand_s": 2.0, "sit_s": 1.0, "crouch_s": 0.3, "damped_nms_per_rad": 3.0}
    mappings = {
        "stand_rad": dict.fromkeys(DECLARED, 0.2),
        "sit_rad": dict.fromkeys(DECLARED, 0.4),
        "crouch_rad": dict.fromkeys(DECLARED, 0.3),
        "stiffness_nm_per_rad": dict.fromkeys(DECLARED, 60.0),
        "damping_nms_per_rad": dict.fromkeys(DECLARED, 4.0),
    }
    said = {"rests_without_gantry": False, "passive_needs": "the gantry carries it"}
    return Handling(**{**numbers, **mappings, **said, **changes})


def tuning(**changes) -> TaskTuning:
    numbers = {
        "swing_height_m": 0.05,
        "rest_group": "hip",
        "lin_vel_x_m_s": 1.0,
        "lin_vel_y_m_s": 0.3,
        "ang_vel_z_rad_s": 1.0,
        "initial_speed": 0.1,
        "initial_joint_offset_rad": 0.05,
        "payload_box_m": ((-0.1, -0.1, 0.1), (0.1, 0.1, 0.2)),
        "reward_weights": {},
    }
    return TaskTuning(**{**numbers, **changes})


def make_biped(folder: Path, *, joints=DECLARED, **changes) -> RobotSpec:
    """Build a robot with two joints in each leg; arguments replace fields, `joints` the order of declaration."""
    values = {
        "name": "biped",
        "label": "Biped",
        "revision": "1",
        "kind": "humanoid",
        "mjcf_path": mjcf(folder, joints),
        "base_body": "trunk",
        "joint_names": tuple(joints),
        "sdk_joint_names": ("right_knee", "right_hip", "left_knee", "left_hip"),
        "foot_bodies": ("left_knee_foot", "right_knee_foot"),
        "sole_offsets_m": (((0.0, 0.0, 0.0),), ((0.0, 0.0, 0.0),)),
        "sole_radius_m": 0.02,
        "base_height_m": 0.5,
        "actuators": (group("hip", ".*_hip", 2), group("knee", ".*_knee", 2, stiffness=40.0)),
        "default_joint_pos": {"left_hip": 0.1, "left_knee": 0.2, "right_hip": 0.1, "right_knee": 0.2},
        "joint_limits_rad": dict.fromkeys(DECLARED, (-1.0, 2.0)),
        "action_scale_rad": {"left_hip": 0.3, "left_knee": 0.4, "right_hip": 0.3, "right_knee": 0.4},
        "joint_mirror": {
            "left_hip": ("right_hip", 1),
            "right_hip": ("left_hip", 1),
            "left_knee": ("right_knee", 1),
            "right_knee": ("left_knee", 1),
        },
        "joint_groups": {"hip": JointGroup(".*_hip", 2)},
        "foot_mirror": {"left_knee_foot": "right_knee_foot", "right_knee_foot": "left_knee_foot"},
        "foot_diagonal": {},
        "fall_bodies": ("trunk",),
        "imu_site": "imu",
        "handling": handling(),
        "interface": RobotInterface(
            sensors=("gyro", "gravity", "joint_pos", "joint_vel"),
            low_level_hz=500.0,
            motor_temperature_limit_c=80.0,
        ),
        "tuning": tuning(),
    }
    return RobotSpec(**{**values, **changes})


def refusal(build, *arguments, **changes) -> str:
    """Return the message with which a robot is refused."""
    with pytest.raises(SurefootError) as error:
        build(*arguments, **changes)
    return str(error.value)
