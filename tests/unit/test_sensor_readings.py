"""Sensor readings of one simple robot against numbers worked by hand."""

import math
from typing import Any

import numpy as np
import pytest
import torch
import warp as wp

from surefoot.sensors.layout import ObservationLayout, ProprioceptionTerm
from surefoot.sensors.proprioception import PARAMETERS, Proprioception, TrueReadings

STEP_DT = 0.02
NUM_JOINTS = 2
DEFAULT = (0.5, -1.0)
TERMS = tuple(
    ProprioceptionTerm(name, name, 1)  # type: ignore[arg-type]
    for name in ("gyro", "gravity", "joint_pos", "joint_vel", "last_action", "command", "foot_contact")
)
WIDTHS = {"gyro_bias": 3, "imu_mounting": 3, "encoder_offset": NUM_JOINTS}
FIRST_COLUMN = dict(zip(PARAMETERS, np.cumsum([0, *(WIDTHS.get(name, 1) for name in PARAMETERS)]), strict=False))
NUM_COLUMNS = sum(WIDTHS.get(name, 1) for name in PARAMETERS)


class Rig:
    """Robots with two joints and two feet, whose true state a test sets; parameters are zero unless given."""

    def __init__(
        self,
        num_envs: int = 1,
        terms: tuple[ProprioceptionTerm, ...] = TERMS,
        *,
        seed: int = 1,
        rank: int = 0,
        largest_latency_s: float = 0.06,
        device: str = "cpu",
        **parameters: Any,
    ) -> None:
        wp.init()
        self.num_envs = num_envs
        self.table = torch.zeros(num_envs, NUM_COLUMNS, device=device)
        for name, value in parameters.items():
            self.set(name, value)
        self.ang_vel, self.command = (torch.zeros(num_envs, 3, device=device) for _ in range(2))
        self.gravity = torch.tensor([[0.0, 0.0, -1.0]], device=device).repeat(num_envs, 1)
        self.joint_pos = torch.tensor([DEFAULT], device=device).repeat(num_envs, 1)
        self.joint_vel, self.action = (torch.zeros(num_envs, NUM_JOINTS, device=device) for _ in range(2))
        self.contact = torch.zeros(num_envs, 2, dtype=torch.bool, device=device)
        self.refreshed = 0
        self.layout = ObservationLayout(terms, num_joints=NUM_JOINTS, num_feet=2)
        self.sensors = Proprioception(
            self.layout,
            TrueReadings(
                of={
                    "gyro": wp.from_torch(self.ang_vel, dtype=wp.vec3f),
                    "gravity": wp.from_torch(self.gravity, dtype=wp.vec3f),
                    "joint_pos": wp.from_torch(self.joint_pos),
                    "joint_vel": wp.from_torch(self.joint_vel),
                    "last_action": wp.from_torch(self.action),
                    "command": wp.from_torch(self.command),
                    "foot_contact": wp.from_torch(self.contact),
                },
                refresh=self.refresh,
            ),
            wp.from_torch(self.table),
            lambda name: int(FIRST_COLUMN[name]),
            default_joint_pos=DEFAULT,
            step_dt=STEP_DT,
            largest_latency_s=largest_latency_s,
            seed=seed,
            rank=rank,
        )

    def set(self, name: str, value: Any) -> None:
        """Put a value in force in all environments."""
        first = int(FIRST_COLUMN[name])
        self.table[:, first : first + WIDTHS.get(name, 1)] = torch.as_tensor(value, dtype=torch.float32)

    def refresh(self) -> None:
        """Count how often the sensors ask for the true state."""
        self.refreshed += 1

    def read(self, name: str) -> torch.Tensor:
        """What a term shows now, (num_envs, dim * history)."""
        (place,) = (item for item in self.layout.slices if item.name == name)
        return self.sensors.observe()[:, place.start : place.stop]

    def step(self, name: str) -> list[float]:
        """Advance a control step; what a term then shows of the first environment."""
        self.sensors.advance()
        return self.read(name)[0].tolist()

    def record(self, name: str, steps: int) -> np.ndarray:
        """Advance some control steps; what a term shows in each, (steps, num_envs, dim)."""
        shown = []
        for _ in range(steps):
            self.sensors.advance()
            shown.append(self.read(name).numpy())
        return np.stack(shown)


def test_without_errors_the_controller_sees_the_truth() -> None:
    rig = Rig()
    rig.ang_vel[0] = torch.tensor([0.1, -0.2, 0.3])
    rig.joint_pos[0] = torch.tensor([0.6, -1.2])
    rig.joint_vel[0] = torch.tensor([1.0, 2.0])
    rig.action[0] = torch.tensor([3.0, 4.0])
    rig.command[0] = torch.tensor([0.7, 0.8, 0.9])
    rig.contact[0, 1] = True
    rig.sensors.advance()
    expected = [0.1, -0.2, 0.3, 0.0, 0.0, -1.0, 0.1, -0.2, 1.0, 2.0, 3.0, 4.0, 0.7, 0.8, 0.9, 0.0, 1.0]
    assert rig.sensors.observe()[0].tolist() == pytest.approx(expected, abs=1e-6)
    assert rig.refreshed == 1


@pytest.mark.parametrize("latency_s", [0.0, 0.005, 0.02, 0.031, 0.06])
def test_a_ramp_lags_by_exactly_the_latency(latency_s: float) -> None:
    rig = Rig(encoder_latency=latency_s, imu_latency=latency_s)
    for step in range(8):
        time = step * STEP_DT
        rig.joint_vel[:] = 5.0 * time
        rig.ang_vel[:] = -2.0 * time
        seen = max(0.0, time - latency_s)  # before the first reading there is only the first one
        assert rig.step("joint_vel") == pytest.approx([5.0 * seen] * 2, abs=1e-6)
        assert rig.read("gyro")[0].tolist() == pytest.approx([-2.0 * seen] * 3, abs=1e-6)


def test_imu_and_encoders_have_latencies_of_their_own() -> None:
    rig = Rig(encoder_latency=0.01, imu_latency=0.04)
    for step in range(5):
        rig.joint_pos[:] = torch.tensor(DEFAULT) + step
        rig.gravity[:] = float(step)
        rig.sensors.advance()
    assert rig.read("joint_pos")[0].tolist() == pytest.approx([3.5, 3.5])
    assert rig.read("gravity")[0].tolist() == pytest.approx([2.0, 2.0, 2.0])


def test_a_bias_shifts_the_gyroscope_and_an_offset_the_encoders() -> None:
    rig = Rig(gyro_bias=[0.1, 0.2, 0.3], encoder_offset=[0.01, -0.02])
    rig.ang_vel[:] = 1.0
    rig.joint_vel[:] = 3.0
    assert rig.step("gyro") == pytest.approx([1.1, 1.2, 1.3])
    assert rig.read("joint_pos")[0].tolist() == pytest.approx([0.01, -0.02], abs=1e-6)
    assert rig.read("joint_vel")[0].tolist() == [3.0, 3.0]


def test_an_imu_mounted_with_its_nose_down_sees_gravity_ahead() -> None:
    # Turned by 0.1 rad about y, the IMU's x axis points ahead and down: (cos 0.1, 0, -sin 0.1).
    rig = Rig(imu_mounting=[0.0, 0.1, 0.0])
    rig.ang_vel[0] = torch.tensor([2.0, 0.5, 0.0])
    assert rig.step("gravity") == pytest.approx([math.sin(0.1), 0.0, -math.cos(0.1)])
    assert rig.read("gyro")[0].tolist() == pytest.approx([2.0 * math.cos(0.1), 0.5, 2.0 * math.sin(0.1)])


def test_an_imu_that_is_turned_to_the_left_sees_forward_motion_on_its_right() -> None:
    rig = Rig(imu_mounting=[0.0, 0.0, math.pi / 2])
    rig.ang_vel[0] = torch.tensor([1.0, 0.0, 0.0])
    assert rig.step("gyro") == pytest.approx([0.0, -1.0, 0.0], abs=1e-6)


def test_an_attitude_error_turns_gravity_and_not_the_gyroscope() -> None:
    rig = Rig()
    rig.ang_vel[:] = 1.0
    rig.sensors.advance()
    state = rig.sensors.state_dict()
    state["attitude_walk"][:] = torch.tensor([0.2, 0.0])  # the estimate believes in 0.2 rad of roll too many
    rig.sensors.load_state_dict(state)
    assert rig.step("gravity") == pytest.approx([0.0, -math.sin(0.2), -math.cos(0.2)])
    assert rig.read("gyro")[0].tolist() == [1.0, 1.0, 1.0]


def test_a_lost_packet_leaves_the_last_one_and_the_next_is_the_newest() -> None:
    rig = Rig()
    rig.joint_vel[:] = 1.0
    assert rig.step("joint_vel") == [1.0, 1.0]
    rig.set("sensor_dropout", 1.0)
    for value in (2.0, 3.0):
        rig.joint_vel[:] = value
        assert rig.step("joint_vel") == [1.0, 1.0]
    rig.set("sensor_dropout", 0.0)
    rig.joint_vel[:] = 4.0
    assert rig.step("joint_vel") == [4.0, 4.0]


def test_a_late_packet_comes_a_step_later_in_place_of_its_successor() -> None:
    rig = Rig()
    rig.ang_vel[:] = 0.0
    assert rig.step("gyro")[0] == 0.0
    rig.set("sensor_repeat", 1.0)
    shown = []
    for step in range(1, 5):
        rig.ang_vel[:] = float(step)
        shown.append(rig.step("gyro")[0])
    assert shown == [0.0, 1.0, 1.0, 3.0]  # late, the late one, late, the late one
    rig.set("sensor_repeat", 0.0)
    rig.ang_vel[:] = 5.0
    assert rig.step("gyro")[0] == 5.0


def test_a_late_packet_can_be_lost() -> None:
    rig = Rig()
    rig.sensors.advance()
    rig.set("sensor_repeat", 1.0)
    rig.ang_vel[:] = 1.0
    assert rig.step("gyro")[0] == 0.0
    rig.set("sensor_dropout", 1.0)
    rig.ang_vel[:] = 2.0
    assert rig.step("gyro")[0] == 0.0
    rig.set("sensor_dropout", 0.0)
    rig.set("sensor_repeat", 0.0)
    rig.ang_vel[:] = 3.0
    assert rig.step("gyro")[0] == 3.0


def test_the_first_packet_of_an_episode_always_comes() -> None:
    rig = Rig(sensor_dropout=1.0, sensor_repeat=1.0)
    rig.joint_vel[:] = 1.0
    assert rig.step("joint_vel") == [1.0, 1.0]
    rig.joint_vel[:] = 2.0
    rig.sensors.reset(torch.tensor([0]))
    assert rig.step("joint_vel") == [2.0, 2.0]


def test_foot_sensors_that_always_err_report_the_opposite() -> None:
    rig = Rig(contact_miss=1.0)
    rig.contact[0, 0] = True
    assert rig.step("foot_contact") == [0.0, 0.0]
    rig.set("contact_miss", 0.0)
    rig.set("contact_false", 1.0)
    assert rig.step("foot_contact") == [1.0, 1.0]


def test_a_state_that_was_nan_before_a_reset_leaves_no_trace() -> None:
    rig = Rig(imu_latency=0.05, encoder_latency=0.05, sensor_dropout=0.5, gyro_drift=0.1, attitude_drift=0.1)
    for value in (rig.ang_vel, rig.gravity, rig.joint_pos, rig.joint_vel, rig.action):
        value[:] = float("nan")
    rig.record("gyro", 4)
    for value in (rig.ang_vel, rig.gravity, rig.joint_pos, rig.joint_vel, rig.action):
        value[:] = 1.0
    rig.sensors.reset(slice(None))
    for _ in range(6):
        rig.sensors.advance()
        assert torch.isfinite(rig.sensors.observe()).all()
