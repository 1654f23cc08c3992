"""A robot of three joints with its state machine, step by step."""

from functools import lru_cache

import numpy as np
from safety_cases import CONTRACT, TICK_S, command, good_report

from surefoot_bridge.control import Machine
from surefoot_bridge.safety import Response
from surefoot_bridge.state import Mode, Request, flat, joint_command

HANDLING = CONTRACT.handling  # in the policy's order a, b, c; in the interface's: c, a, b
STAND, SIT, CROUCH = np.array([0.6, 0.4, 0.5]), np.array([1.2, 1.0, 1.1]), np.array([0.84, 0.64, 0.74])
STAND_GAINS = (np.array([52.0, 50.0, 51.0]), np.array([4.2, 4.0, 4.1]))
HANDOVER_S = 0.5  # of the contract
LYING = np.array([-0.5, 1.5, 1.8])
POLICY = command(target=[0.9, -0.3, 0.0], velocity=0.2, torque=0.3)


class Robot:
    """A machine with the state of one robot whose joints stay where they are put."""

    def __init__(self, contract=CONTRACT, joints=LYING):
        self.machine = Machine(contract)
        self.state = self.machine.initial(())
        self.joints = np.array(joints)
        self.time_s = 0.0
        self.measured = {}

    def step(self, request=Request.KEEP, policy=POLICY, response=Response.NONE, time_s=None):
        self.time_s += TICK_S
        report = good_report(joint_pos_rad=self.joints, **self.measured)
        told, self.state = self.machine.step(
            self.state, report, request, flat(policy), response, self.time_s if time_s is None else time_s
        )
        return joint_command(told)

    def run(self, seconds, **changes):
        """Commands of some time, (ticks, 15)."""
        return np.array([flat(self.step(**changes)) for _ in range(round(seconds / TICK_S))])

    def to(self, *requests):
        """Go through modes, each until it is done."""
        for request in requests:
            self.step(request)
            assert not self.state.refused, request
            self.run(max(HANDLING.stand_s, HANDLING.sit_s) + 2 * TICK_S)
        return self


WAYS = {
    Mode.PASSIVE: (),
    Mode.STAND: (Request.STAND,),
    Mode.WALK: (Request.STAND, Request.WALK),
    Mode.SIT: (Request.SIT,),
    Mode.DAMPED: (Request.DAMPED,),
}
SWINGING = {"joint_vel_rad_s": (0.0, 2.0, 0.0)}
"""What a robot reports that steps on the spot."""


@lru_cache(maxsize=None)
def _way(start):
    if start in (Mode.STOP, Mode.CROUCH):
        robot = Robot().to(*WAYS[Mode.WALK])
        robot.step(response=Response.STOP if start == Mode.STOP else Response.STAND)
    else:
        robot = Robot().to(*WAYS[start])
    return robot.state, robot.time_s


def robot_in(start):
    """A robot that lies and has been in a mode for long."""
    robot = Robot()
    robot.state, robot.time_s = _way(start)
    return robot


def mode(robot):
    return Mode(int(robot.state.mode))


def smooth(x):
    x = np.clip(x, 0.0, 1.0)
    return 3 * x**2 - 2 * x**3
