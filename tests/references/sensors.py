"""The equations of :mod:`surefoot.sensors.kernels` in NumPy."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from surefoot.random_numbers.philox_numpy import philox, standard_normals, unit_interval

TAG = 0x53454E53
JOINT_STREAM = 0x00000
FOOT_STREAM = 0x10000
IMU_NOISE_STREAM = 0x20000
IMU_WALK_STREAM = 0x20002
IMU_PACKET_STREAM = 0x30000
ENCODER_PACKET_STREAM = 0x30001
FRESH, LATE, HELD = 0, 1, 2
RING_MARGIN = 3

_IMU = slice(0, 6)


@dataclass
class SensorInputs:
    """The true state after a control step, and what the controller itself knows.

    Attributes:
        base_ang_vel_b: Angular velocity of the base [rad/s] in the base frame, (num_envs, 3).
        projected_gravity_b: Direction of gravity in the base frame, (num_envs, 3).
        joint_pos: Joint positions [rad], (num_envs, num_joints).
        joint_vel: Joint velocities [rad/s], (num_envs, num_joints).
        foot_contact: Whether each foot touches the ground, (num_envs, num_feet).
        last_action: The policy's last output, (num_envs, num_joints).
    """

    base_ang_vel_b: np.ndarray
    projected_gravity_b: np.ndarray
    joint_pos: np.ndarray
    joint_vel: np.ndarray
    foot_contact: np.ndarray
    last_action: np.ndarray


@dataclass
class SensorMemory:
    """What the sensors remember.

    Attributes:
        steps: Control steps since the environment was made, (num_envs,).
        age: Control steps since the last reset, (num_envs,).
        imu_was_late: Whether the IMU's last packet was late, (num_envs,).
        encoders_were_late: Whether the encoders' last packet was late, (num_envs,).
        gyro_walk: Drift of the gyroscope's bias in this episode [rad/s], (num_envs, 3).
        attitude_walk: Drift of the attitude estimate in this episode, roll and pitch [rad], (num_envs, 2).
        truth: Ring over control steps of true readings, (num_envs, depth, 6 + 2 num_joints).
        rows: Ring over control steps of what the controller saw, (num_envs, history, 6 + 3 num_joints + num_feet).
    """

    steps: np.ndarray
    age: np.ndarray
    imu_was_late: np.ndarray
    encoders_were_late: np.ndarray
    gyro_walk: np.ndarray
    attitude_walk: np.ndarray
    truth: np.ndarray
    rows: np.ndarray

    @classmethod
    def empty(cls, num_envs: int, num_joints: int, num_feet: int, *, depth: int, history: int) -> SensorMemory:
        """Return the memory before the first step."""

        def zeros(*shape: int) -> np.ndarray:
            return np.zeros((num_envs, *shape), np.float32)

        return cls(
            *(np.zeros(num_envs, kind) for kind in (np.int64, np.int64, bool, bool)),
            gyro_walk=zeros(3),
            attitude_walk=zeros(2),
            truth=zeros(depth, 6 + 2 * num_joints),
            rows=zeros(history, 6 + 3 * num_joints + num_feet),
        )


@dataclass
class SensorReference:
    """Sensors of some environments, with their memory where a test can see it.

    Attributes:
        table: Value in force of each parameter, float32, (num_envs, columns).
        first_column: First column of a parameter.
        default_joint_pos: Positions of the default pose [rad], (num_joints,).
        step_dt: Control step [s].
        key: Seed and rank.
        memory: What the sensors remember.
    """

    table: np.ndarray
    first_column: Callable[[str], int]
    default_joint_pos: np.ndarray
    step_dt: float
    key: tuple[int, int]
    memory: SensorMemory

    def reset(self, env_ids: np.ndarray) -> None:
        """Make the next reading of the given environments the first of an episode."""
        self.memory.age[env_ids] = 0

    def advance(self, inputs: SensorInputs) -> None:
        """Take a reading and remember what the controller sees; once per control step."""
        memory = self.memory
        envs, first = np.arange(len(memory.age)), memory.age == 0
        num_joints = inputs.joint_pos.shape[1]
        encoders = slice(6, 6 + 2 * num_joints)
        truth = (inputs.base_ang_vel_b, inputs.projected_gravity_b, inputs.joint_pos, inputs.joint_vel)
        memory.truth[envs, memory.steps % memory.truth.shape[1]] = np.concatenate(truth, axis=1)
        self._walk(first)

        history = memory.rows.shape[1]
        row = memory.rows[envs, (memory.steps - 1) % history]  # (num_envs, row_dim)
        imu, memory.imu_was_late = self._arrivals(memory.imu_was_late, IMU_PACKET_STREAM, first)
        encoder, memory.encoders_were_late = self._arrivals(memory.encoders_were_late, ENCODER_PACKET_STREAM, first)
        row[imu != HELD, _IMU] = self._read_imu(imu)[imu != HELD]
        row[encoder != HELD, encoders] = self._read_encoders(encoder)[encoder != HELD]
        row[:, 6 + 2 * num_joints : 6 + 3 * num_joints] = inputs.last_action
        row[:, 6 + 3 * num_joints :] = self._read_feet(inputs.foot_contact)

        memory.rows[envs, memory.steps % history] = row
        memory.rows[first] = row[first, None]
        memory.steps += 1
        memory.age += 1

    def observe(self, entry_column: np.ndarray, entry_age: np.ndarray, command: np.ndarray) -> np.ndarray:
        """Stack what the controller saw by the tables of an ``ObservationLayout``, (num_envs, dim)."""
        memory = self.memory
        envs, row_dim = np.arange(len(memory.age))[:, None], memory.rows.shape[2]
        slots = (memory.steps[:, None] - 1 - entry_age) % memory.rows.shape[1]  # (num_envs, dim)
        observation = memory.rows[envs, slots, np.minimum(entry_column, row_dim - 1)]
        is_command = entry_column >= row_dim
        observation[:, is_command] = command[:, entry_column[is_command] - row_dim]
        return observation

    def _values(self, name: str, size: int = 1) -> np.ndarray:
        """Columns of a parameter, (num_envs, size)."""
        start = self.first_column(name)
        return self.table[:, start : start + size]

    def _words(self, stream: int) -> np.ndarray:
        """Random words of a stream in this control step, (num_envs, 4)."""
        envs = np.arange(len(self.table))
        counter = np.stack([envs, self.memory.steps, np.full_like(envs, stream), np.full_like(envs, TAG)], axis=1)
        return philox(counter, self.key)

    def _vectors(self, stream: int) -> tuple[np.ndarray, np.ndarray]:
        """Two vectors of independent standard normal numbers, (num_envs, 3)."""
        words, more_words = self._words(stream), self._words(stream + 1)
        first, second = standard_normals(words[:, 0::2], words[:, 1::2])  # (num_envs, 2)
        third, fourth = standard_normals(more_words[:, 0], more_words[:, 1])
        return np.stack([first[:, 0], second[:, 0], first[:, 1]], 1), np.stack([second[:, 1], third, fourth], 1)

    def _walk(self, first: np.ndarray) -> None:
        gyro, attitude = self._vectors(IMU_WALK_STREAM)
        root = np.sqrt(np.float32(self.step_dt))
        self.memory.gyro_walk += self._values("gyro_drift") * root * gyro
        self.memory.attitude_walk += self._values("attitude_drift") * root * attitude[:, :2]
        self.memory.gyro_walk[first] = 0.0
        self.memory.attitude_walk[first] = 0.0

    def _arrivals(self, was_late: np.ndarray, stream: int, first: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Which packet arrives in each environment, and whether the one of this step is late."""
        uniform = unit_interval(self._words(stream))
        is_late = ~was_late & ~first & (uniform[:, 1] < self._values("sensor_repeat")[:, 0])
        is_lost = uniform[:, 0] < self._values("sensor_dropout")[:, 0]
        arrival = np.where(is_late | is_lost, HELD, np.where(was_late, LATE, FRESH))
        return np.where(first, FRESH, arrival), is_late

    def _delayed(self, latency: str, arrival: np.ndarray, columns: slice) -> np.ndarray:
        """Readings of the past, (num_envs, columns)."""
        memory = self.memory
        depth, age = memory.truth.shape[1], memory.age
        delay = np.clip(self._values(latency)[:, 0] / np.float32(self.step_dt), 0.0, depth - RING_MARGIN)
        delay = np.minimum(delay + (arrival == LATE), age)
        newer = delay.astype(np.int64)
        older = np.minimum(newer + 1, age)
        envs = np.arange(len(age))
        value_newer = memory.truth[envs, (memory.steps - newer) % depth, columns]
        value_older = memory.truth[envs, (memory.steps - older) % depth, columns]
        return value_newer + (delay - newer)[:, None].astype(np.float32) * (value_older - value_newer)

    def _read_imu(self, arrival: np.ndarray) -> np.ndarray:
        reading = self._delayed("imu_latency", arrival, _IMU)
        mounting = self._values("imu_mounting", 3)
        error = np.pad(self.memory.attitude_walk, ((0, 0), (0, 1)))
        first, second = self._vectors(IMU_NOISE_STREAM)
        angular = rotate_into(mounting, reading[:, :3]) + self._values("gyro_bias", 3) + self.memory.gyro_walk
        gravity = rotate_into(error, rotate_into(mounting, reading[:, 3:]))
        angular = angular + self._values("gyro_noise") * first
        return np.concatenate([angular, gravity + self._values("gravity_noise") * second], axis=1)

    def _read_encoders(self, arrival: np.ndarray) -> np.ndarray:
        num_joints = len(self.default_joint_pos)
        reading = self._delayed("encoder_latency", arrival, slice(6, 6 + 2 * num_joints))
        words = np.stack([self._words(JOINT_STREAM + joint) for joint in range(num_joints)], axis=1)
        for_position, for_velocity = standard_normals(words[..., 0], words[..., 1])  # (num_envs, num_joints)
        position = reading[:, :num_joints] + self._values("encoder_offset", num_joints) - self.default_joint_pos
        position = position + self._values("encoder_noise") * for_position
        velocity = reading[:, num_joints:] + self._values("encoder_velocity_noise") * for_velocity
        return np.concatenate([position, velocity], axis=1)

    def _read_feet(self, touches: np.ndarray) -> np.ndarray:
        chance = np.where(touches, self._values("contact_miss"), self._values("contact_false"))
        errs = [
            unit_interval(self._words(FOOT_STREAM + foot))[:, 0] < chance[:, foot] for foot in range(touches.shape[1])
        ]
        return touches ^ np.stack(errs, axis=1) if errs else touches


def rotate_into(rotation: np.ndarray, vector: np.ndarray) -> np.ndarray:
    """Components of vectors along axes turned by rotation vectors [rad] (Rodrigues' formula), both (num_envs, 3)."""
    angle = np.linalg.norm(rotation, axis=1, keepdims=True)
    axis = rotation / np.maximum(angle, 1e-30)
    along = axis * np.sum(axis * vector, axis=1, keepdims=True)
    return np.cos(angle) * vector - np.sin(angle) * np.cross(axis, vector) + (1.0 - np.cos(angle)) * along
