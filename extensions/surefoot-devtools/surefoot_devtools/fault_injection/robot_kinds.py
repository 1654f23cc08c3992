"""Faults of robot and link that leave every report plausible: what a robot may have for hours before anybody notices.

A kind is declared once: its :class:`~.fault.Fault` and what it makes of a reading stand together.
Most need no answer by themselves; what counts is that no command leaves the limits, and that a robot that falls over
one of them is damped.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np

from surefoot_bridge.contract import Contract
from surefoot_bridge.robots import Reading
from surefoot_bridge.safety import Response
from surefoot_bridge.state import RobotState

from .fault import AT_ONCE_S, LONG_S, LOST, LOST_S, Fault, harmless

_DRIFT_RAD_S = 0.2
_GYRO_BIAS_RAD_S, _GYRO_FULL_SCALE_RAD_S = 0.5, 34.9  # 2000 degrees/s, the widest range of common MEMS gyroscopes
_NOISE_RAD, _NOISE_RAD_S, _NOISE_M_S2 = 0.02, 0.5, 2.0
_BUNCH_S = 0.02
_LATEST_S = 0.015
_GAP_S, _EVERY_S = 0.06, 0.3
_GROWTH = 0.1
_HALF_TURN = np.sqrt(0.5)


class Mailbox(Protocol):
    """What has come from the robot."""

    def at(self, time_s: float) -> Reading | None:
        """Return the newest report that was there at a time [s], or one that was given since."""
        ...


@dataclass(frozen=True)
class Spoiling:
    """What a fault may look at.

    Attributes:
        reading: The true report.
        joint: Place of the joint that is concerned, in the robot's order.
        contract: The contract.
        mailbox: What came before.
        passed_s: Since the fault began [s].
        now_s: The true time [s].
        number: How many reports have been spoilt so far.
        generator: Draws what is random.
        first: The first report that the fault met.
    """

    reading: Reading
    joint: int
    contract: Contract
    mailbox: Mailbox
    passed_s: float
    now_s: float
    number: int
    generator: np.random.Generator
    first: Reading

    @property
    def state(self) -> RobotState:
        """The true state."""
        return self.reading.state


Spoil = Callable[[Spoiling], Reading | None]
_KINDS: list[tuple[Fault, Spoil]] = []


def _kind(fault: Fault) -> Callable[[Spoil], Spoil]:
    def declare(spoil: Spoil) -> Spoil:
        _KINDS.append((fault, spoil))
        return spoil

    return declare


def _with(spoiling: Spoiling, **fields: np.ndarray) -> Reading:
    return replace(spoiling.reading, state=replace(spoiling.state, **fields))


def _at_joint(values: np.ndarray, joint: int, value: float) -> np.ndarray:
    changed = np.array(values, dtype=np.float64)
    changed[joint] = value
    return changed


def _mounted(spoiling: Spoiling, quat_wxyz: tuple[float, float, float, float]) -> Reading:
    """Return what an IMU measures that is turned by a quaternion from where it should be."""
    state, (w, x, y, z) = spoiling.state, quat_wxyz
    turn = np.array([
        [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
        [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
        [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
    ])  # fmt: skip
    a, b, c, d = state.imu_quat_wxyz
    measured = np.array([
        a * w - b * x - c * y - d * z,
        a * x + b * w + c * z - d * y,
        a * y - b * z + c * w + d * x,
        a * z + b * y - c * x + d * w,
    ])  # fmt: skip
    return _with(
        spoiling,
        imu_quat_wxyz=measured,
        imu_ang_vel_rad_s=turn.T @ state.imu_ang_vel_rad_s,
        imu_lin_acc_m_s2=turn.T @ state.imu_lin_acc_m_s2,
    )


# What the robot measures.


@_kind(harmless("encoder_drifts", "The encoder of a joint drifts by 0.2 rad/s.", "robot"))
def _encoder_drifts(spoiling: Spoiling) -> Reading:
    q, joint = spoiling.state.joint_pos_rad, spoiling.joint
    return _with(spoiling, joint_pos_rad=_at_joint(q, joint, q[joint] + _DRIFT_RAD_S * spoiling.passed_s))


@_kind(harmless("encoder_reversed", "The encoder of a joint counts backwards.", "robot"))
def _encoder_reversed(spoiling: Spoiling) -> Reading:
    q, dq, joint = spoiling.state.joint_pos_rad, spoiling.state.joint_vel_rad_s, spoiling.joint
    turned = 2.0 * spoiling.first.state.joint_pos_rad[joint] - q[joint]
    return _with(spoiling, joint_pos_rad=_at_joint(q, joint, turned), joint_vel_rad_s=_at_joint(dq, joint, -dq[joint]))


@_kind(harmless("encoders_swapped", "The encoders of two joints are exchanged.", "robot"))
def _encoders_swapped(spoiling: Spoiling) -> Reading:
    state, joint = spoiling.state, spoiling.joint
    order = np.arange(len(state.joint_pos_rad))
    other = (joint + 1) % len(order)
    order[[joint, other]] = order[[other, joint]]
    return _with(spoiling, joint_pos_rad=state.joint_pos_rad[order], joint_vel_rad_s=state.joint_vel_rad_s[order])


@_kind(harmless("velocities_silent", "All joint velocities are measured as zero.", "robot"))
def _velocities_silent(spoiling: Spoiling) -> Reading:
    return _with(spoiling, joint_vel_rad_s=np.zeros_like(spoiling.state.joint_vel_rad_s))


@_kind(harmless("imu_turned", "The IMU is mounted turned to the left by a quarter.", "robot"))
def _imu_turned(spoiling: Spoiling) -> Reading:
    return _mounted(spoiling, (_HALF_TURN, 0.0, 0.0, _HALF_TURN))


@_kind(
    Fault("imu_upside_down", "The IMU is mounted upside down.", "robot", ("tilt",), Response.DAMP, 0.04 + AT_ONCE_S,
          LONG_S)
)  # fmt: skip
def _imu_upside_down(spoiling: Spoiling) -> Reading:
    return _mounted(spoiling, (0.0, 1.0, 0.0, 0.0))


@_kind(harmless("gyro_biased", "The gyroscope measures 0.5 rad/s too much about an axis.", "robot"))
def _gyro_biased(spoiling: Spoiling) -> Reading:
    rate, axis = spoiling.state.imu_ang_vel_rad_s, spoiling.joint % 3
    return _with(spoiling, imu_ang_vel_rad_s=_at_joint(rate, axis, rate[axis] + _GYRO_BIAS_RAD_S))


@_kind(harmless("gyro_full_scale", "The gyroscope measures the end of its range about an axis.", "robot"))
def _gyro_full_scale(spoiling: Spoiling) -> Reading:
    rate, axis = spoiling.state.imu_ang_vel_rad_s, spoiling.joint % 3
    return _with(spoiling, imu_ang_vel_rad_s=_at_joint(rate, axis, _GYRO_FULL_SCALE_RAD_S))


@_kind(harmless("imu_noisy", "The IMU is ten times as noisy as a good one.", "robot"))
def _imu_noisy(spoiling: Spoiling) -> Reading:
    state, draw = spoiling.state, spoiling.generator.standard_normal
    quat = state.imu_quat_wxyz + _NOISE_RAD * draw(4)
    return _with(
        spoiling,
        imu_quat_wxyz=quat / np.linalg.norm(quat),
        imu_ang_vel_rad_s=state.imu_ang_vel_rad_s + _NOISE_RAD_S * draw(3),
        imu_lin_acc_m_s2=state.imu_lin_acc_m_s2 + _NOISE_M_S2 * draw(3),
    )


@_kind(harmless("quaternion_sign", "The IMU's quaternion changes its sign from report to report.", "robot"))
def _quaternion_sign(spoiling: Spoiling) -> Reading:
    return _with(spoiling, imu_quat_wxyz=(-1.0) ** spoiling.number * spoiling.state.imu_quat_wxyz)


@_kind(harmless("feet_stuck", "The foot sensors measure the same over and over.", "robot"))
def _feet_stuck(spoiling: Spoiling) -> Reading:
    return _with(spoiling, foot_force_n=spoiling.first.state.foot_force_n)


@_kind(harmless("feet_silent", "The foot sensors measure nothing.", "robot"))
def _feet_silent(spoiling: Spoiling) -> Reading:
    return _with(spoiling, foot_force_n=np.zeros_like(spoiling.state.foot_force_n))


@_kind(
    Fault("torque_nonsense", "A joint's torque is estimated at five times its limit, with random sign.", "robot",
          ("joint_torque",), Response.DAMP, 0.1 + AT_ONCE_S, LONG_S)
)  # fmt: skip
def _torque_nonsense(spoiling: Spoiling) -> Reading:
    limit = spoiling.contract.safety.torque_limit_nm[spoiling.contract.sdk_order[spoiling.joint]]
    value = 5.0 * limit * spoiling.generator.choice([-1.0, 1.0])
    return _with(spoiling, joint_torque_nm=_at_joint(spoiling.state.joint_torque_nm, spoiling.joint, value))


@_kind(harmless("torques_silent", "All torques are estimated as zero.", "robot"))
def _torques_silent(spoiling: Spoiling) -> Reading:
    return _with(spoiling, joint_torque_nm=np.zeros_like(spoiling.state.joint_torque_nm))


@_kind(harmless("temperature_flickers", "A motor is measured as too hot in every second report.", "robot"))
def _temperature_flickers(spoiling: Spoiling) -> Reading:
    values, joint = spoiling.state.motor_temperature_c, spoiling.joint
    hot = spoiling.contract.safety.motor_temperature_limit_c + 5.0
    return _with(spoiling, motor_temperature_c=_at_joint(values, joint, hot if spoiling.number % 2 else values[joint]))


@_kind(harmless("thermometer_cut", "A motor is measured as cold as a thermometer without its cable is.", "robot"))
def _thermometer_cut(spoiling: Spoiling) -> Reading:
    values = spoiling.state.motor_temperature_c
    return _with(spoiling, motor_temperature_c=_at_joint(values, spoiling.joint, -40.0))


@_kind(harmless("battery_sags", "The battery seems almost empty for 0.2 s of every 0.5 s.", "robot"))
def _battery_sags(spoiling: Spoiling) -> Reading:
    low = spoiling.passed_s % 0.5 < 0.2
    return _with(spoiling, battery_share=np.array(0.05) if low else spoiling.state.battery_share.copy())


# How the reports come.


@_kind(harmless("reports_bunched", "Reports come in bunches, every 20 ms.", "robot"))
def _reports_bunched(spoiling: Spoiling) -> Reading | None:
    return spoiling.mailbox.at(spoiling.now_s // _BUNCH_S * _BUNCH_S)


@_kind(harmless("reports_jitter", "Every report comes up to 15 ms late.", "robot"))
def _reports_jitter(spoiling: Spoiling) -> Reading | None:
    return spoiling.mailbox.at(spoiling.now_s - spoiling.generator.uniform(0.0, _LATEST_S))


@_kind(
    Fault("reports_stutter", "No report comes for 60 ms, again and again.", "robot", ("report_stale",), Response.HOLD,
          _EVERY_S + AT_ONCE_S, LONG_S)
)  # fmt: skip
def _reports_stutter(spoiling: Spoiling) -> Reading | None:
    gap_s = spoiling.passed_s % _EVERY_S
    return spoiling.mailbox.at(spoiling.now_s - (gap_s if gap_s < _GAP_S else 0.0))


@_kind(
    Fault("delay_grows", "Every report comes later than the one before, by 0.1 s each second.", "robot", LOST,
          Response.DAMP, 0.04 / _GROWTH + LOST_S, LONG_S)
)  # fmt: skip
def _delay_grows(spoiling: Spoiling) -> Reading | None:
    return spoiling.mailbox.at(spoiling.now_s - _GROWTH * spoiling.passed_s)


@_kind(
    Fault("reports_some_corrupt", "Every tenth report has a wrong checksum.", "robot", ("report_crc",), Response.HOLD,
          AT_ONCE_S, LONG_S)
)  # fmt: skip
def _reports_some_corrupt(spoiling: Spoiling) -> Reading:
    return replace(spoiling.reading, wrong_crc=spoiling.number % 10 == 0)


@_kind(
    Fault("numbers_restart", "The robot counts its reports from 0 again; its clock goes on.", "robot",
          ("report_order",), Response.DAMP, LOST_S, LONG_S)
)  # fmt: skip
def _numbers_restart(spoiling: Spoiling) -> Reading:
    return _with(spoiling, sequence=spoiling.state.sequence - spoiling.first.state.sequence)


@_kind(harmless("numbers_leap", "The numbers of the reports leap by a million.", "robot", duration_s=2.0))
def _numbers_leap(spoiling: Spoiling) -> Reading:
    return _with(spoiling, sequence=spoiling.state.sequence + 1_000_000)


@_kind(
    Fault("robot_clock_minute", "The robot's clock jumps 60 s ahead.", "robot", ("clock_jump",), Response.DAMP,
          AT_ONCE_S, LONG_S)
)  # fmt: skip
def _robot_clock_minute(spoiling: Spoiling) -> Reading:
    return _with(spoiling, time_s=spoiling.state.time_s + 60.0)


@_kind(harmless("robot_clock_stands", "The robot's clock stands still while reports go on.", "robot", duration_s=2.0))
def _robot_clock_stands(spoiling: Spoiling) -> Reading:
    return _with(spoiling, time_s=spoiling.first.state.time_s)


@_kind(harmless("read_raises_once", "Reading one report raises an exception.", "robot", duration_s=0.002))
def _read_raises_once(_: Spoiling) -> Reading:
    raise OSError("an injected fault: the network is down")


SPOILS: dict[str, Spoil] = {fault.name: spoil for fault, spoil in _KINDS}
"""What each kind makes of a reading."""

ROBOT_KINDS: tuple[Fault, ...] = (
    *(fault for fault, _ in _KINDS),
    harmless("commands_thin", "Every second command is lost.", "robot"),
    harmless("commands_lost_long", "No command reaches the robot for 0.5 s.", "robot", duration_s=0.5),
    Fault("write_raises_once", "Sending one command raises an exception.", "robot", (), Response.DAMP, AT_ONCE_S,
          0.002),
    harmless("tossed", "Somebody tosses the robot up by 0.1 m.", "robot", duration_s=0.002),
)  # fmt: skip
"""The kinds of this module, with those of commands and of the world."""
