"""Warp kernels of adaptive ranges: count episodes, choose where the next ones sit, move the ends of ranges.

A *bound* is what one decision is about: an end of a parameter's range, or all ranges at once. Sums are of integers, so
that they do not depend on the order in which a GPU's threads come.
"""

# A kernel is compiled by Warp, whose types have operators that their Python classes do not declare.
# pyright: reportArgumentType=false, reportIndexIssue=false, reportOperatorIssue=false, reportCallIssue=false
# pyright: reportAttributeAccessIssue=false, reportGeneralTypeIssues=false, reportReturnType=false

import warp as wp

from surefoot.random_numbers.philox import Words, philox, unit_interval

wp.set_module_options({"enable_backward": False})  # no gradients are taken; a CPU is faster without

TAG = wp.constant(wp.uint32(0x41445220))
"""Fourth word of the counter ("ADR " in ASCII): no draw of a table is that far on in its episode, and no sensor's."""

BEGUN = wp.constant(0)
ENDED = wp.constant(1)
SUCCEEDED = wp.constant(2)
"""Columns of counts of episodes."""


@wp.struct
class Rule:
    """When and how far an end moves: its share becomes ``factor * share + step``, within floor and ceiling."""

    episodes_per_decision: int
    widen_above: float
    narrow_below: float
    widen_factor: float
    widen_step: float
    narrow_factor: float
    narrow_step: float
    floor: float
    ceiling: float


@wp.func
def count_end(counts: wp.array2d(dtype=int), row: int, succeeded: bool) -> None:
    """Count an episode that has ended."""
    wp.atomic_add(counts, row, ENDED, 1)
    if succeeded:
        wp.atomic_add(counts, row, SUCCEEDED, 1)


@wp.func
def choose_bound(pooled: wp.array2d(dtype=int), episodes_per_decision: int, word: wp.uint32) -> int:
    """Return one of the bounds that still need episodes, each as likely as the others; one of all when none does."""
    num_open = wp.int32(0)
    for bound in range(pooled.shape[0]):
        if pooled[bound, BEGUN] < episodes_per_decision:
            num_open += 1
    limit = episodes_per_decision
    if num_open == 0:
        num_open = pooled.shape[0]
        limit = 2147483647
    # The high word of a product with a 32-bit number is uniform over the choices.
    to_pass = int((wp.uint64(word) * wp.uint64(num_open)) >> wp.uint64(32))
    chosen = wp.int32(-1)
    for bound in range(pooled.shape[0]):
        if pooled[bound, BEGUN] < limit:
            if to_pass == 0:
                chosen = bound
            to_pass -= 1
    return chosen


@wp.kernel
def record_and_choose(
    env_mask: wp.array(dtype=bool),
    success: wp.array(dtype=bool),
    episode: wp.array(dtype=int),
    bound_boundary: wp.array(dtype=int),
    pooled: wp.array2d(dtype=int),
    episodes_per_decision: int,
    boundary_share: float,
    seed: wp.uint32,
    rank: wp.uint32,
    # in and out
    measured: wp.array(dtype=int),
    counts: wp.array2d(dtype=int),
    # outputs
    boundary: wp.array(dtype=int),
) -> None:
    """One thread per environment: of those of the mask, count the episode that ended and choose what the next measures.

    Args:
        env_mask: Environments whose episode has ended, (num_envs,).
        success: By environment, (num_envs,).
        episode: Number of the episode that begins, (num_envs,).
        bound_boundary: Code in ``boundary`` of an environment that sits at each bound, (num_bounds,).
        pooled: Episodes begun, ended and succeeded since the last decision up to the last update, (num_bounds, 3).
        episodes_per_decision: Episodes after which no more are begun for a decision.
        boundary_share: Probability that an episode is at a bound.
        seed: First word of the generator's key.
        rank: Second word.
        measured: Bound whose next decision the episode counts for, -1 for none, (num_envs,).
        counts: Increments to ``pooled`` since then, and in a last row all episodes, (num_bounds + 1, 3).
        boundary: End that the next draw sits at, as in the table, (num_envs,).
    """
    env = wp.tid()
    if not env_mask[env]:
        return
    num_bounds = bound_boundary.shape[0]
    count_end(counts, num_bounds, success[env])
    if measured[env] >= 0:
        count_end(counts, measured[env], success[env])

    words = philox(Words(wp.uint32(env), wp.uint32(episode[env]), wp.uint32(0), TAG), seed, rank)
    chosen_boundary = -1
    chosen_measured = -1
    if unit_interval(words[0]) < boundary_share:
        bound = choose_bound(pooled, episodes_per_decision, words[1])
        chosen_boundary = bound_boundary[bound]
        if pooled[bound, BEGUN] < episodes_per_decision:
            chosen_measured = bound
            wp.atomic_add(counts, bound, BEGUN, 1)
    wp.atomic_add(counts, num_bounds, BEGUN, 1)
    measured[env] = chosen_measured
    boundary[env] = chosen_boundary


@wp.kernel
def decide(
    first_end: wp.array(dtype=int),
    end_code: wp.array(dtype=int),
    rule: Rule,
    # in and out
    counts: wp.array2d(dtype=int),
    pooled: wp.array2d(dtype=int),
    share: wp.array2d(dtype=float),
    # outputs
    latest: wp.array(dtype=int),
) -> None:
    """One thread per bound and one for all episodes: add the increments, decide when the buffer's episodes have ended.

    Args:
        first_end: Where each bound's entries begin in ``end_code``, (num_bounds + 1,).
        end_code: Ends that move with a bound, 2 * parameter for a low end, one more for a high one.
        rule: When and how far.
        counts: Increments, (num_bounds + 1, 3); left at 0.
        pooled: Episodes begun, ended and succeeded since the last decision, (num_bounds, 3); 0 after a decision.
        share: The table's share of the declared ranges, (num_parameters, 2).
        latest: What ``counts`` said of all episodes, (3,).
    """
    row = wp.tid()
    if row == pooled.shape[0]:
        for column in range(3):
            latest[column] = counts[row, column]
            counts[row, column] = 0
        return
    for column in range(3):
        pooled[row, column] = pooled[row, column] + counts[row, column]
        counts[row, column] = 0
    ended = pooled[row, ENDED]
    if pooled[row, BEGUN] < rule.episodes_per_decision or ended < pooled[row, BEGUN]:
        return
    success_rate = float(pooled[row, SUCCEEDED]) / float(ended)
    factor = 1.0
    step = 0.0
    if success_rate >= rule.widen_above:
        factor = rule.widen_factor
        step = rule.widen_step
    elif success_rate <= rule.narrow_below:
        factor = rule.narrow_factor
        step = rule.narrow_step
    for place in range(first_end[row], first_end[row + 1]):
        parameter = end_code[place] // 2
        side = end_code[place] % 2
        # One of the two operations is exact, so that a fused multiplication and addition rounds alike.
        share[parameter, side] = wp.clamp(factor * share[parameter, side] + step, rule.floor, rule.ceiling)
    for column in range(3):
        pooled[row, column] = 0
