"""An evaluation made up by numbers, as three engines could have given it, for tests of what is made of evaluations."""

from __future__ import annotations

from functools import cache

import numpy as np
from tests.fixtures.shipped import GO2_BUNDLE

from surefoot.evaluation.results.result import Evaluation, ProvenPolicy
from surefoot.evaluation.scenarios.scenario import Suite
from surefoot.evaluation.trials.outcome import ScenarioOutcome, TrialOutcome
from surefoot.evaluation.trials.recording import Recording
from surefoot_bridge.bundle import load_bundle
from surefoot_bridge.contract import Contract

ENGINES = ("mujoco", "ovphysx", "newton_mjwarp")

SUITE = Suite.model_validate(
    {
        "version": 1,
        "name": "made_up",
        "description": "Four scenarios for tests.",
        "seed": 7,
        "scenarios": [
            {
                "name": "flat_forward",
                "description": "1 m/s straight ahead.",
                "commands": [{"at_s": 0.0, "velocity": [0, 0, 0]}, {"at_s": 1.0, "velocity": [1.0, 0, 0]}],
                "length_s": 8.0,
                "trials": 100,
                "success": {"rms_vx_error": {"max": 0.25}},
                "threshold": 0.9,
            },
            {
                "name": "stairs_up",
                "description": "Up stairs <of 15 cm>.",
                "terrain": {"kind": "stairs", "step_height_m": 0.15},
                "commands": [{"at_s": 0.0, "velocity": [0.5, 0, 0]}],
                "length_s": 8.0,
                "trials": 100,
            },
            {
                "name": "shoves",
                "description": "Pushed from any side.",
                "commands": [{"at_s": 0.0, "velocity": [0.5, 0, 0]}],
                "pushes": [{"at_s": [3.0, 4.0], "force_n": [20.0, 120.0], "direction_deg": "any"}],
                "robot": {"friction": [0.3, 0.9], "payload_kg": 2.0},
                "length_s": 8.0,
                "trials": 100,
            },
            {
                "name": "largest_push",
                "description": "The largest push survived.",
                "commands": [{"at_s": 0.0, "velocity": [0.0, 0, 0]}],
                "largest_push": {"at_s": 2.0, "high_n": 300.0},
                "length_s": 5.0,
                "trials": 64,
            },
        ],
    }
)

_RATES = {"flat_forward": 1.0, "stairs_up": 0.2, "shoves": 0.9, "largest_push": 1.0}


TINY_SUITE = """
version: 1
name: tiny
description: One that holds, and one that cannot.
scenarios:
  - name: ahead
    description: 0.5 m/s straight ahead.
    commands: [{at_s: 0.0, velocity: [0.5, 0.0, 0.0]}]
    length_s: 1.0
    trials: 30
  - name: shoved
    description: A push that no robot of this size survives.
    commands: [{at_s: 0.0, velocity: [0.0, 0.0, 0.0]}]
    pushes: [{at_s: 0.1, duration_s: 0.3, force_n: 800.0}]
    length_s: 1.5
    trials: 30
"""
"""A suite for real runs, which take a second or two."""


@cache
def contract() -> Contract:
    """Return the contract of the Go2's policy."""
    return load_bundle(GO2_BUNDLE, runtime="numpy").contract


def trial(number: int, *, success: bool = True, reason: str = "", **measures: float) -> TrialOutcome:
    """Return a trial."""
    return TrialOutcome(
        number=number,
        seed=2**63 + number,
        success=success,
        reason=reason or ("" if success else "fell"),
        measures=measures,
    )


def outcome(
    scenario: str, engine: str, *, successes: int, trials: int = 100, shift: float = 0.0, threshold: float = 0.9
) -> ScenarioOutcome:
    """Return an outcome with so many successes, and measures that spread about a middle that is moved by ``shift``."""
    draw = np.random.default_rng(sum(map(ord, scenario + engine)))
    rows = []
    for number in range(trials):
        success = number < successes
        measures = {
            "fell": float(not success),
            "rms_vx_error": 0.08 + shift + 0.01 * draw.standard_normal(),
            "cost_of_transport": 0.43 + shift + 0.02 * draw.standard_normal(),
            "saturation_share": 0.002,
            "distance_m": 4.0 + draw.standard_normal() if success else 1.2 + 0.2 * draw.standard_normal(),
            "stride_hz": 2.9 + 0.1 * draw.standard_normal(),
        }
        if scenario == "largest_push":
            measures["largest_push_n"] = 90.0 + 10 * (number % 8) + 8 * draw.standard_normal()
        if not success:
            measures["time_to_fall_s"] = 3.0
        rows.append(trial(number, success=success, **measures))
    return ScenarioOutcome(scenario=scenario, engine=engine, threshold=threshold, planned=trials, outcomes=tuple(rows))


def evaluation(*, engines: tuple[str, ...] = ENGINES, shift: float = 0.0) -> Evaluation:
    """Return an evaluation in which stairs fail and pushes are a matter of chance."""
    outcomes = []
    for scenario in SUITE.scenarios:
        for place, engine in enumerate(engines):
            trials = scenario.trials if engine == "mujoco" else 50
            successes = round(trials * _RATES[scenario.name]) - 2 * place * (scenario.name == "shoves")
            outcomes.append(
                outcome(
                    scenario.name,
                    engine,
                    successes=successes,
                    trials=trials,
                    shift=shift + 0.03 * place,
                    threshold=scenario.threshold,
                )
            )
    return Evaluation(
        suite=SUITE,
        engines=engines,
        policy=ProvenPolicy.of(contract()),
        outcomes=tuple(outcomes),
        conditions={"safety limits": "stage field"},
        versions={"mujoco": "3.12.0"},
    )


def recording(scenario: str, engine: str, number: int, *, success: bool = True, length_s: float = 8.0) -> Recording:
    """Return the motion of a robot that trots at 3 Hz, and leans over at the end where it fails."""
    robot = contract().robot
    joints, feet = len(robot.sdk_joint_names), len(robot.foot_names)
    time_s = np.arange(1, round(length_s / 0.02) + 1) * 0.02
    rows, phase = len(time_s), 2 * np.pi * 3.0 * time_s
    speed = 0.5 * (1 - np.exp(-time_s)) + 0.03 * np.sin(2 * phase)
    position = np.stack([np.cumsum(speed) * 0.02, np.zeros(rows), np.full(rows, 0.3)], axis=1)
    down = np.stack([np.sin(phase + (0.0, np.pi, np.pi, 0.0)[foot % 4]) > 0.0 for foot in range(feet)], axis=1)
    swing = np.sin(phase)[:, None] * np.ones(joints)
    default = np.array([robot.default_joint_pos_rad[robot.joint_names.index(name)] for name in robot.sdk_joint_names])
    push = np.zeros((rows, 3))
    push[(time_s > 3.0) & (time_s < 3.2), 1] = 50.0
    arrays = {
        "time_s": time_s,
        "command": np.tile([0.5, 0.0, 0.0], (rows, 1)),
        "base_pos_w": position,
        "base_quat_wxyz": np.tile([1.0, 0.0, 0.0, 0.0], (rows, 1)),
        "base_lin_vel_b": np.stack([speed, 0.02 * np.sin(phase), np.zeros(rows)], axis=1),
        "base_ang_vel_b": 0.1 * np.stack([np.sin(phase)] * 3, axis=1),
        "joint_pos_rad": default + 0.2 * swing,
        "joint_vel_rad_s": 6.0 * swing,
        "motor_torque_nm": 12.0 * np.cos(phase)[:, None] * np.ones(joints),
        "joint_target_rad": default + 0.2 * swing,
        "foot_pos_w": np.zeros((rows, feet, 3)),
        "foot_force_n": 70.0 * down,
        "push_force_w": push if scenario == "shoves" else np.zeros((rows, 3)),
    }
    return Recording(
        scenario=scenario,
        engine=engine,
        robot=robot.name,
        number=number,
        success=success,
        reason="" if success else "fell",
        response=np.zeros(rows, dtype=np.int8),
        **{name: values.astype(np.float32) for name, values in arrays.items()},
    )
