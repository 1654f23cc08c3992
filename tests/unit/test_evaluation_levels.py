"""Searches over levels of ground: which levels are tried, where an operator steers, and what a grading makes of it."""

from dataclasses import replace

import numpy as np
import pytest
from tests.fixtures.shipped import GO2_BUNDLE
from tests.unit.motion_rig import CONTRACT, batch, truth

from surefoot.evaluation.engines.mujoco_engine import MujocoTrialEngine
from surefoot.evaluation.running.level_run import grade, search_half, tracking_commands
from surefoot.evaluation.running.trial_run import run_batch
from surefoot.evaluation.scenarios.grading import Target, UniformNoise
from surefoot.evaluation.scenarios.robot_fit import trial_limits
from surefoot.evaluation.scenarios.scenario import Scenario, Suite
from surefoot.evaluation.trials.level_search import LevelSearch
from surefoot.evaluation.trials.operator import Schedule, Steering, operator_of
from surefoot.evaluation.trials.outcome import TrialOutcome, Tried
from surefoot.evaluation.trials.rotations import from_angles
from surefoot.evaluation.trials.sampling import draw_batch
from surefoot.evaluation.trials.uniform_noise import UniformNoiseLayer
from surefoot.terrains.height_grid import HeightGrid
from surefoot_bridge.bundle import load_bundle
from surefoot_bridge.errors import SurefootError

FLAT = HeightGrid(heights_m=np.zeros((2, 2), np.float32), spacing_m=0.05, origin_xy_m=(0.0, 0.0))
TARGET = Target(ahead_m=5.0, speed_m_s=0.8)
BACKWARD = Target(ahead_m=5.0, speed_m_s=0.8, way="backward")


# The search


def tried_by(search: LevelSearch, highest: list[int]) -> list[list[int]]:
    levels = []
    while not search.done:
        levels.append(search.levels.tolist())
        search.tell(search.levels <= np.array(highest))
    return levels


def test_of_ten_levels_5_is_tried_first_and_then_8_or_2():
    search = LevelSearch(10, 3)
    assert tried_by(search, [10, 2, 0]) == [[5, 5, 5], [8, 2, 2], [9, 3, 1], [10, 0, 0]]
    assert search.highest.tolist() == [10, 2, 0]


@pytest.mark.parametrize("num_levels", [1, 2, 7, 10])
def test_every_level_is_found_in_as_many_rounds_as_said(num_levels):
    search = LevelSearch(num_levels, num_levels + 1)
    assert len(tried_by(search, list(range(num_levels + 1)))) == search.rounds
    assert search.highest.tolist() == list(range(num_levels + 1))


def test_a_search_that_is_over_takes_nothing_in():
    search = LevelSearch(0)
    assert search.done
    with pytest.raises(SurefootError, match="All searches are over; read their highest"):
        search.tell([True])


# The operator


def steered(target: Target, x: float, y: float, yaw_deg: float) -> list[float]:
    turned = from_angles(np.zeros(1), np.zeros(1), np.radians([yaw_deg]))
    now = truth(base_pos_w=[x, y, 0.3], base_quat_wxyz=turned)
    return Steering(target).command(0, now)[0].tolist()


def test_a_target_straight_ahead_is_walked_to_at_full_speed():
    assert steered(TARGET, 0.0, 0.0, 0.0) == pytest.approx([0.8, 0.0, 0.0])


def test_a_target_aside_is_turned_to_at_twice_its_angle_and_stepped_to_only_beyond_45_degrees():
    assert steered(TARGET, 0.0, 0.0, 20.0) == pytest.approx([0.8, 0.0, -2 * np.radians(20.0)])
    assert steered(TARGET, 0.0, 0.0, 90.0) == pytest.approx([0.0, -1.0, -1.5])  # 5 m aside, at most 1 m/s and 1.5 rad/s
    assert steered(TARGET, 4.9, 0.0, -90.0) == pytest.approx([0.0, 0.1, 1.5])  # slower where it is near


def test_who_walks_backward_keeps_its_back_to_the_target():
    assert steered(BACKWARD, 0.0, 0.0, 180.0) == pytest.approx([-0.8, 0.0, 0.0], abs=1e-9)
    # Its back points 10 degrees to the right of the target: it turns left, counterclockwise.
    forward, _, turn = steered(BACKWARD, 0.0, 0.0, 170.0)
    assert forward == -0.8
    assert turn == pytest.approx(2 * np.radians(10.0))


def test_a_robot_has_arrived_within_the_targets_reach_whatever_its_height():
    place = truth(2, base_pos_w=[[4.95, 0.08, 9.0], [4.95, 0.09, 0.0]])
    assert Steering(TARGET).arrived(place).tolist() == [True, False]


def test_commands_of_the_clock_are_the_scenarios_or_each_trials_own():
    trials = batch(2, commands=[{"at_s": 0.0, "velocity": (0.5, 0.0, 0.0)}], length_s=0.04)
    assert operator_of(trials, 0.02).command(1, truth(2)).tolist() == [[0.5, 0.0, 0.0]] * 2
    own = np.arange(12.0).reshape(2, 2, 3)
    operator = operator_of(replace(trials, commands=own), 0.02)
    assert isinstance(operator, Schedule)
    assert operator.command(1, truth(2)).tolist() == own[1].tolist()
    assert operator.arrived(truth(2)) is None


def test_tracking_goes_both_ways_along_each_axis_and_turns_its_sign_on_each_diagonal():
    commands = tracking_commands((2.0, 1.0, 1.5), 0.02)
    assert commands.shape == (350, 14, 3)
    assert commands[0, :6].tolist() == [[-2, 0, 0], [2, 0, 0], [0, -1, 0], [0, 1, 0], [0, 0, -1.5], [0, 0, 1.5]]
    assert not commands[250:, :6].any()  # it stands for 2 s
    assert commands[149, 6].tolist() == [-2.0, -1.0, 0.0]
    assert commands[150, 6].tolist() == [2.0, 1.0, 0.0]
    assert len({tuple(way) for way in commands[0].tolist()}) == 10  # two axes are among the diagonals, as in RoboGauge


# Gradings


class Slippery:
    """A robot that climbs what friction lets it, and every trial less than the one before by a hundredth."""

    most, period_s = 4, 0.02

    def __init__(self) -> None:
        self.ran: list[tuple[float, int]] = []
        self.largest = 0

    def draw(self, scenario, numbers):
        suite = Suite(version=1, name="s", description="s", scenarios=(scenario,))
        return draw_batch(suite, scenario, numbers, CONTRACT)

    def run(self, batch, on_progress):
        on_progress(1.0)
        friction = batch.variation.friction
        self.largest = max(self.largest, batch.num_trials)
        if batch.full_speed is not None:  # each as good as its feet grip
            outcomes = tuple(TrialOutcome(number=n, seed=0, success=True, reason="") for n in batch.numbers.tolist())
            return outcomes, type("Measured", (), {"samples": np.tile(friction, (70, 1))})()
        grade_deg = batch.scenario.terrain.grade_deg
        self.ran.append((grade_deg, batch.num_trials))
        climbs = np.tan(np.radians(grade_deg)) < friction - 0.01 * (batch.numbers % 5)
        return tuple(
            TrialOutcome(number=n, seed=0, success=bool(up), reason="" if up else "target not reached")
            for n, up in zip(batch.numbers.tolist(), climbs.tolist(), strict=True)
        ), None


def graded(**grading) -> Scenario:
    search = {
        "levels": {"field": "grade_deg", "sizes": [5.0, 15.0, 25.0, 35.0]},
        "frictions": [0.05, 0.29, 0.8],
        "tracking": {"velocity": [1.0, 0.5, 1.0], "trials": 2},
    }
    return Scenario.model_validate(
        {
            "name": "slope",
            "description": "Up.",
            "terrain": {"kind": "slope", "place": "around"},
            "target": {"ahead_m": 3.0},
            "length_s": 5.0,
            "grading": search | grading,
        }
    )


def test_a_grading_finds_the_highest_level_at_which_4_of_5_arrive_at_each_friction():
    # tan: 0.0875, 0.268, 0.466, 0.700. At 0.29 trials of 0.29, 0.28, 0.27 climb 15 degrees: three of five.
    runner, scenario = Slippery(), graded()
    found = grade(runner, scenario, scenario.grading, lambda _: None)
    assert [item.level for item in found.grades] == [0, 1, 4]
    assert [item.quality for item in found.grades] == [None, pytest.approx(0.29), pytest.approx(0.8)]
    assert [item.figure for item in found.grades] == pytest.approx([0.0, 0.19 * 0.29, 0.81 + 0.19 * 0.8])
    assert runner.largest == 4  # no batch is larger than an engine takes
    lenient = graded(passes=3)
    assert [item.level for item in grade(Slippery(), lenient, lenient.grading, lambda _: None).grades] == [0, 2, 4]


def test_a_grading_says_what_came_of_each_level_that_it_tried():
    scenario = graded(frictions=[0.29])
    found = grade(Slippery(), scenario, scenario.grading, lambda _: None)
    assert found.tried == (
        Tried(size=5.0, friction=0.29, successes=5, trials=5),
        Tried(size=15.0, friction=0.29, successes=3, trials=5),
    )
    assert [outcome.success for outcome in found.outcomes] == [True] * 5  # those on the level that it masters


def test_a_grading_without_levels_is_its_quality():
    scenario = graded(levels=None, frictions=[0.4, 0.8])
    found = grade(Slippery(), scenario, scenario.grading, lambda _: None)
    assert [(item.level, item.figure) for item in found.grades] == [
        (None, pytest.approx(0.4)),
        (None, pytest.approx(0.8)),
    ]
    assert len(found.outcomes) == scenario.planned_trials == 2 * 2 * 14


def test_success_falls_to_one_half_on_the_line_between_two_levels():
    scenario = Scenario.model_validate(
        {
            "name": "half",
            "description": "Half.",
            "terrain": {"kind": "slope"},
            "target": {"ahead_m": 3.0},
            "robot": {"friction": 0.29},
            "length_s": 5.0,
            "trials": 10,
            "half_success": {"levels": {"field": "grade_deg", "sizes": [5.0, 10.0, 15.0, 20.0]}},
        }
    )
    shares: list[float] = []
    found = search_half(Slippery(), scenario, scenario.half_success.levels, shares.append)
    # Six of ten climb 15 degrees, none 20: one half is a sixth of the way.
    assert [(item.size, item.successes) for item in found.tried] == [(10.0, 10), (15.0, 6), (20.0, 0)]
    assert found.half_at == pytest.approx(15.0 + 5.0 / 6.0)
    assert shares == sorted(shares)
    gentle = scenario.model_copy(update={"robot": scenario.robot.model_copy(update={"friction": _span(2.0)})})
    above = search_half(Slippery(), gentle, gentle.half_success.levels, lambda _: None)
    assert above.half_at is None
    assert above.notes == ("Half or more succeed at 20, the most grade_deg tried.",)


def _span(value: float):
    from surefoot.evaluation.scenarios.scenario import Span

    return Span(low=value, high=value)


# A target without a search


def test_a_trial_ends_in_success_where_it_reaches_its_target_and_fails_where_it_does_not():
    bundle = load_bundle(GO2_BUNDLE, runtime="numpy")
    engine = MujocoTrialEngine(CONTRACT, num_trials=2, grid=FLAT)
    for ahead_m, length_s, reason in ((0.3, 3.0, ""), (2.0, 0.5, "target not reached")):
        trials = batch(2, commands=[], target={"ahead_m": ahead_m, "within_m": 0.1}, length_s=length_s)
        outcomes = run_batch(bundle, engine, trials, limits=trial_limits(CONTRACT))
        assert [(outcome.success, outcome.reason) for outcome in outcomes] == [(not reason, reason)] * 2
        for outcome in outcomes:
            assert outcome.measures["target_reached"] == float(not reason)
            if not reason:
                assert 0.2 < outcome.measures["distance_m"] < 0.4
                assert outcome.measures["time_to_target_s"] < length_s


def test_uniform_noise_is_within_its_ends_new_each_step_and_the_same_for_the_same_seed():
    report = MujocoTrialEngine(CONTRACT, num_trials=2, grid=FLAT)
    report.begin(batch(2, length_s=1.0))
    seen, noise = report.report(), UniformNoise(gyro_rad_s=0.8, joint_pos_rad=0.01, joint_vel_rad_s=3.0)
    layers = [UniformNoiseLayer(noise, np.array([1, 2], dtype=np.uint64), 12) for _ in range(2)]
    shown = [[layer(seen) for _ in range(40)] for layer in layers]
    added = np.stack([item.joint_vel_rad_s - seen.joint_vel_rad_s for item in shown[0]])  # (40, 2, 12)
    assert 2.7 < np.abs(added).max() <= 3.0
    assert abs(added.mean()) < 0.2
    assert len(np.unique(added.round(6))) > 900
    np.testing.assert_array_equal(shown[0][7].imu_ang_vel_rad_s, shown[1][7].imu_ang_vel_rad_s)
    np.testing.assert_array_equal(shown[0][7].imu_quat_wxyz, seen.imu_quat_wxyz)
