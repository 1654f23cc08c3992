"""The actuator kernel of a physics substep, against hand calculations and against its NumPy reference."""

import numpy as np
import pytest
import torch
from tests.unit.actuator_rig import TIMING, Rig, randomized_rig

from surefoot.actuators import kernels
from surefoot_bridge.actuators import equations as reference
from surefoot_bridge.actuators.equations import Saturation
from surefoot_bridge.actuators.parameters import ControlTiming, JointParameters, MotorConstants
from surefoot_bridge.errors import SurefootError
from surefoot_robots import get_robot


@pytest.mark.parametrize(
    ("joint_vel", "target", "computed", "motor", "saturation"),
    [
        (0.0, 0.1, 2.0, 2.0, Saturation.NONE),  # 20 * 0.1, inside every limit
        (2.0, 0.1, 0.0, 0.0, Saturation.NONE),  # 20 * 0.1 - 1 * 2
        (0.0, 1.0, 20.0, 8.0, Saturation.EFFORT_LIMIT),  # at rest the effort limit clamps
        (10.0, 1.0, 10.0, 5.0, Saturation.TORQUE_SPEED),  # at half the no-load speed half the stall torque is left
        (20.0, 2.0, 20.0, 0.0, Saturation.TORQUE_SPEED),  # at the no-load speed nothing is left
        (30.0, 3.0, 30.0, -5.0, Saturation.TORQUE_SPEED),  # beyond it the motor brakes
        (60.0, 4.0, 20.0, -8.0, Saturation.TORQUE_SPEED),  # and brakes no harder than the effort limit
        (-10.0, -1.0, -10.0, -5.0, Saturation.TORQUE_SPEED),  # all of it with the other sign
        (-10.0, 1.0, 30.0, 8.0, Saturation.EFFORT_LIMIT),  # braking a reverse motion: the limit holds
    ],
)
def test_one_joint_gives_the_torque_worked_by_hand(
    joint_vel: float, target: float, computed: float, motor: float, saturation: Saturation
) -> None:
    result = Rig().torque(target, joint_vel=joint_vel)
    assert result.computed == pytest.approx(computed, abs=1e-5)
    assert result.motor == pytest.approx(motor, abs=1e-5)
    assert result.joint == pytest.approx(motor, abs=1e-5)
    assert result.saturation == saturation


def test_velocity_target_and_feed_forward_effort_add_to_the_position_law() -> None:
    rig = Rig()
    rig.push(0.1, velocity=1.5, effort=0.25)
    rig.joint_vel[:] = 0.5
    rig.substep()
    assert rig.actuator.computed_effort.item() == pytest.approx(20.0 * 0.1 + 1.0 * (1.5 - 0.5) + 0.25)


def test_gains_are_those_of_the_environments_own_row() -> None:
    rig = Rig(num_envs=2)
    rig.table.stiffness[1], rig.table.damping[1] = 30.0, 0.5
    rig.joint_vel[:] = 1.0
    rig.push(0.1)
    rig.substep()
    assert rig.actuator.computed_effort.flatten().tolist() == pytest.approx([20.0 * 0.1 - 1.0, 30.0 * 0.1 - 0.5])


def test_a_weak_motor_delivers_its_share_of_what_the_limits_leave() -> None:
    rig = Rig()
    rig.table.motor_strength[:] = 0.9
    assert rig.torque(0.1).motor == pytest.approx(0.9 * 2.0)
    assert rig.torque(1.0).motor == pytest.approx(0.9 * 8.0)


def test_the_controller_sees_the_encoders_reading() -> None:
    rig = Rig()
    rig.table.encoder_offset[:] = 0.02
    assert rig.torque(0.1).computed == pytest.approx(20.0 * (0.1 - 0.02))


@pytest.mark.parametrize(("error", "computed"), [(0.03, 0.0), (-0.05, 0.0), (0.08, 0.6), (-0.08, -0.6)])
def test_backlash_passes_on_what_exceeds_half_the_gap(error: float, computed: float) -> None:
    rig = Rig()
    rig.table.backlash[:] = 0.1
    assert rig.torque(error).computed == pytest.approx(computed, abs=1e-6)


def test_a_low_battery_lowers_stall_torque_and_no_load_speed() -> None:
    rig = Rig()
    rig.actuator.voltage[:] = 0.8
    # At 10 rad/s the line leaves 10 (0.8 - 0.5) = 3 N.m, and 5 N.m at nominal voltage.
    within = rig.torque(0.6, joint_vel=10.0)  # 12 - 10 = 2 N.m
    assert (within.motor, within.saturation) == (pytest.approx(2.0, abs=1e-5), Saturation.NONE)
    cut_by_battery = rig.torque(0.7, joint_vel=10.0)  # 4 N.m
    assert (cut_by_battery.motor, cut_by_battery.saturation) == (pytest.approx(3.0, abs=1e-5), Saturation.BATTERY)
    cut_anyway = rig.torque(0.8, joint_vel=10.0)  # 6 N.m
    assert (cut_anyway.motor, cut_anyway.saturation) == (pytest.approx(3.0, abs=1e-5), Saturation.TORQUE_SPEED)
    # At rest 10 * 0.8 = 8 N.m are as much as the effort limit: the limit cuts.
    assert rig.torque(1.0).saturation == Saturation.EFFORT_LIMIT


def test_a_hot_motor_has_a_lower_effort_limit() -> None:
    rig = Rig()  # half of the limit is left at heat 1.5
    rig.actuator.heat[:] = 1.25
    cut_by_heat = rig.torque(0.35)  # 7 N.m
    assert (cut_by_heat.motor, cut_by_heat.saturation) == (pytest.approx(6.0), Saturation.HEAT)
    cut_anyway = rig.torque(-0.45)  # -9 N.m
    assert (cut_anyway.motor, cut_anyway.saturation) == (pytest.approx(-6.0), Saturation.EFFORT_LIMIT)
    for heat, motor in ((1.0, 7.0), (1.5, 4.0), (3.0, 4.0)):
        rig.actuator.heat[:] = heat
        assert rig.torque(0.35).motor == pytest.approx(motor)


def test_friction_opposes_motion_and_is_absent_at_rest() -> None:
    rig = Rig()
    rig.table.coulomb_friction[:], rig.table.viscous_friction[:] = 0.2, 0.01
    for velocity, friction in ((0.0, 0.0), (5.0, 0.25), (-5.0, -0.25)):  # saturated: 0.2 + 0.01 * 5
        result = rig.torque(0.0, joint_vel=velocity)
        assert result.motor - result.joint == pytest.approx(friction, abs=1e-6)


def test_friction_falls_from_its_static_to_its_sliding_value() -> None:
    rig = Rig()
    rig.table.coulomb_friction[:], rig.table.static_friction_ratio[:] = 0.2, 1.5
    # tanh(0.15 / 0.1) = 0.905148, exp(-(0.15 / 0.3)^2) = 0.778801: 0.905148 * 0.2 * (1 + 0.5 * 0.778801) = 0.251523.
    creeping, sliding = rig.torque(0.0, joint_vel=0.15), rig.torque(0.0, joint_vel=5.0)
    assert creeping.motor - creeping.joint == pytest.approx(0.251523, abs=1e-6)
    assert sliding.motor - sliding.joint == pytest.approx(0.2, abs=1e-6)


@pytest.mark.parametrize(("inertia_kgm2", "comes_to_rest"), [(0.0158, True), (0.0126, False)])
def test_explicit_steps_of_friction_are_stable_up_to_the_documented_bound(
    inertia_kgm2: float, comes_to_rest: bool
) -> None:
    """Static friction 0.6 N.m: 0.6 / 0.1 * 0.005 s / inertia is 1.90 and 2.38, on either side of 2."""
    rig = Rig()
    rig.table.stiffness[:] = rig.table.damping[:] = 0.0
    rig.table.coulomb_friction[:], rig.table.static_friction_ratio[:] = 0.4, 1.5
    rig.joint_vel[:] = 0.02
    for _ in range(400):
        rig.substep()
        rig.joint_vel += TIMING.physics_dt_s / inertia_kgm2 * rig.joint_effort
    assert (abs(rig.joint_vel.item()) < 1e-6) == comes_to_rest


def test_nominal_parameters_give_the_plain_actuator() -> None:
    """PD, torque-speed line and smoothed Coulomb friction, written out as they stood before all imperfections."""
    spec = get_robot("unitree_go2")
    p, motors = JointParameters.from_spec(spec), MotorConstants.from_spec(spec)
    rng = np.random.default_rng(1)
    q, target = rng.normal(0.0, 1.0, (2, 257, spec.num_joints)).astype(np.float32)
    qd = rng.normal(0.0, 20.0, (257, spec.num_joints)).astype(np.float32)
    state = reference.initial_state(p, np.zeros(spec.num_joints), 1, (257,))
    got, _ = reference.compute_joint_efforts(p, motors, TIMING, reference.push_command(state, target), q, qd)

    computed = p.stiffness * (target - q) - p.damping * qd
    upper = np.clip(p.stall_torque * (1.0 - qd / p.no_load_speed), -motors.effort_limit, motors.effort_limit)
    lower = np.clip(p.stall_torque * (-1.0 - qd / p.no_load_speed), -motors.effort_limit, motors.effort_limit)
    motor = np.clip(computed, lower, upper)
    np.testing.assert_array_equal(got.computed, computed)
    np.testing.assert_array_equal(got.motor, motor)
    friction = p.coulomb_friction * np.tanh(qd / 0.1) + p.viscous_friction * qd
    np.testing.assert_allclose(got.joint, motor - friction, rtol=1e-6, atol=1e-6)
    assert set(np.unique(got.saturation)) == {Saturation.NONE, Saturation.EFFORT_LIMIT, Saturation.TORQUE_SPEED}


def test_without_a_table_every_environment_has_the_nominal_parameters() -> None:
    bound, unbound = Rig(num_envs=3, num_joints=2), Rig(num_envs=3, num_joints=2, bind=False)
    for rig in (bound, unbound):
        rig.push(0.2)
        rig.joint_vel[:] = 5.0
        rig.substep()
        rig.actuator.advance()
    assert torch.equal(bound.joint_effort, unbound.joint_effort)
    assert torch.equal(bound.actuator.heat, unbound.actuator.heat)
    assert torch.equal(bound.actuator.voltage, unbound.actuator.voltage)


def test_the_kernel_equals_its_reference_on_random_parameters_and_states() -> None:
    rig = randomized_rig()
    expected, after = reference.compute_joint_efforts(
        *rig.reference()[:2], TIMING, rig.reference()[2], rig.joint_pos.numpy(), rig.joint_vel.numpy()
    )
    rig.substep()
    actuator = rig.actuator
    np.testing.assert_allclose(actuator.computed_effort.numpy(), expected.computed, rtol=1e-5, atol=1e-4)
    np.testing.assert_allclose(actuator.applied_effort.numpy(), expected.motor, rtol=1e-5, atol=1e-4)
    np.testing.assert_allclose(actuator.motor_power.numpy(), expected.power, rtol=1e-5, atol=1e-3)
    np.testing.assert_allclose(rig.joint_effort.numpy(), expected.joint, rtol=1e-5, atol=1e-4)
    np.testing.assert_array_equal(actuator.saturation.numpy(), expected.saturation)
    np.testing.assert_allclose(actuator.command_age.numpy(), np.tile(after.command_age[:, None], 5), rtol=1e-6)
    counts = np.bincount(expected.saturation.ravel(), minlength=5)
    assert counts.min() > 10, f"every reason must occur for the comparison to prove something: {counts}"


def test_joints_in_another_order_receive_the_torques_of_their_names() -> None:
    engine_of_policy = [3, 0, 4, 1, 2]  # engine column of each policy joint
    straight, shuffled = randomized_rig(), randomized_rig(engine_of_policy=engine_of_policy)
    for values in ("joint_pos", "joint_vel"):
        getattr(shuffled, values)[:, engine_of_policy] = getattr(straight, values)
    straight.substep()
    shuffled.substep()
    assert torch.equal(shuffled.joint_effort[:, engine_of_policy], straight.joint_effort)
    assert torch.equal(shuffled.actuator.applied_effort, straight.actuator.applied_effort)


def test_kernels_and_reference_have_the_same_constants() -> None:
    for name in (
        "FRICTION_VELOCITY",
        "STRIBECK_VELOCITY",
        "FULL_DERATING_HEAT",
        "LOWEST_VOLTAGE",
        "SMALLEST_STRENGTH",
    ):
        assert float(getattr(kernels, name)) == getattr(reference, name)
    reasons = {reason: getattr(kernels, reason.name) for reason in Saturation if reason != Saturation.NONE}
    assert all(reason == constant for reason, constant in reasons.items())
    assert Saturation.NONE == kernels.NOT_SATURATED


def test_the_clock_refuses_steps_that_do_not_advance() -> None:
    with pytest.raises(SurefootError, match=r"physics step > 0 s and a decimation >= 1, not 0\.0 and 4"):
        ControlTiming(0.0, 4)
