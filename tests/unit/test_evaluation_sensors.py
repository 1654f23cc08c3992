from dataclasses import replace

import numpy as np
import pytest
from tests.unit.motion_rig import CONTRACT, J, batch

from surefoot.evaluation.trials.batch import Variation
from surefoot.evaluation.trials.rotations import about_vertical, cross, from_angles, into_base, to_world
from surefoot.evaluation.trials.sensor_noise import SensorLayer
from surefoot.randomization.catalogue import DECLARED
from surefoot_bridge.contract import Contract, SensorError
from surefoot_bridge.state import RobotState, gravity_in_frame, heading, product

N = 400


def report(n: int) -> RobotState:
    """Robots that stand level and still, at zero joint angles."""
    return RobotState(
        time_s=np.zeros(n),
        sequence=np.zeros(n, dtype=np.int64),
        joint_pos_rad=np.zeros((n, J)),
        joint_vel_rad_s=np.zeros((n, J)),
        joint_torque_nm=np.zeros((n, J)),
        motor_temperature_c=np.zeros((n, J)),
        imu_quat_wxyz=np.tile([1.0, 0.0, 0.0, 0.0], (n, 1)),
        imu_ang_vel_rad_s=np.zeros((n, 3)),
        imu_lin_acc_m_s2=np.tile([0.0, 0.0, 9.81], (n, 1)),
        foot_force_n=np.tile([0.0, 0.0, 40.0, 40.0], (n, 1)),
        battery_share=np.ones(n),
    )


def layer(n: int = N, factor: float = 1.0, contract: Contract = CONTRACT) -> SensorLayer:
    return SensorLayer(contract, batch(n, varied={"sensor_noise": np.full(n, factor)}))


def only(**errors: tuple[float, float]) -> Contract:
    """The Go2's contract with the given errors in place of all that it names."""
    made = {name: SensorError(DECLARED[name].law, "uniform", "-", *ends) for name, ends in errors.items()}
    terms = tuple(replace(term, trained_noise=made) for term in CONTRACT.observation.terms)
    return replace(CONTRACT, observation=replace(CONTRACT.observation, terms=terms))


def test_without_a_factor_reports_are_handed_on_as_they_are():
    perfect = report(3)
    assert layer(3, factor=0.0)(perfect, new_step=True) is perfect


@pytest.mark.parametrize("factor", [1.0, 2.0])
def test_noise_has_the_spread_that_the_contract_names_times_the_factor(factor):
    seen = layer(factor=factor)(report(N), new_step=True)
    for value, spread in ((seen.joint_pos_rad, 0.01 / np.sqrt(3.0)), (seen.joint_vel_rad_s, 1.5 / np.sqrt(3.0))):
        assert value.std() == pytest.approx(factor * spread, rel=0.05)
        assert abs(value.mean()) < 4.0 * factor * spread / np.sqrt(value.size)


def test_gyro_noise_and_bias_add_up():
    seen = layer(contract=only(gyro_noise=(0.1, 0.1)))(report(N), new_step=True)
    assert seen.imu_ang_vel_rad_s.std() == pytest.approx(0.1, rel=0.06)
    biased = layer(contract=only(gyro_bias=(-0.02, 0.02)))
    first, second = (biased(report(N), new_step=True).imu_ang_vel_rad_s for _ in range(2))
    np.testing.assert_array_equal(first, second)
    assert np.abs(first).max() <= 0.02
    assert first.std() == pytest.approx(0.02 / np.sqrt(3.0), rel=0.06)  # uniform


def test_noise_of_gravity_turns_the_attitude():
    seen = layer(contract=only(gravity_noise=(0.03, 0.03)))(report(N), new_step=True)
    np.testing.assert_allclose(np.linalg.norm(seen.imu_quat_wxyz, axis=1), 1.0, atol=1e-12)
    error = gravity_in_frame(seen.imu_quat_wxyz) - [0.0, 0.0, -1.0]
    assert error[:, :2].std() == pytest.approx(0.03, rel=0.08)


def test_a_tilted_mounting_turns_all_that_the_imu_measures_alike():
    perfect = replace(report(N), imu_ang_vel_rad_s=np.tile([0.3, -0.2, 0.5], (N, 1)))
    seen = layer(contract=only(imu_mounting=(-0.035, 0.035)))(perfect, new_step=True)
    down = gravity_in_frame(seen.imu_quat_wxyz)
    np.testing.assert_allclose(seen.imu_lin_acc_m_s2, -9.81 * down, atol=1e-12)
    np.testing.assert_allclose(np.linalg.norm(seen.imu_ang_vel_rad_s, axis=1), np.linalg.norm([0.3, -0.2, 0.5]))
    along = (seen.imu_ang_vel_rad_s * down).sum(axis=1)
    np.testing.assert_allclose(along, -0.5, atol=1e-12)
    assert np.abs(down[:, :2]).max() > 0.02


def test_drift_grows_with_the_root_of_time():
    drifting = layer(contract=only(gyro_drift=(0.1, 0.1)))
    for _ in range(101):  # 100 control periods of 0.02 s after the first
        seen = drifting(report(N), new_step=True)
    assert seen.imu_ang_vel_rad_s.std() == pytest.approx(0.1 * np.sqrt(2.0), rel=0.08)


def test_foot_sensors_miss_contacts_and_see_false_ones_as_often_as_named():
    seen = layer(contract=only(contact_miss=(0.2, 0.2), contact_false=(0.1, 0.1)))(report(N), new_step=True)
    felt = seen.foot_force_n > CONTRACT.observation.foot_contact_force_n
    assert felt[:, 2:].mean() == pytest.approx(0.8, abs=0.05)
    assert felt[:, :2].mean() == pytest.approx(0.1, abs=0.04)


def test_noise_stays_for_a_control_period_and_is_new_in_the_next():
    noisy = layer(8)
    first, held, after = (noisy(report(8), new_step=new) for new in (True, False, True))
    np.testing.assert_array_equal(first.joint_vel_rad_s, held.joint_vel_rad_s)
    assert (first.joint_vel_rad_s != after.joint_vel_rad_s).all()


def test_a_trial_is_the_same_alone_as_among_others():
    among = batch(5, varied={"sensor_noise": np.full(5, 1.5)})
    row = {name: value[3:4] for name, value in vars(among.variation).items()}
    alone = replace(among, numbers=among.numbers[3:4], seeds=among.seeds[3:4], variation=Variation(**row))
    layers = SensorLayer(CONTRACT, among), SensorLayer(CONTRACT, alone)
    for _ in range(3):
        seen, single = (each(report(n), new_step=True) for each, n in zip(layers, (5, 1), strict=True))
        for name, value in vars(single).items():
            np.testing.assert_array_equal(value[0], getattr(seen, name)[3], err_msg=name)


def test_rotations_agree_with_one_another():
    generator = np.random.default_rng(0)
    quat = generator.normal(size=(7, 4))
    quat /= np.linalg.norm(quat, axis=1, keepdims=True)
    vector = generator.normal(size=(7, 3))
    np.testing.assert_allclose(into_base(quat, to_world(quat, vector)), vector, atol=1e-12)
    np.testing.assert_allclose(into_base(quat, np.tile([0.0, 0.0, -1.0], (7, 1))), gravity_in_frame(quat), atol=1e-12)
    other = quat[::-1]
    np.testing.assert_allclose(
        to_world(product(quat, other), vector), to_world(quat, to_world(other, vector)), atol=1e-12
    )
    np.testing.assert_allclose(cross(vector, vector[::-1]), np.cross(vector, vector[::-1]), atol=1e-12)


def test_angles_are_roll_then_pitch_then_yaw():
    quat = from_angles(np.array([0.1]), np.array([-0.2]), np.array([2.5]))
    expected = (-np.sin(-0.2), np.sin(0.1) * np.cos(-0.2), np.cos(0.1) * np.cos(-0.2))
    np.testing.assert_allclose(into_base(quat, np.array([[0.0, 0.0, 1.0]]))[0], expected, atol=1e-12)
    assert heading(quat)[0] == pytest.approx(2.5)
    np.testing.assert_allclose(
        about_vertical(np.array([np.pi / 2]), np.array([[1.0, 0.0, 2.0]])), [[0, 1, 2]], atol=1e-12
    )
