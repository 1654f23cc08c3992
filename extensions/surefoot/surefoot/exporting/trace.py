"""A policy in the training engine, taken down as the robot's own computer would see it: what golden traces hold."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import torch

from surefoot_bridge.bundle import Golden
from surefoot_bridge.bundle.agreement import spread_commands
from surefoot_bridge.bundle.golden import Columns
from surefoot_bridge.errors import SurefootError
from surefoot_bridge.state import JointCommand, RobotState, stack

from .contract import COMMANDS, command_ranges

if TYPE_CHECKING:
    from surefoot.envs.env import SurefootEnv
    from surefoot.playing.session import PlaySession

SHARES = (
    (0.0, 0.0, 0.0),
    (0.5, 0.0, 0.0),
    (0.5, 0.0, 1.0),
    (-1.0, 0.0, 0.0),
    (0.0, 1.0, 0.0),
    (0.0, -1.0, -1.0),
    (1.0, 0.2, 0.0),
)
"""Velocities that are asked for in turn, as shares of the trained range's upper end, or of its lower one where they are
negative: vx, vy, yaw rate. They go to both ends of each."""

STEPS_PER_COMMAND = 40
"""Control steps of each command."""

EPISODE_STEPS = len(SHARES) * STEPS_PER_COMMAND
"""Control steps after which the second episode begins; it ends in a fall."""

SWEEP_STEPS = 256
"""Control steps of the third episode, each under another command from the whole trained range."""

CLIP_STEPS = 40
"""Control steps of the fourth episode, in which the robot gets actions beyond the clip."""

CLIP_SHARE = 1.5
"""How far beyond the clip these go, as a multiple of it."""

FALL_PUSHES_M_S = (3.0, 4.0, 5.0, 6.0)
"""Changes of the base's sideways velocity [m/s], one a second, until the robot falls."""

STEPS_AFTER_FALL = 25
"""Control steps of a robot that has fallen."""

AMBIENT_C = 25.0
"""Temperature of the motors [degrees Celsius]: the simulation has heat, but no thermometer."""

GRAVITY_M_S2 = 9.81


@dataclass(frozen=True)
class Trace:
    """A recording and what happened in it.

    Attributes:
        golden: The recording; the contract's hash is left empty, since the contract is written after it.
        fell_at: Step at which the robot had fallen.
        walked: Steps at which it walked as a person would have it, (num_steps,): neither sweep nor clip.
    """

    golden: Golden
    fell_at: int
    walked: np.ndarray


def record_trace(session: PlaySession, group: str) -> Trace:
    """Let a policy walk through all commands twice and fall, then sweep the commands, and apply what is clipped.

    Args:
        session: The policy in its environment of one robot, without noise and randomization.
        group: Observation group of the actor.

    Raises:
        SurefootError: If it does not fall however hard it is pushed.
    """
    recorder = _Recorder(session, group)
    trained = command_ranges(session.env)
    ends = np.array([[item.low, item.high] for item in trained])  # (3, 2)
    commands = [np.where(np.array(shares) < 0, -ends[:, 0], ends[:, 1]) * shares for shares in SHARES]
    for _ in range(2):
        for step in range(EPISODE_STEPS):
            recorder.step(commands[step // STEPS_PER_COMMAND], begins=step == 0)
    fell_at = _fall(session, recorder, commands[-1])
    num_walked = recorder.num_steps
    for step, command in enumerate(spread_commands(trained, SWEEP_STEPS)):
        recorder.step(command, begins=step == 0)
    clip = session.env.joint_target.cfg.clip_actions
    generator = np.random.default_rng(1)
    shares = generator.uniform(-1.0, 1.0, (CLIP_STEPS, session.env.joint_target.action_dim)).astype(np.float32)
    shares[:2] = [[-1.0], [1.0]]  # so that each joint is there on both sides
    for step, command in enumerate(spread_commands(trained, CLIP_STEPS)):
        recorder.step(command, begins=step == 0, applied=CLIP_SHARE * clip * shares[step])
    walked = np.arange(recorder.num_steps) < num_walked
    return Trace(recorder.golden(), fell_at, walked)


def _fall(session: PlaySession, recorder: _Recorder, command: np.ndarray) -> int:
    """Push the robot ever harder until it has fallen, and leave it there for a while; returns the step of the fall."""
    for push in FALL_PUSHES_M_S:
        session.push(torch.tensor([[0.0, push]], device=session.env.device))
        for _ in range(round(1.0 / session.env.step_dt)):
            recorder.step(command, begins=False)
            if bool(session.fell()[0]):
                fell_at = recorder.num_steps
                for _ in range(STEPS_AFTER_FALL):
                    recorder.step(command, begins=False)
                return fell_at
    raise SurefootError(
        f"The robot did not fall when its base was pushed sideways by {FALL_PUSHES_M_S[-1]} m/s; a golden trace needs "
        "a fall, since the bridge must see the same as the simulator when a robot lies. Raise FALL_PUSHES_M_S."
    )


class _Recorder:
    """Steps the session and takes down each step."""

    def __init__(self, session: PlaySession, group: str) -> None:
        self._session, self._group = session, group
        spec = session.robot
        self._sdk_order = [spec.joint_names.index(name) for name in spec.sdk_joint_names]
        self._has_feet = "foot_contact" in spec.interface.sensors
        self._last_lin_vel_w: np.ndarray | None = None
        self._steps: list[dict[str, np.ndarray]] = []
        self._reports: list[RobotState] = []
        self._joint_commands: list[JointCommand] = []

    @property
    def num_steps(self) -> int:
        """Number of steps so far."""
        return len(self._steps)

    def step(self, command: np.ndarray, *, begins: bool, applied: np.ndarray | None = None) -> None:
        """Show the command, let the policy act on what it sees then, and take both down.

        Args:
            command: What is asked for, (3,).
            begins: Whether an episode begins.
            applied: Action that the robot gets instead of the policy's, (num_joints,), float32.
        """
        session, env = self._session, self._session.env
        asked = torch.tensor(command[None], dtype=torch.float32, device=env.device)
        if begins:
            session.reset(asked)
            self._last_lin_vel_w = None
        else:
            session.show(asked)
        self._reports.append(self._report(env))
        observation = env.obs_buf[self._group]
        assert isinstance(observation, torch.Tensor)
        seen = _row(observation).copy()
        given = None if applied is None else torch.from_numpy(applied[None]).to(env.device)
        action = _row(session.step(asked, applied=given)).copy()
        self._steps.append(
            {
                "command": _row(asked),
                "begins": np.array(begins),
                "observation": seen,
                "action": action,
                "applied_action": action if applied is None else applied,
            }
        )
        self._joint_commands.append(self._joint_command(env))

    def golden(self) -> Golden:
        """Return what was taken down; the contract's hash is left empty."""
        spec = self._session.robot
        columns = {name: np.stack([step[name] for step in self._steps]) for name in self._steps[0]}
        return Golden(
            report=stack(tuple(self._reports)),
            joint_command=stack(tuple(self._joint_commands)),
            contract_sha256="",
            columns=Columns(spec.sdk_joint_names, spec.foot_bodies if self._has_feet else (), COMMANDS),
            **columns,
        )

    def _report(self, env: SurefootEnv) -> RobotState:
        data, state = env.robot.data, env.locomotion
        quat_wxyz = _row(data.root_link_quat_w.torch)[[3, 0, 1, 2]]
        lin_vel_w = _row(data.root_link_lin_vel_w.torch).copy()
        before = lin_vel_w if self._last_lin_vel_w is None else self._last_lin_vel_w
        self._last_lin_vel_w = lin_vel_w
        force_w = (lin_vel_w - before) / env.step_dt + np.array([0.0, 0.0, GRAVITY_M_S2])
        return RobotState(
            time_s=np.array(self.num_steps * env.step_dt),
            sequence=np.array(self.num_steps),
            joint_pos_rad=self._joints(data.joint_pos.torch),
            joint_vel_rad_s=self._joints(data.joint_vel.torch),
            joint_torque_nm=self._joints(state.motor_torque_nm),
            motor_temperature_c=np.full(len(self._sdk_order), AMBIENT_C, dtype=np.float32),
            imu_quat_wxyz=quat_wxyz,
            imu_ang_vel_rad_s=_row(state.base_ang_vel_b).copy(),
            imu_lin_acc_m_s2=_rotated_back(quat_wxyz, force_w).astype(np.float32),
            foot_force_n=_row(state.foot_force_n).copy() if self._has_feet else np.zeros(0, dtype=np.float32),
            battery_share=np.array(1.0, dtype=np.float32),
        )

    def _joint_command(self, env: SurefootEnv) -> JointCommand:
        target = self._joints(env.joint_target.processed_actions)
        table, layout = env.randomization.table.values, env.randomization.layout
        gains = {name: self._joints(table[:, layout.column_slice(name)]) for name in ("stiffness", "damping")}
        return JointCommand(
            joint_pos_rad=target,
            joint_vel_rad_s=np.zeros_like(target),
            stiffness_nm_per_rad=gains["stiffness"],
            damping_nms_per_rad=gains["damping"],
            torque_nm=np.zeros_like(target),
        )

    def _joints(self, values: torch.Tensor) -> np.ndarray:
        """Return the robot's values in the order of its interface."""
        return _row(values)[self._sdk_order]


def _row(values: torch.Tensor) -> np.ndarray:
    return values[0].detach().cpu().numpy()


def _rotated_back(quat_wxyz: np.ndarray, vector_w: np.ndarray) -> np.ndarray:
    """Return a world vector in the frame that the quaternion rotates to the world."""
    w, xyz = quat_wxyz[0], -quat_wxyz[1:]
    return vector_w + 2.0 * np.cross(xyz, np.cross(xyz, vector_w) + w * vector_w)
