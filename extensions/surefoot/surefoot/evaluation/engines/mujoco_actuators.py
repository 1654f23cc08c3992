"""Motors and joints of trials, as the actuator equations take them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from surefoot.evaluation.trials.batch import Variation
from surefoot_bridge.actuators.parameters import JointParameters


def trial_parameters(nominal: JointParameters, variation: Variation) -> JointParameters:
    """Return the actuators' parameters of each trial, float32 as in training.

    Args:
        nominal: Those of the nominal robot, (num_joints,) each.
        variation: What the robots differ in.
    """

    def single(values: np.ndarray) -> np.ndarray:
        return np.asarray(values, dtype=np.float32)

    stiff = single(variation.cold_friction)[:, None]
    return replace(
        nominal,
        motor_strength=single(variation.motor_strength),
        coulomb_friction=nominal.coulomb_friction * stiff,
        viscous_friction=nominal.viscous_friction * stiff,
        encoder_offset=single(variation.encoder_offset_rad),
        initial_motor_heat=single(variation.motor_heat),
        battery_voltage=single(variation.battery_voltage),
        battery_sag=single(variation.battery_sag_per_s),
    )
