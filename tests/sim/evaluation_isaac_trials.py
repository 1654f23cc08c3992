"""Trials that differ from nominal ones in what is asked for, on the grounds of evaluation_isaac_probe.py."""

from dataclasses import replace

import numpy as np

from surefoot.evaluation.scenarios.scenario import Scenario
from surefoot.evaluation.trials.batch import TrialBatch, Variation

NUM_TRIALS = 6
NUM_JOINTS = 12
WALK_S = 4.0
FORWARD = (0.5, 0.0, 0.0)


def scenario(name: str, terrain: str) -> Scenario:
    """Return a scenario of walking forward."""
    return Scenario.model_validate(
        {
            "name": name,
            "description": "Forward.",
            "terrain": {"kind": terrain},
            "length_s": WALK_S,
            "commands": [{"at_s": 0.0, "velocity": FORWARD}],
        }
    )


FLAT, SLOPE, STAIRS = (scenario(f"forward_{kind}", kind) for kind in ("flat", "slope", "stairs"))


def batch(*, seed: int | None = None, num_trials: int = NUM_TRIALS, **values: object) -> TrialBatch:
    """Return nominal trials but for some values; with a seed they start tilted, turned and with bent joints."""
    n, j = num_trials, NUM_JOINTS
    one, zero = np.ones(n), np.zeros(n)
    start = {"tilt_rad": np.zeros((n, 2)), "yaw_rad": zero, "joint_offset_rad": np.zeros((n, j))}
    if seed is not None:
        draw = np.random.default_rng(seed)
        start = {
            "tilt_rad": draw.uniform(-0.05, 0.05, (NUM_TRIALS, 2))[:n],
            "yaw_rad": draw.uniform(-0.3, 0.3, NUM_TRIALS)[:n],
            "joint_offset_rad": draw.uniform(-0.05, 0.05, (NUM_TRIALS, j))[:n],
        }
    variation = Variation(
        friction=0.8 * one,
        torsional_friction_m=zero,
        rolling_friction_m=zero,
        payload_kg=zero,
        motor_strength=np.ones((n, j)),
        motor_heat=np.zeros((n, j)),
        cold_friction=one,
        battery_voltage=one,
        battery_sag_per_s=zero,
        command_latency_s=zero,
        sensor_noise=zero,
        encoder_offset_rad=np.zeros((n, j)),
        **start,
    )
    numbers = np.arange(n)
    variation = replace(variation, **values)
    return TrialBatch(scenario=FLAT, numbers=numbers, seeds=numbers.astype(np.uint64), variation=variation, pushes=())
