"""Trials that differ from nominal ones in what is asked for, on the grounds of evaluation_isaac_probe.py."""

import numpy as np

from surefoot.evaluation.scenarios.scenario import RobotVariation, Scenario
from surefoot.evaluation.trials.batch import TrialBatch, Variation
from surefoot.evaluation.trials.sampling import draw_variation

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
    zero = np.zeros(n)
    start = {"tilt_rad": np.zeros((n, 2)), "yaw_rad": zero, "joint_offset_rad": np.zeros((n, j))}
    if seed is not None:
        draw = np.random.default_rng(seed)
        start = {
            "tilt_rad": draw.uniform(-0.05, 0.05, (NUM_TRIALS, 2))[:n],
            "yaw_rad": draw.uniform(-0.3, 0.3, NUM_TRIALS)[:n],
            "joint_offset_rad": draw.uniform(-0.05, 0.05, (NUM_TRIALS, j))[:n],
        }
    nominal = vars(draw_variation(RobotVariation(), lambda _, count: np.zeros((n, count)), j))
    numbers = np.arange(n)
    variation = Variation(**{**nominal, **start, **values})
    return TrialBatch(scenario=FLAT, numbers=numbers, seeds=numbers.astype(np.uint64), variation=variation, pushes=())
