"""The sensor kernels against their NumPy reference."""

import numpy as np
import pytest
import torch
import warp as wp
from tests.references import sensors as reference
from tests.references.sensors import SensorInputs, SensorMemory, SensorReference
from tests.unit.test_sensor_readings import DEFAULT, FIRST_COLUMN, NUM_JOINTS, STEP_DT, Rig

from surefoot.random_numbers import philox_numpy
from surefoot.sensors import memory as warp_memory
from surefoot.sensors.kernels import write_observation
from surefoot.sensors.layout import ProprioceptionTerm

NUM_ENVS = 48
TERMS = (
    ProprioceptionTerm("feet", "foot_contact", 2),
    ProprioceptionTerm("gyro", "gyro", 4),
    ProprioceptionTerm("command", "command"),
    ProprioceptionTerm("velocity", "joint_vel", 1),
    ProprioceptionTerm("position", "joint_pos", 3),
    ProprioceptionTerm("gravity", "gravity", 2),
    ProprioceptionTerm("action", "last_action", 3),
)
LARGEST = {
    "gyro_noise": 0.2,
    "gyro_bias": 0.1,
    "gyro_drift": 0.1,
    "gravity_noise": 0.05,
    "imu_mounting": 0.1,
    "attitude_drift": 0.1,
    "imu_latency": 0.06,
    "encoder_noise": 0.01,
    "encoder_velocity_noise": 1.5,
    "encoder_offset": 0.02,
    "encoder_latency": 0.03,
    "sensor_dropout": 0.3,
    "sensor_repeat": 0.3,
    "contact_miss": 0.4,
    "contact_false": 0.2,
}


def both(rng: np.random.Generator, *, seed: int = 7, rank: int = 3) -> tuple[Rig, SensorReference]:
    """Sensors under test and their reference, with parameters of their own in every environment."""
    rig = Rig(NUM_ENVS, TERMS, seed=seed, rank=rank)
    for name, largest in LARGEST.items():
        first = FIRST_COLUMN[name]
        width = {"gyro_bias": 3, "imu_mounting": 3, "encoder_offset": NUM_JOINTS}.get(name, 1)
        low = -largest if width > 1 else 0.0
        rig.table[:, first : first + width] = torch.from_numpy(rng.uniform(low, largest, (NUM_ENVS, width)))
    return rig, SensorReference(
        rig.table.numpy().copy(),
        lambda name: int(FIRST_COLUMN[name]),
        np.array(DEFAULT, np.float32),
        STEP_DT,
        (seed, rank),
        SensorMemory.empty(NUM_ENVS, NUM_JOINTS, 2, depth=6, history=4),
    )


def move(rig: Rig, rng: np.random.Generator) -> SensorInputs:
    """Put the robots into a random state; the same for the reference."""
    for value in (rig.ang_vel, rig.joint_pos, rig.joint_vel, rig.action, rig.command, rig.gravity):
        value[:] = torch.from_numpy(rng.normal(0.0, 2.0, value.shape))
    rig.gravity /= rig.gravity.norm(dim=1, keepdim=True)
    rig.contact[:] = torch.from_numpy(rng.random(rig.contact.shape) < 0.5)
    arrays = (rig.ang_vel, rig.gravity, rig.joint_pos, rig.joint_vel, rig.contact, rig.action)
    return SensorInputs(*(value.numpy().copy() for value in arrays))


def test_the_kernels_equal_their_reference_on_random_states_and_resets() -> None:
    rng = np.random.default_rng(5)
    rig, twin = both(rng)
    late = lost = 0
    for step in range(40):
        inputs = move(rig, rng)
        if step in (9, 23, 24):
            env_ids = np.flatnonzero(rng.random(NUM_ENVS) < 0.3)
            rig.sensors.reset(torch.from_numpy(env_ids))
            twin.reset(env_ids)
        rig.sensors.advance()
        twin.advance(inputs)
        state = rig.sensors.state_dict()
        np.testing.assert_array_equal(state["was_late"][:, 0], twin.memory.encoders_were_late)
        np.testing.assert_array_equal(state["was_late"][:, NUM_JOINTS], twin.memory.imu_was_late)
        np.testing.assert_allclose(state["gyro_walk"], twin.memory.gyro_walk, atol=1e-5)
        np.testing.assert_allclose(state["attitude_walk"], twin.memory.attitude_walk, atol=1e-5)
        np.testing.assert_array_equal(state["truth"], twin.memory.truth)
        np.testing.assert_allclose(state["rows"], twin.memory.rows, rtol=1e-5, atol=2e-5)
        expected = twin.observe(rig.layout.entry_column, rig.layout.entry_age, rig.command.numpy())
        np.testing.assert_allclose(rig.sensors.observe(), expected, rtol=1e-5, atol=2e-5)
        late += int(twin.memory.imu_was_late.sum())
        rows, history = twin.memory.rows, twin.memory.rows.shape[1]
        lost += int((rows[:, step % history, 0] == rows[:, (step - 1) % history, 0]).sum())
    assert late > 100, "hardly a packet was late: the comparison would prove little"
    assert lost - late > 100, "hardly a packet was lost"


@pytest.mark.parametrize("lanes", [1, 5, 32])
def test_an_observation_is_the_same_by_any_number_of_threads(lanes: int) -> None:
    rng = np.random.default_rng(6)
    rig, _ = both(rng)
    for _ in range(6):
        move(rig, rng)
        rig.sensors.advance()
    state = rig.sensors.state_dict()
    rows, steps = wp.from_torch(state["rows"].flatten(1)), wp.from_torch(state["steps"])
    place = wp.array(rig.layout.entry_place, dtype=wp.int32, device="cpu")
    written = torch.full((NUM_ENVS, rig.layout.dim), torch.nan)
    wp.launch(
        write_observation,
        dim=(NUM_ENVS, lanes),
        inputs=[rows, steps, wp.from_torch(rig.command), place, lanes],
        outputs=[wp.from_torch(written)],
        device="cpu",
    )
    assert torch.equal(written, rig.sensors.observe())


def test_kernel_and_reference_use_the_same_streams() -> None:
    names = [name for name in vars(reference) if name.endswith("_STREAM") or name in ("TAG", "FRESH", "LATE", "HELD")]
    assert len(names) == 10
    for name in (*names, "RING_MARGIN"):
        assert int(getattr(warp_memory, name)) == getattr(reference, name)


def test_streams_of_the_largest_robot_do_not_overlap() -> None:
    starts = sorted(getattr(reference, name) for name in vars(reference) if name.endswith("_STREAM"))
    taken = {reference.IMU_NOISE_STREAM: 2, reference.IMU_WALK_STREAM: 2}
    taken |= {reference.IMU_PACKET_STREAM: 1, reference.ENCODER_PACKET_STREAM: 1}
    for start, following in zip(starts, [*starts[1:], 2**32], strict=True):
        assert start + taken.get(start, 0x10000) <= following


def test_a_first_reading_is_the_normal_number_of_its_counter() -> None:
    rig = Rig(2, seed=11, rank=4, encoder_velocity_noise=2.0)
    rig.sensors.advance()
    # Environment 1, control step 0, joint 1; the second number of the pair is for the velocity.
    words = philox_numpy.philox(np.array([1, 0, 1, 0x53454E53]), (11, 4))
    expected = 2.0 * philox_numpy.standard_normals(words[0], words[1])[1]
    assert rig.read("joint_vel")[1, 1].item() == pytest.approx(float(expected), rel=1e-5)
