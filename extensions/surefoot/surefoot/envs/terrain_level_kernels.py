"""Warp kernels of levels and phases: what was asked, what becomes of an environment after an episode, what opens.

Episodes and environments are counted in whole numbers, so that sums do not depend on the order of a GPU's threads.
"""

# A kernel is compiled by Warp, whose vector types have operators that their Python classes do not declare.
# pyright: reportArgumentType=false, reportIndexIssue=false, reportOperatorIssue=false, reportCallIssue=false
# pyright: reportGeneralTypeIssues=false, reportAttributeAccessIssue=false

import warp as wp

from surefoot.random_numbers.philox import Words, philox, unit_interval

wp.set_module_options({"enable_backward": False})  # no gradients are taken; a CPU is faster without

TAG = wp.constant(wp.uint32(0x4C45564C))
"""Last word of the counters of these draws, which keeps them apart from all others: "LEVL"."""

FAR_TOO_LITTLE = wp.constant(0.5)
"""Share of the way that was asked below which a robot goes down a level, and has not succeeded."""

STOOD_M = wp.constant(1.0)
"""How far from its start one that was asked to stand may be at the end [m]: pushes take it that far."""

ENDED = wp.constant(0)
SUCCEEDED = wp.constant(1)
"""Columns of counts of episodes."""


@wp.struct
class Places:
    """Where an environment may be.

    Attributes:
        tile_origins_w: Middle of each tile's platform [m], (levels, columns).
        kind: Number of each column's kind of ground, (columns,).
        home: Last phase of each environment, (num_envs,).
        columns: Column of each environment in each phase, (phases, num_envs).
        first_level: Level on which each environment begins each phase, (phases, num_envs).
        commands: Share of the commands' range that each phase asks for, (phases,).
    """

    tile_origins_w: wp.array2d(dtype=wp.vec3f)
    kind: wp.array(dtype=int)
    home: wp.array(dtype=int)
    columns: wp.array2d(dtype=int)
    first_level: wp.array2d(dtype=int)
    commands: wp.array(dtype=float)


@wp.struct
class Rule:
    """When an episode went well.

    Attributes:
        half_tile_m: Way after which a robot goes up a level [m].
        episode_steps: Control steps of a whole episode.
        key_0: First word of the key of the draws of levels: the seed.
        key_1: Second word: the number of the process.
    """

    half_tile_m: float
    episode_steps: int
    key_0: wp.uint32
    key_1: wp.uint32


@wp.struct
class Environments:
    """Where each environment is, and how its episode goes, (num_envs,).

    Attributes:
        phases: Its phase.
        columns: Its column of the field.
        levels: Its level.
        origins_w: Middle of its tile's platform [m].
        command_share: Share of the commands' range that it is asked for.
        asked_w: Way that it was asked in this episode [m].
        steps: Control steps of this episode.
        passed: How often it passed the last level.
    """

    phases: wp.array(dtype=int)
    columns: wp.array(dtype=int)
    levels: wp.array(dtype=int)
    origins_w: wp.array(dtype=wp.vec3f)
    command_share: wp.array(dtype=float)
    asked_w: wp.array(dtype=wp.vec2f)
    steps: wp.array(dtype=int)
    passed: wp.array(dtype=int)


@wp.struct
class Counts:
    """Sums over environments.

    Attributes:
        population: Environments on each level of each phase, (phases, levels).
        of_kind: Environments on each level of each kind of ground, (kinds, levels).
        episodes: Episodes that ended and that succeeded, of those that are being counted, (phases, levels, 2).
        measured: The same of those that were counted last, by which phases are passed, (phases, levels, 2).
        num_open: Number of open phases, (1,).
    """

    population: wp.array2d(dtype=int)
    of_kind: wp.array2d(dtype=int)
    episodes: wp.array3d(dtype=int)
    measured: wp.array3d(dtype=int)
    num_open: wp.array(dtype=int)


@wp.kernel
def add_asked_way(
    command: wp.array(dtype=wp.vec3f),
    root_pose_w: wp.array(dtype=wp.transformf),
    step_dt: float,
    # in and out
    envs: Environments,
) -> None:
    """One thread per environment: add what a control step asks for, in the direction that the robot faces."""
    env = wp.tid()
    ahead = wp.quat_rotate(wp.transform_get_rotation(root_pose_w[env]), wp.vec3f(1.0, 0.0, 0.0))
    heading = wp.normalize(wp.vec2f(ahead[0], ahead[1]))
    asked = command[env]
    way = wp.vec2f(heading[0] * asked[0] - heading[1] * asked[1], heading[1] * asked[0] + heading[0] * asked[1])
    envs.asked_w[env] = envs.asked_w[env] + step_dt * way
    envs.steps[env] = envs.steps[env] + 1


@wp.kernel
def end_episodes(
    ends: wp.array(dtype=bool),
    root_pose_w: wp.array(dtype=wp.transformf),
    fell: wp.array(dtype=bool),
    places: Places,
    rule: Rule,
    # in and out
    envs: Environments,
    counts: Counts,
) -> None:
    """One thread per environment: where ``ends`` says so, count the episode and choose the tile of the next one."""
    env = wp.tid()
    if not ends[env]:
        return
    num_levels = places.tile_origins_w.shape[0]
    phase = envs.phases[env]
    level = envs.levels[env]
    wp.atomic_sub(counts.population, phase, level, 1)
    wp.atomic_sub(counts.of_kind, places.kind[envs.columns[env]], level, 1)
    if envs.steps[env] > 0:
        way = wp.transform_get_translation(root_pose_w[env]) - envs.origins_w[env]
        walked = wp.length(wp.vec2f(way[0], way[1]))
        asked = wp.length(envs.asked_w[env])
        wp.atomic_add(counts.episodes, phase, level, ENDED, 1)
        if not fell[env] and walked >= FAR_TOO_LITTLE * asked and (asked > 0.0 or walked <= STOOD_M):
            wp.atomic_add(counts.episodes, phase, level, SUCCEEDED, 1)
        if fell[env]:
            asked = asked * wp.max(1.0, float(rule.episode_steps) / float(envs.steps[env]))
        # A way that is no number, of a faulty environment, is neither far nor short.
        if walked > rule.half_tile_m:
            level = level + 1
        elif walked < FAR_TOO_LITTLE * asked:
            level = wp.max(level - 1, 0)
        if level >= num_levels:
            counter = Words(wp.uint32(env), wp.uint32(envs.passed[env]), wp.uint32(0), TAG)
            words = philox(counter, rule.key_0, rule.key_1)
            level = wp.min(int(unit_interval(words[0]) * float(num_levels)), num_levels - 1)
            envs.passed[env] = envs.passed[env] + 1
    newest = wp.min(places.home[env], counts.num_open[0] - 1)
    if newest != phase:
        phase = newest
        level = places.first_level[phase, env]
        envs.phases[env] = phase
        envs.columns[env] = places.columns[phase, env]
        envs.command_share[env] = places.commands[phase]
    column = envs.columns[env]
    envs.levels[env] = level
    envs.origins_w[env] = places.tile_origins_w[level, column]
    envs.asked_w[env] = wp.vec2f(0.0, 0.0)
    envs.steps[env] = 0
    wp.atomic_add(counts.population, phase, level, 1)
    wp.atomic_add(counts.of_kind, places.kind[column], level, 1)


@wp.kernel
def open_phases(
    least_success: wp.array(dtype=float),
    least_level: wp.array(dtype=float),
    episodes_needed: wp.array2d(dtype=int),
    # in and out
    counts: Counts,
) -> None:
    """One thread: close each phase's count of episodes once there are enough; open a phase when all open are passed.

    Args:
        least_success: Share of episodes that must succeed, (phases,).
        least_level: Mean level that must be reached, (phases,).
        episodes_needed: Episodes to count of each phase as the newest and as one that is not, (phases, 2).
        counts: What was counted.
    """
    num_open = counts.num_open[0]
    passed = wp.int32(0)
    for phase in range(num_open):
        needed = episodes_needed[phase, 1]
        if phase == num_open - 1:
            needed = episodes_needed[phase, 0]
        counted = wp.int32(0)
        ended = wp.int32(0)
        succeeded = wp.int32(0)
        robots = wp.int32(0)
        levels = wp.int32(0)
        for level in range(counts.population.shape[1]):
            counted += counts.episodes[phase, level, ENDED]
            robots += counts.population[phase, level]
            levels += level * counts.population[phase, level]
        for level in range(counts.population.shape[1]):
            if counted >= needed:
                for column in range(2):
                    counts.measured[phase, level, column] = counts.episodes[phase, level, column]
                    counts.episodes[phase, level, column] = 0
            ended += counts.measured[phase, level, ENDED]
            succeeded += counts.measured[phase, level, SUCCEEDED]
        if (
            ended > 0
            and float(succeeded) >= least_success[phase] * float(ended)
            and float(levels) >= least_level[phase] * float(robots)
        ):
            passed += 1
    if passed == num_open and num_open < counts.episodes.shape[0]:
        counts.num_open[0] = num_open + 1


@wp.func
def ratio(numerator: int, denominator: int) -> float:
    """Return a ratio of two counts; NaN of nothing."""
    return float(numerator) / float(denominator)


@wp.kernel
def write_figures(
    counts: Counts,
    num_envs: int,
    has_phases: bool,
    # outputs
    mean: wp.array(dtype=float),
    of_kind: wp.array(dtype=float),
    share_on: wp.array(dtype=float),
    open_phases: wp.array(dtype=float),
    success_on: wp.array(dtype=float),
    share_of_phase: wp.array(dtype=float),
    success_of_phase: wp.array(dtype=float),
    level_of_phase: wp.array(dtype=float),
) -> None:
    """One thread for each level, kind and phase, as many as there are of the most: figures of the counts.

    Args:
        counts: What was counted.
        num_envs: Number of environments.
        has_phases: Whether there are phases; without, the last five are left as they are.
        mean: Mean level, (1,).
        of_kind: Mean level on each kind of ground, zero on one without robots, (kinds,).
        share_on: Share of the robots on each level, (levels,).
        open_phases: Number of open phases, (1,).
        success_on: Share of the episodes measured on each level that succeeded, (levels,).
        share_of_phase: Share of the robots in each phase, (phases,).
        success_of_phase: Share of the episodes measured in each phase that succeeded, (phases,).
        level_of_phase: Mean level of each phase, (phases,).
    """
    index = wp.tid()
    num_phases = counts.population.shape[0]
    num_levels = counts.population.shape[1]
    if index == 0:
        total = wp.int32(0)
        for phase in range(num_phases):
            for level in range(num_levels):
                total += level * counts.population[phase, level]
        mean[0] = ratio(total, num_envs)
        if has_phases:
            open_phases[0] = float(counts.num_open[0])
    if index < counts.of_kind.shape[0]:
        robots = wp.int32(0)
        levels = wp.int32(0)
        for level in range(num_levels):
            robots += counts.of_kind[index, level]
            levels += level * counts.of_kind[index, level]
        of_kind[index] = ratio(levels, wp.max(robots, 1))
    if index < num_levels:
        on_level = wp.int32(0)
        ended = wp.int32(0)
        succeeded = wp.int32(0)
        for phase in range(num_phases):
            on_level += counts.population[phase, index]
            if has_phases:
                ended += counts.measured[phase, index, ENDED]
                succeeded += counts.measured[phase, index, SUCCEEDED]
        share_on[index] = ratio(on_level, num_envs)
        if has_phases:
            success_on[index] = ratio(succeeded, ended)
    if has_phases and index < num_phases:
        in_phase = wp.int32(0)
        levels_of = wp.int32(0)
        ended_in = wp.int32(0)
        succeeded_in = wp.int32(0)
        for level in range(num_levels):
            in_phase += counts.population[index, level]
            levels_of += level * counts.population[index, level]
            ended_in += counts.measured[index, level, ENDED]
            succeeded_in += counts.measured[index, level, SUCCEEDED]
        share_of_phase[index] = ratio(in_phase, num_envs)
        success_of_phase[index] = ratio(succeeded_in, ended_in)
        level_of_phase[index] = ratio(levels_of, in_phase)
