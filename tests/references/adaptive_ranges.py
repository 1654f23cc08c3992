"""Adaptive ranges in NumPy: what :mod:`surefoot.randomization.adaptive.kernels` computes, for tests."""

from __future__ import annotations

from typing import Any

import numpy as np

from surefoot.random_numbers.philox_numpy import philox, unit_interval

TAG = 0x41445220
BEGUN, ENDED, SUCCEEDED = range(3)


def record_and_choose(
    env_ids: np.ndarray,
    success: np.ndarray,
    episode: np.ndarray,
    bound_boundary: np.ndarray,
    pooled: np.ndarray,
    episodes_per_decision: int,
    boundary_share: float,
    key: tuple[int, int],
    *,
    measured: np.ndarray,
    counts: np.ndarray,
    boundary: np.ndarray,
) -> None:
    """Count the episodes that ended and choose what the next ones measure.

    Args:
        env_ids: Environments whose episode has ended, (count,).
        success: By environment, (num_envs,).
        episode: Number of the episode that begins, (num_envs,).
        bound_boundary: Code in ``boundary`` of an environment that sits at each bound, (num_bounds,).
        pooled: Episodes begun, ended and succeeded since the last decision, (num_bounds, 3).
        episodes_per_decision: Episodes after which no more are begun for a decision.
        boundary_share: Probability that an episode is at a bound.
        key: Seed and rank.
        measured: Bound that each episode counts for or -1, (num_envs,); changed.
        counts: Increments, and in a last row all episodes, (num_bounds + 1, 3); changed.
        boundary: End that the next draw sits at or -1, (num_envs,); changed.
    """
    num_bounds = len(bound_boundary)
    counter = np.stack(np.broadcast_arrays(env_ids, episode[env_ids], 0, TAG), axis=-1).astype(np.uint32)
    words = philox(counter, key)  # (count, 4)
    at_bound = unit_interval(words[:, 0]) < np.float32(boundary_share)
    needing = np.flatnonzero(pooled[:, BEGUN] < episodes_per_decision)
    choices = needing if len(needing) else np.arange(num_bounds)
    bounds = choices[(words[:, 1].astype(np.uint64) * np.uint64(len(choices)) >> np.uint64(32)).astype(int)]
    for env, is_at_bound, bound in zip(env_ids, at_bound, bounds, strict=True):
        for row in (num_bounds, measured[env]):
            if row >= 0:
                counts[row, ENDED] += 1
                counts[row, SUCCEEDED] += success[env]
        counts[num_bounds, BEGUN] += 1
        measured[env] = boundary[env] = -1
        if is_at_bound:
            boundary[env] = bound_boundary[bound]
            if pooled[bound, BEGUN] < episodes_per_decision:
                measured[env] = bound
                counts[bound, BEGUN] += 1


def decide(
    first_end: np.ndarray,
    end_code: np.ndarray,
    rule: Any,
    *,
    counts: np.ndarray,
    pooled: np.ndarray,
    share: np.ndarray,
    latest: np.ndarray,
) -> None:
    """Add the increments and move the ends of those bounds whose buffers are complete.

    Args:
        first_end: Where each bound's entries begin in ``end_code``, (num_bounds + 1,).
        end_code: Ends that move with a bound: 2 * parameter for a low end, one more for a high one.
        rule: An object with the fields of the kernels' ``Rule``.
        counts: Increments, (num_bounds + 1, 3); set to 0.
        pooled: Episodes since the last decision, (num_bounds, 3); changed.
        share: Share of the declared ranges, float32, (num_parameters, 2); changed.
        latest: All episodes of the increments, (3,); changed.
    """
    latest[:] = counts[-1]
    pooled += counts[:-1]
    counts[:] = 0
    for row, (begun, ended, succeeded) in enumerate(pooled.tolist()):
        if begun < rule.episodes_per_decision or ended < begun:
            continue
        success_rate = np.float32(succeeded) / np.float32(ended)
        factor, step = 1.0, 0.0
        if success_rate >= np.float32(rule.widen_above):
            factor, step = rule.widen_factor, rule.widen_step
        elif success_rate <= np.float32(rule.narrow_below):
            factor, step = rule.narrow_factor, rule.narrow_step
        for code in end_code[first_end[row] : first_end[row + 1]]:
            moved = np.float32(factor) * share[code // 2, code % 2] + np.float32(step)
            share[code // 2, code % 2] = np.clip(moved, np.float32(rule.floor), np.float32(rule.ceiling))
        pooled[row] = 0
