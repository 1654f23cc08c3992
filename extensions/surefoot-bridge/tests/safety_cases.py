"""A robot in whose report nothing is wrong, and the safety layer that watches it."""

from dataclasses import replace

import numpy as np
from contracts import small_contract

from surefoot_bridge.safety import Safety, SafetyInputs, StageLimits
from surefoot_bridge.state import JointCommand, RobotState, flat

# The policy has the joints a, b, c, the robot's interface c, a, b. In the interface's order: default pose 0.3, 0.1,
# 0.2, stiffness 22, 20, 21, damping 0.52, 0.5, 0.51, torque limit 23.72, 23.7, 23.71, speed 20.02, 20, 20.01, rate of
# targets 30.02, 30, 30.01; the range of every joint is -2 to 2. A control step is 0.02 s, a low-level tick 0.005 s.
CONTRACT = small_contract()
FALLS = replace(CONTRACT, handling=replace(CONTRACT.handling, rests_without_gantry=False))
"""The same robot, which falls without its policy unless something carries it."""
LIMITS = StageLimits(largest_command=(0.3, 0.3, 0.5))
TICK_S = 0.005
POSE = np.array(CONTRACT.robot.default_joint_pos_rad)[[2, 0, 1]]
STIFFNESS = np.array([22.0, 20.0, 21.0])
DAMPING = np.array([0.52, 0.5, 0.51])


def good_report(tick=0, **changes):
    """A robot at rest in its default pose."""
    report = RobotState(
        time_s=np.array(100.0 + TICK_S * tick),
        sequence=np.array(1000 + tick),
        joint_pos_rad=POSE.copy(),
        joint_vel_rad_s=np.zeros(3),
        joint_torque_nm=np.zeros(3),
        motor_temperature_c=np.full(3, 40.0),
        imu_quat_wxyz=np.array([1.0, 0.0, 0.0, 0.0]),
        imu_ang_vel_rad_s=np.zeros(3),
        imu_lin_acc_m_s2=np.array([0.0, 0.0, 9.81]),
        foot_force_n=np.array([30.0, 30.0]),
        battery_share=np.array(0.9),
    )
    return replace(report, **{name: np.asarray(value) for name, value in changes.items()})


def good_inputs(tick=0, report=None, **changes):
    """What the loop hands in when all is well."""
    inputs = SafetyInputs(
        time_s=TICK_S * tick,
        report=report or good_report(tick),
        report_age_s=0.002,
        wrong_crc=False,
        lateness_s=0.0,
        action=np.zeros(3),
        velocity_command=np.array([0.2, 0.0, 0.1]),
        policy_failed=False,
        operator_stop=False,
        operator_release=False,
        operator_age_s=0.1,
        walking=True,
        frozen=np.zeros(4, dtype=bool),
    )
    return inputs._replace(**changes)


def command(target=POSE, velocity=0.0, stiffness=STIFFNESS, damping=DAMPING, torque=0.0):
    """A command to the three joints; by default it holds the default pose."""
    parts = (target, velocity, stiffness, damping, torque)
    return JointCommand(*(np.array(np.broadcast_to(part, 3), dtype=np.float64) for part in parts))


class Watch:
    """A safety layer with the state of one robot, tick by tick."""

    def __init__(self, contract=CONTRACT, limits=LIMITS):
        self.safety = Safety(contract, limits)
        self.state = self.safety.initial(())
        self.tick = 0

    def check(self, told=None, report=None, measured=None, **changes):
        """Check a tick; ``measured`` are changes of its report, ``changes`` those of the other inputs."""
        report = report or good_report(self.tick, **(measured or {}))
        inputs = good_inputs(self.tick, report, **changes)
        verdict = self.safety.check(self.state, inputs, flat(told or command()))
        self.state = verdict.state
        self.tick += 1
        return verdict

    def names(self, verdict):
        """Names of the rules that act."""
        return [rule.name for rule, active in zip(self.safety.rules, verdict.active) if active]
