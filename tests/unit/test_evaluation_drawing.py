"""What is drawn for trials: the same alone as among others, within its span, and as it says."""

from dataclasses import fields

import numpy as np
import pytest
from tests.fixtures.shipped import GO2_BUNDLE

from surefoot.evaluation.scenarios.scenario import LargestPush, Scenario, Suite
from surefoot.evaluation.trials.batch import TrialBatch
from surefoot.evaluation.trials.sampling import draw_batch, largest_push_times, roll_and_pitch
from surefoot_bridge.bundle import load_bundle

SCENARIO = {
    "name": "walk",
    "description": "Walks.",
    "commands": [{"at_s": 0.0, "velocity": [0.5, 0.0, 0.0]}],
    "pushes": [
        {"at_s": [4.0, 5.0], "force_n": [10.0, 50.0], "direction_deg": "any"},
        {"at_s": [1.0, 2.0], "force_n": 30.0, "direction_deg": 90.0, "duration_s": 0.3},
    ],
    "robot": {
        "friction": [0.3, 1.2],
        "torsional_friction_m": [0.0, 0.02],
        "rolling_friction_m": [0.0, 0.01],
        "payload_kg": [0.0, 3.0],
        "motor_strength": [0.8, 1.1],
        "motor_heat": [0.0, 1.0],
        "cold_friction": [1.0, 3.0],
        "battery_voltage": [0.9, 1.0],
        "battery_sag_per_s": [0.0, 0.01],
        "command_latency_s": [0.0, 0.02],
        "sensor_noise": [0.0, 2.0],
        "encoder_offset_rad": [-0.02, 0.02],
        "tilt_deg": [0.0, 10.0],
        "yaw_deg": [-90.0, 90.0],
    },
    "length_s": 8.0,
}


@pytest.fixture(scope="module")
def contract():
    return load_bundle(GO2_BUNDLE, runtime="numpy").contract


def drawn(contract, numbers, *, seed: int = 0, robot: dict | None = None, **changes) -> TrialBatch:
    data = {**SCENARIO, **changes, "robot": {**SCENARIO["robot"], **(robot or {})}}
    suite = Suite.model_validate(
        {"version": 1, "name": "own", "description": "Own.", "seed": seed, "scenarios": [data]}
    )
    return draw_batch(suite, suite.scenarios[0], np.asarray(numbers), contract)


def arrays(batch: TrialBatch) -> dict[str, np.ndarray]:
    columns = dict(vars(batch.variation))
    for index, push in enumerate(batch.pushes):
        columns |= {f"push_{index}_{item.name}": getattr(push, item.name) for item in fields(push)}
    return {"seeds": batch.seeds, **columns}


def test_a_trial_is_the_same_alone_as_among_others_in_any_order(contract):
    many = arrays(drawn(contract, [99_999, 3, 17, 0]))
    for place, number in enumerate([99_999, 3, 17, 0]):
        for name, values in arrays(drawn(contract, [number])).items():
            assert np.array_equal(values[0], many[name][place]), name


def test_every_number_differs_from_trial_to_trial(contract):
    batch = arrays(drawn(contract, range(2000)))
    constant = {"push_0_duration_s", "push_1_duration_s", "push_0_force_b"}
    for name in batch.keys() - constant:
        assert len(np.unique(batch[name], axis=0)) > 1990, name


@pytest.mark.parametrize("changes", [{"seed": 1}, {"name": "run"}])
def test_another_seed_or_name_draws_everything_anew(contract, changes):
    first, second = arrays(drawn(contract, range(50))), arrays(drawn(contract, range(50), **changes))
    for name in first.keys() - {"push_0_duration_s", "push_1_duration_s", "push_0_force_b"}:
        assert not np.isclose(first[name].astype(float), second[name].astype(float), rtol=1e-9).any(axis=0).all(), name


def test_a_changed_span_changes_no_other_number(contract):
    first = arrays(drawn(contract, range(50)))
    second = arrays(drawn(contract, range(50), robot={"friction": 0.6}))
    assert (second.pop("friction") == 0.6).all()
    for name, values in second.items():
        assert np.array_equal(values, first[name]), name


def test_numbers_fill_their_spans_evenly(contract):
    batch = drawn(contract, range(4000))
    for name, low, high in [("friction", 0.3, 1.2), ("payload_kg", 0.0, 3.0), ("encoder_offset_rad", -0.02, 0.02)]:
        values = np.sort(getattr(batch.variation, name).ravel())
        assert low <= values[0]
        assert values[-1] <= high
        shares = (values - low) / (high - low)
        # Kolmogorov and Smirnov: 1.95 / sqrt(n) is exceeded once in a thousand times.
        assert np.abs(shares - np.linspace(0.0, 1.0, len(shares))).max() < 1.95 / np.sqrt(len(shares)), name


def test_joints_share_what_is_of_the_robot_and_have_offsets_of_their_own(contract):
    variation = drawn(contract, range(20)).variation
    for shared in (variation.motor_strength, variation.motor_heat):
        assert shared.shape == (20, 12)
        assert (shared == shared[:, :1]).all()
    for own in (variation.encoder_offset_rad, variation.joint_offset_rad):
        assert own.shape == (20, 12)
        assert len(np.unique(own)) == 240


def test_a_tilt_is_the_angle_to_the_vertical_about_any_axis(contract):
    variation = drawn(contract, range(3000), robot={"tilt_deg": 30.0}).variation
    roll, pitch = variation.tilt_rad.T
    assert np.degrees(np.arccos(np.cos(roll) * np.cos(pitch))) == pytest.approx(np.full(3000, 30.0))
    quadrants = 2 * (roll > 0) + (pitch > 0)
    assert np.bincount(quadrants, minlength=4) == pytest.approx(np.full(4, 750), abs=100)


def test_a_tilt_about_x_is_a_roll_and_one_about_y_a_pitch():
    tilts = roll_and_pitch(np.array([0.3, 0.3, -0.2]), np.array([0.0, np.pi / 2, 0.0]))
    assert tilts == pytest.approx(np.array([[0.3, 0.0], [0.0, 0.3], [-0.2, 0.0]]), abs=1e-15)


def test_pushes_come_in_the_order_of_their_beginning(contract):
    first, second = drawn(contract, range(1000)).pushes
    assert (first.start_s.min(), first.start_s.max()) == pytest.approx((1.0, 2.0), abs=0.01)
    assert (second.start_s.min(), second.start_s.max()) == pytest.approx((4.0, 5.0), abs=0.01)
    assert (first.duration_s == 0.3).all()


def test_pushes_have_their_force_in_their_direction(contract):
    left, anywhere = drawn(contract, range(1000)).pushes
    assert left.force_b == pytest.approx(np.tile([0.0, 30.0, 0.0], (1000, 1)), abs=1e-12)
    size = np.linalg.norm(anywhere.force_b, axis=1)
    assert (size.min(), size.max()) == pytest.approx((10.0, 50.0), abs=0.2)
    turned = np.degrees(np.arctan2(anywhere.force_b[:, 1], anywhere.force_b[:, 0]))
    assert np.histogram(turned, bins=4, range=(-180, 180))[0] == pytest.approx(np.full(4, 250), abs=60)


def test_trials_of_a_search_take_its_directions_in_turn():
    search = LargestPush(at_s=2.0, duration_s=0.4, direction_deg=(0.0, 90.0, 180.0))
    push = largest_push_times(search, np.array([0, 1, 5, 6]), np.array([10.0, 20.0, 30.0, 40.0]))
    assert push.force_b == pytest.approx(np.array([[10, 0, 0], [0, 20, 0], [-30, 0, 0], [40, 0, 0]]), abs=1e-12)
    assert push.start_s.tolist() == [2.0] * 4
    assert push.duration_s.tolist() == [0.4] * 4


def test_numbers_stay_the_same_from_version_to_version(contract):
    """A trial is named by its number in reports and replayed from it: these were drawn when the suites came out."""
    batch = drawn(contract, [7])
    assert batch.seeds.tolist() == [8_284_235_861_399_461_062]
    assert batch.variation.friction[0] == pytest.approx(1.1277864038944243, rel=1e-12)
    assert batch.variation.encoder_offset_rad[0, 11] == pytest.approx(-0.013620822429656983, rel=1e-12)
    assert batch.pushes[1].force_b[0, 0] == pytest.approx(10.183223163565636, rel=1e-12)


def test_the_nominal_robot_is_nominal(contract):
    scenario = Scenario.model_validate(
        {key: value for key, value in SCENARIO.items() if key not in ("robot", "pushes")}
    )
    suite = Suite(version=1, name="own", description="Own.", scenarios=(scenario,))
    batch = draw_batch(suite, scenario, np.arange(5), contract)
    nominal = {"friction": 0.8, "motor_strength": 1.0, "cold_friction": 1.0, "battery_voltage": 1.0}
    for name, values in vars(batch.variation).items():
        if name != "joint_offset_rad":
            assert (values == nominal.get(name, 0.0)).all(), name
    assert batch.pushes == ()
