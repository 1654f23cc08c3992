"""Delay of commands: continuous, the same for position, velocity and effort, forgotten by a reset."""

import math

import numpy as np
import pytest
import torch
from tests.unit.actuator_rig import TIMING, Rig, randomized_rig

from surefoot_bridge.actuators import equations as reference
from surefoot_bridge.actuators.parameters import ControlTiming
from surefoot_bridge.errors import SurefootError

DT, STEP = TIMING.physics_dt_s, TIMING.step_dt_s
POSITION, VELOCITY, EFFORT = range(3)


def channel_rig(delay_s: float, largest_delay_s: float = 0.05) -> Rig:
    """Three joints whose torques are the position, the velocity and the effort of their commands."""
    rig = Rig(num_joints=3, largest_delay_s=largest_delay_s)
    rig.table.stiffness[:] = torch.tensor([1.0, 0.0, 0.0])
    rig.table.damping[:] = torch.tensor([0.0, 1.0, 0.0])
    rig.table.command_delay[:] = delay_s
    return rig


def ramp(rig: Rig, control_steps: int) -> np.ndarray:
    """Push 1, 2, 3... on all three channels; commands that acted, (control_steps, decimation, 3)."""
    acted = []
    for step in range(1, control_steps + 1):
        rig.push([step, 0.0, 0.0], velocity=[0.0, step, 0.0], effort=[0.0, 0.0, step])
        for _ in range(TIMING.decimation):
            rig.substep()
            acted.append(rig.actuator.computed_effort[0].numpy().copy())
    return np.array(acted).reshape(control_steps, TIMING.decimation, 3)


def held_ramp_integral(time_s: float) -> float:
    """Integral of the held ramp from 0 to a time: 0 before 0, then 1 during the first control step, and so on."""
    if time_s <= 0.0:
        return 0.0
    steps = math.floor(time_s / STEP + 1e-9)
    return STEP * steps * (steps + 1) / 2.0 + (steps + 1) * (time_s - steps * STEP)


@pytest.mark.parametrize("delay_s", [0.0, 0.5 * DT, DT, 0.013, STEP, 2.5 * STEP])
def test_all_three_channels_lag_by_exactly_the_delay(delay_s: float) -> None:
    acted = ramp(channel_rig(delay_s), 6)
    for substep, seen in enumerate(acted.reshape(-1, 3)):
        start = substep * DT - delay_s
        expected = (held_ramp_integral(start + DT) - held_ramp_integral(start)) / DT  # exact mean over the substep
        assert seen == pytest.approx([expected] * 3, abs=2e-5)
    # A ramp of 1 per control step lags by delay / control step: in its mean over a control step, exactly.
    assert acted[5].mean(axis=0) == pytest.approx([6.0 - delay_s / STEP] * 3, abs=2e-5)


def test_half_a_substep_of_delay_mixes_half_of_either_command() -> None:
    acted = ramp(channel_rig(0.5 * DT), 2)[..., POSITION]
    assert acted[0].tolist() == pytest.approx([0.5, 1.0, 1.0, 1.0])
    assert acted[1].tolist() == pytest.approx([1.5, 2.0, 2.0, 2.0])


def test_two_and_a_half_control_steps_of_delay_arrive_two_substeps_into_the_third() -> None:
    acted = ramp(channel_rig(2.5 * STEP), 4)[..., EFFORT]
    assert acted[:2].ravel().tolist() == pytest.approx([0.0] * 8, abs=1e-5)
    assert acted[2].tolist() == pytest.approx([0.0, 0.0, 1.0, 1.0], abs=1e-5)
    assert acted[3].tolist() == pytest.approx([1.0, 1.0, 2.0, 2.0], abs=1e-5)


def test_without_delay_a_command_acts_unchanged_and_at_once() -> None:
    rig = Rig(largest_delay_s=0.05)
    rig.table.stiffness[:] = 1.0
    value = np.float32(0.1234567)
    rig.push(float(value))
    for _ in range(TIMING.decimation):
        rig.substep()
        assert rig.actuator.computed_effort.item() == value  # to the last bit


def test_a_delay_beyond_the_largest_acts_as_what_the_memory_holds() -> None:
    beyond, largest = ramp(channel_rig(0.5, largest_delay_s=0.04), 6), ramp(channel_rig(0.04, largest_delay_s=0.04), 6)
    np.testing.assert_allclose(beyond, largest, atol=2e-5)


@pytest.mark.parametrize(("largest_delay_s", "slots"), [(0.0, 1), (0.001, 2), (0.02, 2), (0.04, 3), (0.041, 4)])
def test_as_many_commands_are_remembered_as_the_largest_delay_needs(largest_delay_s: float, slots: int) -> None:
    assert TIMING.command_slots(largest_delay_s) == slots
    assert Rig(largest_delay_s=largest_delay_s).actuator.commands.shape[1] == slots


def test_a_largest_delay_that_is_no_time_is_refused() -> None:
    with pytest.raises(SurefootError, match=r"largest command delay is -0\.01 s; it must be finite and >= 0"):
        TIMING.command_slots(-0.01)


def test_the_default_pose_is_held_until_the_first_command_arrives() -> None:
    rig = Rig(largest_delay_s=0.02, default_joint_pos=0.3)
    rig.table.command_delay[:] = 2 * DT
    rig.push(0.1)
    seen = []
    for _ in range(TIMING.decimation):
        rig.substep()
        seen.append(rig.actuator.computed_effort.item())
    assert seen == pytest.approx([6.0, 6.0, 2.0, 2.0], abs=1e-5)  # 20 N.m/rad times 0.3, then 0.1


def test_a_reset_in_between_touches_only_the_environments_asked_for() -> None:
    kept, reset = (Rig(num_envs=3, largest_delay_s=0.05, default_joint_pos=0.3) for _ in range(2))
    for rig in (kept, reset):
        rig.table.command_delay[:] = torch.tensor([0.013, 0.013, 0.03])
    for step in range(4):
        for rig in (kept, reset):
            rig.push(float(step))
        for _ in range(TIMING.decimation):
            kept.substep()
            reset.substep()
            untouched = [0, 2] if step >= 2 else [0, 1, 2]
            assert torch.equal(kept.joint_effort[untouched], reset.joint_effort[untouched])
            if step == 2:  # the command before the reset was 1, the default pose gives 6 N.m
                mean = 0.3 + max(0.0, min(1.0, (reset.actuator.command_age[1].item() - 0.013) / DT)) * (2.0 - 0.3)
                assert reset.actuator.computed_effort[1].item() == pytest.approx(20.0 * mean, abs=1e-3)
        if step == 1:
            reset.actuator.reset(torch.tensor([1]))


def test_the_kernels_memory_equals_the_reference_over_many_pushes() -> None:
    rig = randomized_rig(num_envs=64)
    parameters, motors, state = rig.reference()
    rng = np.random.default_rng(4)
    for _ in range(5):
        command = [torch.as_tensor(rng.normal(size=(64, 5)).astype(np.float32)) for _ in range(3)]
        rig.push(*command)
        state = reference.push_command(state, *(values.numpy() for values in command))
        np.testing.assert_array_equal(rig.actuator.commands.numpy(), state.commands)
        for _ in range(TIMING.decimation):
            rig.substep()
            expected, state = reference.compute_joint_efforts(
                parameters, motors, TIMING, state, rig.joint_pos.numpy(), rig.joint_vel.numpy()
            )
            np.testing.assert_allclose(rig.actuator.computed_effort.numpy(), expected.computed, rtol=1e-4, atol=1e-3)


def test_a_control_step_of_one_substep_delays_as_well() -> None:
    rig = Rig(timing=ControlTiming(DT, 1), largest_delay_s=0.01)
    rig.table.stiffness[:], rig.table.command_delay[:] = 1.0, 1.5 * DT
    seen = []
    for step in range(1, 5):
        rig.push(float(step))
        rig.substep()
        seen.append(rig.actuator.computed_effort.item())
    assert seen == pytest.approx([0.0, 0.5, 1.5, 2.5], abs=1e-5)
