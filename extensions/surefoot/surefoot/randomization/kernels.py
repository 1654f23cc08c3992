"""Warp kernels that draw the table.

A thread draws the up to four columns of one *block* in one environment from one call of the generator, whose counter
is (environment, episode, block, draw in the episode) and whose key is (seed, rank). A block's identity comes from its
parameter's name: adding a parameter changes no other one's values.
"""

# A kernel is compiled by Warp, whose types have operators that their Python classes do not declare.
# pyright: reportArgumentType=false, reportIndexIssue=false, reportOperatorIssue=false, reportCallIssue=false
# pyright: reportAttributeAccessIssue=false, reportGeneralTypeIssues=false

import warp as wp

from .philox import Words, philox, unit_interval

# Codes of distributions and operations: places in surefoot.randomization.layout's DISTRIBUTIONS and OPERATIONS.
LOG_UNIFORM = wp.constant(1)
TRUNCATED_NORMAL = wp.constant(2)
DISCRETE = wp.constant(3)
SCALE = wp.constant(1)
OFFSET = wp.constant(2)

_SQRT_2 = wp.constant(1.4142135623730951)
_ERF_SQRT_2 = wp.constant(0.9544997361036416)
"""Probability that a normal number lies within two standard deviations."""


@wp.struct
class Blocks:
    """Blocks in the order in which threads draw them; each array has one entry for each block."""

    parameter: wp.array(dtype=int)
    first_column: wp.array(dtype=int)
    width: wp.array(dtype=int)
    shared: wp.array(dtype=bool)
    stream: wp.array(dtype=wp.uint32)


@wp.struct
class Ranges:
    """How draws are made: by parameter, (num_parameters, ...), and by column, (num_columns,)."""

    operation: wp.array(dtype=int)
    distribution: wp.array(dtype=int)
    first_choice: wp.array(dtype=int)
    num_choices: wp.array(dtype=int)
    choices: wp.array(dtype=float)
    share: wp.array2d(dtype=float)  # of the way from the identity to the declared end, (num_parameters, 2)
    nominal: wp.array(dtype=float)
    identity: wp.array(dtype=float)
    low: wp.array(dtype=float)
    high: wp.array(dtype=float)


@wp.struct
class Values:
    """What is drawn, (num_envs, num_columns), and what identifies a draw, (num_envs,)."""

    table: wp.array2d(dtype=float)
    normalised: wp.array2d(dtype=float)
    episode: wp.array(dtype=int)
    boundary: wp.array(dtype=int)


@wp.func
def interpolate(start: float, end: float, share: float, distribution: int) -> float:
    """Go a share of the way from one draw to another, in the logarithm for a log-uniform range."""
    if share == 1.0:
        return end
    if distribution == LOG_UNIFORM:
        return start * wp.pow(end / start, share)
    return start + share * (end - start)


@wp.func
def pick(choices: wp.array(dtype=float), first: int, count: int, low: float, high: float, unit: float) -> float:
    """Return one of the choices within [low, high], each as likely as the others; ``low`` when there is none."""
    begin = int(first)
    while begin < first + count and choices[begin] < low:
        begin += 1
    end = int(begin)
    while end < first + count and choices[end] <= high:
        end += 1
    if end == begin:
        return low
    return choices[begin + wp.min(int(unit * float(end - begin)), end - begin - 1)]


@wp.func
def sample(ranges: Ranges, parameter: int, low: float, high: float, unit: float) -> float:
    """Turn a number in (0, 1) into a draw within [low, high]."""
    distribution = ranges.distribution[parameter]
    draw = low + unit * (high - low)
    if distribution == LOG_UNIFORM:
        draw = low * wp.pow(high / low, unit)
    elif distribution == TRUNCATED_NORMAL:
        deviations = _SQRT_2 * wp.erfinv((2.0 * unit - 1.0) * _ERF_SQRT_2)
        draw = 0.5 * (low + high) + 0.25 * (high - low) * deviations
    elif distribution == DISCRETE:
        draw = pick(ranges.choices, ranges.first_choice[parameter], ranges.num_choices[parameter], low, high, unit)
    return wp.clamp(draw, low, high)


@wp.func
def normalise(draw: float, low: float, high: float, distribution: int) -> float:
    """Map the declared range to [-1, 1]; 0 where the range is a point."""
    if high <= low:
        return 0.0
    if distribution == LOG_UNIFORM:
        return 2.0 * wp.log(draw / low) / wp.log(high / low) - 1.0
    return 2.0 * (draw - low) / (high - low) - 1.0


@wp.func
def draw_block(
    blocks: Blocks, ranges: Ranges, values: Values, block: int, env: int, number: int, seed: wp.uint32, rank: wp.uint32
) -> None:
    """Draw the columns of a block in an environment; ``number`` counts the draws of an episode."""
    counter = Words(wp.uint32(env), wp.uint32(values.episode[env]), blocks.stream[block], wp.uint32(number))
    words = philox(counter, seed, rank)
    parameter = blocks.parameter[block]
    distribution = ranges.distribution[parameter]
    operation = ranges.operation[parameter]
    for index in range(blocks.width[block]):
        column = blocks.first_column[block] + index
        unit = unit_interval(words[0])
        if not blocks.shared[block]:
            unit = unit_interval(words[index])
        low = interpolate(ranges.identity[column], ranges.low[column], ranges.share[parameter, 0], distribution)
        high = interpolate(ranges.identity[column], ranges.high[column], ranges.share[parameter, 1], distribution)
        draw = sample(ranges, parameter, low, wp.max(low, high), unit)
        if values.boundary[env] == 2 * parameter:
            draw = low
        elif values.boundary[env] == 2 * parameter + 1:
            draw = high
        value = draw
        if operation == SCALE:
            value = ranges.nominal[column] * draw
        elif operation == OFFSET:
            value = ranges.nominal[column] + draw
        values.table[env, column] = value
        values.normalised[env, column] = normalise(draw, ranges.low[column], ranges.high[column], distribution)


@wp.kernel
def draw_environments(
    env_ids: wp.array(dtype=int),
    blocks: Blocks,
    ranges: Ranges,
    seed: wp.uint32,
    rank: wp.uint32,
    # in and out
    values: Values,
) -> None:
    """One thread per (environment of ``env_ids``, block)."""
    row, block = wp.tid()  # pyright: ignore - as many integers as the launch has dimensions
    draw_block(blocks, ranges, values, block, env_ids[row], 0, seed, rank)


@wp.kernel
def begin_episode(
    env_ids: wp.array(dtype=int),
    interval_column: wp.array(dtype=int),
    # in and out
    values: Values,
    time_left_s: wp.array2d(dtype=float),
    number: wp.array2d(dtype=int),
) -> None:
    """One thread per environment of ``env_ids``, after its draw: set the clocks of pushes, count the episode."""
    env = env_ids[wp.tid()]
    for event in range(interval_column.shape[0]):
        time_left_s[env, event] = values.table[env, interval_column[event]]
        number[env, event] = 0
    values.episode[env] = values.episode[env] + 1


@wp.kernel
def advance_events(
    step_dt: float,
    interval_column: wp.array(dtype=int),
    first_block: wp.array(dtype=int),
    num_blocks: wp.array(dtype=int),
    blocks: Blocks,
    ranges: Ranges,
    seed: wp.uint32,
    rank: wp.uint32,
    # in and out
    values: Values,
    time_left_s: wp.array2d(dtype=float),
    number: wp.array2d(dtype=int),
    # outputs
    due: wp.array2d(dtype=bool),
) -> None:
    """One thread per (environment, event): when its time has come, draw its columns and the time until the next.

    What is ``due`` acts with the values that the table holds *after* the draw. The episode has been counted already,
    so draws of an event are told from those of the next episode's start by their number, which begins at 1.
    """
    env, event = wp.tid()  # pyright: ignore - as many integers as the launch has dimensions
    left = time_left_s[env, event] - step_dt
    is_due = left <= 0.5 * step_dt  # half a step: sums of steps do not hit zero exactly
    if is_due:
        number[env, event] = number[env, event] + 1
        for index in range(num_blocks[event]):
            draw_block(blocks, ranges, values, first_block[event] + index, env, number[env, event], seed, rank)
        left = left + values.table[env, interval_column[event]]
    time_left_s[env, event] = left
    due[env, event] = is_due
