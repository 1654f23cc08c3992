"""The sensors of all environments as an object: buffers, resets, history, checkpoints and refusals."""

import pytest
import torch
import warp as wp
from tests.unit.test_sensor_noise import NOISY
from tests.unit.test_sensor_readings import FIRST_COLUMN, TERMS, Rig

from surefoot.randomization.catalogue import make_catalogue
from surefoot.sensors.layout import ObservationLayout, ProprioceptionTerm
from surefoot.sensors.proprioception import PARAMETERS, Proprioception, TrueReadings
from surefoot.snapshot import Stateful, StateMismatchError
from surefoot_bridge.errors import SurefootError
from surefoot_robots import get_robot

STACKED = (
    ProprioceptionTerm("gyro", "gyro", 3),
    ProprioceptionTerm("command", "command"),
    ProprioceptionTerm("action", "last_action", 2),
)


def test_a_history_is_stacked_oldest_first_and_filled_by_the_first_reading() -> None:
    rig = Rig(terms=STACKED)
    shown = []
    for step in range(1, 5):
        rig.ang_vel[0] = torch.tensor([1.0, 2.0, 3.0]) * step
        rig.action[0] = torch.tensor([10.0, 20.0]) * step
        shown.append((rig.step("gyro"), rig.read("action")[0].tolist()))
    assert shown[0] == ([1, 2, 3, 1, 2, 3, 1, 2, 3], [10, 20, 10, 20])
    assert shown[1] == ([1, 2, 3, 1, 2, 3, 2, 4, 6], [10, 20, 20, 40])
    assert shown[2] == ([1, 2, 3, 2, 4, 6, 3, 6, 9], [20, 40, 30, 60])
    assert shown[3] == ([2, 4, 6, 3, 6, 9, 4, 8, 12], [30, 60, 40, 80])


def test_a_reset_fills_the_history_of_the_asked_for_environments_only() -> None:
    rig = Rig(3, STACKED, imu_latency=0.05)
    for step in range(1, 6):
        rig.ang_vel[:] = float(step)
        rig.sensors.advance()
    rig.sensors.reset(torch.tensor([2, 0], dtype=torch.int64))
    rig.ang_vel[:] = 100.0
    rig.sensors.advance()
    # Environment 1 goes on 2.5 steps late: of 4, 5 and 100 two and a half steps ago it sees 3.5.
    assert rig.read("gyro")[:, [0, 3, 6]].tolist() == [[100.0] * 3, [1.5, 2.5, 3.5], [100.0] * 3]


def test_a_reset_shows_only_with_the_next_reading() -> None:
    rig = Rig(2, **NOISY)
    rig.record("gyro", 3)
    before = rig.sensors.observe()
    rig.sensors.reset(slice(None))
    assert torch.equal(rig.sensors.observe(), before)


@pytest.mark.parametrize("env_ids", [slice(1, 3), torch.tensor([2, 1]), torch.tensor([1, 2], dtype=torch.int32)])
def test_environments_are_named_by_index_or_slice(env_ids: torch.Tensor | slice) -> None:
    rig = Rig(4)
    rig.record("gyro", 3)
    rig.sensors.reset(env_ids)
    assert rig.sensors.state_dict()["age"][:, 0].tolist() == [3, 0, 0, 3]


def test_a_reset_of_no_environment_changes_nothing() -> None:
    rig = Rig(2)
    rig.record("gyro", 2)
    rig.sensors.reset(torch.zeros(0, dtype=torch.int32))
    assert rig.sensors.state_dict()["age"][:, 0].tolist() == [2, 2]


def test_reading_twice_changes_nothing() -> None:
    once, often = Rig(4, **NOISY), Rig(4, **NOISY)
    for step in range(6):
        for rig in (once, often):
            rig.ang_vel[:] = float(step)
            rig.sensors.advance()
        for _ in range(3):
            often.sensors.observe()
        assert torch.equal(once.sensors.observe(), often.sensors.observe())
    assert often.refreshed == 6


def test_no_tensor_that_was_handed_over_is_written_again() -> None:
    rig = Rig(4, **NOISY)
    handed, copies = [], []
    for step in range(5):
        rig.ang_vel[:] = float(step)
        rig.sensors.advance()
        out = torch.empty(4, rig.layout.dim) if step % 2 else None
        handed.append(rig.sensors.observe(out=out))
        assert out is None or handed[-1] is out
        copies.append(handed[-1].clone())
    rig.sensors.reset(slice(None))
    rig.sensors.advance()
    assert len({tensor.data_ptr() for tensor in handed}) == 5
    assert all(torch.equal(tensor, copy) for tensor, copy in zip(handed, copies, strict=True))
    assert not torch.equal(handed[0], handed[1])


def test_a_command_that_changes_between_readings_is_seen_at_once() -> None:
    rig = Rig(terms=STACKED)
    rig.sensors.advance()
    rig.command[:] = 0.5
    assert rig.read("command")[0].tolist() == [0.5, 0.5, 0.5]


def test_before_the_first_reading_the_controller_sees_zeros() -> None:
    rig = Rig(2, **NOISY)
    assert not rig.sensors.observe().any()


def test_restoring_the_memory_leads_to_the_same_readings() -> None:
    rig, other = Rig(4, STACKED, imu_latency=0.05, **NOISY), Rig(4, STACKED, imu_latency=0.05, **NOISY)
    assert isinstance(rig.sensors, Stateful)
    for step in range(7):
        rig.ang_vel[:] = float(step)
        rig.sensors.advance()
    saved = rig.sensors.state_dict()
    rig.sensors.advance()  # what was saved is a copy
    other.sensors.load_state_dict(saved)
    for _ in range(5):
        rig.ang_vel[:] = 3.0
        other.ang_vel[:] = 3.0
        other.sensors.advance()
    rig.sensors.load_state_dict(saved)
    for _ in range(5):
        rig.sensors.advance()
    assert torch.equal(rig.sensors.observe(), other.sensors.observe())


def test_the_memory_of_other_sensors_is_refused() -> None:
    rig = Rig(2)
    with pytest.raises(StateMismatchError, match=r"proprioception\._steps: expected torch.int32 \(2, 5\)"):
        rig.sensors.load_state_dict(Rig(3).sensors.state_dict())
    state = rig.sensors.state_dict()
    del state["truth"]
    with pytest.raises(StateMismatchError, match=r"proprioception: the saved state lacks \['truth'\]"):
        rig.sensors.load_state_dict(state)


def test_all_memory_stays_where_it_is() -> None:
    rig = Rig(4, **NOISY)
    rig.sensors.advance()
    tensors = [value for value in vars(rig.sensors).values() if isinstance(value, torch.Tensor)]
    places = [value.data_ptr() for value in tensors]
    rig.sensors.reset(torch.tensor([1]))
    rig.record("gyro", 3)
    rig.sensors.load_state_dict(rig.sensors.state_dict())
    assert [value.data_ptr() for value in tensors] == places
    assert len(places) == 7


def test_a_latency_beyond_the_memory_is_refused_by_name() -> None:
    with pytest.raises(SurefootError, match=r"'encoder_latency' holds 0\.1\d* to 0\.1\d* s; .* 0 to 0\.06 s"):
        Rig(encoder_latency=0.1)
    with pytest.raises(SurefootError, match=r"largest sensor latency is -1\.0 s"):
        Rig(largest_latency_s=-1.0)


def test_shapes_that_do_not_fit_are_refused_by_name() -> None:
    rig = Rig(2)
    readings, layout = rig.sensors._readings, ObservationLayout(TERMS, num_joints=3, num_feet=2)

    def build(layout: ObservationLayout, readings: TrueReadings, default: tuple[float, ...], columns: int) -> None:
        Proprioception(
            layout,
            readings,
            wp.zeros((2, columns), dtype=wp.float32, device="cpu"),
            lambda name: int(FIRST_COLUMN[name]),
            default_joint_pos=default,
            step_dt=0.02,
            largest_latency_s=0.0,
            seed=0,
        )

    with pytest.raises(SurefootError, match=r"Reading 'joint_pos' has shape \(2, 2\); .* needs \(2, 3\)"):
        build(layout, readings, (0.0, 0.0, 0.0), 20)
    with pytest.raises(SurefootError, match="The default pose has 3 joints, the observation 2"):
        build(rig.layout, readings, (0.0, 0.0, 0.0), 20)
    with pytest.raises(SurefootError, match="'contact_false' has 1 columns from 19 on, the table has 19"):
        build(rig.layout, readings, (0.0, 0.0), 19)


def test_joint_readings_may_be_columns_of_a_wider_array() -> None:
    rig = Rig(2)
    wide = torch.arange(18.0).reshape(2, 9)
    strided = TrueReadings(of={**rig.sensors._readings.of, "joint_vel": wp.from_torch(wide[:, 3:5])})
    sensors = Proprioception(
        rig.layout,
        strided,
        wp.from_torch(rig.table),
        lambda name: int(FIRST_COLUMN[name]),
        default_joint_pos=(0.0, 0.0),
        step_dt=0.02,
        largest_latency_s=0.0,
        seed=0,
    )
    sensors.advance()
    (place,) = (item for item in rig.layout.slices if item.name == "joint_vel")
    assert sensors.observe()[:, place.start : place.stop].tolist() == [[3.0, 4.0], [12.0, 13.0]]


def test_the_table_of_a_robot_holds_every_parameter_of_its_sensors() -> None:
    spec = get_robot("unitree_g1")
    sizes = {item.name: len(item.elements) for item in make_catalogue(spec)}
    widths = {"gyro_bias": 3, "imu_mounting": 3, "encoder_offset": spec.num_joints}
    assert {name: sizes.get(name) for name in PARAMETERS} == {name: widths.get(name, 1) for name in PARAMETERS}


def test_an_observation_of_another_shape_is_not_written() -> None:
    rig = Rig(2)
    with pytest.raises(ValueError, match=r"contiguous float32 of shape \(2, 17\), not torch.float32 \(2, 16\)"):
        rig.sensors.observe(out=torch.zeros(2, 16))
