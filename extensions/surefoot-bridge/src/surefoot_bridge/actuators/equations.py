"""What an actuator does with a command: limits, friction, heat and battery, as training has them in its kernels.

Pure functions on arrays of shape [..., num_joints], in any order of the joints. Training runs the same equations as
Warp kernels, which are tested against these, and an emulated robot (:mod:`surefoot_bridge.robots.mujoco_robot`) these.
"""

from dataclasses import dataclass, replace
from enum import IntEnum
from functools import cached_property
from typing import Callable, Tuple, Union

import numpy as np

from .parameters import ControlTiming, JointParameters, MotorConstants

FRICTION_VELOCITY = 0.1
"""Velocity [rad/s] of the smoothed friction; this and the next four equal the kernels' (a test holds them together)."""
STRIBECK_VELOCITY = 0.3
FULL_DERATING_HEAT = 1.5
LOWEST_VOLTAGE = 0.5
SMALLEST_STRENGTH = 1.0e-6


class Saturation(IntEnum):
    """What cut the torque that was asked for."""

    NONE = 0
    """Nothing did."""
    EFFORT_LIMIT = 1
    """The effort limit of a motor that is not hot."""
    TORQUE_SPEED = 2
    """The torque-speed line, which would have cut at nominal voltage, too."""
    BATTERY = 3
    """The torque-speed line at the present voltage; at nominal voltage it would not have."""
    HEAT = 4
    """The effort limit of a hot motor; that of a cold one would not have."""


@dataclass(frozen=True)
class ActuatorState:
    """What an actuator remembers; arrays are float32."""

    commands: np.ndarray
    """Position [rad], velocity [rad/s] and effort [N.m] by age, the newest first, [..., num_slots, num_joints, 3]."""
    command_age: np.ndarray
    """Time since the newest command at the start of the next substep [s], [...]."""
    heat: np.ndarray
    """Heat of each motor; 1 is what the continuous torque settles at, [..., num_joints]."""
    voltage: np.ndarray
    """Battery voltage as a share of the nominal one, [...]."""
    episode_time: np.ndarray
    """Time since the reset [s], [...]."""


@dataclass(frozen=True)
class JointEfforts:
    """Result of one substep; each array has the shape of the joint state [..., num_joints], in N.m unless said."""

    computed: np.ndarray
    """PD law before any limit."""
    motor: np.ndarray
    """Torque the motor delivers."""
    power: np.ndarray
    """Mechanical power of the motor [W]."""
    joint: np.ndarray
    """Torque that acts on the joint: motor less friction."""
    find_saturation: Callable[[], np.ndarray]
    """Works out :attr:`saturation`, which an emulated robot never asks for: a third of a substep's arithmetic."""

    @cached_property
    def saturation(self) -> np.ndarray:
        """:class:`Saturation`, int8."""
        return self.find_saturation()


def initial_state(
    parameters: JointParameters, default_joint_pos: np.ndarray, num_slots: int, batch_shape: Tuple[int, ...] = ()
) -> ActuatorState:
    """State after a reset: the default pose commanded all along, heat and voltage as the parameters say.

    Args:
        parameters: Parameters in force.
        default_joint_pos: Default pose [rad], shape (num_joints,).
        num_slots: Commands to remember, :meth:`~surefoot_bridge.actuators.parameters.ControlTiming.command_slots`.
        batch_shape: Leading dimensions, e.g. (num_envs,).
    """
    commands = np.zeros((*batch_shape, num_slots, len(default_joint_pos), 3), np.float32)
    commands[..., 0] = default_joint_pos
    return ActuatorState(
        commands=commands,
        command_age=np.zeros(batch_shape, np.float32),
        heat=np.broadcast_to(parameters.initial_motor_heat, (*batch_shape, len(default_joint_pos))).copy(),
        voltage=np.broadcast_to(np.maximum(parameters.battery_voltage, np.float32(LOWEST_VOLTAGE)), batch_shape).copy(),
        episode_time=np.zeros(batch_shape, np.float32),
    )


def push_command(
    state: ActuatorState,
    position: np.ndarray,
    velocity: Union[np.ndarray, float] = 0.0,
    effort: Union[np.ndarray, float] = 0.0,
) -> ActuatorState:
    """Take the command of a control step: [rad], [rad/s] and [N.m], each [..., num_joints]."""
    commands = np.empty_like(state.commands)
    commands[..., 1:, :, :] = state.commands[..., :-1, :, :]
    for channel, values in enumerate((position, velocity, effort)):
        commands[..., 0, :, channel] = values
    return replace(state, commands=commands, command_age=np.zeros_like(state.command_age))


def delayed_command(state: ActuatorState, delay_s: np.ndarray, timing: ControlTiming) -> np.ndarray:
    """Mean command of the next substep, [..., num_joints, 3]; ``delay_s`` broadcasts against [...]."""
    dt, step_dt = np.float32(timing.physics_dt_s), np.float32(timing.step_dt_s)
    behind_s = delay_s - state.command_age
    slot = np.clip(np.ceil(behind_s / step_dt).astype(int), 0, state.commands.shape[-3] - 1)
    newer_share = np.clip((dt - behind_s + (slot - 1).astype(np.float32) * step_dt) / dt, 0.0, 1.0)

    def pick(index: np.ndarray) -> np.ndarray:
        return np.take_along_axis(state.commands, index[..., None, None, None], axis=-3)[..., 0, :, :]

    older = pick(slot)
    return older + newer_share[..., None, None] * (pick(np.maximum(slot - 1, 0)) - older)


def position_error(parameters: JointParameters, target: np.ndarray, joint_pos: np.ndarray) -> np.ndarray:
    """Error [rad] of the encoder's reading beyond the gear's gap, [..., num_joints]."""
    error = target - (joint_pos + parameters.encoder_offset)
    half_gap = np.float32(0.5) * parameters.backlash
    return error - np.clip(error, -half_gap, half_gap)


def derating(heat: np.ndarray, derated_share: float) -> np.ndarray:
    """Share of the effort limit that a motor's heat leaves, [..., num_joints]."""
    return 1.0 - np.float32(1.0 - derated_share) * np.clip(
        (heat - 1.0) / np.float32(FULL_DERATING_HEAT - 1.0), 0.0, 1.0
    )


def joint_friction(parameters: JointParameters, joint_vel: np.ndarray) -> np.ndarray:
    """Friction torque [N.m] that opposes a velocity [rad/s], [..., num_joints]."""
    excess = (parameters.static_friction_ratio - 1.0) * np.exp(-np.square(joint_vel / np.float32(STRIBECK_VELOCITY)))
    dry = parameters.coulomb_friction * (1.0 + excess)
    return dry * np.tanh(joint_vel / np.float32(FRICTION_VELOCITY)) + parameters.viscous_friction * joint_vel


def drive_joints(
    parameters: JointParameters,
    motors: MotorConstants,
    state: ActuatorState,
    computed: np.ndarray,
    joint_vel: np.ndarray,
) -> JointEfforts:
    """Limits and friction for torques that a PD law or an actuator network computed.

    Args:
        parameters: Parameters in force.
        motors: Constants of the motors.
        state: Heat and voltage are read.
        computed: Torque asked for [N.m], [..., num_joints].
        joint_vel: Joint velocities [rad/s], same shape.
    """
    voltage = state.voltage[..., None]
    limit = motors.effort_limit * derating(state.heat, motors.derated_share)
    speed_ratio = joint_vel / parameters.no_load_speed
    upper = np.clip(parameters.stall_torque * (voltage - speed_ratio), -limit, limit)
    lower = np.clip(parameters.stall_torque * (-voltage - speed_ratio), -limit, limit)
    delivered = np.clip(computed, lower, upper)

    def find_saturation() -> np.ndarray:
        sign = np.where(computed > delivered, np.float32(1.0), np.float32(-1.0))
        line_at_nominal_voltage = parameters.stall_torque * (1.0 - sign * speed_ratio)
        return np.select(
            [
                computed == delivered,
                (sign * delivered < limit) & (sign * computed <= line_at_nominal_voltage),
                sign * delivered < limit,
                sign * computed <= motors.effort_limit,
            ],
            [Saturation.NONE, Saturation.BATTERY, Saturation.TORQUE_SPEED, Saturation.HEAT],
            Saturation.EFFORT_LIMIT,
        ).astype(np.int8)

    motor = parameters.motor_strength * delivered
    return JointEfforts(
        computed=computed,
        motor=motor,
        power=motor * joint_vel,
        joint=motor - joint_friction(parameters, joint_vel),
        find_saturation=find_saturation,
    )


def compute_joint_efforts(
    parameters: JointParameters,
    motors: MotorConstants,
    timing: ControlTiming,
    state: ActuatorState,
    joint_pos: np.ndarray,
    joint_vel: np.ndarray,
) -> Tuple[JointEfforts, ActuatorState]:
    """Joint torques of one physics substep, and the state after it.

    Args:
        parameters: Parameters in force.
        motors: Constants of the motors.
        timing: Length of substep and control step.
        state: State before the substep.
        joint_pos: Joint positions [rad], shape [..., num_joints].
        joint_vel: Joint velocities [rad/s], same shape.
    """
    command = delayed_command(state, parameters.command_delay, timing)
    error = position_error(parameters, command[..., 0], joint_pos)
    computed = parameters.stiffness * error + parameters.damping * (command[..., 1] - joint_vel) + command[..., 2]
    efforts = drive_joints(parameters, motors, state, computed, joint_vel)
    return efforts, replace(state, command_age=state.command_age + np.float32(timing.physics_dt_s))


def heat_share(motors: MotorConstants, timing: ControlTiming) -> np.ndarray:
    """Share of the way to its settled heat that a motor goes in one control step, (num_joints,)."""
    return -np.expm1(-np.float32(timing.step_dt_s) / motors.thermal_time_constant_s).astype(np.float32)


def advance(
    parameters: JointParameters,
    motors: MotorConstants,
    timing: ControlTiming,
    state: ActuatorState,
    efforts: JointEfforts,
) -> ActuatorState:
    """Battery and heat after a control step whose last substep gave ``efforts``."""
    strength = np.maximum(parameters.motor_strength, np.float32(SMALLEST_STRENGTH))
    load = efforts.motor / (strength * motors.continuous_torque)
    episode_time = state.episode_time + np.float32(timing.step_dt_s)
    power = np.maximum(efforts.power, 0.0).sum(axis=-1)  # (...)
    loss = parameters.battery_sag * episode_time + parameters.battery_resistance * power
    return replace(
        state,
        heat=state.heat + heat_share(motors, timing) * (np.square(load) - state.heat),
        voltage=np.maximum(parameters.battery_voltage - loss, np.float32(LOWEST_VOLTAGE)),
        episode_time=episode_time,
    )


def observe_for_network(
    history: np.ndarray, error: np.ndarray, joint_vel: np.ndarray, history_steps: Tuple[int, ...]
) -> Tuple[np.ndarray, np.ndarray]:
    """Input of an actuator network, and its history after the substep.

    Args:
        history: (position error [rad], velocity [rad/s]) by age, the newest first, [..., num_slots, num_joints, 2].
        error: :func:`position_error` of the substep, [..., num_joints].
        joint_vel: Joint velocities [rad/s], same shape.
        history_steps: Ages to look at, in substeps.

    Returns:
        Errors of all ages, then velocities, [..., num_joints, 2 * len(history_steps)]; and the history.
    """
    newest = np.stack((error, joint_vel), axis=-1)[..., None, :, :]
    history = np.concatenate((newest, history[..., :-1, :, :]), axis=-3)
    seen = np.moveaxis(history[..., list(history_steps), :, :], -3, -2)  # [..., num_joints, ages, 2]
    return np.concatenate((seen[..., 0], seen[..., 1]), axis=-1), history
