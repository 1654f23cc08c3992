"""Red flags: each rule is raised by what it is for, by nothing else, and a healthy policy raises none."""

from dataclasses import replace

import pytest
from tests.unit.motion_rig import CONTRACT, outcome, scenario

from surefoot.evaluation.judging.engine_gaps import GAP_POINTS
from surefoot.evaluation.judging.red_flag_rules import RATES, RULES
from surefoot.evaluation.judging.red_flags import find_red_flags
from surefoot.evaluation.measure_catalogue import MEASURES
from surefoot.evaluation.scenarios import traits
from surefoot.evaluation.scenarios.files import load_suite

SUITE = load_suite("standard", CONTRACT)
TRIALS = 40
GAPS = ("engine_gap_contract", "engine_gap_physics", "engine_gap_task")

WALKS = {
    "action_jerk": 215.0, "command_share": 1.0, "cost_of_transport": 0.43, "duty_factor": 0.47,
    "foot_clearance_m": 0.068, "foot_slip_m_s": 0.004, "gait_symmetry": 0.99, "motor_heat_max": 0.02,
}  # fmt: skip
"""Of the Go2's shipped policy at 1 m/s in MuJoCo, rounded."""


def healthy(engine="mujoco", trials=TRIALS):
    """What a healthy policy does: all trials succeed; numbers scatter by a hundredth."""
    return {item.name: made(item.name, engine, trials) for item in SUITE.scenarios}


def made(name, engine="mujoco", trials=TRIALS, *, failures=0, ended=None, **changes):
    """A scenario in an engine; failures end at a time, or for None run to the end but leave a bound."""
    values = WALKS | changes

    def scattered(value):
        return lambda number: None if value is None else value * (0.99 + 0.02 * number / trials)

    measures = {measure: scattered(value) for measure, value in values.items()}
    measures["fell"] = lambda number: float(number >= trials - failures and ended is not None)
    measures["time_to_fall_s"] = lambda number: ended if number >= trials - failures else None
    return outcome(engine, trials - failures, trials, scenario=name, **measures)


def flags_of(*engines):
    outcomes = [item for engine in engines for item in engine.values()]
    return find_red_flags(outcomes, SUITE.scenarios, trained_in="ovphysx")


def rules_of(*engines):
    return [flag.rule for flag in flags_of(*engines)]


def test_a_healthy_policy_raises_no_flag_in_any_engine():
    assert flags_of(healthy("mujoco"), healthy("ovphysx"), healthy("newton_mjwarp")) == ()
    assert find_red_flags([], SUITE.scenarios, trained_in="ovphysx") == ()


PLANTED = {
    "does_not_walk": {
        "flat_forward": {"failures": 38, "ended": 1.4},
        "backward": {"failures": 40, "command_share": 0.02},
    },
    "not_converged": {"flat_forward": {"failures": 10, "ended": 7.0}},
    "balance": {"push_30n": {"failures": 10, "ended": 4.0}},
    "shuffling": {"flat_forward": {"foot_clearance_m": 0.012}},
    "limping": {"flat_forward": {"gait_symmetry": 0.6}},
    "high_energy": {"flat_forward": {"cost_of_transport": 1.6}},
    "slips_turning": {"flat_turn": {"foot_slip_m_s": 0.3}},
    "dead_zone": {"crawl": {"command_share": 0.05}},
    "jerky": {"flat_forward": {"action_jerk": 2500.0}},
    "hot_idle": {"stand": {"motor_heat_max": 0.9}},
    "wanders": {"stand": {"steady_vx_error": 0.02}},
}


def test_every_rule_has_its_planted_case():
    assert list(PLANTED) == [rule.name for rule in RULES]


@pytest.mark.parametrize("rule", PLANTED)
def test_each_rule_is_raised_by_what_it_is_for_and_by_that_only(rule):
    found = healthy()
    found |= {name: made(name, **changes) for name, changes in PLANTED[rule].items()}
    (flag,) = flags_of(found)
    assert flag.rule == rule
    assert flag.sureness == "sure"
    assert flag.engines == ("mujoco",)
    assert flag.scenarios == tuple(name for name in found if name in PLANTED[rule])
    assert len(flag.evidence) == len(PLANTED[rule])
    assert flag.remedies
    assert flag.meaning.endswith(".")


def test_the_evidence_says_where_what_and_how_far():
    found = healthy() | {"flat_forward": made("flat_forward", cost_of_transport=1.6)}
    (flag,) = flags_of(found)
    assert flag.evidence == ("flat_forward in mujoco: cost of transport 1.6; more than 0.8 raises the flag.",)
    found = healthy() | {"push_30n": made("push_30n", failures=10, ended=4.0)}
    (flag,) = flags_of(found)
    assert flag.evidence == (
        "push_30n in mujoco: 10 of 40 trials fell or were stopped by safety; more than 10% raises the flag.",
    )


def test_remedies_are_those_that_the_weakness_asks_for():
    words = {rule.name: " ".join(rule.remedies).lower() for rule in RULES}
    for rule, remedy in {
        "not_converged": "train for longer",
        "balance": "push",
        "shuffling": "periodic gait",
        "high_energy": "power",
        "slips_turning": "friction",
        "dead_zone": "small commands",
        "jerky": "delay",
        "hot_idle": "torques",
        "wanders": "commands of zero",
        "limping": "symmetry",
        "does_not_walk": "joint order",
    }.items():
        assert remedy in words[rule]
    assert "rate of the action" in words["jerky"]


def test_how_sure_a_flag_is_follows_from_the_interval():
    def sureness(trials, failures):
        found = {"flat_forward": made("flat_forward", trials=trials, failures=failures, ended=7.0)}
        return [flag.sureness for flag in flags_of(found)]

    assert sureness(100, 30) == ["sure"]  # Wilson's lower end of 0.30 is 0.22, above 0.1
    assert sureness(100, 12) == ["likely"]  # of 0.12 it is 0.07
    assert sureness(100, 10) == []  # not more than a tenth
    assert sureness(3, 1) == ["possible"]


def test_a_median_whose_interval_reaches_across_the_limit_is_likely_only():
    # 20 trials at 0.5 and 19 at 1.6, median of 39 with one at 1.1: 1.1; its interval holds 0.5.
    def energy(number):
        return 0.5 if number < 19 else 1.1 if number == 19 else 1.6

    walks = {"command_share": lambda number: 1.0, "cost_of_transport": energy}
    found = {"flat_forward": outcome("mujoco", 39, 39, scenario="flat_forward", **walks)}
    assert [(flag.rule, flag.sureness) for flag in flags_of(found)] == [("high_energy", "likely")]


def test_what_follows_from_a_worse_fault_is_not_told_besides():
    worse = {"failures": 38, "ended": 1.2, "gait_symmetry": 0.1, "cost_of_transport": 9.0, "foot_clearance_m": 0.0}
    found = healthy() | {"flat_forward": made("flat_forward", **worse)}
    assert rules_of(found) == ["does_not_walk"]


def test_jerks_are_told_besides_whatever_they_lead_to():
    found = healthy() | {"flat_forward": made("flat_forward", failures=38, ended=3.2, action_jerk=800.0)}
    assert rules_of(found) == ["does_not_walk", "jerky"]


def test_a_failure_to_crawl_is_no_failure_to_converge_but_a_fall_is():
    ignored = healthy() | {"crawl": made("crawl", failures=40, command_share=0.05)}
    assert rules_of(ignored) == ["dead_zone"]
    fallen = healthy() | {"crawl": made("crawl", failures=10, ended=7.0)}
    assert rules_of(fallen) == ["not_converged"]


def test_how_a_robot_steps_says_nothing_where_it_all_but_stands():
    steps = {"gait_symmetry": 0.1, "cost_of_transport": 9.0, "foot_clearance_m": 0.001}
    still = {
        name: made(name, failures=40, command_share=0.4, **steps) for name in ("flat_forward", "backward", "start_stop")
    }
    assert rules_of(healthy() | still) == ["not_converged"]


def test_a_policy_that_does_not_move_at_all_has_no_dead_zone():
    still = {name: made(name, command_share=0.05) for name in ("crawl", "flat_forward", "backward", "start_stop")}
    assert "dead_zone" not in rules_of(healthy() | still)


def test_a_robot_whose_feet_never_lift_shuffles_though_it_has_no_swing_to_measure():
    dragged = made("flat_forward", foot_clearance_m=None, duty_factor=1.0)
    assert rules_of(healthy() | {"flat_forward": dragged}) == ["shuffling"]


def test_a_stop_by_the_safety_layer_counts_as_a_fall():
    def ended(measure, time):
        return {measure: lambda n: 1.0, time: lambda n: 1.5}

    for kind in (ended("fell", "time_to_fall_s"), ended("stopped_by_safety", "time_to_stop_s")):
        found = {"flat_forward": outcome("mujoco", 0, 20, scenario="flat_forward", **kind)}
        assert rules_of(found) == ["does_not_walk"]


def test_flags_of_several_engines_are_one():
    bad = {"cost_of_transport": 1.6}
    both = [healthy(engine) | {"flat_forward": made("flat_forward", engine, **bad)} for engine in ("mujoco", "ovphysx")]
    (flag,) = flags_of(*both)
    assert flag.engines == ("mujoco", "ovphysx")
    assert len(flag.evidence) == 2


# Between engines


def test_a_policy_that_falls_at_once_in_one_engine_only_has_a_contract_that_is_read_wrongly_there():
    other = healthy("mujoco") | {"flat_forward": made("flat_forward", failures=38, ended=1.3)}
    (flag,) = flags_of(healthy("ovphysx"), other)
    assert flag.rule == "engine_gap_contract"
    assert flag.engines == ("mujoco",)
    assert flag.sureness == "sure"
    assert flag.evidence == ("flat_forward in mujoco: success 5%, in physx 100%.",)
    assert "joint order" in flag.remedies[0]


def test_a_policy_that_does_not_get_ahead_in_one_engine_only_has_such_a_contract_too():
    other = healthy("mujoco") | {"flat_forward": made("flat_forward", failures=40, command_share=0.01)}
    assert rules_of(healthy("ovphysx"), other) == ["engine_gap_contract"]


def test_a_policy_that_is_worse_on_flat_ground_in_one_engine_meets_other_physics_and_is_told_which():
    other = healthy("newton_mjwarp") | {
        "flat_forward": made("flat_forward", "newton_mjwarp", failures=15, ended=8.0, foot_slip_m_s=0.35)
    }
    (flag,) = flags_of(healthy("ovphysx"), other)
    assert flag.rule == "engine_gap_physics"
    assert flag.evidence == (
        "flat_forward in newton: success 62%, in physx 100%; foot slip 0.35 m/s, there 0.004 m/s.",
    )
    assert "friction" in flag.remedies[0]


def test_a_gap_is_told_first_by_the_measure_whose_bound_trials_failed():
    changes = {"foot_slip_m_s": 0.35, "steady_vx_error": 0.13}
    home = healthy("ovphysx") | {"flat_forward": made("flat_forward", "ovphysx", steady_vx_error=0.09)}
    worse = made("flat_forward", "newton_mjwarp", failures=15, **changes)
    failed = [replace(trial, reason="" if trial.success else "steady_vx_error above 0.1") for trial in worse.outcomes]
    other = healthy("newton_mjwarp") | {"flat_forward": replace(worse, outcomes=tuple(failed))}
    (flag,) = flags_of(home, other)
    assert flag.rule == "engine_gap_physics"
    assert "in physx 100%; steady error of forward speed 0.13 m/s, there 0.09 m/s; foot slip" in flag.evidence[0]


def test_a_policy_that_differs_only_where_it_is_hard_has_no_margin_in_its_task():
    other = healthy("mujoco") | {"stairs_up": made("stairs_up", failures=20, ended=6.0)}
    (flag,) = flags_of(healthy("ovphysx"), other)
    assert flag.rule == "engine_gap_task"
    assert flag.scenarios == ("stairs_up",)
    assert "training" in flag.remedies[0]


def test_the_engine_that_is_worse_is_named_also_where_it_is_the_one_of_the_training():
    home = healthy("ovphysx") | {"flat_forward": made("flat_forward", "ovphysx", failures=39, ended=1.0)}
    (flag,) = flags_of(home, healthy("mujoco"))
    assert flag.engines == ("ovphysx",)
    assert flag.evidence == ("flat_forward in physx: success 2%, in mujoco 100%.",)


def test_differences_that_chance_explains_or_of_few_points_raise_no_flag():
    assert GAP_POINTS == 5.0
    near = healthy("mujoco") | {"flat_forward": made("flat_forward", failures=2, ended=8.0)}
    assert flags_of(healthy("ovphysx"), near) == ()


def test_every_rule_between_engines_is_tested_and_no_two_rules_share_a_name():
    names = [*GAPS, *(rule.name for rule in RULES)]
    assert len(set(names)) == len(names)
    for rule in RULES:
        assert set(rule.yields_to) <= set(names)
        for condition in (*rule.conditions, *([rule.provided] if rule.provided else [])):
            assert condition.measure in MEASURES or condition.measure in RATES


# Which scenarios the rules look at


@pytest.mark.parametrize(
    ("trait", "expected"),
    [
        (traits.stands, {"stand"}),
        (traits.crawls, {"crawl", "crawl_20", "crawl_10"}),
        (
            traits.moves,
            {
                "flat_forward",
                "flat_turn",
                "turn_180",
                "crawl",
                "crawl_20",
                "crawl_10",
                "backward",
                "sideways",
                "start_stop",
            },
        ),
        (traits.strides_straight, {"flat_forward", "backward", "start_stop"}),
        (traits.is_pushed_lightly, {"push_30n"}),
        (traits.turns, {"flat_turn", "turn_180", "wet_floor"}),
    ],
)
def test_traits_are_told_from_what_a_scenario_asks(trait, expected):
    assert {item.name for item in SUITE.scenarios if trait(item)} == expected


def test_every_rule_looks_at_a_scenario_of_the_standard_suite():
    for rule in RULES:
        for condition in (*rule.conditions, *([rule.provided] if rule.provided else [])):
            assert any(condition.where(item) for item in SUITE.scenarios), rule.name


def test_scenarios_of_ones_own_are_judged_by_what_they_ask_and_not_by_their_name():
    own = scenario(name="meine_strecke", commands=[{"at_s": 0.0, "velocity": (0.8, 0.0, 0.0)}])
    assert traits.strides_straight(own)
    assert not traits.is_plain(scenario(robot={"friction": 0.3}))
    assert not traits.is_plain(scenario(robot={"payload_kg": 3.0}))
    assert not traits.is_plain(scenario(largest_push={"at_s": 2.0}))
    assert not traits.is_plain(scenario(terrain={"kind": "slope"}))
    assert not traits.is_pushed_lightly(scenario(pushes=[{"at_s": 2.0, "force_n": [20.0, 31.0]}]))
