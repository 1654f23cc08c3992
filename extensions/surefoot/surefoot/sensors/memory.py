"""What sensors are, read and remember, as Warp structs, and the functions through which the kernels use them."""

# A kernel is compiled by Warp, whose vector types and structs do what their Python classes do not declare.
# pyright: reportArgumentType=false, reportIndexIssue=false, reportOperatorIssue=false, reportCallIssue=false
# pyright: reportGeneralTypeIssues=false, reportReturnType=false, reportAttributeAccessIssue=false

import warp as wp

from surefoot.random_numbers.philox import Words, philox, standard_normals, unit_interval
from surefoot.randomization.catalogue import DECLARED

TAG = wp.constant(wp.uint32(0x53454E53))
"""Fourth counter word of the sensors' random numbers ("SENS"): it keeps them apart from other uses of the key."""
JOINT_STREAM = wp.constant(wp.uint32(0x00000))
"""Stream of the first joint's noise; the other joints follow."""
FOOT_STREAM = wp.constant(wp.uint32(0x10000))
"""Stream of the first foot's errors; the other feet follow."""
IMU_NOISE_STREAM = wp.constant(wp.uint32(0x20000))
"""First of two streams of the IMU's noise."""
IMU_WALK_STREAM = wp.constant(wp.uint32(0x20002))
"""First of two streams of the IMU's random walks."""
IMU_PACKET_STREAM = wp.constant(wp.uint32(0x30000))
"""Stream that says which packets of the IMU are late or lost."""
ENCODER_PACKET_STREAM = wp.constant(wp.uint32(0x30001))
"""Stream that says which packets of the encoders are late or lost; all joints draw the same numbers from it."""

FRESH = wp.constant(0)
"""The packet of this control step arrives."""
LATE = wp.constant(1)
"""The packet of the control step before arrives."""
HELD = wp.constant(2)
"""None arrives: the last one is seen again."""

RING_MARGIN = 3
"""Samples that the ring holds beyond the largest latency in control steps: the present one, the older one of two that
are interpolated, and one for a late packet."""
_RING_MARGIN = wp.constant(RING_MARGIN)


PARAMETERS = tuple(name for name, item in DECLARED.items() if item.errs)
"""Names of the parameters that the sensors read from the table of randomized parameters."""


@wp.struct
class SensorColumns:
    """First column of each of :data:`PARAMETERS` in the table."""

    __annotations__ = dict.fromkeys(PARAMETERS, wp.int32)


@wp.struct
class SensorModel:
    """What the sensors are like."""

    table: wp.array2d(dtype=float)
    """Value in force of each randomized parameter, (num_envs, columns)."""
    columns: SensorColumns
    """Where the sensors' parameters stand in it."""
    default_joint_pos: wp.array(dtype=float)
    """Default pose [rad], to which encoder readings are relative, (num_joints,)."""
    step_dt: float
    """Control step [s]."""
    seed: wp.uint32
    """First word of the generator's key."""
    rank: wp.uint32
    """Second word of the generator's key."""


@wp.struct
class SensorMemory:
    """What the sensors remember. A lane is a joint, the IMU or a foot, in this order; each has a thread.

    Each lane counts for itself, so that no thread reads what another one writes.
    """

    steps: wp.array2d(dtype=int)
    """Control steps since the environment was made, (num_envs, lanes)."""
    age: wp.array2d(dtype=int)
    """Control steps since the last reset, (num_envs, lanes)."""
    was_late: wp.array2d(dtype=wp.bool)
    """Whether the last packet was late, (num_envs, lanes)."""
    gyro_walk: wp.array(dtype=wp.vec3f)
    """Drift of the gyroscope's bias in this episode [rad/s]."""
    attitude_walk: wp.array(dtype=wp.vec2f)
    """Drift of the attitude estimate in this episode, roll and pitch [rad]."""
    truth: wp.array3d(dtype=float)
    """Ring over control steps of true readings, (num_envs, depth, delayed_dim)."""
    rows: wp.array3d(dtype=float)
    """Ring over control steps of what the controller saw, (num_envs, history, row_dim)."""


@wp.func
def random_words(model: SensorModel, env: int, step: int, stream: wp.uint32) -> Words:
    """Four words of a stream in a control step."""
    return philox(Words(wp.uint32(env), wp.uint32(step), stream, TAG), model.seed, model.rank)


@wp.func
def random_vectors(model: SensorModel, env: int, step: int, stream: wp.uint32):  # noqa: ANN201 - two vec3f
    """Two vectors of independent standard normal numbers from two streams."""
    words = random_words(model, env, step, stream)
    more_words = random_words(model, env, step, stream + wp.uint32(1))
    first = standard_normals(words[0], words[1])
    second = standard_normals(words[2], words[3])
    third = standard_normals(more_words[0], more_words[1])
    return wp.vec3f(first[0], first[1], second[0]), wp.vec3f(second[1], third[0], third[1])


@wp.func
def rotate_into(rotation: wp.vec3f, vector: wp.vec3f) -> wp.vec3f:
    """Components of a vector along axes that were turned by a rotation vector [rad]."""
    angle = wp.length(rotation)
    rotated = vector
    if angle > 0.0:
        rotated = wp.quat_rotate_inv(wp.quat_from_axis_angle(rotation / angle, angle), vector)
    return rotated


@wp.func
def receive_packet(model: SensorModel, memory: SensorMemory, env: int, lane: int, stream: wp.uint32) -> int:
    """Say which packet a lane receives, and remember whether the one of this step is late."""
    was_late = memory.was_late[env, lane]
    memory.was_late[env, lane] = False
    if memory.age[env, lane] == 0:
        return FRESH
    arrival = FRESH
    if was_late:
        arrival = LATE
    dropout = model.table[env, model.columns.sensor_dropout]
    repeat = model.table[env, model.columns.sensor_repeat]
    if dropout > 0.0 or repeat > 0.0:
        words = random_words(model, env, memory.steps[env, lane], stream)
        if not was_late and unit_interval(words[1]) < repeat:
            memory.was_late[env, lane] = True
            arrival = HELD
        if unit_interval(words[0]) < dropout:
            arrival = HELD
    return arrival


@wp.func
def remember_truth(memory: SensorMemory, env: int, lane: int, column: int, value: float) -> None:
    """Put a true reading into the ring."""
    memory.truth[env, memory.steps[env, lane] % memory.truth.shape[1], column] = value


@wp.func
def packet_delay(memory: SensorMemory, latency_steps: float, arrival: int) -> float:
    """Age of a packet's readings in control steps; a latency for which the ring is too short is cut."""
    delay = wp.clamp(latency_steps, 0.0, float(memory.truth.shape[1] - _RING_MARGIN))
    if arrival == LATE:
        delay += 1.0
    return delay


@wp.func
def delayed(memory: SensorMemory, env: int, lane: int, column: int, delay_steps: float) -> float:
    """Reading of a time that lies ``delay_steps`` control steps in the past, at most at the start of the episode."""
    depth = memory.truth.shape[1]
    step = memory.steps[env, lane]
    age = memory.age[env, lane]
    delay = wp.min(delay_steps, float(age))
    newer = int(delay)
    older = wp.min(newer + 1, age)  # what lies before the first reading may be NaN
    value_newer = memory.truth[env, (step - newer + depth) % depth, column]
    value_older = memory.truth[env, (step - older + depth) % depth, column]
    return value_newer + (delay - float(newer)) * (value_older - value_newer)


@wp.func
def show(memory: SensorMemory, env: int, lane: int, column: int, value: float) -> None:
    """Put what the controller sees into the history, which the first value of an episode fills."""
    history = memory.rows.shape[1]
    if memory.age[env, lane] == 0:
        for slot in range(history):
            memory.rows[env, slot, column] = value
    else:
        memory.rows[env, memory.steps[env, lane] % history, column] = value


@wp.func
def show_again(memory: SensorMemory, env: int, lane: int, column: int) -> None:
    """Let the controller see what it saw in the step before."""
    history = memory.rows.shape[1]
    step = memory.steps[env, lane]
    memory.rows[env, step % history, column] = memory.rows[env, (step - 1 + history) % history, column]
