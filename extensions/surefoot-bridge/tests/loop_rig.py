"""The control loop around a robot of three joints that obey their commands, on a simulated clock."""

import numpy as np
from bundles import write_bundle
from safety_cases import LIMITS, TICK_S

from surefoot_bridge.bundle import load_bundle
from surefoot_bridge.clock import SimulatedClock
from surefoot_bridge.operators import Operator, OperatorInput
from surefoot_bridge.robots import Reading, Robot
from surefoot_bridge.runtime import Loop
from surefoot_bridge.state import Request, RobotState, flat

LYING = np.array([0.9, -0.4, 0.5])  # joints c, a, b
INERTIA_KGM2 = 0.5
VISCOUS_NMS_PER_RAD = 8.0
"""Friction, which keeps a policy of random numbers from flinging the joints about."""


class JointRobot(Robot):
    """Three joints that each turn an inertia, held upright: what is told moves them, and nothing else."""

    def __init__(self, clock, *, silent_s=0.0):
        self.name, self.num_foot_sensors = "made_up", 2
        self.clock, self.silent_s = clock, silent_s
        self.q, self.dq, self.tau = LYING.copy(), np.zeros(3), np.zeros(3)
        self.told = np.zeros(15)
        self.writes, self.num_stops, self.ticks = [], 0, 0
        self.fail_write_at, self.spoilt_s = None, (np.inf, np.inf)
        clock.on_advance(self.advance)

    def advance(self, now):
        while self.ticks < round(now / TICK_S):
            self.ticks += 1
            target, velocity, stiffness, damping, torque = self.told.reshape(5, 3)
            self.tau = stiffness * (target - self.q) + damping * (velocity - self.dq) + torque
            self.dq = self.dq + TICK_S * (self.tau - VISCOUS_NMS_PER_RAD * self.dq) / INERTIA_KGM2
            self.q = self.q + TICK_S * self.dq

    def read(self):
        if self.clock.now() < self.silent_s or not self.ticks:
            return None
        state = RobotState(
            time_s=np.array(self.ticks * TICK_S),
            sequence=np.array(self.ticks),
            joint_pos_rad=self.q.copy(),
            joint_vel_rad_s=self.dq.copy(),
            joint_torque_nm=self.tau.copy(),
            motor_temperature_c=np.full(3, 40.0),
            imu_quat_wxyz=np.array([1.0, 0.0, 0.0, 0.0]),
            imu_ang_vel_rad_s=1e-3 * np.sin([self.ticks, self.ticks + 1.0, self.ticks + 2.0]),  # a gyro is never still
            imu_lin_acc_m_s2=np.array([0.0, 0.0, 9.81]),
            foot_force_n=np.array([30.0, 30.0]),
            battery_share=np.array(0.9),
        )
        return Reading(state, self.ticks * TICK_S, self.spoilt_s[0] <= self.clock.now() < self.spoilt_s[1])

    def write(self, command):
        if self.fail_write_at is not None and self.clock.now() >= self.fail_write_at:
            raise OSError("the network is down")
        self.told = flat(command)
        self.writes.append((self.clock.now(), self.told))

    def stop(self):
        self.told = np.concatenate([self.q, np.zeros(6), np.full(3, 3.0), np.zeros(3)])
        self.num_stops += 1

    def close(self):
        self.stop()


class Wishes(Operator):
    """Asks for what it was told to, at the first reading at or after each time."""

    def __init__(self, *wishes, silent_from_s=np.inf):
        self.wishes, self.silent_from_s = list(wishes), silent_from_s
        self.stop = False

    def read(self, time_s):
        if time_s >= self.silent_from_s:
            raise OSError("the keyboard is gone")
        request = Request.KEEP
        if self.wishes and time_s >= self.wishes[0][0] - 1e-9:
            request = self.wishes.pop(0)[1]
        if request == "stop":
            self.stop, request = True, Request.KEEP
        self.stop = self.stop and request != Request.RELEASE
        return OperatorInput(np.array([0.2, 0.0, 0.1]), request, self.stop, request == Request.RELEASE, time_s)


WALKING = ((0.1, Request.STAND), (1.5, Request.WALK))
"""Stands after 0.1 s and walks from 1.5 s on."""


class Rig:
    """A loop with all its parts.

    Args:
        folder: Where its bundle is made.
        wishes: What the operator asks for.
        contract: Contract of its bundle.
        parts: Other arguments of the loop.
    """

    def __init__(self, folder, *wishes, silent_from_s=np.inf, silent_s=0.0, cell=None, contract=None, **parts):
        write_bundle(folder, cell=cell, contract=contract)
        self.bundle = load_bundle(folder, runtime="numpy")
        self.clock = SimulatedClock()
        self.robot = JointRobot(self.clock, silent_s=silent_s)
        self.operator = Wishes(*wishes, silent_from_s=silent_from_s)
        self.policy = self.bundle.policy
        self.asked_s, self.fail_between_s = [], (np.inf, np.inf)
        self.loop = Loop(self.bundle, self.robot, self.operator, limits=LIMITS, clock=self.clock, **parts)
        infer = self.loop.controller.policy

        class Watched:
            def __getattr__(_, name):  # noqa: N805
                return getattr(infer, name)

            def __call__(_, observation, memory):  # noqa: N805
                self.asked_s.append(self.clock.now())
                if self.fail_between_s[0] <= self.clock.now() < self.fail_between_s[1]:
                    raise RuntimeError("out of memory")
                return infer(observation, memory)

        self.loop.controller.policy = Watched()

    def run(self, duration_s):
        return self.loop.run(duration_s)

    def at(self, time_s):
        """What was written last at a time."""
        return [told for when, told in self.robot.writes if when <= time_s + 1e-9][-1]

    def modes(self):
        return [change.mode.name.lower() for change in self.loop._record.modes]
