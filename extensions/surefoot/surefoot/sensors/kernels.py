"""Warp kernels of a robot's sensors: what they give after a control step, and the observation made of it.

Equations, with ``h`` the control step [s], ``n`` independent standard normal numbers, and parameters (columns of the
table of randomized parameters) by their names:

- Latency (IMU, encoders): the reading of time ``t - latency``, by linear interpolation between the samples of the
  control rate (Tan et al., "Sim-to-Real: Learning Agile Locomotion For Quadruped Robots", RSS 2018, on latency). It is
  exact for readings that change at a constant rate over a control step. The first reading of an episode stands for all
  before it.
- Gyroscope: ``R(imu_mounting)^T omega + gyro_bias + walk + gyro_noise n``, where the walk starts at zero in each
  episode and takes a step of ``gyro_drift sqrt(h) n``: a bias with rate random walk as in IEEE Std 952 and Woodman,
  "An introduction to inertial navigation", UCAM-CL-TR-696, 2007. ``R(v)`` turns by ``|v|`` about ``v``;
  ``R(imu_mounting)`` turns the body's axes into the IMU's.
- Gravity direction: ``R(error)^T R(imu_mounting)^T g + gravity_noise n``, where ``error = (roll, pitch, 0)`` is a
  random walk of density ``attitude_drift``. The result is not brought back to length 1.
- Encoders: ``q + encoder_offset - default + encoder_noise n`` and ``dq + encoder_velocity_noise n``.
- Foot sensors, each step anew and without latency: a foot in contact is missed with probability ``contact_miss``, one
  in the air is reported as touching with ``contact_false``.

The IMU and the encoders send one packet each per control step. The controller keeps it, noise included, until the next
one comes. A packet is *late* with probability ``sensor_repeat``: the controller sees the last one again, and in the
next step the late one, a step older than it should be, in place of its successor, which is never sent (a sensor that
takes two control steps for a sample). A packet that is due is *lost* with probability ``sensor_dropout``: the
controller sees the last one again, and in the next step the newest. The first packet of an episode always comes.

Random numbers (:mod:`surefoot.random_numbers.philox`) have the key (seed, rank) and the counter (environment, control
steps since the environment was made, stream, tag); see :mod:`surefoot.sensors.memory`.
"""

# A kernel is compiled by Warp, whose vector types and structs do what their Python classes do not declare.
# pyright: reportArgumentType=false, reportIndexIssue=false, reportOperatorIssue=false, reportCallIssue=false
# pyright: reportGeneralTypeIssues=false, reportAttributeAccessIssue=false

import warp as wp

from surefoot.random_numbers.philox import standard_normals, unit_interval

from .memory import (
    ENCODER_PACKET_STREAM,
    FOOT_STREAM,
    HELD,
    IMU_NOISE_STREAM,
    IMU_PACKET_STREAM,
    IMU_WALK_STREAM,
    JOINT_STREAM,
    SensorMemory,
    SensorModel,
    delayed,
    packet_delay,
    random_vectors,
    random_words,
    receive_packet,
    remember_truth,
    rotate_into,
    show,
    show_again,
)

wp.set_module_options({"enable_backward": False})


@wp.struct
class SensorInputs:
    """The true state after a control step, and what the controller itself knows, by source.

    Each is an array with a number for each component, (num_envs, components), or a vector for three axes.
    """

    gyro: wp.array(dtype=wp.vec3f)
    """Angular velocity of the base in the base frame [rad/s]."""
    gravity: wp.array(dtype=wp.vec3f)
    """Direction of gravity in the base frame."""
    joint_pos: wp.array2d(dtype=float)
    """Joint positions in the policy's order [rad]."""
    joint_vel: wp.array2d(dtype=float)
    """Joint velocities likewise [rad/s]."""
    last_action: wp.array2d(dtype=float)
    """The policy's last output."""
    foot_contact: wp.array2d(dtype=wp.bool)
    """Whether each foot touches the ground."""


_IMU_DIM = wp.constant(6)  # angular velocity and gravity, at the start of a row


@wp.func
def read_encoder(model: SensorModel, inputs: SensorInputs, memory: SensorMemory, env: int, joint: int) -> None:
    """Position and velocity of a joint, and the action for it, which the controller knows."""
    num_joints = inputs.joint_pos.shape[1]
    pos_column = _IMU_DIM + joint
    vel_column = pos_column + num_joints
    show(memory, env, joint, vel_column + num_joints, inputs.last_action[env, joint])
    remember_truth(memory, env, joint, pos_column, inputs.joint_pos[env, joint])
    remember_truth(memory, env, joint, vel_column, inputs.joint_vel[env, joint])

    arrival = receive_packet(model, memory, env, joint, ENCODER_PACKET_STREAM)
    if arrival == HELD:
        show_again(memory, env, joint, pos_column)
        show_again(memory, env, joint, vel_column)
        return
    delay = packet_delay(memory, model.table[env, model.columns.encoder_latency] / model.step_dt, arrival)
    position = delayed(memory, env, joint, pos_column, delay)
    position = position + (model.table[env, model.columns.encoder_offset + joint] - model.default_joint_pos[joint])
    velocity = delayed(memory, env, joint, vel_column, delay)
    position_noise = model.table[env, model.columns.encoder_noise]
    velocity_noise = model.table[env, model.columns.encoder_velocity_noise]
    if position_noise > 0.0 or velocity_noise > 0.0:
        words = random_words(model, env, memory.steps[env, joint], JOINT_STREAM + wp.uint32(joint))
        normals = standard_normals(words[0], words[1])
        position = position + position_noise * normals[0]
        velocity = velocity + velocity_noise * normals[1]
    show(memory, env, joint, pos_column, position)
    show(memory, env, joint, vel_column, velocity)


@wp.func
def walk_imu(model: SensorModel, memory: SensorMemory, env: int, lane: int) -> None:
    """Let the gyroscope's bias and the attitude estimate drift, whether or not a packet arrives."""
    if memory.age[env, lane] == 0:
        memory.gyro_walk[env] = wp.vec3f(0.0, 0.0, 0.0)
        memory.attitude_walk[env] = wp.vec2f(0.0, 0.0)
        return
    gyro_drift = model.table[env, model.columns.gyro_drift]
    attitude_drift = model.table[env, model.columns.attitude_drift]
    if gyro_drift > 0.0 or attitude_drift > 0.0:
        root = wp.sqrt(model.step_dt)
        gyro, attitude = random_vectors(model, env, memory.steps[env, lane], IMU_WALK_STREAM)
        memory.gyro_walk[env] = memory.gyro_walk[env] + (gyro_drift * root) * gyro
        step = wp.vec2f(attitude[0], attitude[1])
        memory.attitude_walk[env] = memory.attitude_walk[env] + (attitude_drift * root) * step


@wp.func
def read_imu(model: SensorModel, inputs: SensorInputs, memory: SensorMemory, env: int, lane: int) -> None:
    """Angular velocity, and direction of gravity by the attitude estimate."""
    for axis in range(3):
        remember_truth(memory, env, lane, axis, inputs.gyro[env][axis])
        remember_truth(memory, env, lane, 3 + axis, inputs.gravity[env][axis])
    walk_imu(model, memory, env, lane)

    arrival = receive_packet(model, memory, env, lane, IMU_PACKET_STREAM)
    if arrival == HELD:
        for column in range(_IMU_DIM):
            show_again(memory, env, lane, column)
        return
    delay = packet_delay(memory, model.table[env, model.columns.imu_latency] / model.step_dt, arrival)
    angular, gravity, bias, mounting = wp.vec3f(), wp.vec3f(), wp.vec3f(), wp.vec3f()
    for axis in range(3):
        angular[axis] = delayed(memory, env, lane, axis, delay)
        gravity[axis] = delayed(memory, env, lane, 3 + axis, delay)
        bias[axis] = model.table[env, model.columns.gyro_bias + axis]
        mounting[axis] = model.table[env, model.columns.imu_mounting + axis]
    angular = rotate_into(mounting, angular) + bias + memory.gyro_walk[env]
    error = memory.attitude_walk[env]
    gravity = rotate_into(wp.vec3f(error[0], error[1], 0.0), rotate_into(mounting, gravity))
    gyro_noise = model.table[env, model.columns.gyro_noise]
    gravity_noise = model.table[env, model.columns.gravity_noise]
    if gyro_noise > 0.0 or gravity_noise > 0.0:
        first, second = random_vectors(model, env, memory.steps[env, lane], IMU_NOISE_STREAM)
        angular = angular + gyro_noise * first
        gravity = gravity + gravity_noise * second
    for axis in range(3):
        show(memory, env, lane, axis, angular[axis])
        show(memory, env, lane, 3 + axis, gravity[axis])


@wp.func
def read_foot(model: SensorModel, inputs: SensorInputs, memory: SensorMemory, env: int, lane: int) -> None:
    """Whether a foot's sensor reports contact."""
    num_joints = inputs.joint_pos.shape[1]
    foot = lane - num_joints - 1
    touches = inputs.foot_contact[env, foot]
    chance = model.table[env, model.columns.contact_false]
    if touches:
        chance = model.table[env, model.columns.contact_miss]
    words = random_words(model, env, memory.steps[env, lane], FOOT_STREAM + wp.uint32(foot))
    if unit_interval(words[0]) < chance:
        touches = not touches
    reading = 0.0
    if touches:
        reading = 1.0
    show(memory, env, lane, _IMU_DIM + 3 * num_joints + foot, reading)


@wp.kernel
def advance_sensors(model: SensorModel, inputs: SensorInputs, memory: SensorMemory) -> None:
    """One thread per (environment, lane), once per control step: read, and remember what the controller sees."""
    env, lane = wp.tid()  # pyright: ignore - as many integers as the launch has dimensions
    num_joints = inputs.joint_pos.shape[1]
    if lane < num_joints:
        read_encoder(model, inputs, memory, env, lane)
    elif lane == num_joints:
        read_imu(model, inputs, memory, env, lane)
    else:
        read_foot(model, inputs, memory, env, lane)
    memory.steps[env, lane] = memory.steps[env, lane] + 1
    memory.age[env, lane] = memory.age[env, lane] + 1


@wp.kernel
def reset_sensors(
    env_mask: wp.array(dtype=bool),
    # output
    age: wp.array2d(dtype=int),
) -> None:
    """One thread per (environment, lane): in those of the mask, the next reading is the first of an episode."""
    env, lane = wp.tid()  # pyright: ignore - as many integers as the launch has dimensions
    if env_mask[env]:
        age[env, lane] = 0


@wp.kernel
def write_observation(
    rows: wp.array2d(dtype=float),
    steps: wp.array2d(dtype=int),
    command: wp.array2d(dtype=float),
    entry_place: wp.array2d(dtype=int),
    lanes: int,
    # output
    observation: wp.array2d(dtype=float),
) -> None:
    """One thread per (environment, lane): stack what the controller saw, by the table of the layout.

    ``rows`` is the ring with its two last dimensions in one. Lane ``k`` writes the entries ``k``, ``k + lanes`` and so
    on, so that neighbouring threads write neighbouring entries.
    """
    env, lane = wp.tid()  # pyright: ignore - as many integers as the launch has dimensions
    remembered = rows.shape[1]
    history = entry_place.shape[0]
    newest = (steps[env, 0] + history - 1) % history
    for entry in range(lane, observation.shape[1], lanes):
        place = entry_place[newest, entry]
        if place < remembered:
            observation[env, entry] = rows[env, place]
        else:
            observation[env, entry] = command[env, place - remembered]
