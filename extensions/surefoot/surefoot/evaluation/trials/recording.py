"""The motion of trials, kept step by step, so that a report can draw any of them without the engine."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from surefoot.motion_recording import MotionRecording
from surefoot_bridge.errors import SurefootError

from .batch import TrialBatch
from .engine import Truth
from .rotations import into_base

MOST_STEPS = 3000
"""Of a longer trial only every second, third, ... step is kept: a minute of control steps of 20 ms is what can be
looked at, and ten minutes of 25 trials would take a quarter of a gigabyte."""


@dataclass(frozen=True, kw_only=True)
class Recording(MotionRecording):
    """One trial. Arrays are float32 unless said and have T rows, one after each control step that was kept.

    Joints are in the order of the robot's interface, feet in the contract's. The world's origin is where the robot
    started, on the ground there.

    Attributes:
        scenario: Name of the scenario.
        engine: Name of the engine.
        robot: Name of the robot.
        number: Number of the trial in the scenario.
        success: Whether it succeeded.
        reason: Why not; empty for a success.
        time_s: Time since the beginning [s], (T,).
        command: What the operator asked for: forward and sideways velocity [m/s], yaw rate [rad/s], (T, 3).
        base_pos_w: Position of the base's frame [m], (T, 3).
        base_quat_wxyz: Rotation from the base's frame to the world, (T, 4).
        base_lin_vel_b: Velocity of the base's frame in the base's frame [m/s], (T, 3).
        base_ang_vel_b: Angular velocity in the base's frame [rad/s], (T, 3).
        joint_pos_rad: Joint positions [rad], (T, num_joints).
        joint_vel_rad_s: Joint velocities [rad/s], (T, num_joints).
        motor_torque_nm: Torque that each motor delivered in the last physics step [N m], (T, num_joints).
        joint_target_rad: Position that each joint was told last [rad], (T, num_joints).
        foot_pos_w: Lowest point of each sole [m], (T, num_feet, 3).
        foot_force_n: Size of the force between each foot and the ground [N], (T, num_feet).
        response: What safety did, codes of :class:`~surefoot_bridge.safety.Response`, (T,), int8.
        push_force_w: Force on the base at its centre of mass [N], (T, 3).
    """

    MADE_BY = "surefoot verify"

    scenario: str
    engine: str
    robot: str
    number: int
    success: bool
    reason: str
    time_s: np.ndarray
    command: np.ndarray
    base_pos_w: np.ndarray
    base_quat_wxyz: np.ndarray
    base_lin_vel_b: np.ndarray
    base_ang_vel_b: np.ndarray
    joint_pos_rad: np.ndarray
    joint_vel_rad_s: np.ndarray
    motor_torque_nm: np.ndarray
    joint_target_rad: np.ndarray
    foot_pos_w: np.ndarray
    foot_force_n: np.ndarray
    response: np.ndarray
    push_force_w: np.ndarray


class TrialRecorder:
    """Keeps the motion of all trials of a batch while they run.

    Args:
        batch: The trials.
        engine: Name of the engine.
        robot: Name of the robot.
        control_period_s: Control period [s].
        length_s: How long the trials last [s]; they may end sooner.

    Attributes:
        stride: Of how many control steps one is kept.
    """

    def __init__(self, batch: TrialBatch, *, engine: str, robot: str, control_period_s: float, length_s: float) -> None:
        self._batch, self._engine, self._robot = batch, engine, robot
        self._period_s = control_period_s
        steps = max(1, round(length_s / control_period_s))
        self.stride = -(-steps // MOST_STEPS)
        self._room = -(-steps // self.stride)
        self._kept, self._steps = 0, 0
        self._rows: dict[str, np.ndarray] = {}

    def record(
        self,
        truth: Truth,
        *,
        command: np.ndarray,
        joint_target_rad: np.ndarray,
        response: np.ndarray,
        push_force_w: np.ndarray | None,
    ) -> None:
        """Keep the state after a control step.

        Args:
            truth: What is true then.
            command: What the operator asked for in it, (N, 3).
            joint_target_rad: What the joints were told last, (N, num_joints).
            response: What safety did at most in it, (N,).
            push_force_w: Force on the base [N], (N, 3); None where nobody pushes.
        """
        self._steps += 1
        if self._steps % self.stride or self._kept >= self._room:
            return
        n = len(command)
        row = {
            "time_s": np.full(n, self._steps * self._period_s),
            "command": command,
            "base_pos_w": truth.base_pos_w,
            "base_quat_wxyz": truth.base_quat_wxyz,
            "base_lin_vel_b": into_base(truth.base_quat_wxyz, truth.base_lin_vel_w),
            "base_ang_vel_b": truth.base_ang_vel_b,
            "joint_pos_rad": truth.joint_pos_rad,
            "joint_vel_rad_s": truth.joint_vel_rad_s,
            "motor_torque_nm": truth.motor_torque_nm,
            "joint_target_rad": joint_target_rad,
            "foot_pos_w": truth.foot_pos_w,
            "foot_force_n": truth.foot_force_n,
            "response": response,
            "push_force_w": np.zeros((n, 3)) if push_force_w is None else push_force_w,
        }
        for name, value in row.items():
            if name not in self._rows:
                kind = np.int8 if name == "response" else np.float32
                self._rows[name] = np.zeros((self._room, *value.shape), kind)
            self._rows[name][self._kept] = value
        self._kept += 1

    def recording(self, number: int, *, success: bool, reason: str = "") -> Recording:
        """Return the recording of a trial.

        Args:
            number: Its number in the scenario.
            success: Whether it succeeded.
            reason: Why not.

        Raises:
            SurefootError: If the batch has no such trial, or nothing was recorded yet.
        """
        numbers = self._batch.numbers.tolist()
        if number not in numbers:
            raise SurefootError(f"Trial {number} is not in this batch; it has {numbers}.")
        if not self._kept:
            raise SurefootError(f"Nothing of trial {number} was recorded: no control step is over yet.")
        row = numbers.index(number)
        return Recording(
            scenario=self._batch.scenario.name,
            engine=self._engine,
            robot=self._robot,
            number=number,
            success=success,
            reason=reason,
            **{name: value[: self._kept, row].copy() for name, value in self._rows.items()},
        )
