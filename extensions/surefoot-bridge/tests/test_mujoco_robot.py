import numpy as np
import pytest
from go2_rig import model_of

from surefoot_bridge.clock import MonotonicClock, SimulatedClock
from surefoot_bridge.errors import SurefootError
from surefoot_bridge.robots.model import robot_model, stable_physics_dt_s
from surefoot_bridge.robots.mujoco_robot import MujocoRobot
from surefoot_bridge.state import JointCommand, gravity_in_frame

GRAVITY_M_S2 = 9.81


def robot_of(name="unitree_go2", **options):
    clock = SimulatedClock()
    return MujocoRobot(model_of(name), clock=clock, **options), clock


def command(q, stiffness, damping):
    n = len(q)
    return JointCommand(np.array(q), np.zeros(n), np.full(n, stiffness), np.full(n, damping), np.zeros(n))


def stand(robot, clock, seconds=2.0):
    for _ in range(round(seconds * 500)):
        robot.write(command(robot.robot_model.default_joint_pos_rad, 60.0, 4.0))
        clock.sleep_until(clock.now() + 0.002)


def test_a_standing_go2_measures_gravity_its_weight_and_no_motion():
    robot, clock = robot_of()
    stand(robot, clock)
    state = robot.read().state
    down = gravity_in_frame(state.imu_quat_wxyz)
    np.testing.assert_allclose(state.imu_lin_acc_m_s2, -GRAVITY_M_S2 * down, atol=0.15)
    mass_kg = robot.physics.body_mass.sum()
    assert state.foot_force_n.sum() == pytest.approx(mass_kg * GRAVITY_M_S2, rel=0.03)
    assert np.abs(state.imu_ang_vel_rad_s).max() < 0.05
    assert (state.motor_temperature_c > 25.0).all()


def test_the_gyro_measures_the_change_of_the_quaternion_in_the_frame_of_the_imu():
    robot, clock = robot_of()
    robot.data.qpos[2] += 1.0
    robot.data.qvel[3:6] = (2.0, -1.0, 3.0)
    clock.sleep_until(0.002)
    before = robot.read().state
    clock.sleep_until(0.004)
    after = robot.read().state
    w, x, y, z = before.imu_quat_wxyz
    back = np.array([[w, x, y, z], [-x, w, z, -y], [-y, -z, w, x], [-z, y, -x, w]])  # q*, from the left
    turned = 2.0 * (back @ after.imu_quat_wxyz)[1:] / 0.002
    np.testing.assert_allclose(turned, after.imu_ang_vel_rad_s, atol=0.05)


def test_in_free_fall_the_specific_force_is_zero():
    robot, clock = robot_of()
    robot.data.qpos[2] += 2.0
    clock.sleep_until(0.1)
    assert np.abs(robot.read().state.imu_lin_acc_m_s2).max() < 0.5


def test_torque_ends_at_the_limit_of_the_motor_and_the_motor_heats():
    robot, clock = robot_of()
    for _ in range(250):
        robot.write(command(robot.robot_model.start_joint_pos_rad + 3.0, 500.0, 1.0))
        clock.sleep_until(clock.now() + 0.002)
    state = robot.read().state
    limit = robot.robot_model.motors.effort_limit
    assert (np.abs(state.joint_torque_nm) <= limit + 1e-4).all()
    assert (np.abs(state.joint_torque_nm) > 0.99 * limit).any()


def test_reports_count_up_and_are_repeated_until_the_next_period():
    robot, clock = robot_of()
    assert robot.read() is None
    clock.sleep_until(0.0021)
    first = robot.read()
    clock.sleep_until(0.0035)
    assert robot.read() is first
    clock.sleep_until(0.0101)
    assert (int(first.state.sequence), int(robot.read().state.sequence)) == (1, 5)
    assert robot.read().received_s == pytest.approx(0.01)


def test_the_same_seed_is_the_same_robot_and_another_lies_otherwise():
    positions = []
    for seed in (3, 3, 4):
        robot, clock = robot_of(seed=seed)
        stand(robot, clock, 0.2)
        positions.append(robot.read().state.joint_pos_rad)
    np.testing.assert_array_equal(positions[0], positions[1])
    assert np.abs(positions[2] - positions[0]).max() > 1e-4


def test_on_a_real_clock_it_moves_by_real_time():
    robot = MujocoRobot(model_of("unitree_go2"), clock=MonotonicClock())
    clock = MonotonicClock()
    start_s = clock.now()
    while clock.now() - start_s < 0.2:
        reading = robot.read()
        clock.sleep_until(clock.now() + 0.002)
    assert 0.1 < float(reading.state.time_s) <= clock.now() - start_s
    assert abs(clock.now() - reading.received_s) < 0.05


def test_a_g1_hangs_from_its_gantry_and_stands_once_it_is_let_go():
    robot, clock = robot_of("unitree_g1", gantry=True)
    height_m = robot.data.qpos[2]
    clock.sleep_until(0.3)
    assert robot.data.qpos[2] == pytest.approx(height_m, abs=0.02)
    assert robot.read().state.foot_force_n.shape == (0,)
    robot.gantry = False
    clock.sleep_until(1.0)
    assert robot.data.qpos[2] < 0.6 * height_m  # limp as it is


def test_a_closed_robot_takes_no_command():
    robot, clock = robot_of()
    clock.sleep_until(0.01)
    robot.close()
    with pytest.raises(SurefootError, match="unitree_go2 is closed"):
        robot.write(command(np.zeros(12), 0.0, 0.0))


def test_a_robot_that_nobody_offers_is_named_with_those_that_are():
    model_of("unitree_go2")
    with pytest.raises(SurefootError, match="Unknown robot 'unitree_go3'; valid: unitree_go2"):
        robot_model("unitree_go3")


def test_the_physics_step_divides_the_low_level_period_and_resolves_the_damping():
    # 0.01 / 5 is 2 ms: one step of a period at 500 Hz. 0.0036 / 10 is 0.36 ms: six of 0.333 ms.
    assert stable_physics_dt_s(500.0, np.array([5.0]), np.array([0.01])) == pytest.approx(0.002)
    assert stable_physics_dt_s(500.0, np.array([5.0, 10.0]), np.array([0.01, 0.0036])) == pytest.approx(0.002 / 6)
