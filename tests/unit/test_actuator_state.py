"""Battery, heat, reset and checkpoints of the actuators."""

import math

import numpy as np
import pytest
import torch
import warp as wp
from tests.unit.actuator_rig import TIMING, Rig, randomized_rig

from surefoot.actuators.actuator_cfg import make_actuator_cfg
from surefoot.snapshot import capture_fields, numeric_fields, restore_fields
from surefoot_bridge.actuators import equations as reference
from surefoot_bridge.errors import SurefootError
from surefoot_robots import get_robot

STATE = ("commands", "command_age", "heat", "voltage", "episode_time")


def state_of(rig: Rig) -> dict[str, torch.Tensor]:
    return {name: getattr(rig.actuator, name).clone() for name in STATE}


def test_battery_voltage_falls_with_time_and_with_the_power_of_driving_motors() -> None:
    rig = Rig(num_envs=2, num_joints=2)
    rig.table.battery_sag[:], rig.table.battery_resistance[:] = 0.01, 0.005
    rig.table.battery_voltage[:] = torch.tensor([1.0, 0.9])
    rig.push(0.0, velocity=[9.0, 2.0])  # 4 N.m at 5 rad/s drives with 20 W, -3 N.m at 5 rad/s brakes: no credit
    rig.joint_vel[:] = 5.0
    rig.substep()
    assert rig.actuator.motor_power[0].tolist() == pytest.approx([20.0, -15.0])
    rig.actuator.advance()
    # 0.01 * 0.02 s = 0.0002, and 0.005 * 20 W = 0.1.
    assert rig.actuator.voltage.tolist() == pytest.approx([0.8998, 0.7998], abs=1e-6)
    rig.joint_vel[:] = 0.0
    rig.substep()
    rig.actuator.advance()
    assert rig.actuator.voltage.tolist() == pytest.approx([0.9996, 0.8996], abs=1e-6)  # the load is gone, time is not


def test_battery_voltage_has_a_floor() -> None:
    rig = Rig()
    rig.table.battery_sag[:] = 100.0
    rig.actuator.advance()
    assert rig.actuator.voltage.item() == 0.5


def test_heat_settles_at_the_square_of_the_load_with_its_time_constant() -> None:
    rig = Rig(thermal_time_constant_s=0.1)  # continuous torque is half of 8 N.m
    rig.push(1.0)
    rig.substep()  # 8 N.m is twice the continuous torque: heat goes to 4
    assert rig.actuator.applied_effort.item() == pytest.approx(8.0)
    for step in range(1, 6):
        rig.actuator.advance()
        assert rig.actuator.heat.item() == pytest.approx(4.0 * (1.0 - math.exp(-0.02 * step / 0.1)), rel=1e-5)
    for _ in range(200):
        rig.actuator.advance()
    assert rig.actuator.heat.item() == pytest.approx(4.0, rel=1e-5)


def test_the_continuous_torque_settles_at_heat_one_and_is_not_derated() -> None:
    rig = Rig(thermal_time_constant_s=0.05)
    rig.push(0.2)  # 4 N.m
    for _ in range(100):
        rig.substep()
        rig.actuator.advance()
    assert rig.actuator.heat.item() == pytest.approx(1.0, abs=1e-4)
    assert rig.torque(0.39).motor == pytest.approx(7.8, abs=1e-2)


def test_a_motor_at_its_limit_grows_hot_and_ends_at_a_torque_it_can_hold() -> None:
    """Derating and heat balance: the limit 8 (1 - h + 1) = 4 sqrt(h) N.m between heat 1 and 1.5 has h = 1.40693."""
    rig = Rig(thermal_time_constant_s=0.2)
    rig.push(1.0)
    for _ in range(400):
        rig.substep()
        rig.actuator.advance()
    assert rig.actuator.heat.item() == pytest.approx(1.40693, abs=1e-3)
    assert rig.actuator.applied_effort.item() == pytest.approx(4.0 * math.sqrt(1.40693), abs=5e-3)
    assert rig.actuator.saturation.item() == reference.Saturation.EFFORT_LIMIT  # 20 N.m were asked for


def test_a_strong_motor_needs_less_current_and_stays_cooler() -> None:
    rig = Rig(num_joints=2, thermal_time_constant_s=0.02 / math.log(2.0))  # half of the way per control step
    rig.table.motor_strength[:] = torch.tensor([1.0, 1.25])
    rig.push(0.2, effort=[0.0, -0.8])  # 4 N.m from either: 4 * 1, and 3.2 * 1.25
    rig.substep()
    rig.actuator.advance()
    assert rig.actuator.applied_effort[0].tolist() == pytest.approx([4.0, 4.0])
    assert rig.actuator.heat[0].tolist() == pytest.approx([0.5, 0.5 * 0.8**2], rel=1e-5)


def test_a_motor_without_strength_stays_finite() -> None:
    rig = Rig()
    rig.table.motor_strength[:] = 0.0
    assert rig.torque(1.0).motor == 0.0
    rig.actuator.advance()
    assert rig.actuator.heat.item() == 0.0


def test_battery_and_heat_equal_their_reference_over_control_steps() -> None:
    rig = randomized_rig()
    parameters, motors, state = rig.reference()
    for _ in range(3):
        rig.substep()
        rig.actuator.advance()
        efforts, state = reference.compute_joint_efforts(
            parameters, motors, TIMING, state, rig.joint_pos.numpy(), rig.joint_vel.numpy()
        )
        state = reference.advance(parameters, motors, TIMING, state, efforts)
        np.testing.assert_allclose(rig.actuator.heat.numpy(), state.heat, rtol=1e-5, atol=1e-6)
        np.testing.assert_allclose(rig.actuator.voltage.numpy(), state.voltage, rtol=1e-5, atol=1e-6)
        np.testing.assert_allclose(rig.actuator.episode_time.numpy(), state.episode_time, rtol=1e-6)


def test_a_reset_starts_from_the_parameters_in_force_and_equals_the_reference() -> None:
    rig = randomized_rig(default_joint_pos=0.3)
    rig.actuator.advance()
    rig.table.initial_motor_heat += 0.25
    rig.actuator.reset(None)
    parameters, _, _ = rig.reference()
    num_slots = rig.actuator.commands.shape[1]
    expected = reference.initial_state(parameters, np.full(5, 0.3, np.float32), num_slots, (257,))
    np.testing.assert_array_equal(rig.actuator.commands.numpy(), expected.commands)
    np.testing.assert_array_equal(rig.actuator.heat.numpy(), expected.heat)
    np.testing.assert_array_equal(rig.actuator.voltage.numpy(), expected.voltage)
    assert rig.actuator.command_age.abs().max() == 0.0
    assert rig.actuator.episode_time.abs().max() == 0.0


@pytest.mark.parametrize(
    "env_ids",
    [
        [3, 1],
        torch.tensor([3, 1]),
        torch.tensor([1, 3], dtype=torch.int32),
        slice(1, 4, 2),
        wp.array([3, 1], dtype=wp.int32, device="cpu"),
    ],
    ids=["list", "int64", "int32", "slice", "warp"],
)
def test_a_reset_touches_the_environments_asked_for_and_no_other(env_ids: object) -> None:
    rig = randomized_rig(num_envs=6)
    rig.actuator.advance()
    before = state_of(rig)
    rig.actuator.reset(env_ids)
    for name, old in before.items():
        new = getattr(rig.actuator, name)
        changed = [not torch.equal(new[env], old[env]) for env in range(6)]
        if name == "command_age":  # one that was 0 stays 0
            assert not any(changed[env] for env in (0, 2, 4, 5))
            assert new[[1, 3]].abs().max() == 0.0
        else:
            assert changed == [False, True, False, True, False, False], name


def test_a_reset_leaves_no_torque_of_the_episode_before() -> None:
    rig = Rig(num_envs=2)
    rig.push(1.0)
    rig.joint_vel[:] = 1.0
    rig.joint_pos[1] = float("nan")
    rig.substep()
    rig.actuator.reset([1])
    for name in ("computed_effort", "applied_effort", "motor_power", "saturation"):
        kept, begun = getattr(rig.actuator, name).abs().amax(dim=1).tolist()
        assert (kept > 0.0, begun) == (True, 0.0), name


def test_a_reset_of_no_environment_changes_nothing() -> None:
    rig = randomized_rig(num_envs=6)
    before = state_of(rig)
    rig.actuator.reset(torch.tensor([], dtype=torch.int32))
    assert all(torch.equal(getattr(rig.actuator, name), old) for name, old in before.items())


def test_checkpoints_hold_the_whole_state_and_none_of_the_table() -> None:
    rig = randomized_rig(num_envs=6)
    names = numeric_fields(rig.actuator)
    assert set(STATE) <= set(names)
    saved = capture_fields(rig.actuator, names)
    assert max(value.numel() for value in saved.values() if isinstance(value, torch.Tensor)) < rig.values.numel()

    def run() -> list[torch.Tensor]:
        seen = []
        for step in range(3):
            rig.push(0.1 * step)
            for _ in range(TIMING.decimation):
                rig.substep()
                seen.append(rig.joint_effort.clone())
            rig.actuator.advance()
        return [*seen, *state_of(rig).values()]

    first = run()
    restore_fields(rig.actuator, saved, "actuators")
    assert all(torch.equal(one, other) for one, other in zip(first, run(), strict=True))


def test_isaac_labs_way_gives_the_same_efforts_until_the_engine_launches_the_kernel() -> None:
    class Targets:
        joint_positions = joint_velocities = joint_efforts = None

    recorded, called = Rig(num_joints=3, largest_delay_s=0.02), Rig(num_joints=3, largest_delay_s=0.02)
    for rig in (recorded, called):
        rig.table.command_delay[:] = 0.5 * TIMING.physics_dt_s
        rig.push(0.1)
        rig.joint_vel[:] = 0.5
    recorded.substep()
    action = called.actuator.compute(Targets(), called.joint_pos, called.joint_vel)
    assert torch.equal(action.joint_efforts, recorded.joint_effort)
    assert torch.equal(called.actuator.command_age, recorded.actuator.command_age)
    called.actuator.leave_launching_to_engine()
    called.actuator.compute(Targets(), called.joint_pos, called.joint_vel)
    assert torch.equal(called.actuator.command_age, recorded.actuator.command_age)  # no second advance of the clock


def test_a_table_is_refused_when_it_is_late_or_has_other_environments() -> None:
    rig = Rig(num_envs=2)
    with pytest.raises(SurefootError, match="must be bound before the actuator's drive is made"):
        rig.actuator.bind_table(wp.from_torch(rig.values), rig.first_columns.__getitem__)
    fresh = type(rig.actuator)(
        rig.cfg,
        joint_names=["joint_0"],
        joint_ids=slice(None),
        num_envs=3,
        device="cpu",
        stiffness=torch.zeros(3, 1),
        damping=torch.zeros(3, 1),
    )
    with pytest.raises(SurefootError, match="has 2 rows for 3 environments"):
        fresh.bind_table(wp.from_torch(rig.values), rig.first_columns.__getitem__)
    with pytest.raises(SurefootError, match="has no clock yet"):
        fresh.advance()
    fresh.reset(None)  # Isaac Lab may reset a scene before the drive is made


def test_a_robots_configuration_holds_its_nominal_values_by_joint() -> None:
    spec = get_robot("unitree_go2")
    cfg = make_actuator_cfg(spec, largest_command_delay_s=0.03)
    assert cfg.default_joint_pos == {name: spec.default_joint_pos[name] for name in spec.joint_names}
    assert cfg.largest_command_delay_s == 0.03
    assert cfg.network_file is None
    assert (cfg.continuous_torque_share, cfg.derated_share, cfg.thermal_time_constant_s) == (0.5, 0.5, 60.0)
