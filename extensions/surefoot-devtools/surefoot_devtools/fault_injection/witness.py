"""Checks on the receiving side that no command is outside the limits, with arithmetic of its own."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from surefoot_bridge.clock import Clock
from surefoot_bridge.contract import Contract
from surefoot_bridge.robots import Reading, Robot
from surefoot_bridge.safety import StageLimits
from surefoot_bridge.state import JointCommand, RobotState

_ROUNDING = 1e-6
_MOST_NOTES = 20
_WHAT = (
    "target",
    "minus target",
    "velocity",
    "feed-forward torque",
    "stiffness",
    "minus stiffness",
    "damping",
    "minus damping",
    "move of the target",
    "torque",
)


class Witness(Robot):
    """Stands before a robot and judges every command that reaches it.

    Of each joint: everything is finite; target within the range, velocity, feed-forward torque and gains within what
    contract and stage allow; the target moves by no more than its rate allows in a control period, at once or bit by
    bit (after commands that never came, by what it allows in their time besides); and the torque that is asked at the
    joint's measured state is at most what the stage allows. The last is judged only while the bridge knew that state:
    nobody can keep to a limit of what he does not measure.

    Args:
        robot: The robot.
        contract: The contract.
        limits: Limits of the stage.
        clock: The true clock.
        knows_state: Says whether the bridge was given what the robot measured.
        rounding: Share of a limit, of 1 at least, by which numbers may be beyond it, for they are rounded on the way.
        jitter_s: How much the time between two commands may differ here from what it was where they were checked [s].

    Attributes:
        commands: How many commands came.
        outside: How many of them were outside the limits.
        notes: What was wrong with the first of them.
        last: The last command.
    """

    def __init__(
        self,
        robot: Robot,
        contract: Contract,
        limits: StageLimits,
        *,
        clock: Clock,
        knows_state: Callable[[], bool],
        rounding: float = _ROUNDING,
        jitter_s: float = 0.0,
    ) -> None:
        self.name, self.num_foot_sensors = robot.name, robot.num_foot_sensors
        self.commands = self.outside = 0
        self.notes: list[str] = []
        self.last: JointCommand | None = None
        self._robot, self._clock, self._knows_state = robot, clock, knows_state
        self._names = contract.robot.sdk_joint_names
        order, safety, gains = list(contract.sdk_order), contract.safety, contract.gains
        low = np.array([safety.joint_pos_limit_rad[i].low for i in order])
        high = np.array([safety.joint_pos_limit_rad[i].high for i in order])
        speed = np.array([safety.joint_vel_limit_rad_s[i] for i in order])
        full = np.array([safety.torque_limit_nm[i] for i in order])
        torque = limits.torque_share * full
        stiffness = np.maximum(full / limits.stiffness_full_torque_rad, [gains.stiffness_nm_per_rad[i] for i in order])
        damping = np.maximum(
            np.maximum(full / limits.damping_full_torque_rad_s, [gains.damping_nms_per_rad[i] for i in order]),
            limits.damped_nms_per_rad,
        )
        self._rate = np.array([safety.target_rate_limit_rad_s[i] for i in order])
        self._time_s, self._period_s = 0.0, 1.0 / contract.timing.low_level_hz
        self._moved = zeros = np.zeros(len(order))
        # In the order of _WHAT.
        limits_of = [high, -low, speed, torque, stiffness, zeros, damping, zeros]
        limits_of += [self._rate * (contract.timing.control_period_s + jitter_s), torque]
        self._limits = np.concatenate(limits_of)
        self._judged = self._limits + rounding * np.maximum(1.0, np.abs(self._limits))

    def read(self) -> Reading | None:
        """Hand the robot's report on."""
        return self._robot.read()

    def write(self, command: JointCommand) -> None:
        """Judge the command, and hand it on."""
        self.commands += 1
        wrong = self._judge(command)
        if wrong:
            self.outside += 1
            if len(self.notes) < _MOST_NOTES:
                self.notes.append(f"{self._clock.now():.4f} s: {'; '.join(wrong)}")
        self.last, self._time_s = command, self._clock.now()
        self._robot.write(command)

    def stop(self) -> None:
        """Hand it on."""
        self._robot.stop()

    def close(self) -> None:
        """Hand it on."""
        self._robot.close()

    def tip(self, roll_rad_s: float) -> None:
        """Hand it on."""
        robot: Any = self._robot
        robot.tip(roll_rad_s)

    def _known(self) -> Sequence[RobotState]:
        """Return the states of the robot of which the bridge knew one when it gave this command; none if it did not."""
        reading = self._robot.read()
        return [reading.state] if reading is not None and self._knows_state() else []

    def _judge(self, command: JointCommand) -> list[str]:
        q, dq, kp, kd, tau = (np.asarray(part) for part in vars(command).values())
        if not np.isfinite(np.concatenate([q, dq, kp, kd, tau])).all():
            return ["a number is not finite"]
        if self.last is not None:
            passed_s = max(self._clock.now() - self._time_s, 0.0)
            missing = self._rate * max(passed_s - self._period_s, 0.0)  # moves of commands that never came
            move = np.maximum(np.abs(q - self.last.joint_pos_rad) - missing, 0.0)
            self._moved = np.maximum(self._moved - self._rate * passed_s, 0.0) + move
        values = [q, -q, np.abs(dq), np.abs(tau), kp, -kp, kd, -kd, self._moved]
        known, n = self._known(), len(q)
        if known:
            measured = np.array([(state.joint_pos_rad, state.joint_vel_rad_s) for state in known])  # (states, 2, n)
            torque = np.abs(kp * (q - measured[:, 0]) + kd * (dq - measured[:, 1]) + tau)
            values.append(torque[np.argmin(np.max(torque - self._limits[-n:], axis=1))])
        row = np.concatenate(values)
        beyond = np.flatnonzero(row > self._judged[: len(row)])
        return [f"{_WHAT[i // n]} of {self._names[i % n]} is {row[i]:.6g}, limit {self._limits[i]:.6g}" for i in beyond]
