"""Actuator networks: TorchScript in the place of the PD law, with the same limits and friction after it."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import torch
from tests.unit.actuator_rig import TIMING, Rig, randomized_rig

from surefoot.actuators.network import ActuatorNetwork
from surefoot.snapshot import capture_fields, numeric_fields, restore_fields
from surefoot_bridge.actuators import equations as reference
from surefoot_bridge.errors import SurefootError

pytestmark = pytest.mark.filterwarnings("ignore:`torch.jit:DeprecationWarning")


class ProportionalDerivative(torch.nn.Module):
    """kp error - kd velocity of the present: the PD law as a network, with three ages of inputs."""

    def __init__(self, stiffness: float, damping: float) -> None:
        super().__init__()
        self.layer = torch.nn.Linear(6, 1, bias=False)
        self.layer.weight.data = torch.tensor([[stiffness, 0.0, 0.0, -damping, 0.0, 0.0]])

    def forward(self, values: torch.Tensor) -> torch.Tensor:
        return self.layer(values)


class Weighted(torch.nn.Module):
    """Digits of a number, to tell which input stands where."""

    def forward(self, values: torch.Tensor) -> torch.Tensor:
        return values @ torch.tensor([100000.0, 10000.0, 1000.0, 100.0, 10.0, 1.0])


class Recurrent(torch.nn.Module):
    """Two layers of eight cells and a linear read-out."""

    def __init__(self) -> None:
        super().__init__()
        torch.manual_seed(3)
        self.lstm = torch.nn.LSTM(2, 8, num_layers=2, batch_first=True)
        self.out = torch.nn.Linear(8, 1)

    def forward(
        self, values: torch.Tensor, state: tuple[torch.Tensor, torch.Tensor]
    ) -> tuple[torch.Tensor, tuple[torch.Tensor, torch.Tensor]]:
        hidden, state = self.lstm(values, state)
        return 5.0 * self.out(hidden[:, -1]), state


@pytest.fixture
def saved(tmp_path: Path) -> Callable[[torch.nn.Module], str]:
    """Script a module into a file."""

    def save(module: torch.nn.Module) -> str:
        path = tmp_path / f"{type(module).__name__}.pt"
        torch.jit.script(module).save(str(path))
        return str(path)

    return save


def drive(rig: Rig, steps: int, seed: int = 5) -> list[torch.Tensor]:
    """Random commands and joint motion, the same for every rig; joint efforts of every substep."""
    generator = torch.Generator().manual_seed(seed)
    shape = rig.joint_pos.shape
    efforts = []
    for _ in range(steps):
        rig.push(0.5 * torch.randn(shape, generator=generator))
        for _ in range(TIMING.decimation):
            rig.joint_pos[:] = 0.3 * torch.randn(shape, generator=generator)
            rig.joint_vel[:] = 4.0 * torch.randn(shape, generator=generator)
            rig.substep()
            efforts.append(rig.joint_effort.clone())
        rig.actuator.advance()
    return efforts


def test_a_network_that_is_the_pd_law_drives_joints_as_the_pd_law_does(saved: Callable) -> None:
    plain = randomized_rig(num_envs=32)
    network = randomized_rig(num_envs=32, network_file=saved(ProportionalDerivative(20.0, 1.0)))
    for rig in (plain, network):
        rig.table.stiffness[:], rig.table.damping[:] = 20.0, 1.0
        rig.actuator.commands[..., 1:] = 0.0  # a network sees position targets only
    for one, other in zip(drive(plain, 4), drive(network, 4), strict=True):
        torch.testing.assert_close(other, one, rtol=1e-5, atol=1e-4)
    for name in ("heat", "voltage", "command_age", "motor_power"):
        torch.testing.assert_close(getattr(network.actuator, name), getattr(plain.actuator, name), rtol=1e-5, atol=1e-3)
    assert torch.equal(network.actuator.saturation, plain.actuator.saturation)
    assert plain.actuator.saturation.unique().numel() == 5


def test_inputs_are_errors_by_age_and_then_velocities_by_age(saved: Callable) -> None:
    rig = Rig(network_file=saved(Weighted()), network_history_steps=(0, 1, 3))
    seen = []
    for error in (1.0, 2.0, 3.0, 4.0):
        rig.push(error)
        rig.joint_vel[:] = 10.0 - error
        rig.substep()
        seen.append(rig.actuator.computed_effort.item())
    # Ages 0, 1 and 3 substeps: errors 4, 3, 1 and velocities 6, 7, 9; what was before the start is 0.
    assert seen == [100900.0, 210890.0, 320780.0, 431679.0]


def test_the_networks_inputs_equal_their_reference(saved: Callable) -> None:
    rig = randomized_rig(num_envs=16, network_file=saved(Weighted()), network_history_steps=(0, 2, 4))
    parameters, _, state = rig.reference()
    history = rig.actuator.network.history.numpy().copy()
    for _ in range(6):
        command = reference.delayed_command(state, parameters.command_delay, TIMING)
        error = reference.position_error(parameters, command[..., 0], rig.joint_pos.numpy())
        expected, history = reference.observe_for_network(history, error, rig.joint_vel.numpy(), (0, 2, 4))
        rig.substep()
        np.testing.assert_allclose(rig.actuator.network.input.numpy(), expected.reshape(-1, 6), rtol=1e-4, atol=1e-5)
        _, _, state = rig.reference()
        rig.joint_pos += 0.01
        rig.joint_vel -= 0.1


def test_limits_and_friction_after_a_network_equal_their_reference(saved: Callable) -> None:
    rig = randomized_rig(network_file=saved(ProportionalDerivative(20.0, 1.0)))
    parameters, motors, state = rig.reference()
    rig.substep()
    expected = reference.drive_joints(
        parameters, motors, state, rig.actuator.computed_effort.numpy(), rig.joint_vel.numpy()
    )
    np.testing.assert_allclose(rig.actuator.applied_effort.numpy(), expected.motor, rtol=1e-5, atol=1e-4)
    np.testing.assert_allclose(rig.joint_effort.numpy(), expected.joint, rtol=1e-5, atol=1e-4)
    np.testing.assert_array_equal(rig.actuator.saturation.numpy(), expected.saturation)


def test_a_recurrent_network_of_many_environments_equals_as_many_of_one(saved: Callable) -> None:
    file = saved(Recurrent())
    many = Rig(num_envs=4, num_joints=2, network_file=file)
    singles = [Rig(num_envs=1, num_joints=2, network_file=file) for _ in range(4)]
    generator = torch.Generator().manual_seed(1)
    for _ in range(20):
        command, velocity = torch.randn(2, 4, 2, generator=generator)
        many.push(command)
        many.joint_vel[:] = velocity
        many.substep()
        for env, single in enumerate(singles):
            single.push(command[env : env + 1])
            single.joint_vel[:] = velocity[env : env + 1]
            single.substep()
            torch.testing.assert_close(
                single.actuator.computed_effort[0], many.actuator.computed_effort[env], rtol=1e-5, atol=1e-6
            )
    assert many.actuator.computed_effort.unique().numel() == 8  # the four do differ


def test_a_recurrent_network_forgets_per_environment(saved: Callable) -> None:
    file = saved(Recurrent())
    rig, fresh = Rig(num_envs=3, network_file=file), Rig(num_envs=3, network_file=file)
    drive(rig, 3)
    kept = [state.clone() for state in rig.actuator.network.state_dict().values()]
    rig.actuator.reset([1])
    for old, new in zip(kept[1:], list(rig.actuator.network.state_dict().values())[1:], strict=True):
        assert new[:, 1].abs().max() == 0.0
        assert torch.equal(new[:, [0, 2]], old[:, [0, 2]])
    first, other = drive(rig, 1)[0], drive(fresh, 1)[0]
    assert first[1] == other[1]  # as one that has just begun
    assert first[0] != other[0]


def test_a_feed_forward_network_forgets_per_environment(saved: Callable) -> None:
    rig = Rig(num_envs=3, network_file=saved(ProportionalDerivative(20.0, 1.0)))
    drive(rig, 2)
    kept = rig.actuator.network.history.clone()
    rig.actuator.reset(torch.tensor([2]))
    assert rig.actuator.network.history[2].abs().max() == 0.0
    assert torch.equal(rig.actuator.network.history[:2], kept[:2])


def test_checkpoints_hold_the_networks_memory(saved: Callable) -> None:
    for module in (Recurrent(), ProportionalDerivative(20.0, 1.0)):
        rig = Rig(num_envs=3, num_joints=2, network_file=saved(module))
        drive(rig, 2)
        state = capture_fields(rig.actuator, numeric_fields(rig.actuator))
        first = drive(rig, 2, seed=8)
        restore_fields(rig.actuator, state, "actuators")
        assert all(torch.equal(one, other) for one, other in zip(first, drive(rig, 2, seed=8), strict=True))


def test_files_that_are_no_actuator_network_are_refused(saved: Callable, tmp_path: Path) -> None:
    with pytest.raises(SurefootError, match=r"Actuator network '.*nowhere\.pt' does not exist"):
        Rig(network_file=str(tmp_path / "nowhere.pt"))
    with pytest.raises(SurefootError, match=r"does not take inputs of shape \(1, 4\)"):
        Rig(network_file=saved(ProportionalDerivative(20.0, 1.0)), network_history_steps=(0, 1))
    with pytest.raises(SurefootError, match="give ages >= 0, newest first"):
        Rig(network_file=saved(Weighted()), network_history_steps=())
    with pytest.raises(SurefootError, match="not finite at rest"):
        Rig(network_file=saved(ProportionalDerivative(float("nan"), 1.0)))


def test_a_saved_memory_of_another_size_is_refused(saved: Callable) -> None:
    file = saved(Recurrent())

    def network(num_envs: int) -> ActuatorNetwork:
        return ActuatorNetwork(file, num_envs=num_envs, num_joints=1, history_steps=(0,), device="cpu")

    with pytest.raises(SurefootError, match=r"has no 'history' of shape \(3, 1, 1, 2\)"):
        network(3).load_state_dict(network(2).state_dict())
