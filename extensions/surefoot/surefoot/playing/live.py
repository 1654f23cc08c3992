"""A policy that a person steers on the live page, in real time, until they have seen enough."""

from __future__ import annotations

import math
import time

import numpy as np
import torch

from surefoot.playing.schedule import PUSH_SPEED
from surefoot.playing.session import PlaySession
from surefoot.playing.viewer import LivePage

LIE_S, RECOVERY_LIE_S = 1.0, 8.0
"""How long a fallen robot is shown before it is put back on its feet, and one that is to get up into another pose."""


def run_live(session: PlaySession, page: LivePage, *, seed: int, max_steps: int | None = None) -> None:
    """Step environment 0 in real time and show it, until interrupted.

    Args:
        session: The policy in an environment; what happens in environments other than 0 is not shown.
        page: The page to show it on and to take commands from.
        seed: Seed of the pushes' directions.
        max_steps: Control steps after which to return; None goes on until Ctrl-C.
    """
    env, device = session.env, session.env.device
    generator = torch.Generator().manual_seed(seed)
    step_dt = env.step_dt
    lie_s = RECOVERY_LIE_S if session.begins_fallen else LIE_S

    def command() -> torch.Tensor:
        return torch.tensor(page.command, device=device).expand(env.num_envs, 3)

    session.reset(command())
    down_s, steps, real_time_factor = 0.0, 0, 1.0
    next_tick = time.monotonic()
    while max_steps is None or steps < max_steps:
        if page.paused:
            time.sleep(step_dt)
            next_tick = time.monotonic()
            continue
        if page.push_wanted():
            angle = 2 * math.pi * torch.rand((), generator=generator).item()
            change = torch.tensor([math.cos(angle), math.sin(angle)], device=device) * PUSH_SPEED
            session.push(change.expand(env.num_envs, 2))
        started = time.monotonic()
        session.step(command())
        steps += 1
        down_s = down_s + step_dt if session.fell()[0] else 0.0
        _show(session, page, "**fallen**" if down_s else f"{real_time_factor:.1f} x real time")
        if down_s > lie_s or page.reset_wanted():
            session.reset(command())
            down_s = 0.0

        next_tick = max(next_tick + step_dt, started)  # a slow machine falls behind; it does not hurry afterwards
        time.sleep(max(0.0, next_tick - time.monotonic()))
        real_time_factor += 0.05 * (step_dt / (time.monotonic() - started) - real_time_factor)


def _show(session: PlaySession, page: LivePage, note: str) -> None:
    state, robot = session.env.locomotion, session.env.robot
    pose_w = robot.data.root_link_pose_w.torch[0].cpu().numpy()  # (7,): position, quaternion x, y, z, w
    if session.env.field is not None:
        pose_w[2] = state.base_height_m[0]  # the page has a level floor
    velocity = torch.cat([state.base_lin_vel_b[0, :2], state.base_ang_vel_b[0, 2:]]).cpu().numpy()
    page.show(pose_w[:3], np.roll(pose_w[3:], 1), state.joint_pos[0].cpu().numpy(), velocity, note)
