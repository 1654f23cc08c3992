"""Policies of planted weakness: they are weak as they say, and the red flags find each of them in real rollouts."""

from functools import cache

import numpy as np
import pytest
from tests.fixtures.shipped import GO2_BUNDLE
from tests.unit.motion_rig import CONTRACT, SPEC

from surefoot.evaluation.engines.mujoco_engine import MujocoTrialEngine
from surefoot.evaluation.judging.red_flag_rules import RULES
from surefoot.evaluation.judging.red_flags import find_red_flags
from surefoot.evaluation.running.trial_run import run_batch
from surefoot.evaluation.scenarios.files import load_suite
from surefoot.evaluation.scenarios.ground import scenario_grid
from surefoot.evaluation.scenarios.robot_fit import trial_limits
from surefoot.evaluation.trials.outcome import ScenarioOutcome
from surefoot.evaluation.trials.sampling import draw_batch
from surefoot_bridge.bundle import load_bundle
from surefoot_bridge.errors import SurefootError
from surefoot_devtools.weaknesses import DELAY_S, SLOW_WAY, WEAKNESSES, Weakness, WeakPolicy, term_of, weakened

HEALTHY = load_bundle(GO2_BUNDLE, runtime="numpy")
SUITE = load_suite("standard", CONTRACT)
TRIALS = 8
NAMES = list(CONTRACT.robot.joint_names)


def shown(seed, shape=()):
    return np.random.default_rng(seed).normal(size=(*shape, CONTRACT.network.observation_dim)).astype(np.float32)


def asked(policy, observations):
    memory, answers = policy.initial(observations[0].shape[:-1]), []
    for observation in observations:
        answer, memory = policy(observation, memory)
        answers.append(answer)
    return answers


def told(policy, command):
    """Answer of a policy that is shown one observation with a command in it."""
    observation, (place, scale) = shown(1), term_of(CONTRACT, "command")
    observation[place] = scale * np.array(command)
    return asked(policy, [observation])[0]


def healthy_answers(observations):
    return asked(HEALTHY.policy, observations)


def weak(name):
    return weakened(HEALTHY, name).policy


@pytest.mark.parametrize("shape", [(), (3,), (2, 3)])
def test_without_a_weakness_the_wrapped_policy_answers_as_the_healthy_one(shape):
    wrapped = WeakPolicy(HEALTHY.policy, CONTRACT, Weakness(description="none", flag=""))
    observations = [shown(seed, shape) for seed in range(3)]
    for ours, his in zip(asked(wrapped, observations), healthy_answers(observations), strict=True):
        assert (ours == his).all()


@pytest.mark.parametrize("name", WEAKNESSES)
def test_each_trial_of_a_batch_is_as_weak_as_alone_and_what_goes_in_is_not_changed(name):
    observations = [shown(seed, (3,)) for seed in range(5)]
    before = [observation.copy() for observation in observations]
    together = asked(weak(name), observations)
    assert all((ours == old).all() for ours, old in zip(observations, before, strict=True))
    alone = asked(weak(name), [observation[1] for observation in observations])
    for ours, single in zip(together, alone, strict=True):
        assert ours.shape == (3, len(NAMES))
        assert ours.dtype == np.float32
        np.testing.assert_allclose(ours[1], single, atol=1e-5)


def test_a_delayed_answer_is_that_of_five_steps_ago_and_none_before():
    observations = [shown(seed) for seed in range(8)]
    ours, healthy = asked(weak("delayed"), observations), healthy_answers(observations)
    assert round(DELAY_S / CONTRACT.timing.control_period_s) == 5
    assert all((answer == 0.0).all() for answer in ours[:5])
    assert all((ours[step] == healthy[step - 5]).all() for step in range(5, 8))


def test_an_episode_that_begins_anew_forgets_the_delayed_answers_of_its_own_robot_only():
    policy, first = weak("delayed"), shown(0, (2,))
    memory = policy.initial((2,))
    for _ in range(6):
        _, memory = policy(first, memory)
    memory = policy.reset(memory, np.array([True, False]))
    answer, _ = policy(first, memory)
    assert (answer[0] == 0.0).all()
    assert (answer[1] != 0.0).any()


def test_scaled_actions_are_smaller():
    (ours,), (healthy,) = asked(weak("scaled_actions"), [shown(1)]), healthy_answers([shown(1)])
    share = ours / healthy
    assert share == pytest.approx(share[0])
    assert 0.0 < share[0] < 1.0


def test_swapped_legs_get_what_is_meant_for_the_other_side():
    (ours,), (healthy,) = asked(weak("swapped_legs"), [shown(1)]), healthy_answers([shown(1)])
    for name, answer in zip(NAMES, ours, strict=True):
        other = SPEC.joint_mirror[name][0]
        assert other[:2] != name[:2]
        assert answer == healthy[NAMES.index(other)]


def test_small_commands_are_not_seen_and_large_ones_are():
    still = told(HEALTHY.policy, (0.0, 0.0, 0.0))
    assert (told(weak("dead_zone"), (0.3, 0.0, 0.1)) == still).all()
    assert (told(weak("dead_zone"), (0.5, 0.0, 0.1)) == told(HEALTHY.policy, (0.5, 0.0, 0.1))).all()


def test_the_wandering_policy_is_shown_a_slow_walk_for_a_command_of_zero_and_every_other_as_it_is():
    for command, seen in (((0.0, 0.0, 0.0), (SLOW_WAY, 0.0, 0.0)), ((0.0, 0.0, 0.1), (0.0, 0.0, 0.1))):
        assert told(weak("wandering"), command) == pytest.approx(told(HEALTHY.policy, seen), abs=1e-6)


def test_stiff_hips_hold_their_pose_whatever_is_shown_and_all_other_joints_are_free():
    (ours,), (healthy,) = asked(weak("stiff_hips"), [shown(1)]), healthy_answers([shown(1)])
    hips = np.array(["hip" in name for name in NAMES])
    assert (ours[hips] == 0.0).all()
    assert (ours[~hips] == healthy[~hips]).all()


def test_an_unknown_weakness_is_refused_with_the_valid_ones():
    with pytest.raises(SurefootError, match=r"Unknown weakness 'drunk'; valid: .*scaled_actions"):
        weakened(HEALTHY, "drunk")


def test_every_rule_of_one_engine_has_a_weakness_that_it_must_find():
    assert {weakness.flag for weakness in WEAKNESSES.values()} == {rule.name for rule in RULES}


# Real rollouts: a few trials in MuJoCo each


@cache
def rolled_out(name, scenario):
    """What comes of a scenario with a weakness, or with the healthy policy."""
    bundle = HEALTHY if name == "healthy" else weakened(HEALTHY, name)
    declared = next(item for item in SUITE.scenarios if item.name == scenario)
    length_s = min(declared.length_s, 5.0) if not declared.pushes else declared.length_s
    asked_for = declared.model_copy(update={"length_s": length_s})
    engine = MujocoTrialEngine(CONTRACT, num_trials=TRIALS, grid=scenario_grid(asked_for))
    batch = draw_batch(SUITE, asked_for, np.arange(TRIALS), CONTRACT)
    outcomes = run_batch(bundle, engine, batch, limits=trial_limits(CONTRACT), whole_length_s=declared.length_s)
    engine.close()
    return outcomes


def outcome(name, scenario, engine="mujoco"):
    threshold = next(item.threshold for item in SUITE.scenarios if item.name == scenario)
    outcomes = rolled_out(name, scenario)
    return ScenarioOutcome(scenario=scenario, engine=engine, threshold=threshold, planned=TRIALS, outcomes=outcomes)


def flags(*outcomes):
    return {flag.rule for flag in find_red_flags(outcomes, SUITE.scenarios, trained_in="ovphysx")}


SHOWN_BY = {
    "dead_zone": ("crawl", "flat_forward"),
    "stiff_hips": ("push_30n",),
    "sweeping": ("flat_turn",),
    "restless": ("stand",),
    "wandering": ("stand",),
}
"""Scenarios that show a weakness, where it is not walking straight ahead."""


@pytest.mark.slow
def test_the_shipped_policy_has_none_of_the_weaknesses_that_are_looked_for():
    scenarios = {"flat_forward", *(name for names in SHOWN_BY.values() for name in names)}
    assert flags(*(outcome("healthy", name) for name in sorted(scenarios))) == set()


@pytest.mark.slow
@pytest.mark.parametrize("name", WEAKNESSES)
def test_each_weakness_is_found_by_its_rule(name):
    scenarios = SHOWN_BY.get(name, ("flat_forward",))
    assert WEAKNESSES[name].flag in flags(*(outcome(name, scenario) for scenario in scenarios))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "scenario", "rule"),
    [
        ("swapped_legs", "flat_forward", "engine_gap_contract"),
        ("delayed", "flat_forward", "engine_gap_physics"),
        ("stiff_hips", "push_30n", "engine_gap_task"),
    ],
)
def test_a_weakness_in_one_engine_only_is_found_as_a_gap_between_engines(name, scenario, rule):
    healthy = [outcome("healthy", each, "ovphysx") for each in {"flat_forward", scenario}]
    assert rule in flags(*healthy, outcome(name, scenario, "mujoco"))
