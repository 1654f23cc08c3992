"""One episode in every environment: what the schedule asks goes in, figures and a recording come out."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import torch

from surefoot.playing.metrics import EpisodeMetrics, StepSample
from surefoot.playing.recording import AROUND_M, EpisodeRecording
from surefoot.playing.recovery import RecoveryMetrics
from surefoot.playing.schedule import Schedule
from surefoot.playing.session import PlaySession
from surefoot.terrains.height_grid import HeightGrid


def run_episodes(
    session: PlaySession,
    schedule: Schedule,
    *,
    recorder: Recorder | None = None,
    on_step: Callable[[], None] = lambda: None,
) -> EpisodeMetrics | RecoveryMetrics:
    """Play one episode in each environment, side by side.

    Args:
        session: The policy in its environment.
        schedule: Commands and pushes, one episode for each environment.
        recorder: Takes down the motion of one environment.
        on_step: Called after every control step.

    Returns:
        What is behind the figures: how robots walked, or how they got up where episodes begin with a fall.
    """
    state = session.env.locomotion
    metrics = _make_metrics(session, schedule)
    session.reset(schedule.command(0))
    for step in range(schedule.num_steps):
        push = schedule.push(step)
        if push is not None:
            session.push(push)
        session.step(schedule.command(step + 1))
        sample = StepSample(
            command=schedule.command(step),
            base_lin_vel_b=state.base_lin_vel_b,
            base_ang_vel_b=state.base_ang_vel_b,
            fell=session.fell(),
            stands=session.stands(),
            foot_contact=state.foot_contact,
            sole_height_m=state.sole_height_m,
            joint_torque_nm=state.motor_torque_nm,
            joint_vel=state.joint_vel,
            settled=schedule.is_settled(step),
        )
        metrics.update(sample)
        if recorder is not None:
            recorder.take(session, sample, push)
        on_step()
    return metrics


def _make_metrics(session: PlaySession, schedule: Schedule) -> EpisodeMetrics | RecoveryMetrics:
    num, step_dt, device = schedule.num_episodes, schedule.step_dt, session.env.device
    if session.begins_fallen:
        return RecoveryMetrics(num, step_dt=step_dt, device=device)
    mass_kg = session.env.robot.data.body_mass.torch[0].sum().item()
    return EpisodeMetrics(num, len(session.robot.foot_bodies), step_dt=step_dt, robot_mass_kg=mass_kg, device=device)


class Recorder:
    """Takes down the motion of one environment, step by step."""

    def __init__(self, env_index: int) -> None:
        self._env = env_index
        self._steps: list[dict[str, torch.Tensor]] = []
        self._field: HeightGrid | None = None
        self._origin_w = np.zeros(3)

    def take(self, session: PlaySession, sample: StepSample, push: torch.Tensor | None) -> None:
        """Keep the state after a control step, and the push before it."""
        env, index = session.env, self._env
        pose_w = env.robot.data.root_link_pose_w.torch[index]  # (7,): position, quaternion x, y, z, w
        velocity = torch.cat([sample.base_lin_vel_b[index, :2], sample.base_ang_vel_b[index, 2:]])
        values = {
            "base_pos": pose_w[:3] - env.spawn_origins_w[index],
            "base_quat_wxyz": pose_w[[6, 3, 4, 5]],
            "joint_pos": env.locomotion.joint_pos[index],
            "command": sample.command[index],
            "velocity": velocity,
            "push": torch.zeros(2) if push is None else push[index],
            "foot_contact": sample.foot_contact[index],
            "fell": sample.fell[index],
        }
        if env.field is not None and not self._steps:
            self._field, self._origin_w = env.field.grid, env.spawn_origins_w[index].cpu().numpy().astype(float)
        self._steps.append({name: value.detach().to("cpu", copy=True) for name, value in values.items()})

    def recording(self, *, robot: str, task: str, step_dt: float) -> EpisodeRecording:
        """Return what was taken down."""
        columns = {name: np.stack([step[name].numpy() for step in self._steps]) for name in self._steps[0]}
        return EpisodeRecording(
            robot=robot, task=task, step_dt=step_dt, push_unit="m/s", **columns, **self._ground(columns["base_pos"])
        )

    def _ground(self, base_pos: np.ndarray) -> dict[str, Any]:
        """Return the ground around the way, as a recording keeps it; nothing of the plane z = 0."""
        if self._field is None:
            return {}
        part = self._field.around(base_pos[:, :2] + self._origin_w[:2], AROUND_M)
        return {
            "ground_m": part.heights_m - np.float32(self._origin_w[2]),
            "ground_spacing_m": part.spacing_m,
            "ground_x_m": part.origin_xy_m[0] - float(self._origin_w[0]),
            "ground_y_m": part.origin_xy_m[1] - float(self._origin_w[1]),
        }
