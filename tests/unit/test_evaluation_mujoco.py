from dataclasses import replace

import mujoco
import numpy as np
import pytest
from tests.unit.motion_rig import CONTRACT, SPEC, WEIGHT_N, F, J, batch

from surefoot.evaluation.engines.mujoco_engine import MujocoTrialEngine
from surefoot.evaluation.engines.mujoco_model import TrialModel
from surefoot.evaluation.engines.payload import payload_position_b
from surefoot.evaluation.trials.batch import Variation
from surefoot.evaluation.trials.rotations import into_base
from surefoot.terrains.height_grid import HeightGrid
from surefoot_bridge.clock import SimulatedClock
from surefoot_bridge.errors import SurefootError
from surefoot_bridge.robots.model import RobotModel, robot_model
from surefoot_bridge.robots.mujoco_robot import MujocoRobot
from surefoot_bridge.state import JointCommand, each
from surefoot_robots import get_robot

FLAT = HeightGrid(heights_m=np.zeros((2, 2), np.float32), spacing_m=0.05, origin_xy_m=(0.0, 0.0))
ROBOT = robot_model("unitree_go2")
STAND = np.array(CONTRACT.handling.stand_rad)[list(CONTRACT.sdk_order)]
TICK_S = 1.0 / ROBOT.low_level_hz


def engine(num_trials: int = 3, **options) -> MujocoTrialEngine:
    return MujocoTrialEngine(CONTRACT, num_trials=num_trials, **({"grid": FLAT} | options))


def some_batch(n: int = 3, **varied):
    """Robots that differ in pose, heading and tilt."""
    generator = np.random.default_rng(1)
    drawn = {
        "joint_offset_rad": generator.uniform(-0.05, 0.05, (n, J)),
        "tilt_rad": generator.uniform(-0.05, 0.05, (n, 2)),
        "yaw_rad": generator.uniform(-3.0, 3.0, n),
    }
    return batch(n, varied=drawn | varied)


def held(n: int, tick: int = 0, bob_rad: float = 0.0, stiffness: float = 80.0) -> JointCommand:
    """The standing pose, with thighs and calves that bend and stretch by 1 Hz."""
    bent = bob_rad * np.sin(2.0 * np.pi * tick * TICK_S) * np.array([0.0, 1.0, -1.0] * F)
    rows = (STAND + bent, np.zeros(J), np.full(J, stiffness), np.full(J, 4.0 if stiffness > 50 else 1.0), np.zeros(J))
    return JointCommand(*(np.tile(row, (n, 1)) for row in rows))


def stand(trials: MujocoTrialEngine, n: int, duration_s: float, push: np.ndarray | None = None) -> None:
    for _ in range(round(duration_s / TICK_S)):
        trials.step(held(n), push)


def same_start(robot: MujocoRobot, trials: MujocoTrialEngine, row: int) -> None:
    """Put the bridge's robot where a trial begins."""
    truth = trials.truth()
    data, model = robot.data, robot.physics
    data.qpos[:7] = (*truth.base_pos_w[row], *truth.base_quat_wxyz[row])
    data.qpos[[model.joint(name).qposadr[0] for name in ROBOT.joint_names]] = truth.joint_pos_rad[row]
    data.qvel[:] = 0.0
    mujoco.mj_forward(model, data)


@pytest.mark.parametrize("row", [0, 2])
def test_a_trial_is_the_bridge_s_robot_in_mujoco_to_rounding(row):
    trials, clock = engine(), SimulatedClock()
    trials.begin(some_batch())
    robot = MujocoRobot(ROBOT, clock=clock)
    same_start(robot, trials, row)
    push = np.array([[30.0, -20.0, 5.0]] * 3)
    base = robot.physics.body("base").id
    for tick in range(250):
        command = held(3, tick, bob_rad=0.3, stiffness=40.0)
        pushed = 100 <= tick < 150
        robot.data.xfrc_applied[base, :3] = push[row] if pushed else 0.0
        trials.step(command, push if pushed else None)
        robot.write(each(command, lambda array: array[row]))
        clock.sleep_until((tick + 1.5) * TICK_S)
        reading = robot.read()
        assert reading is not None
        report = each(trials.report(), lambda array: array[row])
        for name, tolerance in (("joint_pos_rad", 1e-6), ("joint_vel_rad_s", 1e-5), ("joint_torque_nm", 1e-4)):
            np.testing.assert_allclose(getattr(report, name), getattr(reading.state, name), atol=tolerance, rtol=0.0)
    for name, array in vars(reading.state).items():
        np.testing.assert_allclose(getattr(report, name), array, atol=1e-3, rtol=0.0, err_msg=name)


def test_robots_begin_in_their_pose_at_rest_on_their_feet():
    trials, drawn = engine(), some_batch()
    trials.begin(drawn)
    truth, report = trials.truth(), trials.report()
    np.testing.assert_allclose(truth.joint_pos_rad, STAND + drawn.variation.joint_offset_rad)
    np.testing.assert_allclose(truth.foot_pos_w[..., 2].min(axis=1), 0.0, atol=1e-12)
    np.testing.assert_array_equal(truth.base_pos_w[:, :2], 0.0)
    up = into_base(truth.base_quat_wxyz, np.tile([0.0, 0.0, 9.81], (3, 1)))
    np.testing.assert_allclose(report.imu_lin_acc_m_s2, up, atol=1e-12)
    np.testing.assert_allclose(report.foot_force_n.sum(axis=1), WEIGHT_N, rtol=1e-6)
    for still in (truth.base_lin_vel_w, truth.base_ang_vel_b, truth.joint_vel_rad_s, truth.foot_vel_w):
        np.testing.assert_array_equal(still, 0.0)


def test_a_standing_robot_s_feet_carry_its_weight_and_its_payload():
    trials = engine(2)
    trials.begin(batch(2, varied={"payload_kg": np.array([0.0, 3.0])}))
    stand(trials, 2, 1.0)
    truth, report = trials.truth(), trials.report()
    np.testing.assert_allclose(report.foot_force_n.sum(axis=1), [WEIGHT_N, WEIGHT_N + 3.0 * 9.81], rtol=2e-3)
    assert (truth.foot_force_n >= report.foot_force_n - 1e-9).all()  # the whole force, not only its upward part
    np.testing.assert_array_equal(truth.body_force_n, 0.0)
    np.testing.assert_allclose(trials.report().imu_lin_acc_m_s2[:, 2], 9.81, atol=0.1)


def test_a_robot_that_drops_flat_is_felt_on_its_body():
    trials = engine(1)
    trials.begin(batch(1))
    limp = each(held(1), np.zeros_like)
    largest = 0.0
    for _ in range(500):
        trials.step(limp, None)
        largest = max(largest, float(trials.truth().body_force_n[0]))
    assert largest > 0.2 * WEIGHT_N


def test_feet_are_where_kinematics_puts_them_and_as_fast():
    trials = engine()
    trials.begin(some_batch())
    model = mujoco.MjModel.from_xml_path(str(SPEC.mjcf_path))
    data, velocity = mujoco.MjData(model), np.zeros(6)
    joints = [model.joint(name) for name in ROBOT.joint_names]
    for tick in range(200):
        trials.step(held(3, tick, bob_rad=0.3, stiffness=40.0), None)
        if tick % 20:
            continue
        truth = trials.truth()
        data.qpos[:7] = (*truth.base_pos_w[1], *truth.base_quat_wxyz[1])
        data.qvel[:6] = (*truth.base_lin_vel_w[1], *truth.base_ang_vel_b[1])
        data.qpos[[joint.qposadr[0] for joint in joints]] = truth.joint_pos_rad[1]
        data.qvel[[joint.dofadr[0] for joint in joints]] = truth.joint_vel_rad_s[1]
        mujoco.mj_forward(model, data)
        for foot, name in enumerate(CONTRACT.robot.foot_names):
            body = model.body(name).id
            mujoco.mj_objectVelocity(model, data, mujoco.mjtObj.mjOBJ_BODY, body, velocity, 0)
            down = np.array([0.0, 0.0, -SPEC.sole_radius_m])
            np.testing.assert_allclose(truth.foot_pos_w[1, foot], data.xpos[body] + down, atol=1e-4)
            expected = velocity[3:] + np.cross(velocity[:3], down)
            np.testing.assert_allclose(truth.foot_vel_w[1, foot], expected, atol=0.05)


@pytest.mark.parametrize("threads", [2, 3])
def test_threads_change_nothing(threads):
    single, several = engine(5), engine(5, threads=threads)
    for trials in (single, several):
        trials.begin(some_batch(5))
        stand(trials, 5, 0.1)
    for name, array in vars(single.truth()).items():
        np.testing.assert_array_equal(array, getattr(several.truth(), name), err_msg=name)
    several.close()


def test_a_robot_moves_alike_alone_and_among_others_and_when_begun_again():
    trials, drawn = engine(4), some_batch(4)
    row = {name: value[2:3] for name, value in vars(drawn.variation).items()}
    alone = replace(drawn, numbers=drawn.numbers[2:3], variation=Variation(**row))
    trials.begin(drawn)
    stand(trials, 4, 0.1)
    among = trials.truth()
    for _ in range(2):
        trials.begin(alone)
        stand(trials, 1, 0.1)
        for name, array in vars(trials.truth()).items():
            np.testing.assert_array_equal(array[0], getattr(among, name)[2], err_msg=name)


def test_feet_hold_on_a_grippy_floor_and_slip_on_a_wet_one():
    trials = engine(2)
    trials.begin(batch(2, varied={"friction": np.array([0.8, 0.1])}))
    stand(trials, 2, 0.5)
    before = trials.truth().foot_pos_w[..., 1]
    stand(trials, 2, 0.5, np.array([[0.0, 0.25 * WEIGHT_N, 0.0]] * 2))
    moved = (trials.truth().foot_pos_w[..., 1] - before).mean(axis=1)
    assert abs(moved[0]) < 0.01
    assert moved[1] > 0.05  # (0.25 - 0.1) g t^2 / 2 is 0.18 m


def test_feet_resist_a_spin_by_their_torsional_friction_times_their_load():
    n, spin = 4, 5.0
    varied = {
        "friction": np.full(n, 1e-5),  # so that no foot is held where it stands
        "torsional_friction_m": np.array([0.0, 0.01, 0.02, 0.0]),
        "rolling_friction_m": np.array([0.0, 0.0, 0.0, 0.01]),
    }
    trials = engine(n)
    trials.begin(batch(n, varied=varied))
    stand(trials, n, 0.1)
    trials._state[:, 0, trials._qvel.start + 5] += spin
    before = trials.truth().base_ang_vel_b[:, 2].copy()
    impulse_ns = np.zeros(n)
    for _ in range(round(0.05 / TICK_S)):
        trials.step(held(n), None)
        impulse_ns += trials.truth().foot_force_n.sum(axis=1) * TICK_S
    lost = before - trials.truth().base_ang_vel_b[:, 2]

    # 0.535 kg m^2 about the vertical in the crouched stand, as MuJoCo's inertias and positions of bodies give.
    np.testing.assert_allclose(lost[1:3], np.array([0.01, 0.02]) * impulse_ns[1:3] / 0.535, rtol=0.15)
    np.testing.assert_allclose(lost[[0, 3]], 0.0, atol=0.02)


def test_robots_without_turning_friction_keep_the_contacts_of_the_model():
    trials = engine(2)
    trials.begin(batch(2, varied={"torsional_friction_m": np.array([0.0, 0.02])}))
    nominal, gripping = trials._models
    np.testing.assert_array_equal(nominal.geom_condim, trials._model.compiled.geom_condim)
    feet = trials._model._foot_geoms
    assert set(gripping.geom_condim[feet]) == {6}
    np.testing.assert_allclose(gripping.geom_friction[feet], [[0.8, 0.02, 0.0]] * len(feet))


def test_a_payload_changes_all_that_mujoco_derives_from_masses():
    model = TrialModel(ROBOT, SPEC, CONTRACT.robot.foot_names, FLAT)
    plain, laden = model.varied(batch(2, varied={"payload_kg": np.array([0.0, 4.0])}).variation)
    scene = mujoco.MjSpec.from_file(str(SPEC.mjcf_path))
    scene.body("base").add_body(
        name="payload", pos=payload_position_b(SPEC), mass=4.0, inertia=[1e-9] * 3, explicitinertial=True
    )
    compiled = scene.compile()
    for name in ("body_mass", "body_subtreemass", "body_invweight0", "dof_M0", "dof_invweight0"):
        np.testing.assert_allclose(getattr(laden, name), getattr(compiled, name), rtol=1e-9, err_msg=name)
        assert not np.allclose(getattr(plain, name), getattr(compiled, name), rtol=1e-3), name
    top = 0.06  # of the head's capsule: 0.05 m of radius and 0.035 m of half length, 0.025 m below the origin
    expected = (SPEC_BASE_KG * SPEC_BASE_COM + 4.0 * np.array([0.0, 0.0, top])) / (SPEC_BASE_KG + 4.0)
    np.testing.assert_allclose(model.base_com_b([plain, laden]), [SPEC_BASE_COM, expected], atol=1e-12)


SPEC_BASE_KG, SPEC_BASE_COM = 6.921, np.array([0.021112, 0.0, -0.005366])
"""Of the base, from its MJCF."""


def test_motors_are_as_strong_hot_and_stiff_as_the_trial_says_and_encoders_as_wrong():
    offset = np.full((2, J), 0.02)
    trials = engine(2)
    trials.begin(
        batch(
            2,
            varied={
                "motor_strength": np.array([np.full(J, 1.0), np.full(J, 0.6)]),
                "motor_heat": np.array([np.zeros(J), np.full(J, 0.4)]),
                "encoder_offset_rad": offset,
            },
        )
    )
    asked = replace(each(held(2), np.zeros_like), torque_nm=np.full((2, J), 5.0))
    trials.step(asked, None)
    truth, report = trials.truth(), trials.report()
    np.testing.assert_allclose(truth.motor_torque_nm, [[5.0] * J, [3.0] * J], rtol=1e-6)
    np.testing.assert_allclose(truth.motor_heat[1] - truth.motor_heat[0], 0.4, rtol=1e-3)
    np.testing.assert_allclose(report.joint_pos_rad - truth.joint_pos_rad, offset, atol=1e-7)
    assert not truth.torque_cut.any()
    trials.step(replace(asked, torque_nm=np.full((2, J), 100.0)), None)
    assert trials.truth().torque_cut.all()


def test_cold_joints_turn_more_slowly():
    trials = engine(2)
    trials.begin(batch(2, varied={"cold_friction": np.array([1.0, 5.0])}))
    asked = replace(each(held(2), np.zeros_like), torque_nm=np.tile([3.0, 0.0, 0.0], (2, F)))
    for _ in range(10):
        trials.step(asked, None)
    speed = trials.truth().joint_vel_rad_s[:, 0]
    assert speed[0] > speed[1] + 0.3


def test_a_sagging_battery_cuts_the_torque_of_a_fast_joint():
    speed = {}
    for name, voltage in (("full", 1.0), ("low", 0.5)):
        trials = engine(1)
        trials.begin(batch(1, varied={"battery_voltage": np.array([voltage])}))
        asked = replace(each(held(1), np.zeros_like), torque_nm=np.tile([20.0, 0.0, 0.0], (1, F)))
        for _ in range(5):
            trials.step(asked, None)
        speed[name] = trials.truth().motor_torque_nm[0, 0]
    assert speed["full"] > speed["low"] + 1.0


def test_robots_stand_on_the_ground_of_their_grid():
    slope = HeightGrid(
        heights_m=np.repeat(np.float32(0.2) + 0.1 * np.arange(81, dtype=np.float32)[:, None] / 80.0, 81, axis=1),
        spacing_m=0.05,
        origin_xy_m=(-2.0, -2.0),
    )
    trials = engine(1, grid=slope)
    trials.begin(batch(1))
    stand(trials, 1, 1.0)
    truth = trials.truth()
    below = slope.height(truth.foot_pos_w[0, :, 0], truth.foot_pos_w[0, :, 1])
    np.testing.assert_allclose(truth.foot_pos_w[0, :, 2], below, atol=5e-3)
    assert trials.report().foot_force_n.sum() == pytest.approx(WEIGHT_N, rel=2e-3)


def test_a_humanoid_of_several_physics_steps_a_tick_stands_on_its_lowest_sole_points():
    spec, robot = get_robot("unitree_g1"), robot_model("unitree_g1")
    feet = spec.foot_bodies
    model = TrialModel(robot, spec, feet, FLAT)
    points = max(len(points) for points in spec.sole_offsets_m)
    assert robot.physics_steps > 1
    assert model.sole_pos.shape == (2, points, 3)
    data = mujoco.MjData(model.compiled)
    mujoco.mj_forward(model.compiled, data)
    for foot, name in enumerate(feet):
        body = data.body(name)
        expected = body.xpos + np.array(spec.sole_offsets_m[foot]) @ body.xmat.reshape(3, 3).T
        np.testing.assert_allclose(data.sensordata[model.sole_pos[foot]], expected, atol=1e-12)


def test_a_robot_that_flies_apart_is_no_number_and_harms_no_other(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)  # MuJoCo writes a log
    trials = engine(2)
    trials.begin(batch(2))
    for tick in range(20):
        trials.step(held(2), np.array([[0.0] * 3, [1e14 * (tick == 0)] * 3]))
    truth, report = trials.truth(), trials.report()
    assert np.isnan(truth.base_quat_wxyz[1]).all()
    assert np.isnan(truth.base_pos_w[1]).all()
    assert np.isnan(report.imu_quat_wxyz[1]).all()
    assert all(np.isfinite(array[0]).all() for array in (*vars(truth).values(), *vars(report).values()))


def test_a_batch_larger_than_the_engine_is_refused():
    with pytest.raises(SurefootError, match="A batch of 4 trials of made; this engine runs 1 to 3 side by side"):
        engine(3).begin(batch(4))


def test_a_contract_of_another_interface_is_refused():
    timing = replace(CONTRACT.timing, low_level_hz=1000.0)
    with pytest.raises(SurefootError, match=r"at 1000 Hz; the one known here has .* at 500 Hz"):
        MujocoTrialEngine(replace(CONTRACT, timing=timing), num_trials=1, grid=FLAT)


def test_the_model_is_that_of_the_bridge_but_for_what_weighs_nothing():
    model = TrialModel(ROBOT, SPEC, CONTRACT.robot.foot_names, FLAT).compiled
    robot: RobotModel = ROBOT
    other = MujocoRobot(robot, clock=SimulatedClock()).physics
    assert model.opt.integrator == other.opt.integrator
    assert model.opt.timestep == other.opt.timestep
    bodies = [model.body(other.body(body).name).id for body in range(other.nbody)]
    np.testing.assert_array_equal(model.body_mass[bodies], other.body_mass)
    np.testing.assert_array_equal(np.sort(model.geom_friction, axis=0), np.sort(other.geom_friction, axis=0))
