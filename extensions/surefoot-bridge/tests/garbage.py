"""Random reports, inputs and commands, of which a share is garbage."""

import math

import numpy as np

from surefoot_bridge.robots import ALARMS
from surefoot_bridge.safety import SafetyInputs
from surefoot_bridge.safety.measures import NO_SEQUENCE
from surefoot_bridge.state import RobotState

ODD = np.array([math.nan, math.inf, -math.inf, 1.7e308, -1.7e308, 1e200, -1e30, 1e9, 5e-324, -5e-324, 0.0, -0.0])


def garbage(rng, ordinary, share):
    """Replace a share of ordinary numbers by odd ones."""
    odd = np.where(
        rng.random(ordinary.shape) < 0.5, rng.choice(ODD, ordinary.shape), ordinary * 10.0 ** rng.integers(-9, 9)
    )
    return np.where(rng.random(ordinary.shape) < share, odd, ordinary)


def random_tick(rng, n, shape, tick, share):
    """Inputs and flat command of a tick; ``share`` of their numbers are garbage."""

    def normal(scale, *width):
        return garbage(rng, scale * rng.normal(size=(*shape, *width)), share)

    quat = rng.normal(size=(*shape, 4)) * [0.3, 0.3, 0.3, 0.3] + [1.0, 0.0, 0.0, 0.0]
    report = RobotState(
        time_s=garbage(rng, np.full(shape, 100.0 + 0.005 * tick), share),
        sequence=np.where(rng.random(shape) < share, rng.integers(NO_SEQUENCE, 2**63 - 1, shape), tick),
        joint_pos_rad=normal(0.8, n),
        joint_vel_rad_s=normal(8.0, n),
        joint_torque_nm=normal(8.0, n),
        motor_temperature_c=normal(40.0, n),
        imu_quat_wxyz=garbage(rng, quat / np.linalg.norm(quat, axis=-1, keepdims=True), share),
        imu_ang_vel_rad_s=normal(1.0, 3),
        imu_lin_acc_m_s2=normal(9.81, 3),
        foot_force_n=normal(30.0, 2),
        battery_share=normal(1.0),
    )
    flags = [rng.random(shape) < share * chance for chance in (1.0, 0.1, 0.1)]
    inputs = SafetyInputs(
        time_s=garbage(rng, np.full(shape, 0.005 * tick), share),
        report=report,
        report_age_s=normal(0.01),
        wrong_crc=flags[0],
        lateness_s=normal(0.001),
        action=normal(3.0, n),
        velocity_command=normal(0.3, 3),
        policy_failed=flags[1],
        operator_stop=flags[2],
        operator_release=rng.random(shape) < 0.2,
        operator_age_s=normal(0.1),
        walking=rng.random(shape) < 0.7,
        frozen=rng.random((*shape, 1 + n)) < 0.1 * share,
        alarms=rng.random((*shape, len(ALARMS))) < 0.1 * share,
    )
    scales = (1.0, 1.0, 40.0, 2.0, 2.0)
    parts = [np.abs(normal(scale, n)) if i in (2, 3) else normal(scale, n) for i, scale in enumerate(scales)]
    return inputs, np.concatenate(parts, axis=-1)
