"""Warp kernels that change the actuators' state once per control step: commands, battery, heat, and their reset.

    V    = max(battery_voltage - battery_sag t - battery_resistance P, LOWEST_VOLTAGE),  t time in the episode
    P    = sum over joints of max(motor qd, 0)
    h'   = ((motor / (strength continuous_torque))^2 - h) / time constant

Braking motors give nothing back to the battery: their power is assumed to end as heat in windings and brake chopper.
The copper losses of the battery's load are left out, so that ``battery_resistance`` is per watt of mechanical power.
Heat is that of one thermal mass, driven by the square of the current, relative to what the continuous torque settles at
(a first-order model as in motors' data sheets). A motor that is stronger than nominal needs less current for a torque.
Power and torque are those of a control step's last substep; over the seconds that heat takes this samples a gait at all
phases.
"""

# A kernel is compiled by Warp, whose structs and vectors have operators that their Python classes do not declare.
# pyright: reportArgumentType=false, reportIndexIssue=false, reportOperatorIssue=false, reportCallIssue=false
# pyright: reportAttributeAccessIssue=false, reportGeneralTypeIssues=false

import warp as wp

from .kernels import LOWEST_VOLTAGE, SMALLEST_STRENGTH, ActuatorColumns

wp.set_module_options({"enable_backward": False})  # no gradients are taken; a CPU is faster without


@wp.kernel
def push_command(
    position: wp.array2d(dtype=float),
    velocity: wp.array2d(dtype=float),
    effort: wp.array2d(dtype=float),
    # in and out
    commands: wp.array3d(dtype=wp.vec3f),
    # outputs
    command_age: wp.array2d(dtype=float),
) -> None:
    """One thread per (environment, joint): take a command, forget the oldest; all in the policy's joint order.

    Shifting the few commands once per control step spares every substep a write position.
    """
    env, joint = wp.tid()  # pyright: ignore - as many integers as the launch has dimensions
    for reverse in range(commands.shape[1] - 1):
        slot = commands.shape[1] - 1 - reverse
        commands[env, slot, joint] = commands[env, slot - 1, joint]
    commands[env, 0, joint] = wp.vec3f(position[env, joint], velocity[env, joint], effort[env, joint])
    command_age[env, joint] = 0.0


@wp.kernel
def advance_battery_and_heat(
    table: wp.array2d(dtype=float),
    columns: ActuatorColumns,
    motor_effort: wp.array2d(dtype=float),
    motor_power: wp.array2d(dtype=float),
    continuous_torque: wp.array(dtype=float),
    heat_share: wp.array(dtype=float),
    step_dt: float,
    # in and out
    episode_time: wp.array(dtype=float),
    heat: wp.array2d(dtype=float),
    # outputs
    voltage: wp.array(dtype=float),
) -> None:
    """One thread per environment and control step; ``heat_share`` is 1 - exp(-step_dt / time constant)."""
    env = wp.tid()
    power = float(0.0)  # noqa: UP018 - a literal would be a constant to Warp, which a loop cannot change
    for joint in range(heat.shape[1]):
        power += wp.max(motor_power[env, joint], 0.0)
        strength = wp.max(table[env, columns.motor_strength + joint], SMALLEST_STRENGTH)
        load = motor_effort[env, joint] / (strength * continuous_torque[joint])
        present = heat[env, joint]
        heat[env, joint] = present + heat_share[joint] * (load * load - present)
    time = episode_time[env] + step_dt
    loss = table[env, columns.battery_sag] * time + table[env, columns.battery_resistance] * power
    voltage[env] = wp.max(table[env, columns.battery_voltage] - loss, LOWEST_VOLTAGE)
    episode_time[env] = time


@wp.kernel
def reset_actuators(
    env_mask: wp.array(dtype=bool),
    table: wp.array2d(dtype=float),
    columns: ActuatorColumns,
    default_joint_pos: wp.array(dtype=float),
    # outputs
    commands: wp.array3d(dtype=wp.vec3f),
    command_age: wp.array2d(dtype=float),
    heat: wp.array2d(dtype=float),
    voltage: wp.array(dtype=float),
    episode_time: wp.array(dtype=float),
    computed_effort: wp.array2d(dtype=float),
    motor_effort: wp.array2d(dtype=float),
    motor_power: wp.array2d(dtype=float),
    saturation: wp.array2d(dtype=wp.int8),
) -> None:
    """One thread per (environment, joint): in those of the mask, as if the default pose had been held all along."""
    env, joint = wp.tid()  # pyright: ignore - as many integers as the launch has dimensions
    if not env_mask[env]:
        return
    for slot in range(commands.shape[1]):
        commands[env, slot, joint] = wp.vec3f(default_joint_pos[joint], 0.0, 0.0)
    command_age[env, joint] = 0.0
    heat[env, joint] = table[env, columns.initial_motor_heat + joint]
    computed_effort[env, joint] = 0.0
    motor_effort[env, joint] = 0.0
    motor_power[env, joint] = 0.0
    saturation[env, joint] = wp.int8(0)
    if joint == 0:
        voltage[env] = wp.max(table[env, columns.battery_voltage], LOWEST_VOLTAGE)
        episode_time[env] = 0.0


@wp.struct
class ActionArrays:
    """The policy's last outputs and the targets that they mean, (num_envs, num_joints), or (num_joints,)."""

    scale: wp.array(dtype=float)
    default_joint_pos: wp.array2d(dtype=float)
    action: wp.array2d(dtype=float)
    previous_action: wp.array2d(dtype=float)
    second_previous_action: wp.array2d(dtype=float)
    target: wp.array2d(dtype=float)


@wp.kernel
def take_actions(given: wp.array2d(dtype=float), clip: float, arrays: ActionArrays) -> None:
    """One thread per (environment, joint): shift the history by the policy's output, and aim where it says.

    What is no number stays so: it is for others to see.
    """
    env, joint = wp.tid()  # pyright: ignore - as many integers as the launch has dimensions
    action = given[env, joint]
    if action > clip:
        action = clip
    elif action < -clip:
        action = -clip
    arrays.second_previous_action[env, joint] = arrays.previous_action[env, joint]
    arrays.previous_action[env, joint] = arrays.action[env, joint]
    arrays.action[env, joint] = action
    arrays.target[env, joint] = arrays.default_joint_pos[env, joint] + action * arrays.scale[joint]


@wp.kernel
def forget_actions(env_mask: wp.array(dtype=bool), arrays: ActionArrays) -> None:
    """One thread per (environment, joint): in those of the mask, forget actions and aim at the default pose."""
    env, joint = wp.tid()  # pyright: ignore - as many integers as the launch has dimensions
    if env_mask[env]:
        arrays.action[env, joint] = 0.0
        arrays.previous_action[env, joint] = 0.0
        arrays.second_previous_action[env, joint] = 0.0
        arrays.target[env, joint] = arrays.default_joint_pos[env, joint]
