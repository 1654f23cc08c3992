"""Experiments on the feet's contacts."""

from __future__ import annotations

import numpy as np

from surefoot.randomization.catalogue import GRAVITY_M_S2
from surefoot.randomization_checks.bench import Bench

from .free_joints import limp
from .outcome import LEAST_CORRELATION, Outcome, correlation, equals, falls, rises


def _sliding_friction(bench: Bench) -> np.ndarray:
    """Throw the standing robots forward and return friction from the momentum lost along and gained across the ground.

    The impulse of the ground is ``M (g t + v_z)`` upwards and ``M (v_0 - v_x)`` along, so their quotient is the
    friction coefficient while all feet slide forward. Thrown sideways, a humanoid's feet turn out of the way.
    """
    speed, steps = 3.0, 2
    bench.stand(lin_vel=(speed, 0.0, 0.0))
    bench.step(steps)
    velocity = bench.com_vel()  # (num_envs, 3)
    return (speed - velocity[:, 0]) / (GRAVITY_M_S2 * steps * bench.step_dt + velocity[:, 2])


def foot_friction(bench: Bench) -> Outcome:
    """Slide."""
    friction = bench.ramp(0.2, 0.8)
    bench.put(foot_friction=friction)
    return equals(_sliding_friction(bench), friction, 0.05, "sliding feet lose mu times the normal impulse")


def foot_dynamic_friction_ratio(bench: Bench) -> Outcome:
    """Slide."""
    ratio = bench.ramp(0.3, 1.0)
    bench.put(foot_friction=0.8 * np.ones(bench.num_envs), foot_dynamic_friction_ratio=ratio)
    return equals(_sliding_friction(bench), 0.8 * ratio, 0.05, "sliding feet lose the dynamic share of mu")


def foot_torsional_friction(bench: Bench) -> Outcome:
    """Spin the standing robots on ground without sliding friction.

    The normal force's impulse is ``M (g t + v_z)``, so that the robot loses ``mu_t M (g t + v_z)`` of its angular
    momentum about the vertical, however its parts share it. The first robot, without friction, shows what steps of
    finite length add.
    """
    friction, spin, steps = bench.ramp(0.0, 0.04), 6.0, 3  # m, rad/s
    bench.put(foot_torsional_friction=friction, foot_friction=0.0 * friction)
    bench.stand(ang_vel=(0.0, 0.0, spin))
    before = bench.spin_momentum()
    bench.step(steps)
    impulse = bench.total_mass() * (GRAVITY_M_S2 * steps * bench.step_dt + bench.com_vel()[:, 2])  # (num_envs,)
    lost = before - bench.spin_momentum()
    return equals(lost - lost[0], friction * impulse, 0.03, "spinning feet lose mu_t times the normal impulse")


def foot_rolling_friction(bench: Bench) -> Outcome:
    """Let robots without torques sink down on their round feet, which roll as the legs bend."""
    bench.put(foot_rolling_friction=bench.ramp(0.0, 0.1), **limp(bench))
    bench.stand()
    bench.step(6)
    return rises(bench.base_height(), "legs bend the more slowly, the more their feet resist rolling")


def foot_restitution(bench: Bench) -> Outcome:
    """Drop the robot and see how high the feet bounce."""
    bench.put(foot_restitution=bench.ramp(0.0, 0.9))
    bench.stand(above_m=0.3)
    touched = np.zeros(bench.num_envs, dtype=bool)
    peak = np.zeros(bench.num_envs)
    for _ in range(25):
        bench.step()
        state = bench.env.locomotion
        touched |= state.foot_contact.any(dim=1).cpu().numpy()
        peak = np.maximum(peak, np.where(touched, state.sole_height_m.max(dim=1).values.cpu().numpy(), 0.0))
    return Outcome(
        -correlation(peak), -LEAST_CORRELATION, "feet bounce the higher, the more of the impact they give back"
    )


def contact_stiffness_ratio(bench: Bench) -> Outcome:
    """Stand."""
    bench.put(contact_stiffness_ratio=bench.ramp(0.2, 1.0))
    bench.stand()
    bench.step(15)
    depth = -bench.env.locomotion.sole_height_m.mean(dim=1).cpu().numpy()
    return falls(depth, "feet sink in the less, the stiffer the contact")


def contact_damping_ratio(bench: Bench) -> Outcome:
    """Drop."""
    bench.put(contact_damping_ratio=bench.ramp(0.3, 1.5))
    bench.stand(above_m=0.05)
    deepest = np.zeros(bench.num_envs)
    for _ in range(10):
        bench.step()
        deepest = np.minimum(deepest, bench.env.locomotion.sole_height_m.min(dim=1).values.cpu().numpy())
    return Outcome(
        -correlation(deepest), -LEAST_CORRELATION, "feet sink in the less at impact, the more the contact damps"
    )
