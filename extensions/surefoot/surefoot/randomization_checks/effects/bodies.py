"""Experiments on masses, centres of mass and inertia."""

from __future__ import annotations

import numpy as np

from surefoot.randomization_checks.bench import Bench

from .free_joints import limp, response
from .outcome import Outcome, falls, rises


def _sinks(bench: Bench, statement: str) -> Outcome:
    bench.stand()
    bench.step(15)
    return falls(bench.base_height(), statement)


def base_mass(bench: Bench) -> Outcome:
    """Stand."""
    bench.put(base_mass=bench.nominal("base_mass") * bench.ramp(0.7, 1.5))
    return _sinks(bench, "a heavier base sinks more on its legs")


def payload_mass(bench: Bench) -> Outcome:
    """Stand."""
    bench.put(payload_mass=bench.ramp(0.0, 6.0))
    return _sinks(bench, "a heavier payload sinks the legs more")


def link_mass(bench: Bench) -> Outcome:
    """Drive joints in flight."""
    bench.put(link_mass=bench.ramp(0.7, 1.5)[:, None] * bench.nominal("link_mass"), **limp(bench))
    return falls(response(bench), "the same torques move heavier links less")


def base_com(bench: Bench) -> Outcome:
    """Push upwards at the origin in flight."""
    nominal = bench.nominal("base_com")
    com = np.tile(nominal, (bench.num_envs, 1))
    com[:, 0] += bench.ramp(-0.05, 0.05)
    return rises(
        _pitch_after_push(bench, (0.0, 0.0, 0.0), base_com=com), "a push behind the centre of mass pitches down"
    )


def payload_position(bench: Bench) -> Outcome:
    """Push upwards at the origin in flight."""
    position = np.zeros((bench.num_envs, 3))
    position[:, 0] = bench.ramp(-0.2, 0.2)
    pitch = _pitch_after_push(
        bench, (0.0, 0.0, 0.0), payload_mass=3.0 * np.ones(bench.num_envs), payload_position=position
    )
    return rises(pitch, "a push behind the payload pitches down")


def base_inertia_ratio(bench: Bench) -> Outcome:
    """Push upwards behind the centre of mass in flight."""
    pitch = _pitch_after_push(bench, (-0.2, 0.0, 0.0), base_inertia_ratio=bench.ramp(0.5, 3.0))
    return falls(pitch, "the same push turns a base of more inertia less")


def _pitch_after_push(bench: Bench, point: tuple[float, float, float], **values: np.ndarray) -> np.ndarray:
    """Return the pitch rate [rad/s] after one control step of 50 N upwards at a point of the base, (num_envs,)."""
    force = np.tile((0.0, 0.0, 50.0), (bench.num_envs, 1))
    points = np.tile(point, (bench.num_envs, 1))
    duration = bench.step_dt * np.ones(bench.num_envs)
    bench.put(push_force=force, push_point=points, push_duration=duration, **values)
    bench.fly()
    bench.push("push_force")
    bench.step()
    bench.end_pushes()
    return bench.base_ang_vel()[:, 1]
