"""The sensors as a term of Isaac Lab's own observation manager, and against its history buffers; no simulator."""

from types import SimpleNamespace
from typing import Any

import pytest
import torch
import warp as wp
from tests.unit.test_sensor_readings import NUM_JOINTS, Rig

from surefoot.sensors.layout import ProprioceptionTerm

HISTORY = 3
TERMS = (
    ProprioceptionTerm("base_ang_vel", "gyro", HISTORY),
    ProprioceptionTerm("projected_gravity", "gravity", HISTORY),
    ProprioceptionTerm("joint_vel", "joint_vel", HISTORY),
    ProprioceptionTerm("last_action", "last_action", HISTORY),
    ProprioceptionTerm("velocity_command", "command"),
)


def make_manager(group_terms: dict[str, Any], env: SimpleNamespace) -> Any:
    """Isaac Lab's manager of one group named policy."""
    from isaaclab.managers import ObservationGroupCfg, ObservationManager

    group = ObservationGroupCfg()
    for name, term in group_terms.items():
        setattr(group, name, term)
    group.enable_corruption = False
    return ObservationManager({"policy": group}, env)


def fake_env(num_envs: int, **attributes: Any) -> SimpleNamespace:
    """As much of an environment as a manager asks for."""
    return SimpleNamespace(
        num_envs=num_envs, device="cpu", sim=SimpleNamespace(is_playing=lambda: True), scene=None, **attributes
    )


@pytest.fixture
def rig() -> Rig:
    """Robots without sensor errors."""
    return Rig(3, TERMS)


def move(rig: Rig) -> None:
    """Put the robots into another state."""
    for value in (rig.ang_vel, rig.gravity, rig.joint_vel, rig.action, rig.command):
        value.copy_(torch.rand(value.shape))


def test_the_term_lays_an_observation_out_as_isaac_labs_terms_with_histories_do(rig: Rig) -> None:
    from isaaclab.managers import ObservationTermCfg

    from surefoot.sensors.observation import FusedProprioception

    truth = {
        "base_ang_vel": rig.ang_vel,
        "projected_gravity": rig.gravity,
        "joint_vel": rig.joint_vel,
        "last_action": rig.action,
        "velocity_command": rig.command,
    }
    env = fake_env(3, proprioception=rig.sensors, truth=truth)
    stock_terms = {name: ObservationTermCfg(func=lambda env, name=name: env.truth[name]) for name in truth}
    for name in list(truth)[:-1]:
        stock_terms[name].history_length = HISTORY
    stock = make_manager(stock_terms, env)
    fused = make_manager({"proprioception": ObservationTermCfg(func=FusedProprioception)}, env)
    assert fused.group_obs_dim == stock.group_obs_dim == {"policy": (2 * 9 + 2 * 3 * NUM_JOINTS + 3,)}

    for step in range(8):
        move(rig)
        if step in (3, 5):
            env_ids = torch.tensor([step % 3, 1])
            for manager in (stock, fused):
                manager.reset(env_ids)
            rig.sensors.reset(env_ids)
        rig.sensors.advance()
        expected = stock.compute(update_history=True)["policy"]
        torch.testing.assert_close(fused.compute(update_history=True)["policy"], expected, rtol=0.0, atol=0.0)
        rig.command += 1.0  # as a player changes it between steps
        torch.testing.assert_close(fused.compute()["policy"], stock.compute()["policy"], rtol=0.0, atol=0.0)


def test_the_manager_hands_over_the_tensor_that_the_kernel_wrote_and_a_new_one_each_time(
    rig: Rig, monkeypatch: pytest.MonkeyPatch
) -> None:
    from isaaclab.managers import ObservationTermCfg

    from surefoot.sensors.observation import FusedProprioception

    fused = make_manager(
        {"proprioception": ObservationTermCfg(func=FusedProprioception)}, fake_env(3, proprioception=rig.sensors)
    )
    written = []
    observe = rig.sensors.observe

    def spy(*, out: torch.Tensor | None = None) -> torch.Tensor:
        written.append(observe(out=out))
        return written[-1]

    monkeypatch.setattr(rig.sensors, "observe", spy)
    handed, copies = [], []
    for _ in range(4):
        move(rig)
        rig.sensors.advance()
        handed.append(fused.compute(update_history=True)["policy"])
        copies.append(handed[-1].clone())
    assert all(got is made for got, made in zip(handed, written, strict=True))
    assert len({tensor.data_ptr() for tensor in handed}) == 4
    assert all(torch.equal(tensor, copy) for tensor, copy in zip(handed, copies, strict=True))


def test_the_readings_of_an_environment_are_bound_to_its_own_memory() -> None:
    from surefoot.envs.readings import bind_readings

    def array(*shape: int) -> SimpleNamespace:
        value = torch.rand(shape)
        return SimpleNamespace(torch=value, warp=wp.from_torch(value))

    wp.init()
    asked = []

    class Locomotion:
        foot_contact = torch.zeros(2, 4, dtype=torch.bool)
        angular, projected_gravity_b = torch.rand(2, 3), torch.rand(2, 3)

        @property
        def base_ang_vel_b(self) -> torch.Tensor:
            asked.append("base")
            return self.angular

    locomotion = Locomotion()
    data = SimpleNamespace(joint_pos=array(2, 12), joint_vel=array(2, 12))
    action, command = torch.rand(2, 12), torch.rand(2, 3)
    robot: Any = SimpleNamespace(data=data)
    readings = bind_readings(robot, locomotion, last_action=action, command=command)
    bound = {
        "gyro": locomotion.angular,
        "gravity": locomotion.projected_gravity_b,
        "joint_pos": data.joint_pos.torch,
        "joint_vel": data.joint_vel.torch,
        "last_action": action,
        "command": command,
        "foot_contact": locomotion.foot_contact,
    }
    assert {name: array.ptr for name, array in readings.of.items()} == {
        name: value.data_ptr() for name, value in bound.items()
    }
    asked.clear()
    readings.refresh()
    assert asked == ["base"]
    unseen = bind_readings(robot, locomotion, last_action=None, command=None)
    assert (unseen.of["last_action"].numpy().tolist(), unseen.of["command"].shape) == ([[0.0] * 12] * 2, (2, 3))
