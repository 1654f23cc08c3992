"""Warp kernels of velocity commands: drawn when they are due, and how well they were followed.

A command has the key (seed, rank) and the counter (environment, commands drawn in it before, half, tag) of
:mod:`surefoot.random_numbers.philox`: the same on CPU and GPU, and whichever environments are drawn together.
"""

# A kernel is compiled by Warp, whose types have operators that their Python classes do not declare.
# pyright: reportArgumentType=false, reportIndexIssue=false, reportOperatorIssue=false, reportCallIssue=false
# pyright: reportAttributeAccessIssue=false, reportGeneralTypeIssues=false, reportInvalidTypeForm=false
# pyright: reportReturnType=false

import warp as wp

from surefoot.random_numbers.philox import Words, philox, unit_interval

wp.set_module_options({"enable_backward": False})  # no gradients are taken; a CPU is faster without

TAG = wp.constant(wp.uint32(0x434D4E44))
"""Last word of the counters of these draws, which keeps them apart from all others: "CMND"."""

STANDING_COMMAND = 0.05
"""Norm of a velocity command up to which the robot is asked to stand; below it no gait is better than standing."""
_STANDING_COMMAND = wp.constant(STANDING_COMMAND)

# Places of the settings: behind low and high end of vx, vy, yaw rate and duration.
_DURATION = wp.constant(6)
_STANDING = wp.constant(8)
_SLOW = wp.constant(9)
_SINGLE = wp.constant(10)
NUM_SETTINGS = 11


@wp.struct
class Settings:
    """How commands are drawn and judged."""

    values: wp.array(dtype=float)
    """Low and high end of vx, vy [m/s], yaw rate [rad/s] and duration [s]; shares of standing, slow and single ones."""
    share: wp.array(dtype=float)
    """Share of the ranges of velocities in use, (1,)."""
    success_thresholds: wp.vec2f
    """Mean errors of velocity [m/s] and yaw rate [rad/s] below which an episode followed its commands."""


@wp.struct
class Commands:
    """The commands of all environments, (num_envs, ...), and how well those of the episode were followed."""

    command: wp.array(dtype=wp.vec3f)
    share: wp.array(dtype=float)  # of the ranges in use that is asked for
    time_left_s: wp.array(dtype=float)
    count: wp.array(dtype=wp.int64)  # in the episode
    draws: wp.array(dtype=int)  # since the environment was made
    is_standing: wp.array(dtype=bool)
    error_xy_sum: wp.array(dtype=float)
    error_yaw_sum: wp.array(dtype=float)
    steps: wp.array(dtype=float)
    metrics: wp.array2d(dtype=float)  # error of velocity and of yaw rate, success of the episode that ended last


@wp.func
def between(settings: Settings, place: int, word: wp.uint32) -> float:
    """Draw a number between the two ends that stand at a place of the settings."""
    low = settings.values[place]
    return low + unit_interval(word) * (settings.values[place + 1] - low)


@wp.func
def draw_command(settings: Settings, commands: Commands, env: int, seed: wp.uint32, rank: wp.uint32) -> None:
    """Draw a command and how long it holds.

    Some are multiplied by a factor from 0 to 1, some keep one component, some are zero. One that asks for standing says
    so exactly, so that standing is one command and not many.
    """
    number = wp.uint32(commands.draws[env])
    commands.draws[env] = commands.draws[env] + 1
    words = philox(Words(wp.uint32(env), number, wp.uint32(0), TAG), seed, rank)
    more = philox(Words(wp.uint32(env), number, wp.uint32(1), TAG), seed, rank)
    share = settings.share[0] * commands.share[env]
    if settings.values[_SLOW] > 0.0:
        share = share * wp.min(unit_interval(more[0]) / settings.values[_SLOW], 1.0)
    command = wp.vec3f()
    kept = wp.min(int(3.0 * unit_interval(more[1])), 2)
    is_single = unit_interval(more[2]) < settings.values[_SINGLE]
    for axis in range(3):
        if kept == axis or not is_single:
            command[axis] = share * between(settings, 2 * axis, words[axis])
    stands = unit_interval(more[3]) <= settings.values[_STANDING]
    if stands or wp.length(command) <= _STANDING_COMMAND:
        command = wp.vec3f()
    commands.is_standing[env] = stands
    commands.command[env] = command
    commands.time_left_s[env] = between(settings, _DURATION, words[3])
    commands.count[env] = commands.count[env] + wp.int64(1)


@wp.kernel
def begin_commands(
    env_mask: wp.array(dtype=bool), settings: Settings, seed: wp.uint32, rank: wp.uint32, commands: Commands
) -> None:
    """One thread per environment: in those of the mask, close the metrics of the episode and draw a command."""
    env = wp.tid()
    if not env_mask[env]:
        return
    steps = wp.max(commands.steps[env], 1.0)
    error_xy = commands.error_xy_sum[env] / steps
    error_yaw = commands.error_yaw_sum[env] / steps
    followed = error_xy < settings.success_thresholds[0] and error_yaw < settings.success_thresholds[1]
    commands.metrics[env, 0] = error_xy
    commands.metrics[env, 1] = error_yaw
    commands.metrics[env, 2] = wp.where(followed, 1.0, 0.0)
    commands.error_xy_sum[env] = 0.0
    commands.error_yaw_sum[env] = 0.0
    commands.steps[env] = 0.0
    commands.count[env] = wp.int64(0)
    draw_command(settings, commands, env, seed, rank)


@wp.kernel
def advance_commands(
    lin_vel_b: wp.array(dtype=wp.vec3f),
    ang_vel_b: wp.array(dtype=wp.vec3f),
    step_dt: float,
    settings: Settings,
    seed: wp.uint32,
    rank: wp.uint32,
    commands: Commands,
) -> None:
    """One thread per environment and control step: add its errors, and draw the next command when it is due."""
    env = wp.tid()
    command = commands.command[env]
    velocity = lin_vel_b[env]
    error = wp.vec2f(command[0] - velocity[0], command[1] - velocity[1])
    commands.error_xy_sum[env] = commands.error_xy_sum[env] + wp.length(error)
    commands.error_yaw_sum[env] = commands.error_yaw_sum[env] + wp.abs(command[2] - ang_vel_b[env][2])
    commands.steps[env] = commands.steps[env] + 1.0
    commands.time_left_s[env] = commands.time_left_s[env] - step_dt
    if commands.time_left_s[env] <= 0.0:
        draw_command(settings, commands, env, seed, rank)


@wp.kernel
def mark_moving(
    command: wp.array(dtype=wp.vec3f),
    # outputs
    moving: wp.array(dtype=bool),
) -> None:
    """One thread per environment: whether its command asks for motion."""
    env = wp.tid()
    moving[env] = wp.length(command[env]) > _STANDING_COMMAND
