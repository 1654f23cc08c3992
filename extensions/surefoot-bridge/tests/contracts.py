"""Contracts of made-up robots for tests."""

from dataclasses import replace
from typing import Any, Optional

from surefoot_bridge import contract as c


def small_contract(
    *, history: int = 2, scale: float = 1.0, clip_at: Optional[float] = None, **parts: Any
) -> "c.Contract":
    """A robot of three joints and two feet; ``parts`` take the place of whole parts."""
    made = _contract(("a", "b", "c"), ("c", "a", "b"), history, scale, clip_at)
    handling = replace(
        made.handling,
        stand_rad=(0.4, 0.5, 0.6),
        sit_rad=(1.0, 1.1, 1.2),
        crouch_rad=(0.64, 0.74, 0.84),
        stand_s=1.0,
        sit_s=2.0,
        stiffness_nm_per_rad=(50.0, 51.0, 52.0),
        damping_nms_per_rad=(4.0, 4.1, 4.2),
        damped_nms_per_rad=(3.0, 3.1, 3.2),
    )
    return replace(made, **{"handling": handling, **parts})


def quadruped_contract(**parts: Any) -> "c.Contract":
    """Twelve joints whose order differs between policy and interface."""
    policy = tuple(f"{leg}_{joint}" for leg in ("FL", "FR", "RL", "RR") for joint in ("hip", "thigh", "calf"))
    sdk = tuple(f"{leg}_{joint}" for leg in ("FR", "FL", "RR", "RL") for joint in ("hip", "thigh", "calf"))
    return _contract(policy, sdk, 3, 1.0, None, **parts)


def _contract(policy, sdk, history, scale, clip_at, **parts) -> "c.Contract":
    n = len(policy)

    def numbers(first: float, step: float = 0.01):
        return tuple(first + step * i for i in range(n))

    def term(name: str, source: Any, dim: int, steps: int = history) -> "c.ObservationTerm":
        return c.ObservationTerm(name, source, c.SOURCES[source].frame, dim, scale, clip_at, steps, {})

    terms = (
        term("base_ang_vel", "gyro", 3),
        term("projected_gravity", "gravity", 3),
        term("joint_pos", "joint_pos", n),
        term("joint_vel", "joint_vel", n),
        term("last_action", "last_action", n),
        term("foot_contact", "foot_contact", 2),
        term("velocity_command", "command", 3, 1),
    )
    made = c.Contract(
        schema=c.SCHEMA,
        robot=c.RobotPart(
            name="made_up",
            revision="1",
            kind="quadruped",
            joint_names=policy,
            sdk_joint_names=sdk,
            foot_names=("left", "right"),
            mirror_foot_names=("right", "left"),
            diagonal_foot_names=None,
            default_joint_pos_rad=numbers(0.1, 0.1),
            imu=c.ImuPart("base", "x_forward_y_left_z_up", (0.1, 0.0, 0.05), (1.0, 0.0, 0.0, 0.0)),
        ),
        handling=c.HandlingPart(
            stand_rad=numbers(0.0, 0.1),
            sit_rad=numbers(-0.2, 0.1),
            crouch_rad=numbers(-0.08, 0.1),
            stand_s=2.0,
            sit_s=1.8,
            crouch_s=0.3,
            stiffness_nm_per_rad=numbers(60.0),
            damping_nms_per_rad=numbers(4.0),
            damped_nms_per_rad=numbers(3.0, 0.0),
            rests_without_gantry=True,
            passive_needs="its belly lies on the ground",
        ),
        gains=c.GainPart(numbers(20.0, 1.0), numbers(0.5), 0.5),
        action=c.ActionPart("joint_position_offset", numbers(0.25), 10.0, False, None, c.Interval(0.0, 0.015)),
        timing=c.TimingPart(0.02, 200.0),
        observation=c.ObservationPart("term_major_oldest_first", "first_reading_fills_history", 5.0, terms),
        command=c.CommandPart(
            ("lin_vel_x_m_s", "lin_vel_y_m_s", "ang_vel_z_rad_s"),
            (c.Interval(-1.0, 1.0), c.Interval(-0.5, 0.5), c.Interval(-1.0, 1.0)),
        ),
        network=c.NetworkPart("0" * 64, sum(item.dim * item.history for item in terms), n, None),
        phase=None,
        estimate=None,
        base_controller=None,
        safety=c.SafetyPart(
            tuple(c.Interval(-2.0, 2.0) for _ in range(n)), numbers(20.0), numbers(23.7), numbers(30.0), 1.0, 90.0
        ),
        training=c.TrainingPart(
            "Made-Up",
            "ovphysx",
            {"torch": "2.11.0"},
            "0" * 40,
            1,
            300,
            "standard",
            {"gyro_noise": c.RandomizedRange("rad/s", "uniform", (0.1,), (0.2,), c.Interval(1.0, 1.0))},
        ),
        scores=(c.Score("ovphysx", "none", 200, {"success_rate": 1.0}),),
    )
    return replace(made, **parts)
