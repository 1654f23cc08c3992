"""Warp kernels that draw the table.

A thread draws the up to four columns of one *block* in one environment from one call of the generator, whose counter
is (environment, episode, block, draw in the episode) and whose key is (seed, rank). A block's identity comes from its
parameter's name: adding a parameter changes no other one's values.
"""

# A kernel is compiled by Warp, whose types have operators that their Python classes do not declare.
# pyright: reportArgumentType=false, reportIndexIssue=false, reportOperatorIssue=false, reportCallIssue=false
# pyright: reportAttributeAccessIssue=false, reportGeneralTypeIssues=false

import warp as wp

from surefoot.random_numbers.philox import Words, philox, unit_interval

wp.set_module_options({"enable_backward": False})

# Codes of distributions: places in surefoot.randomization.layout's DISTRIBUTIONS.
LOG_UNIFORM = wp.constant(1)
TRUNCATED_NORMAL = wp.constant(2)
DISCRETE = wp.constant(3)

_SQRT_2 = wp.constant(1.4142135623730951)
_ERF_SQRT_2 = wp.constant(0.9544997361036416)
"""Probability that a normal number lies within two standard deviations."""


@wp.struct
class Block:
    """Neighbouring columns of a parameter that are drawn together; see `surefoot.randomization.layout.Block`."""

    parameter: int
    first_column: int
    width: int
    shared: bool
    stream: wp.uint32


@wp.struct
class Column:
    """How a column is drawn and read. All of a column lies together: a draw reads it in one piece."""

    identity: float
    low: float
    high: float
    gain: float  # value = gain draw + bias
    bias: float
    centre: float  # normalised draw = (draw - centre) normalised_gain, unless the range is log-uniform
    normalised_gain: float


@wp.struct
class Ranges:
    """How draws are made: by parameter, (num_parameters, ...), and by column, (num_columns,)."""

    distribution: wp.array(dtype=int)
    first_choice: wp.array(dtype=int)
    num_choices: wp.array(dtype=int)
    choices: wp.array(dtype=float)
    share: wp.array2d(dtype=float)  # of the way from the identity to the declared end, (num_parameters, 2)
    columns: wp.array(dtype=Column)


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
def normalise(draw: float, column: Column, distribution: int) -> float:
    """Map the declared range to [-1, 1]; 0 where the range is a point."""
    if distribution == LOG_UNIFORM and column.high > column.low:
        return 2.0 * wp.log(draw / column.low) / wp.log(column.high / column.low) - 1.0
    return (draw - column.centre) * column.normalised_gain


@wp.func
def draw_block(
    block: Block, ranges: Ranges, values: Values, env: int, number: int, seed: wp.uint32, rank: wp.uint32
) -> None:
    """Draw the columns of a block in an environment; ``number`` counts the draws of an episode."""
    counter = Words(wp.uint32(env), wp.uint32(values.episode[env]), block.stream, wp.uint32(number))
    words = philox(counter, seed, rank)
    distribution = ranges.distribution[block.parameter]
    low_share = ranges.share[block.parameter, 0]
    high_share = ranges.share[block.parameter, 1]
    end = values.boundary[env] - 2 * block.parameter  # 0: at the low end, 1: at the high end
    for index in range(block.width):
        place = block.first_column + index
        column = ranges.columns[place]
        unit = unit_interval(words[0])
        if not block.shared:
            unit = unit_interval(words[index])
        low = interpolate(column.identity, column.low, low_share, distribution)
        high = interpolate(column.identity, column.high, high_share, distribution)
        draw = sample(ranges, block.parameter, low, wp.max(low, high), unit)
        if end == 0:
            draw = low
        elif end == 1:
            draw = high
        values.table[env, place] = column.gain * draw + column.bias
        values.normalised[env, place] = normalise(draw, column, distribution)


@wp.kernel
def draw_environments(
    env_mask: wp.array(dtype=bool),
    blocks: wp.array(dtype=Block),
    ranges: Ranges,
    seed: wp.uint32,
    rank: wp.uint32,
    lanes: int,
    # in and out
    values: Values,
) -> None:
    """One thread per (environment, lane): of those of the mask, draw every block that is a multiple of lanes away."""
    env, lane = wp.tid()  # pyright: ignore - as many integers as the launch has dimensions
    if env_mask[env]:
        for block in range(lane, blocks.shape[0], lanes):
            draw_block(blocks[block], ranges, values, env, 0, seed, rank)


@wp.kernel
def begin_episode(
    env_mask: wp.array(dtype=bool),
    interval_column: wp.array(dtype=int),
    # in and out
    values: Values,
    time_left_s: wp.array2d(dtype=float),
    number: wp.array2d(dtype=int),
) -> None:
    """One thread per environment, after the draw of those of the mask: set the clocks of pushes, count the episode."""
    env = wp.tid()
    if not env_mask[env]:
        return
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
    blocks: wp.array(dtype=Block),
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
            draw_block(blocks[first_block[event] + index], ranges, values, env, number[env, event], seed, rank)
        left = left + values.table[env, interval_column[event]]
    time_left_s[env, event] = left
    due[env, event] = is_due
