"""Trials of one scenario that run side by side: whatever is drawn for them, drawn before they begin."""

from __future__ import annotations

from dataclasses import dataclass
from types import SimpleNamespace

import numpy as np

from surefoot.evaluation.scenarios.scenario import Scenario


class Variation(SimpleNamespace):
    """What each robot and its world differ in from the nominal ones, N trials.

    It has an array for each field of :class:`~surefoot.evaluation.scenarios.scenario.RobotVariation`, by its name:
    (N,), or (N, num_joints) in the order of the robot's interface where joints have their own. Angles are in radians:
    ``yaw_rad`` (N,), and ``tilt_rad`` (N, 2) as roll and pitch.
    """


@dataclass(frozen=True, kw_only=True)
class PushTimes:
    """One push of each trial.

    Attributes:
        start_s: When it begins [s], (N,).
        duration_s: How long it lasts [s], (N,).
        force_b: Force in the heading frame of the base (x forward, y left, z up) when it begins [N], (N, 3).
    """

    start_s: np.ndarray
    duration_s: np.ndarray
    force_b: np.ndarray


@dataclass(frozen=True, kw_only=True)
class TrialBatch:
    """Trials of one scenario.

    Attributes:
        scenario: The scenario.
        numbers: Number of each trial in the scenario, (N,), int64. Everything that is drawn for a trial depends on
            suite seed, scenario name and this number alone.
        seeds: Seed of each trial, (N,), uint64; for noise that is drawn while it runs.
        variation: What each robot differs in.
        pushes: Pushes, in the order of their beginning.
        commands: What each trial is asked in each control period where it is not the scenario's commands,
            (num_steps, N, 3).
        full_speed: Full speed of commands [m/s, m/s, rad/s] by which quality is measured; None where it is not.
    """

    scenario: Scenario
    numbers: np.ndarray
    seeds: np.ndarray
    variation: Variation
    pushes: tuple[PushTimes, ...]
    commands: np.ndarray | None = None
    full_speed: tuple[float, float, float] | None = None

    @property
    def num_trials(self) -> int:
        """N."""
        return len(self.numbers)
