"""A robot with faults: wraps any robot, and spoils reports and commands while a fault is on."""

from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from surefoot_bridge.clock import Clock
from surefoot_bridge.contract import Contract
from surefoot_bridge.errors import SurefootError
from surefoot_bridge.robots import Reading, Robot
from surefoot_bridge.state import JointCommand

from .catalogue import ALARM_PREFIX, NAN_PREFIX
from .robot_kinds import SPOILS, Spoiling
from .timeline import Injection

_LATE_S, _BIT_LATE_S = 0.1, 0.01
_KEPT = 128  # reports, more than come in the longest delay

TIPS_RAD_S = {"tipped_over": 12.0, "tossed": 1.0}
"""Angular velocity about its forward axis with which a robot is thrown up, by fault [rad/s]; 12 tips it over."""


class FaultyRobot(Robot):
    """A robot whose reports and commands are spoilt by faults.

    Args:
        robot: The robot. ``tipped_over`` needs one that can be pushed, as
            :class:`~surefoot_bridge.robots.mujoco_robot.MujocoRobot` can.
        contract: The contract; joint limits and temperature of some faults come from it.
        injections: Faults of the robot and their times.
        clock: The true clock.

    Raises:
        SurefootError: If a fault is not the robot's.

    Attributes:
        spoilt: Whether the last reading was not what the robot said.
    """

    def __init__(self, robot: Robot, contract: Contract, injections: Sequence[Injection], *, clock: Clock) -> None:
        for injection in injections:
            if injection.fault.where != "robot":
                raise SurefootError(
                    f"{injection.fault.name} is a fault of the {injection.fault.where}, not of the robot."
                )
        self.name, self.num_foot_sensors = robot.name, robot.num_foot_sensors
        self.spoilt = False
        self._robot, self._contract, self._clock = robot, contract, clock
        self._injections = [(item, np.random.default_rng(item.seed)) for item in injections]
        self._past: deque[Reading] = deque(maxlen=_KEPT)
        self._given: Reading | None = None
        self._last: Reading | None = None
        self._frozen: dict[str, Any] = {}
        self._done: dict[str, bool] = {}
        self._counts: dict[str, int] = {}

    def read(self) -> Reading | None:
        """Return the newest report, as the faults leave it."""
        reading = self._robot.read()
        if reading is not None and (not self._past or reading is not self._past[-1]):
            self._past.append(reading)
        now, true = self._clock.now(), reading
        for injection, generator in self._injections:
            if reading is not None and injection.on(now):
                reading = self._spoil(injection, generator, reading, now)
        self.spoilt, self._last = reading is not true, reading
        if not self.spoilt:
            self._given = reading
        return reading

    def write(self, command: JointCommand) -> None:
        """Hand the command on, unless a fault stands between."""
        now = self._clock.now()
        for injection, generator in self._injections:
            if not injection.on(now):
                continue
            name = injection.fault.name
            if name in ("commands_lost", "commands_lost_long"):
                return
            if name == "commands_thin" and self._count(name) % 2:
                return
            if name in ("write_raises", "write_raises_once"):
                raise OSError("an injected fault: the network is down")
            if name in TIPS_RAD_S and not self._done.get(name):
                self._done[name] = True
                robot: Any = self._robot
                robot.tip(TIPS_RAD_S[name] * generator.choice([-1.0, 1.0]))
        self._robot.write(command)

    def stop(self) -> None:
        """Damp the robot."""
        self._robot.stop()

    def close(self) -> None:
        """Let go of the robot."""
        self._robot.close()

    def _spoil(
        self, injection: Injection, generator: np.random.Generator, reading: Reading, now: float
    ) -> Reading | None:
        name = injection.fault.name
        if name == "read_raises":
            raise OSError("an injected fault: the network is down")
        if name in _MESSAGES:
            return _MESSAGES[name](self, reading, now, injection)
        state = reading.state
        joint = injection.seed % len(state.joint_pos_rad)
        if name in SPOILS:
            spoiling = Spoiling(
                reading=reading,
                joint=joint,
                contract=self._contract,
                mailbox=self,
                passed_s=now - injection.start_s,
                now_s=now,
                number=self._count(name),
                generator=generator,
                first=self._frozen.setdefault(name, reading),
            )
            return SPOILS[name](spoiling)
        if name.startswith(NAN_PREFIX) and name != "nan_once":
            field = name[len(NAN_PREFIX) :]
            return _changed(reading, field, np.nan, injection.seed)
        if name.startswith(ALARM_PREFIX):
            return replace(reading, alarms={name[len(ALARM_PREFIX) :]: injection.fault.what})
        if name in ("imu_frozen", "encoder_frozen"):
            fields = ("joint_pos_rad", "joint_vel_rad_s")
            if name == "imu_frozen":
                fields = ("imu_quat_wxyz", "imu_ang_vel_rad_s", "imu_lin_acc_m_s2")
            first = self._frozen.setdefault(name, state)
            for field in fields:
                values = getattr(state, field).copy()
                place = joint if name == "encoder_frozen" else slice(None)
                values[place] = getattr(first, field)[place]
                state = replace(state, **{field: values})
            return replace(reading, state=state)
        sdk = self._contract.sdk_order[joint]
        safety, hot = self._contract.safety, self._contract.safety.motor_temperature_limit_c
        if name in ("nan_once", "infinite_velocity"):
            field, value = ("joint_pos_rad", np.nan) if name == "nan_once" else ("joint_vel_rad_s", np.inf)
            return _changed(reading, field, value, joint)
        if name in ("quaternion_zero", "quaternion_long"):
            factor = 0.0 if name == "quaternion_zero" else 1.2
            return replace(reading, state=replace(state, imu_quat_wxyz=factor * state.imu_quat_wxyz))
        if name == "encoder_jump":
            return _changed(reading, "joint_pos_rad", safety.joint_pos_limit_rad[sdk].high + 0.2, joint)
        if name == "encoder_offset":
            return _changed(reading, "joint_pos_rad", state.joint_pos_rad[joint] + 0.1, joint)
        if name in ("velocity_spikes", "velocity_spike"):
            return _changed(reading, "joint_vel_rad_s", 2.0 * safety.joint_vel_limit_rad_s[sdk], joint)
        if name == "torque_high":
            return _changed(reading, "joint_torque_nm", safety.torque_limit_nm[sdk], joint)
        if name in ("motor_warm", "motor_hot"):
            return _changed(reading, "motor_temperature_c", hot + (5.0 if name == "motor_hot" else -5.0), joint)
        if name == "battery_low":
            return replace(reading, state=replace(state, battery_share=np.array(0.05)))
        if name == "battery_empty":
            return replace(reading, state=replace(state, battery_share=np.array(0.0)))
        if name == "imu_tilted":
            angle = 0.5 * (self._contract.safety.tilt_limit_rad + 0.3)
            tilted = np.array([np.cos(angle), np.sin(angle), 0.0, 0.0])
            return replace(reading, state=replace(state, imu_quat_wxyz=tilted))
        if name == "no_gravity":
            small = 0.1 * generator.standard_normal(3)
            return replace(reading, state=replace(state, imu_lin_acc_m_s2=small))
        return reading

    def _count(self, name: str) -> int:
        """Return how often a fault has acted before."""
        self._counts[name] = self._counts.get(name, -1) + 1
        return self._counts[name]

    def at(self, time_s: float) -> Reading | None:
        """Return the newest report that was there at a time [s], or one that was given since."""
        there = [reading for reading in self._past if reading.received_s <= time_s + 1e-9]
        return self._no_older(there[-1] if there else None)

    def _thinned(self, reading: Reading, every: int) -> Reading | None:
        number = int(reading.state.sequence) // every * every
        kept = [past for past in self._past if int(past.state.sequence) == number]
        return self._no_older(kept[0] if kept else None)

    def _no_older(self, reading: Reading | None) -> Reading | None:
        """Return a report, or the one that was given last where that is newer: what came once does not come again."""
        last = self._last
        if reading is None or (last is not None and reading.state.sequence < last.state.sequence):
            return last
        return reading


def _changed(reading: Reading, field: str, value: float, place: int) -> Reading:
    """Return a reading with one number changed; a field without numbers stays."""
    values = np.array(getattr(reading.state, field), dtype=np.float64)
    if values.size:
        values.reshape(-1)[place % values.size] = value
    return replace(reading, state=replace(reading.state, **{field: values}))


def _numbered(reading: Reading, **changes: Any) -> Reading:
    return replace(reading, state=replace(reading.state, **{name: np.array(v) for name, v in changes.items()}))


def _swapped(robot: FaultyRobot, reading: Reading) -> Reading | None:
    """Of each pair the second first: an odd report comes as the one before it, an even one as the one after."""
    if len(robot._past) < 3:
        return reading
    return robot._past[-3] if int(reading.state.sequence) % 2 else reading


_Message = Callable[[FaultyRobot, Reading, float, Injection], Reading | None]
_MESSAGES: dict[str, _Message] = {
    "reports_stop": lambda robot, _, __, ___: robot._given,
    "reports_pause": lambda robot, _, __, ___: robot._given,
    "reports_thin": lambda robot, reading, _, __: robot._thinned(reading, 2),
    "reports_sparse": lambda robot, reading, _, __: robot._thinned(reading, 10),
    "reports_late": lambda robot, _, now, __: robot.at(now - _LATE_S),
    "reports_bit_late": lambda robot, _, now, __: robot.at(now - _BIT_LATE_S),
    "report_duplicated": lambda robot, reading, now, __: replace(robot._given or reading, received_s=now),
    "reports_twice": lambda robot, reading, _, __: robot._thinned(reading, 2),
    "reports_swapped": lambda robot, reading, _, __: _swapped(robot, reading),
    "reports_corrupt": lambda _, reading, __, ___: replace(reading, wrong_crc=True),
    "report_corrupt": lambda _, reading, __, ___: replace(reading, wrong_crc=True),
    "robot_restarts": lambda robot, reading, now, injection: _numbered(
        reading,
        time_s=now - injection.start_s,
        sequence=int(reading.state.sequence) - int(robot._frozen.setdefault("seq", int(reading.state.sequence))),
    ),
    "sequence_frozen": lambda robot, reading, _, __: _numbered(
        reading, sequence=robot._frozen.setdefault("seq", int(reading.state.sequence))
    ),
    "robot_clock_ahead": lambda _, reading, __, ___: _numbered(reading, time_s=float(reading.state.time_s) + 10.0),
    "robot_clock_back": lambda _, reading, __, ___: _numbered(reading, time_s=float(reading.state.time_s) - 1.0),
}
"""What faults of messages make of a reading."""
