"""Statistics of the sensors' random numbers, and what they depend on. Seeds are fixed: the bounds cannot flake."""

import math

import numpy as np
import pytest
import torch
from tests.unit.test_sensor_readings import STEP_DT, Rig

NUM_ENVS = 4096


@pytest.mark.parametrize(
    ("parameter", "term", "std"),
    [
        ("gyro_noise", "gyro", 0.2),
        ("gravity_noise", "gravity", 0.05),
        ("encoder_noise", "joint_pos", 0.01),
        ("encoder_velocity_noise", "joint_vel", 1.5),
    ],
)
def test_noise_is_normal_with_the_declared_standard_deviation(parameter: str, term: str, std: float) -> None:
    rig = Rig(NUM_ENVS)
    truth = rig.record(term, 1)
    rig.set(parameter, std)
    noise = (rig.record(term, 4) - truth) / std  # (4, NUM_ENVS, dim)
    count = noise.size
    assert abs(noise.mean()) < 3.0 / math.sqrt(count)
    assert abs(noise.std() - 1.0) < 3.0 / math.sqrt(2.0 * count)
    assert abs((noise**4).mean() - 3.0) < 3.0 * math.sqrt(96.0 / count)  # kurtosis of a normal distribution


@pytest.mark.parametrize("term", ["gyro", "gravity", "joint_pos", "joint_vel"])
def test_each_noise_leaves_the_other_readings_alone(term: str) -> None:
    noises = {
        "gyro": "gyro_noise",
        "gravity": "gravity_noise",
        "joint_pos": "encoder_noise",
        "joint_vel": "encoder_velocity_noise",
    }
    quiet = Rig(4, **{name: 1.0 for other, name in noises.items() if other != term})
    np.testing.assert_array_equal(quiet.record(term, 3), Rig(4).record(term, 3))


def test_noises_of_components_steps_and_environments_are_independent() -> None:
    rig = Rig(NUM_ENVS, gyro_noise=1.0, gravity_noise=1.0, encoder_noise=1.0, encoder_velocity_noise=1.0)
    rig.gravity[:] = 0.0
    samples = []
    for _ in range(2):
        rig.sensors.advance()
        samples.append(rig.sensors.observe().numpy()[:, :10])  # gyro, gravity, positions, velocities
    now, before = samples
    columns = np.concatenate([now, before, np.roll(now, 1, axis=0)], axis=1)  # (NUM_ENVS, 30)
    correlation = np.corrcoef(columns, rowvar=False) - np.eye(30)
    # Among 435 pairs of independent columns the largest correlation is near 3.1 / sqrt(NUM_ENVS).
    assert np.abs(correlation).max() < 4.5 / math.sqrt(NUM_ENVS)


@pytest.mark.parametrize(("parameter", "term"), [("gyro_drift", "gyro"), ("attitude_drift", "gravity")])
def test_the_variance_of_a_drift_grows_linearly_in_time(parameter: str, term: str) -> None:
    density = 0.01
    rig = Rig(NUM_ENVS, **{parameter: density})
    # An attitude error turns gravity (0, 0, -1) sideways by the angle itself, as long as it is small.
    drift = rig.record(term, 101)[:, :, : 3 if term == "gyro" else 2]
    assert np.abs(drift[0]).max() == 0.0
    for steps in (25, 50, 100):
        variance = float((drift[steps] ** 2).mean())
        expected = density**2 * steps * STEP_DT
        assert abs(variance / expected - 1.0) < 3.0 * math.sqrt(2.0 / drift[steps].size)


def test_a_reset_takes_the_drift_away_where_it_happens_only() -> None:
    rig = Rig(3, gyro_drift=1.0)
    before = rig.record("gyro", 10)[-1]
    rig.sensors.reset(torch.tensor([1], dtype=torch.int32))
    after = rig.record("gyro", 1)[0]
    assert np.all(after[1] == 0.0)
    assert np.all(np.abs(after[[0, 2]] - before[[0, 2]]) < 5.0 * math.sqrt(STEP_DT))
    assert np.all(after[[0, 2]] != 0.0)


def held(rig: Rig, steps: int) -> tuple[np.ndarray, np.ndarray]:
    """Where the IMU and the encoders show what they showed before, although the truth moves, (steps, num_envs)."""
    shown = []
    for step in range(steps + 1):
        rig.ang_vel[:] = float(step)
        rig.joint_vel[:] = float(step)
        rig.sensors.advance()
        shown.append(rig.sensors.observe().numpy()[:, [0, 8]])
    imu, encoders = np.moveaxis(np.diff(shown, axis=0) == 0.0, -1, 0)
    return imu, encoders


def test_packets_are_lost_with_the_declared_probability_and_each_sensor_alone() -> None:
    imu, encoders = held(Rig(256, sensor_dropout=0.1), 100)
    for lost in (imu, encoders):
        assert abs(lost.mean() - 0.1) < 3.0 * math.sqrt(0.1 * 0.9 / lost.size)
    assert abs((imu & encoders).mean() - 0.01) < 3.0 * math.sqrt(0.01 * 0.99 / imu.size)


def test_a_packet_after_one_that_was_not_late_is_late_with_the_declared_probability() -> None:
    imu, _ = held(Rig(256, sensor_repeat=0.1), 100)
    after_punctual = imu[1:][~imu[:-1]]
    assert not imu[1:][imu[:-1]].any()  # the late one comes in the next step
    assert abs(after_punctual.mean() - 0.1) < 3.0 * math.sqrt(0.1 * 0.9 / after_punctual.size)


def test_the_joints_share_a_packet() -> None:
    rig = Rig(64, sensor_dropout=0.5)
    for step in range(20):
        rig.joint_vel[:] = float(step)
        rig.joint_pos[:] = float(step)
        rig.sensors.advance()
        velocity = rig.read("joint_vel")
        assert torch.equal(velocity[:, 0], velocity[:, 1])
        assert torch.allclose(rig.read("joint_pos")[:, 0] + 0.5, velocity[:, 0])


def test_foot_sensors_err_with_the_declared_probabilities() -> None:
    rig = Rig(NUM_ENVS, contact_miss=0.2, contact_false=0.05)
    rig.contact[:, 0] = True
    shown = rig.record("foot_contact", 10)  # (10, NUM_ENVS, 2)
    for foot, probability in ((0, 0.8), (1, 0.05)):
        deviation = math.sqrt(probability * (1.0 - probability) / (10 * NUM_ENVS))
        assert abs(shown[..., foot].mean() - probability) < 3.0 * deviation


NOISY = {
    "gyro_noise": 0.1,
    "gyro_drift": 0.1,
    "gravity_noise": 0.1,
    "attitude_drift": 0.1,
    "encoder_noise": 0.1,
    "encoder_velocity_noise": 0.1,
    "sensor_dropout": 0.2,
    "sensor_repeat": 0.2,
    "contact_miss": 0.5,
    "contact_false": 0.5,
}


def observations(rig: Rig, steps: int, resets: dict[int, list[int]] | None = None) -> np.ndarray:
    """Observations of a moving robot, (steps, num_envs, dim)."""
    seen = []
    for step in range(steps):
        for env in (resets or {}).get(step, []):
            rig.sensors.reset(torch.tensor([env]))
        rig.ang_vel[:] = float(step)
        rig.joint_vel[:] = float(step)
        rig.sensors.advance()
        seen.append(rig.sensors.observe().numpy())
    return np.stack(seen)


def test_an_environment_sees_the_same_among_4_as_among_64() -> None:
    np.testing.assert_array_equal(
        observations(Rig(4, **NOISY), 20), observations(Rig(64, **NOISY), 20)[:, :4], strict=True
    )


def test_every_environment_rank_and_seed_draws_numbers_of_its_own() -> None:
    rigs = (Rig(64, gyro_noise=1.0, seed=seed, rank=rank) for seed, rank in ((1, 0), (1, 1), (2, 0), (2, 1)))
    first_axis = np.concatenate([rig.record("gyro", 8)[..., 0].ravel() for rig in rigs])
    assert len(np.unique(first_axis)) == 4 * 64 * 8


def test_two_builds_with_one_seed_agree_and_a_seed_beyond_32_bits_is_taken() -> None:
    first, second = (observations(Rig(4, seed=2**40 + 7, **NOISY), 5) for _ in range(2))
    np.testing.assert_array_equal(first, second)


def test_resets_in_any_order_change_nothing_in_other_environments() -> None:
    plain = observations(Rig(4, **NOISY), 20)
    one = observations(Rig(4, **NOISY), 20, {5: [1, 3], 9: [3]})
    other = observations(Rig(4, **NOISY), 20, {5: [3, 1], 9: [3]})
    np.testing.assert_array_equal(one, other)
    np.testing.assert_array_equal(one[:, [0, 2]], plain[:, [0, 2]])
    assert not np.array_equal(one[:, 1], plain[:, 1])
