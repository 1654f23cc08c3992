"""Joints that nothing but an experiment drives, in flight."""

from __future__ import annotations

import numpy as np

from surefoot.randomization_checks.bench import Bench


def limp(bench: Bench) -> dict[str, np.ndarray]:
    """Return values of joints that only feed-forward efforts drive."""
    none = np.zeros(bench.num_envs)
    return {"stiffness": none, "damping": none, "coulomb_friction": none}


def response(bench: Bench, share: float = 0.05, joint_vel: float = 0.0) -> np.ndarray:
    """Drive all joints in flight by a share of their effort limits; see :func:`pull`."""
    bench.fly(joint_vel=joint_vel)
    return pull(bench, share)


def pull(bench: Bench, share: float) -> np.ndarray:
    """Let the engine take one call with feed-forward efforts, and return their work on the joints, (num_envs,).

    Torques ``tau`` give velocities ``M^-1 tau t``. Their product with the torques, ``tau^T M^-1 tau t``, falls with
    every inertia and rises with the torques, however the joints act on each other.
    """
    limit = np.array(bench.spec.joint_values("effort_limit_nm"))
    before = bench.joint_vel()
    velocity, _ = bench.one_call(share * limit)
    return (velocity[:, 6:] - before) @ limit


def slowed(bench: Bench, joint_vel: float) -> np.ndarray:
    """Let joints coast in flight, and return their velocities weighed by armature, (num_envs,); see `soft`."""
    bench.fly(joint_vel=joint_vel)
    velocity, _ = bench.one_call(np.zeros(bench.spec.num_joints))
    return velocity[:, 6:] @ bench.nominal("armature")


def soft(bench: Bench, share: np.ndarray) -> np.ndarray:
    """Return coefficients that take a share of a joint's velocity of 1 rad/s in a control step, by its armature alone.

    So no joint comes to rest, whatever its inertia.
    """
    return share[:, None] * bench.nominal("armature") / bench.step_dt
