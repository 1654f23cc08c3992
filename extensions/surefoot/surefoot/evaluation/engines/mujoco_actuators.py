"""Motors and joints of trials, as the actuator equations take them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from surefoot.evaluation.scenarios.scenario import VARIED
from surefoot.evaluation.trials.batch import Variation
from surefoot_bridge.actuators.parameters import PER_ENVIRONMENT, PER_JOINT, JointParameters


def trial_parameters(nominal: JointParameters, variation: Variation) -> JointParameters:
    """Return the actuators' parameters of each trial, float32 as in training.

    Args:
        nominal: Those of the nominal robot, (num_joints,) each.
        variation: What the robots differ in.
    """
    changed: dict[str, np.ndarray] = {}
    for name, item in VARIED.items():
        for parameter in item.sets:
            if parameter in (*PER_JOINT, *PER_ENVIRONMENT):
                value = np.asarray(getattr(variation, name), dtype=np.float32)
                if item.each == "trial" and parameter in PER_JOINT:
                    value = value[:, None]
                changed[parameter] = getattr(nominal, parameter) * value if item.factor else value
    return replace(nominal, **changed)
