"""Experiments on what resists joints, and on their encoders' offset."""

from __future__ import annotations

import numpy as np

from surefoot.randomization_checks.bench import Bench

from .free_joints import limp, response, slowed, soft
from .outcome import Outcome, equals, falls


def link_inertia_ratio(bench: Bench) -> Outcome:
    """Drive joints in flight."""
    bench.put(link_inertia_ratio=bench.ramp(0.5, 3.0), **limp(bench))
    return falls(response(bench), "the same torques move links of more inertia less")


def armature(bench: Bench) -> Outcome:
    """Drive joints in flight."""
    bench.put(armature=bench.ramp(0.5, 2.0)[:, None] * bench.nominal("armature"), **limp(bench))
    return falls(response(bench), "the same torques move joints of more armature less")


def coulomb_friction(bench: Bench) -> Outcome:
    """Let joints coast in flight."""
    bench.put(**(limp(bench) | {"coulomb_friction": soft(bench, bench.ramp(0.0, 0.3))}))
    return falls(slowed(bench, 1.0), "more friction slows coasting joints more")


def static_friction_ratio(bench: Bench) -> Outcome:
    """Let joints coast slowly in flight."""
    friction = soft(bench, 0.02 * np.ones(bench.num_envs))
    bench.put(**(limp(bench) | {"coulomb_friction": friction}), static_friction_ratio=bench.ramp(1.0, 3.0))
    return falls(slowed(bench, 0.2), "more static friction slows slow joints more")


def viscous_friction(bench: Bench) -> Outcome:
    """Let joints coast in flight."""
    bench.put(**limp(bench), viscous_friction=soft(bench, bench.ramp(0.0, 0.3)))
    return falls(slowed(bench, 1.0), "more viscous friction slows coasting joints more")


def encoder_offset(bench: Bench) -> Outcome:
    """Hold the default pose in flight, where gravity does not load the joints."""
    offset = bench.ramp(-0.05, 0.05)
    bench.put(encoder_offset=offset, coulomb_friction=np.zeros(bench.num_envs))
    bench.fly()
    bench.step(75)
    found = (bench.joint_pos() - bench.default_pose).mean(axis=1)
    return equals(found, -offset, 1e-3, "joints settle where their encoders read the target [rad]")
