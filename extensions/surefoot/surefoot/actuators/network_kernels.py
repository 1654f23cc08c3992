"""Warp kernels before and after an actuator network, which takes the place of the PD law."""

# A kernel is compiled by Warp, whose structs and vectors have operators that their Python classes do not declare.
# pyright: reportArgumentType=false, reportIndexIssue=false, reportOperatorIssue=false, reportCallIssue=false
# pyright: reportAttributeAccessIssue=false, reportGeneralTypeIssues=false

import warp as wp

from .kernels import ActuatorColumns, delayed_command, derating, drive_joint, position_error

wp.set_module_options({"enable_backward": False})  # no gradients are taken; a CPU is faster without


@wp.kernel
def observe_for_network(
    joint_pos: wp.array2d(dtype=float),
    joint_vel: wp.array2d(dtype=float),
    engine_joint: wp.array(dtype=int),
    commands: wp.array3d(dtype=wp.vec3f),
    table: wp.array2d(dtype=float),
    columns: ActuatorColumns,
    physics_dt: float,
    step_dt: float,
    history_steps: wp.array(dtype=int),
    # in and out
    command_age: wp.array2d(dtype=float),
    history: wp.array3d(dtype=wp.vec2f),
    # outputs
    network_input: wp.array2d(dtype=float),
) -> None:
    """One thread per (environment, joint) and substep: delay, position error, and the history of both inputs.

    ``history[env, k, j]`` is (position error [rad], velocity [rad/s]) of ``k`` substeps ago. Row
    ``env * num_joints + j`` of ``network_input`` holds the errors of all ``history_steps``, then the velocities.
    """
    env, joint = wp.tid()  # pyright: ignore - as many integers as the launch has dimensions
    column = engine_joint[joint]
    age = command_age[env, joint]
    behind_s = table[env, columns.command_delay] - age
    command = delayed_command(commands, env, joint, behind_s, physics_dt, step_dt)
    error = position_error(
        command[0],
        joint_pos[env, column],
        table[env, columns.encoder_offset + joint],
        table[env, columns.backlash + joint],
    )
    for reverse in range(history.shape[1] - 1):
        slot = history.shape[1] - 1 - reverse
        history[env, slot, joint] = history[env, slot - 1, joint]
    history[env, 0, joint] = wp.vec2f(error, joint_vel[env, column])
    row = env * history.shape[2] + joint
    for index in range(history_steps.shape[0]):
        observed = history[env, history_steps[index], joint]
        network_input[row, index] = observed[0]
        network_input[row, history_steps.shape[0] + index] = observed[1]
    command_age[env, joint] = age + physics_dt


@wp.kernel
def apply_network_efforts(
    joint_vel: wp.array2d(dtype=float),
    engine_joint: wp.array(dtype=int),
    computed_effort: wp.array2d(dtype=float),
    table: wp.array2d(dtype=float),
    columns: ActuatorColumns,
    effort_limit: wp.array(dtype=float),
    derated_share: float,
    heat: wp.array2d(dtype=float),
    voltage: wp.array(dtype=float),
    # outputs
    motor_effort: wp.array2d(dtype=float),
    motor_power: wp.array2d(dtype=float),
    saturation: wp.array2d(dtype=wp.int8),
    joint_effort: wp.array2d(dtype=float),
) -> None:
    """One thread per (environment, joint) and substep: limits and friction for torques that a network computed."""
    env, joint = wp.tid()  # pyright: ignore - as many integers as the launch has dimensions
    column = engine_joint[joint]
    velocity = joint_vel[env, column]
    limit = effort_limit[joint] * derating(heat[env, joint], derated_share)
    computed = computed_effort[env, joint]
    result = drive_joint(computed, velocity, table, columns, env, joint, effort_limit[joint], limit, voltage[env])
    motor_effort[env, joint] = result[0]
    motor_power[env, joint] = result[0] * velocity
    saturation[env, joint] = wp.int8(result[2])
    joint_effort[env, column] = result[1]
