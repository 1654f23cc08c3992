from dataclasses import replace

import numpy as np
import pytest
from tests.fixtures.shipped import GO2_BUNDLE
from tests.unit.motion_rig import CONTRACT, F, J, batch, scenario, truth

from surefoot.evaluation.engines.mujoco_engine import MujocoTrialEngine
from surefoot.evaluation.running.timing import TimeSpent
from surefoot.evaluation.running.trial_run import TrialRun, run_batch
from surefoot.evaluation.scenarios.files import load_suite
from surefoot.evaluation.scenarios.ground import scenario_grid
from surefoot.evaluation.scenarios.robot_fit import trial_limits
from surefoot.evaluation.trials.batch import PushTimes, TrialBatch
from surefoot.evaluation.trials.command_schedule import command_schedule, component_order
from surefoot.evaluation.trials.pushes import TrialPushes
from surefoot.evaluation.trials.recording import MOST_STEPS, Recording, TrialRecorder
from surefoot.evaluation.trials.rotations import about_vertical, from_angles
from surefoot.evaluation.trials.sampling import draw_batch
from surefoot.terrains.height_grid import HeightGrid
from surefoot_bridge.bundle import Bundle, load_bundle
from surefoot_bridge.errors import SurefootError
from surefoot_bridge.safety import StageLimits
from surefoot_bridge.state import JointCommand

FLAT = HeightGrid(heights_m=np.zeros((2, 2), np.float32), spacing_m=0.05, origin_xy_m=(0.0, 0.0))
LIMITS = trial_limits(CONTRACT)
STAND = np.array(CONTRACT.handling.stand_rad)[list(CONTRACT.sdk_order)]
FORWARD = {"commands": [{"at_s": 0.0, "velocity": (1.0, 0.0, 0.0)}]}


@pytest.fixture(scope="module")
def bundle() -> Bundle:
    return load_bundle(GO2_BUNDLE, runtime="numpy")


class Watched(MujocoTrialEngine):
    """MuJoCo that remembers what it was told."""

    def __init__(self, num_trials: int) -> None:
        super().__init__(CONTRACT, num_trials=num_trials, grid=FLAT)
        self.told: list[JointCommand] = []
        self.pushed: list[np.ndarray | None] = []

    def step(self, command: JointCommand, push_force_w: np.ndarray | None) -> None:
        self.told.append(JointCommand(*(part.copy() for part in vars(command).values())))
        self.pushed.append(push_force_w)
        super().step(command, push_force_w)


def drawn(n: int, length_s: float, pushes: tuple[PushTimes, ...] = (), varied=None, **fields) -> TrialBatch:
    offset = np.random.default_rng(2).uniform(-0.05, 0.05, (n, J))
    return batch(n, pushes, {"joint_offset_rad": offset} | (varied or {}), **(FORWARD | fields), length_s=length_s)


def sideways(n: int, force_n: list[float], at_s: float, duration_s: float = 0.2) -> PushTimes:
    force = np.zeros((n, 3))
    force[:, 1] = force_n
    return PushTimes(start_s=np.full(n, at_s), duration_s=np.full(n, duration_s), force_b=force)


def test_the_shipped_policy_walks_as_it_is_told(bundle):
    outcomes = run_batch(bundle, Watched(4), drawn(4, 3.0, settle_s=1.0), limits=LIMITS)
    assert [(outcome.number, outcome.success, outcome.reason) for outcome in outcomes] == [
        (i, True, "") for i in range(4)
    ]
    for outcome in outcomes:
        assert outcome.measures["steady_vx_error"] < 0.1
        assert 2.0 < outcome.measures["distance_m"] < 3.2


def test_the_same_trials_give_the_same_numbers_to_the_last_digit_also_when_recorded(bundle):
    first, second = (
        run_batch(
            bundle, Watched(3), drawn(3, 0.6, varied={"sensor_noise": np.ones(3)}), limits=LIMITS, recorder=recorder
        )
        for recorder in (None, recorder_of(drawn(3, 0.6), 0.6))
    )
    assert first == second


def test_robots_stand_when_they_begin_and_nothing_jumps(bundle):
    engine = Watched(3)
    run = TrialRun(bundle, engine, drawn(3, 0.1), limits=LIMITS)
    run.run(recorder=None, on_progress=None, spent=TimeSpent())
    first = engine.told[0]
    gains = CONTRACT.handling
    order = list(CONTRACT.sdk_order)
    np.testing.assert_allclose(first.joint_pos_rad, np.tile(STAND, (3, 1)), atol=1e-9)
    np.testing.assert_allclose(first.stiffness_nm_per_rad[0], np.array(gains.stiffness_nm_per_rad)[order])
    targets = np.array([told.joint_pos_rad for told in engine.told])
    assert np.abs(np.diff(targets, axis=0)).max() < 0.1
    outcomes = run.measures.outcomes()
    assert all(outcome.measures["safety_interventions"] == 0 for outcome in outcomes)


def test_gains_pass_to_the_policy_s_in_the_contract_s_time(bundle):
    engine = Watched(1)
    run_batch(bundle, engine, drawn(1, 0.6), limits=LIMITS)
    after = engine.told[round(CONTRACT.gains.handover_s / engine.tick_s) + 1]
    np.testing.assert_allclose(after.stiffness_nm_per_rad[0], np.array(CONTRACT.gains.stiffness_nm_per_rad))


def test_a_robot_that_is_pushed_over_has_fallen_and_the_others_walk_on(bundle):
    pushes = (sideways(2, [0.0, 900.0], at_s=0.5),)
    patient = replace(LIMITS, joint_grace_s=2.0)  # its legs flail before it lies
    outcomes = run_batch(bundle, Watched(2), drawn(2, 1.6, pushes), limits=patient)
    assert [outcome.reason for outcome in outcomes] == ["", "fell"]
    assert 0.5 < outcomes[1].measures["time_to_fall_s"] < 1.4


def test_a_batch_of_which_all_have_fallen_ends(bundle):
    told = []
    for recorder in (None, recorder_of(drawn(1, 8.0), 8.0)):
        engine = Watched(1)
        run_batch(bundle, engine, drawn(1, 8.0, (sideways(1, [900.0], 0.2),)), limits=LIMITS, recorder=recorder)
        told.append(len(engine.told) * engine.tick_s)
    assert told[0] < 2.0
    assert told[1] == pytest.approx(told[0] + 1.0, abs=0.05)  # who looks at it sees it fall


def test_a_robot_that_safety_stops_has_failed_by_the_rule_s_name(bundle):
    strict = replace(LIMITS, free_fall_m_s2=50.0)  # whoever is not shaken falls freely
    with pytest.raises(SurefootError, match=r"made: the robots of trials \[0, 1\] do not begin to walk"):
        run_batch(bundle, Watched(2), drawn(2, 1.0), limits=strict)
    slow = replace(LIMITS, joint_grace_s=0.0)
    contract = replace(CONTRACT, safety=replace(CONTRACT.safety, joint_vel_limit_rad_s=(6.0,) * J))
    outcomes = run_batch(replace(bundle, contract=contract), Watched(1), drawn(1, 1.0), limits=slow)
    assert outcomes[0].reason == "stopped by safety: joint_velocity"
    assert outcomes[0].measures["stopped_by_safety"] == 1.0


def test_motors_are_told_late_by_the_trial_s_latency(bundle):
    engine = Watched(2)
    run_batch(bundle, engine, drawn(2, 0.1, varied={"command_latency_s": np.array([0.0, 0.02])}), limits=LIMITS)
    targets = np.array([told.joint_pos_rad for told in engine.told])
    np.testing.assert_allclose(targets[:11, 1], np.tile(STAND, (11, 1)), atol=1e-9)
    moved = np.abs(targets - STAND).max(axis=2) > 1e-9  # (ticks, robots)
    assert moved[:, 1].argmax() == moved[:, 0].argmax() + 10


def test_progress_is_told_and_time_is_counted(bundle):
    shares, spent = [], TimeSpent()
    run_batch(bundle, Watched(1), drawn(1, 0.2), limits=LIMITS, on_progress=shares.append, spent=spent)
    np.testing.assert_allclose(shares, np.arange(1, 11) / 10.0)
    parts = vars(spent)
    assert all(parts[name] > 0.0 for name in ("physics_s", "controller_s", "measures_s", "other_s"))
    assert spent.total_s == pytest.approx(sum(value for name, value in parts.items() if name.endswith("_s")))


def test_limits_are_those_of_the_stage_that_allows_all():
    assert StageLimits((1.0, 0.5, 1.0), torque_share=1.0) == LIMITS


def test_commands_count_from_the_control_period_at_or_after_their_time_on():
    asked = [{"at_s": at, "velocity": (velocity, 0.0, 0.0)} for at, velocity in ((0.05, 0.2), (0.08, 0.3))]
    steps = command_schedule(scenario(commands=asked, length_s=0.14), 0.02)
    assert steps[:, 0].tolist() == [0.0, 0.0, 0.0, 0.2, 0.3, 0.3, 0.3]


def test_a_policy_is_commanded_in_its_own_order_and_by_velocities_only():
    x, y, yaw = CONTRACT.command.names
    turned = replace(CONTRACT, command=replace(CONTRACT.command, names=(yaw, x, y)))
    assert component_order(turned) == [2, 0, 1]
    strange = replace(CONTRACT, command=replace(CONTRACT.command, names=(x, y, "height_m")))
    with pytest.raises(SurefootError, match=r"commanded by lin_vel_x_m_s, lin_vel_y_m_s, height_m; scenarios command"):
        component_order(strange)


def test_pushes_last_as_long_as_they_say_in_the_heading_when_they_begin():
    yaw = np.array([0.0, np.pi / 2.0])
    quat = from_angles(np.zeros(2), np.full(2, 0.3), yaw)
    early, late = sideways(2, [30.0, 30.0], 0.01, 0.01), sideways(2, [0.0, 7.0], 0.015, 0.1)
    pushes = TrialPushes(batch(2, (early, late)), 0.005)
    seen = []
    for tick in range(24):
        force = pushes.force_w(tick, quat if tick <= 3 else quat[::-1])  # turning meanwhile changes nothing
        seen.append(np.zeros((2, 3)) if force is None else force.copy())
    forces = np.array(seen)  # (ticks, 2, 3)
    np.testing.assert_allclose(forces[:, 0, 1], [30.0 * (2 <= tick < 4) for tick in range(24)], atol=1e-12)
    np.testing.assert_allclose(
        -forces[:, 1, 0], [30.0 * (2 <= tick < 4) + 7.0 * (3 <= tick < 23) for tick in range(24)], atol=1e-12
    )
    np.testing.assert_allclose(about_vertical(yaw[1:], np.array([[0.0, 1.0, 0.0]])), [[-1.0, 0.0, 0.0]], atol=1e-12)


def recorder_of(trials: TrialBatch, length_s: float) -> TrialRecorder:
    return TrialRecorder(trials, engine="mujoco", robot="unitree_go2", control_period_s=0.02, length_s=length_s)


def filled(trials: TrialBatch, steps: int, length_s: float) -> TrialRecorder:
    recorder = recorder_of(trials, length_s)
    n = trials.num_trials
    for step in range(steps):
        recorder.record(
            truth(
                n,
                base_pos_w=[float(step), 0.0, 0.3],
                base_lin_vel_w=[0.0, 1.0, 0.0],
                base_quat_wxyz=[0.5**0.5, 0, 0, 0.5**0.5],
            ),
            command=np.full((n, 3), 0.25),
            joint_target_rad=np.arange(n)[:, None] * np.ones(J),
            response=np.full(n, 2),
            push_force_w=None if step else np.full((n, 3), 9.0),
        )
    return recorder


def test_a_recording_comes_back_from_its_file_as_it_was(tmp_path):
    recording = filled(batch(3), 5, 0.1).recording(2, success=False, reason="fell")
    recording.save(tmp_path / "2.npz")
    loaded = Recording.load(tmp_path / "2.npz")
    assert (loaded.scenario, loaded.engine, loaded.robot, loaded.number) == ("made", "mujoco", "unitree_go2", 2)
    assert (loaded.success, loaded.reason) == (False, "fell")
    for name in Recording.arrays():
        np.testing.assert_array_equal(getattr(loaded, name), getattr(recording, name))
        assert getattr(loaded, name).dtype == (np.int8 if name == "response" else np.float32)
    np.testing.assert_allclose(loaded.time_s, [0.02, 0.04, 0.06, 0.08, 0.1])
    np.testing.assert_allclose(loaded.base_lin_vel_b, np.tile([1.0, 0.0, 0.0], (5, 1)), atol=1e-6)  # it faces y
    np.testing.assert_array_equal(loaded.joint_target_rad, 2.0)
    assert loaded.push_force_w[:, 0].tolist() == [9.0, 0.0, 0.0, 0.0, 0.0]
    assert loaded.foot_pos_w.shape == (5, F, 3)
    recording.save(tmp_path / "again.npz")
    assert (tmp_path / "again.npz").read_bytes() == (tmp_path / "2.npz").read_bytes()


def test_of_a_long_trial_every_few_steps_are_kept():
    length_s = 4 * MOST_STEPS * 0.02
    recording = filled(batch(1), 12, length_s).recording(0, success=True)
    np.testing.assert_allclose(recording.time_s, [0.08, 0.16, 0.24])
    assert recording.base_pos_w[:, 0].tolist() == [3.0, 7.0, 11.0]


def test_a_trial_that_was_not_recorded_is_named():
    with pytest.raises(SurefootError, match=r"Trial 7 is not in this batch; it has \[0, 1\]"):
        filled(batch(2), 1, 0.1).recording(7, success=True)
    with pytest.raises(SurefootError, match="Nothing of trial 1 was recorded"):
        filled(batch(2), 0, 0.1).recording(1, success=True)


def test_a_file_that_is_no_recording_is_named(tmp_path):
    (tmp_path / "x.npz").write_bytes(b"nothing")
    with pytest.raises(SurefootError, match="is no recording made by surefoot verify"):
        Recording.load(tmp_path / "x.npz")
    np.savez(tmp_path / "y.npz", time_s=np.zeros(3))
    with pytest.raises(SurefootError, match="is no recording made by surefoot verify"):
        Recording.load(tmp_path / "y.npz")


@pytest.mark.parametrize("name", ["quick", "standard", "harsh"])
def test_every_scenario_of_a_suite_begins_in_mujoco(bundle, name):
    suite = load_suite(name, CONTRACT)
    for declared in suite.scenarios:
        begun = declared.model_copy(update={"length_s": 0.04})
        engine = MujocoTrialEngine(CONTRACT, num_trials=2, grid=scenario_grid(declared))
        outcomes = run_batch(bundle, engine, draw_batch(suite, begun, np.arange(2), CONTRACT), limits=LIMITS)
        engine.close()
        assert [trial.measures["fell"] for trial in outcomes] == [0.0, 0.0], declared.name
