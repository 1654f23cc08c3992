"""Constructed motions and outcomes: a Go2 that stands still, changes to that over time, and what comes of trials."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, cast

import numpy as np
from tests.fixtures.shipped import GO2_BUNDLE

from surefoot.evaluation.measures.collector import TrialMeasures
from surefoot.evaluation.scenarios.scenario import RobotVariation, Scenario, Span
from surefoot.evaluation.trials.batch import PushTimes, TrialBatch, Variation
from surefoot.evaluation.trials.engine import Truth
from surefoot.evaluation.trials.outcome import ScenarioOutcome, TrialOutcome
from surefoot.evaluation.trials.sampling import draw_variation
from surefoot_bridge.contract import read_contract
from surefoot_bridge.safety import Safety, SafetyVerdict, StageLimits
from surefoot_robots import get_robot

CONTRACT = read_contract((GO2_BUNDLE / "contract.json").read_text(), where="of the shipped Go2")
SPEC = get_robot("unitree_go2")
FORWARD = (0.5, 0.0, 0.0)
RULES = Safety(CONTRACT, StageLimits(largest_command=(1.0, 1.0, 1.0))).rules

STEP_S, TICK_S = 0.02, 0.005
TICKS = 4
J, F = 12, 4
WEIGHT_N = 15.206408 * 9.81
"""Of the Go2: the sum of the masses in its MJCF, by hand."""

Changes = dict[str, Any]


def scenario(**fields: Any) -> Scenario:
    """A scenario of 10 s straight ahead, with changes."""
    given = {"name": "made", "description": "made by hand", "length_s": 10.0, "settle_s": 0.0}
    return Scenario.model_validate(given | {"commands": [{"at_s": 0.0, "velocity": (0.5, 0.0, 0.0)}]} | fields)


def push(start_s: list[float], duration_s: float = 0.2) -> PushTimes:
    """A push of each trial; its force does not matter here."""
    start = np.array(start_s)
    return PushTimes(start_s=start, duration_s=np.full(len(start), duration_s), force_b=np.zeros((len(start), 3)))


def batch(num_trials: int = 1, pushes: tuple[PushTimes, ...] = (), varied: Changes | None = None, **fields: Any):
    """Trials of nominal robots."""
    nominal = RobotVariation(joint_offset_rad=Span(low=0.0, high=0.0))
    variation = draw_variation(nominal, lambda _, count: np.zeros((num_trials, count)), J)
    return TrialBatch(
        scenario=scenario(**fields),
        numbers=np.arange(num_trials),
        seeds=np.arange(num_trials, dtype=np.uint64) + 100,
        variation=Variation(**(vars(variation) | (varied or {}))),
        pushes=pushes,
    )


def truth(num_trials: int = 1, **changes: Any) -> Truth:
    """Robots that stand still on all feet, without torque, a quarter of their weight on each; changes broadcast."""
    n = num_trials
    state = {
        "base_pos_w": [0.0, 0.0, 0.3], "base_quat_wxyz": [1.0, 0.0, 0.0, 0.0], "base_lin_vel_w": np.zeros(3),
        "base_ang_vel_b": np.zeros(3), "joint_pos_rad": [0.0, 0.8, -1.5] * 4, "joint_vel_rad_s": np.zeros(J),
        "motor_torque_nm": np.zeros(J), "torque_cut": np.zeros(J, dtype=bool), "motor_heat": np.zeros(J),
        "foot_pos_w": np.zeros((F, 3)), "foot_vel_w": np.zeros((F, 3)), "foot_force_n": np.full(F, WEIGHT_N / 4.0),
        "body_force_n": 0.0,
    }  # fmt: skip
    shapes = {"base_pos_w": (3,), "base_quat_wxyz": (4,), "base_lin_vel_w": (3,), "base_ang_vel_b": (3,),
              "foot_pos_w": (F, 3), "foot_vel_w": (F, 3), "foot_force_n": (F,), "body_force_n": ()}  # fmt: skip
    return Truth(
        **{
            name: np.broadcast_to(np.asarray(value), (n, *shapes.get(name, (J,)))).copy()
            for name, value in (state | changes).items()
        }
    )


def verdict(num_trials: int = 1, response: Any = 0, **acting: Any) -> SafetyVerdict:
    """What safety said: a response, and which rules began to act in which trials."""
    names = [rule.name for rule in RULES]
    tripped = np.zeros((num_trials, len(names)), dtype=bool)
    for name, trials in acting.items():
        tripped[:, names.index(name)] = trials
    code = np.broadcast_to(np.int8(response), (num_trials,)).copy()
    nothing = cast(Any, None)  # the measures look at no more than these
    return SafetyVerdict(code, tripped, tripped, nothing, nothing, nothing, nothing)


def measures_of(trials: TrialBatch, **options: Any) -> TrialMeasures:
    """The measures of trials, none taken yet."""
    return TrialMeasures(CONTRACT, SPEC, trials, tick_s=TICK_S, rules=RULES, **options)


def play(
    measures: TrialMeasures,
    duration_s: float,
    motion: Callable[[float], Changes] = lambda time_s: {},
    *,
    command: Any = (0.0, 0.0, 0.0),
    action: Callable[[int], Any] = lambda step: 0.0,
    safety: Callable[[float], SafetyVerdict] | None = None,
) -> TrialMeasures:
    """Let time pass: the motion is asked at the end of each tick, the command (or a function) at that of each step."""
    n = len(measures.running)
    for step in range(1, round(duration_s / STEP_S) + 1):
        for tick in range(TICKS):
            time_s = (step - 1) * STEP_S + (tick + 1) * TICK_S
            now = truth(n, **motion(time_s))
            measures.tick(now, verdict(n) if safety is None else safety(time_s))
        asked = command(step * STEP_S) if callable(command) else command
        measures.step(now, np.broadcast_to(asked, (n, 3)), np.broadcast_to(action(step), (n, J)).astype(np.float32))
    return measures


def outcome(engine, successes, trials, *, scenario="flat", **measures):
    """A scenario in an engine; each measure is a function of the trial's number, which may return None."""

    def taken(number):
        values = {name: of(number) for name, of in measures.items()}
        return {name: value for name, value in values.items() if value is not None}

    return ScenarioOutcome(
        scenario=scenario,
        engine=engine,
        threshold=0.9,
        planned=trials,
        outcomes=tuple(
            TrialOutcome(
                number=number,
                seed=number,
                success=number < successes,
                reason="" if number < successes else "fell",
                measures=taken(number),
            )
            for number in range(trials)
        ),
    )


def measured(measures, trial=0):
    return measures.outcomes()[trial].measures


def cycle(time_s, period_s):
    """Place of a control step in a cycle, in [0, 1): all its ticks are alike."""
    step, steps = math.ceil(time_s / STEP_S - 1e-6), round(period_s / STEP_S)
    return (step - 1) % steps / steps


def trot(time_s, swing_m=0.06):
    """A trot of 0.4 s: each diagonal pair stands for 0.2 s, then swings for 0.2 s in a triangle of that height."""
    phase = cycle(time_s, 0.4)
    heights, forces = np.zeros((F, 3)), np.zeros(F)
    for foot, offset in enumerate((0.0, 0.5, 0.5, 0.0)):
        place = (phase + offset) % 1.0
        if place < 0.5:
            forces[foot] = WEIGHT_N / 2.0
        else:
            heights[foot, 2] = swing_m * min(place - 0.5 + 0.05, 1.0 - place) * 4.0
    return {"foot_force_n": forces, "foot_pos_w": heights}
