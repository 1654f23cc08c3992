"""What tasks ask of a humanoid whose training nobody has tuned: as a G1, scaled to its weight and height."""

import math

from surefoot_robots.tuning import TaskTuning, Vec3

_G1_KG, _G1_HEIGHT_M = 33.34, 0.757


def humanoid_tuning(*, mass_kg: float, base_height_m: float, payload_box_m: tuple[Vec3, Vec3]) -> TaskTuning:
    """Return a G1's tuning for another humanoid.

    Squared torques grow with (mass x height) squared, powers with mass times the root of the height; penalties weigh as
    much less. The swing height is the G1's share of the standing height. Commands and starts are the G1's.

    Args:
        mass_kg: Total mass [kg].
        base_height_m: Height of the base, standing in the default pose [m].
        payload_box_m: Lowest and highest corner of the box in which a load is carried, in the frame of the base [m].
    """
    mass, height = mass_kg / _G1_KG, base_height_m / _G1_HEIGHT_M
    return TaskTuning(
        swing_height_m=round(0.07 * height, 2),
        rest_group="whole_body",
        lin_vel_x_m_s=1.0,
        lin_vel_y_m_s=0.3,
        ang_vel_z_rad_s=1.0,
        initial_speed=0.1,
        initial_joint_offset_rad=0.05,
        payload_box_m=payload_box_m,
        reward_weights={
            "ang_vel_xy": -0.02,
            "mechanical_power": _one_digit(-1e-4 / (mass * math.sqrt(height))),
            "torque": _one_digit(-5e-6 / (mass * height) ** 2),
            "action_rate": -0.005,
            "action_second_difference": -0.001,
            "joint_acceleration": -2e-8,
            "foot_clearance": -1.0,
            "pose_deviation": -0.05,
            "stand_still": -0.1,
            "termination": -50.0,
        },
    )


def _one_digit(number: float) -> float:
    return float(f"{number:.1g}")
