"""Experiments on gravity and pushes."""

from __future__ import annotations

import numpy as np

from surefoot.randomization.layout import EVENTS
from surefoot.randomization_checks.bench import Bench

from .outcome import Outcome, equals, rises


def gravity(bench: Bench) -> Outcome:
    """Fall."""
    pull = np.tile(bench.nominal("gravity"), (bench.num_envs, 1))
    pull[:, 0] = bench.ramp(-1.0, 1.0)
    pull[:, 2] += bench.ramp(0.5, -0.5)
    bench.put(gravity=pull)
    bench.fly()
    bench.step(5)
    return equals(bench.com_vel() / (5 * bench.step_dt), pull, 0.01, "robots fall as gravity says [m/s^2]")


def push_velocity(bench: Bench) -> Outcome:
    """Push in flight."""
    change = np.zeros((bench.num_envs, 3))
    change[:, 0], change[:, 1] = bench.ramp(-1.0, 1.0), bench.ramp(0.5, -0.5)
    bench.put(push_velocity=change)
    bench.fly()
    position = bench.env.robot.data.root_link_pos_w.torch[:, :2].cpu().numpy().copy()
    bench.push("push_velocity")
    bench.step()
    moved = bench.env.robot.data.root_link_pos_w.torch[:, :2].cpu().numpy() - position
    return equals(moved, change[:, :2] * bench.step_dt, 1e-3, "the base moves by velocity times time [m]")


def push_force(bench: Bench) -> Outcome:
    """Push in flight, and weigh the momentum."""
    force = np.zeros((bench.num_envs, 3))
    force[:, 0] = bench.ramp(-80.0, 80.0)
    duration = 0.05
    bench.put(push_force=force, push_duration=duration * np.ones(bench.num_envs))
    _push_for(bench, steps=4)
    momentum = bench.com_vel()[:, 0] * bench.total_mass()
    return equals(momentum, force[:, 0] * duration, 0.05, "momentum is force times duration [N.s]")


def push_duration(bench: Bench) -> Outcome:
    """Push in flight, and weigh the momentum."""
    duration = bench.ramp(0.01, 0.1)
    bench.put(push_force=np.tile((40.0, 0.0, 0.0), (bench.num_envs, 1)), push_duration=duration)
    _push_for(bench, steps=7)
    momentum = bench.com_vel()[:, 0] * bench.total_mass()
    return equals(momentum, 40.0 * duration, 0.05, "momentum is force times duration [N.s]")


def push_point(bench: Bench) -> Outcome:
    """Push upwards off the centre in flight."""
    point = np.zeros((bench.num_envs, 3))
    point[:, 0] = bench.ramp(0.2, -0.2)
    bench.put(
        push_force=np.tile((0.0, 0.0, 50.0), (bench.num_envs, 1)),
        push_point=point,
        push_duration=bench.step_dt * np.ones(bench.num_envs),
    )
    _push_for(bench, steps=1)
    return rises(bench.base_ang_vel()[:, 1], "a push further behind pitches the base down more")


def _push_for(bench: Bench, steps: int) -> None:
    bench.fly()
    bench.push("push_force")
    for _ in range(steps):
        bench.step()
        bench.randomization.pushes.act()
    bench.end_pushes()


def push_velocity_interval(bench: Bench) -> Outcome:
    """Count pushes."""
    return _interval(bench, "push_velocity")


def push_force_interval(bench: Bench) -> Outcome:
    """Count pushes."""
    return _interval(bench, "push_force")


def _interval(bench: Bench, event: str) -> Outcome:
    """Begin an episode and let time pass: each environment is pushed when its interval is over."""
    bench.randomization.reset(bench.everyone)
    interval = bench.table.view(f"{event}_interval")[:, 0].cpu().numpy().copy()
    first = np.full(bench.num_envs, np.inf)
    for step in range(1, round(interval.max() / bench.step_dt) + 2):
        bench.table.advance(bench.step_dt)
        due = bench.table.event_due[:, EVENTS.index(event)].cpu().numpy()
        first = np.where(due & np.isinf(first), step * bench.step_dt, first)
    return equals(first, interval, 0.5001 * bench.step_dt, "the first push comes when the interval is over [s]")
