"""Warp kernels of the guard against NaN: each passes over what a step gave and hands on what is finite of it."""

# A kernel is compiled by Warp, whose types do what their Python classes do not declare.
# pyright: reportArgumentType=false, reportIndexIssue=false, reportOperatorIssue=false, reportCallIssue=false
# pyright: reportInvalidTypeForm=false, reportReturnType=false, reportGeneralTypeIssues=false
# pyright: reportAttributeAccessIssue=false

import warp as wp

from surefoot.envs.fused.faults import FaultArrays, sum_is_finite

wp.set_module_options({"enable_backward": False})

ACTION, OBSERVATION, REWARD = (wp.constant(stage) for stage in (1, 2, 3))
"""Places of the stages in the counts."""


@wp.kernel
def check_actions(
    actions: wp.array2d(dtype=float),
    faults: FaultArrays,
    evidence: wp.array2d(dtype=float),
    # outputs
    clean: wp.array2d(dtype=float),
) -> None:
    """One thread per environment: hand on its actions, zeros where one of them is not finite."""
    env = wp.tid()
    is_finite = sum_is_finite(actions[env])
    for column in range(actions.shape[1]):
        value = actions[env, column]
        if not is_finite:
            evidence[env, column] = value
            value = wp.float32(0.0)
        clean[env, column] = value
    if not is_finite:
        wp.atomic_add(faults.counts, ACTION, 1)
        faults.seen[env] = True
        faults.wants_reset[env] = True


@wp.kernel
def find_in_group(
    group: wp.array2d(dtype=float),
    is_first: bool,
    # in and out
    in_obs: wp.array(dtype=bool),
) -> None:
    """One thread per environment: whether this group of observations, or one before it, is not finite."""
    env = wp.tid()
    in_obs[env] = not sum_is_finite(group[env]) or (in_obs[env] and not is_first)


@wp.kernel
def clean_group(
    group: wp.array2d(dtype=float),
    first_column: int,
    in_obs: wp.array(dtype=bool),
    # outputs
    evidence: wp.array2d(dtype=float),
    clean: wp.array2d(dtype=float),
) -> None:
    """One thread per environment: hand on its observations, zeros where some of any group are not finite."""
    env = wp.tid()
    is_faulty = in_obs[env]
    for column in range(group.shape[1]):
        value = group[env, column]
        if is_faulty:
            evidence[env, first_column + column] = value
            value = wp.float32(0.0)
        clean[env, column] = value


@wp.kernel
def check_outcome(
    reward: wp.array(dtype=float),
    done: wp.array(dtype=wp.int64),
    in_obs: wp.array(dtype=bool),
    faults: FaultArrays,
    evidence: wp.array2d(dtype=float),
    # outputs
    clean_reward: wp.array(dtype=float),
    clean_done: wp.array(dtype=wp.int64),
) -> None:
    """One thread per environment, after its observations: hand on reward and end of episode, and note what is faulty.

    An environment whose state was faulty has been reset in this very step: its observation is of the state after the
    reset, its reward of that before.
    """
    env = wp.tid()
    value = reward[env]
    in_reward = not wp.isfinite(value)
    in_state = faults.in_state[env]
    faults.in_state[env] = False
    clean_reward[env] = wp.where(in_reward or in_state, 0.0, value)
    clean_done[env] = done[env]
    if in_obs[env] or in_reward:
        clean_done[env] = wp.int64(1)
        faults.wants_reset[env] = True
    if in_state:
        faults.wants_reset[env] = False
    if in_obs[env]:
        wp.atomic_add(faults.counts, OBSERVATION, 1)
        faults.seen[env] = True
    if in_reward and not in_state:
        wp.atomic_add(faults.counts, REWARD, 1)
        faults.seen[env] = True
        evidence[env, 0] = value
