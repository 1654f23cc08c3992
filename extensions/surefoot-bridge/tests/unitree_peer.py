"""A robot on the loopback network for tests: the emulated firmware with joints that stand where they are told to."""

import os
import threading
import time
from dataclasses import fields, replace

import numpy as np
import pytest
from contracts import quadruped_contract

from surefoot_bridge.clock import MonotonicClock
from surefoot_bridge.errors import SurefootError
from surefoot_bridge.state import RobotState
from surefoot_bridge.unitree import RobotAddress, open_robot
from surefoot_bridge.unitree.dds.library import load_library
from surefoot_bridge.unitree.emulation.firmware import Firmware
from surefoot_bridge.unitree.kinds import KINDS

DOMAIN = 10 + os.getpid() % 200  # another one for each run of the tests, so that two do not hear each other


def _why_not():
    try:
        load_library()
    except SurefootError as error:
        return str(error)
    return ""


needs_dds = pytest.mark.skipif(bool(_why_not()), reason=_why_not())


def address(robot):
    return RobotAddress(robot, "lo", DOMAIN)


def unitree_contract(robot, *, joints=None):
    """A contract whose order of joints is the robot's, backwards for the policy; its limits, and made-up numbers."""
    caps = KINDS[robot].caps
    sdk, feet = tuple(joints or caps.joint_names), caps.foot_names
    n, made = len(sdk), quadruped_contract()
    middle = tuple((limit.low + limit.high) / 2.0 for limit in reversed(caps.joint_pos_rad))[-n:]

    def each(part):
        """The part with as many numbers as there are joints."""
        lists = {f.name: getattr(part, f.name) for f in fields(part) if isinstance(getattr(part, f.name), tuple)}
        return replace(part, **{name: (values * 3)[:n] for name, values in lists.items()})

    dims = {**dict.fromkeys(("joint_pos", "joint_vel", "last_action"), n), "foot_contact": len(feet)}
    seen = [t for t in made.observation.terms if t.source != "foot_contact" or KINDS[robot].foot_names]
    terms = [replace(t, dim=dims.get(t.source, t.dim)) for t in seen]
    return replace(
        made,
        robot=replace(
            made.robot,
            name=robot,
            joint_names=tuple(reversed(sdk)),
            sdk_joint_names=sdk,
            foot_names=feet,
            mirror_foot_names=tuple(reversed(feet)),
            default_joint_pos_rad=middle,
        ),
        handling=replace(each(made.handling), stand_rad=middle, sit_rad=middle, crouch_rad=middle),
        gains=each(made.gains),
        action=each(made.action),
        observation=replace(made.observation, terms=tuple(terms)),
        network=replace(made.network, observation_dim=sum(t.dim * t.history for t in terms), action_dim=n),
        safety=replace(
            each(made.safety),
            joint_pos_limit_rad=caps.joint_pos_rad[::-1][-n:],
            joint_vel_limit_rad_s=caps.joint_vel_rad_s[::-1][-n:],
            torque_limit_nm=caps.torque_nm[::-1][-n:],
            motor_temperature_limit_c=caps.motor_temperature_c,
        ),
    )


def opened(robot="unitree_go2", *, timeout_s=10.0):
    """The robot as a bridge opens it."""
    return open_robot(address(robot), unitree_contract(robot), clock=MonotonicClock(), timeout_s=timeout_s)


def robot_state(robot, time_s, **changes):
    """Numbers by which each joint, foot and axis can be told, in the robot's own order."""
    n, feet = len(KINDS[robot].joint_names), len(KINDS[robot].foot_names)
    state = RobotState(
        time_s=np.array(time_s),
        sequence=np.array(0),
        joint_pos_rad=0.125 * np.arange(n),
        joint_vel_rad_s=1.0 + 0.125 * np.arange(n),
        joint_torque_nm=2.0 + 0.125 * np.arange(n),
        motor_temperature_c=30.0 + np.arange(n),
        imu_quat_wxyz=np.array([0.5, -0.5, 0.5, 0.5]),
        imu_ang_vel_rad_s=np.array([0.25, 0.5, 0.75]),
        imu_lin_acc_m_s2=np.array([1.0, 2.0, 9.5]),
        foot_force_n=10.0 * np.arange(1, feet + 1),
        battery_share=np.array(0.87),
    )
    return replace(state, **{name: np.asarray(value) for name, value in changes.items()})


def torque_nm(command, state):
    """What a motor gives by the last command, which stays in force."""
    return (
        command.torque_nm
        + command.stiffness_nm_per_rad * (command.joint_pos_rad - state.joint_pos_rad)
        + command.damping_nms_per_rad * (command.joint_vel_rad_s - state.joint_vel_rad_s)
    )


class Peer:
    """The emulated firmware in a thread; its joints stand where they are, and give the torque of the last command.

    Attributes:
        firmware: The firmware.
        commands: The commands that counted, with the time of each, oldest first.
    """

    def __init__(self, robot, *, reporting=True, **options):
        self.robot = robot
        self.firmware = Firmware(address(robot), **options)
        self.commands = []
        self.reporting = reporting
        self.changes = {}
        self.ticks_per_report = 2
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def _run(self):
        begin_s = last_s = time.monotonic()
        own_rad = np.zeros(len(KINDS[self.robot].joint_names))
        while not self._ended.wait(0.002):
            now = time.monotonic()
            self.commands += [(now, command) for command in self.firmware.commands()]
            self.firmware.answer()
            own = self.firmware.own.command(now, own_rad)
            held = {}
            if own is not None:  # whose joints go where it tells them to
                vel_rad_s, own_rad = (own.joint_pos_rad - own_rad) / (now - last_s), own.joint_pos_rad
                held = {"joint_pos_rad": own_rad, "joint_vel_rad_s": vel_rad_s}
            last_s = now
            if self.reporting:
                state = robot_state(self.robot, **{"time_s": now - begin_s, **held, **self.changes})
                if self.commands and "joint_torque_nm" not in self.changes:
                    state = replace(state, joint_torque_nm=torque_nm(self.commands[-1][1], state))
                self.firmware.report(state)

    def await_commands(self, count=1, timeout_s=5.0):
        until = time.monotonic() + timeout_s
        while len(self.commands) < count and time.monotonic() < until:
            time.sleep(0.002)
        assert len(self.commands) >= count
        return [command for _, command in self.commands]

    def __enter__(self):
        return self

    def __exit__(self, *unused):
        self._ended.set()
        self._thread.join()
        self.firmware.close()


def await_true(what, timeout_s=5.0):
    until = time.monotonic() + timeout_s
    while time.monotonic() < until:
        if what():
            return True
        time.sleep(0.002)
    return bool(what())
