"""How robots walk: swings, contacts, slip, impacts, evenness, and how they hold their base."""

from __future__ import annotations

import math

import numpy as np

from surefoot.evaluation.measure_catalogue import IMPACT_S, MIN_SWING_S
from surefoot_bridge.contract import Contract
from surefoot_robots import RobotSpec

_NOT_AIRBORNE = -np.inf


class GaitMeasures:
    """Steps of N robots; sums over control steps.

    Swings are taken as :class:`surefoot.playing.metrics.EpisodeMetrics` takes them.

    Args:
        contract: The contract.
        spec: The robot.
        weight_n: Weights of the robots with their payload [N], (N,).
        period_s: Time between two control steps [s].
    """

    def __init__(self, contract: Contract, spec: RobotSpec, weight_n: np.ndarray, *, period_s: float) -> None:
        feet = contract.robot.foot_names
        self._force_n, self._period_s, self._weight_n = contract.observation.foot_contact_force_n, period_s, weight_n
        self._min_swing_steps = MIN_SWING_S / period_s
        self._impact_steps = math.ceil(IMPACT_S / period_s - 1e-6)
        across = [feet.index(spec.foot_mirror[foot]) for foot in feet]
        self._pairs = np.array([(foot, other) for foot, other in enumerate(across) if foot < other]).reshape(-1, 2)

        num_trials, shape = len(weight_n), (len(weight_n), len(feet))
        self._moving_steps = np.zeros(num_trials)
        self._contacts = np.zeros(shape)
        self._standing_steps, self._standing_contacts = np.zeros(num_trials), np.zeros(num_trials)
        self._swings, self._swing_steps, self._clearance = np.zeros(shape), np.zeros(shape), np.zeros(shape)
        self._slip, self._slip_steps = np.zeros(num_trials), np.zeros(num_trials)
        self._impact, self._impacts = np.zeros(num_trials), np.zeros(num_trials)
        # Of the running swing or stance
        self._contact = np.zeros(shape, dtype=bool)
        self._air_steps, self._peak_height = np.zeros(shape), np.full(shape, _NOT_AIRBORNE)
        # False for a foot that starts in the air: the beginning of its swing was not seen.
        self._swing_counts = np.zeros(shape, dtype=bool)
        self._tick_force, self._impact_force = np.zeros(shape), np.zeros(shape)
        self._impact_left = np.zeros(shape, dtype=np.int64)

    def tick(self, foot_force: np.ndarray) -> None:
        """Take in a tick.

        Args:
            foot_force: Forces between feet and ground [N], (N, num_feet).
        """
        np.fmax(self._tick_force, foot_force, out=self._tick_force)

    def step(
        self,
        foot_force: np.ndarray,
        sole_height: np.ndarray,
        sole_speed: np.ndarray,
        moving: np.ndarray,
        standing: np.ndarray,
        running: np.ndarray,
    ) -> None:
        """Take in a control step.

        Args:
            foot_force: Forces between feet and ground [N], (N, num_feet).
            sole_height: Heights of the soles above the ground [m], (N, num_feet).
            sole_speed: Their horizontal speeds [m/s], (N, num_feet).
            moving: Where the command asks for motion, (N,), bool.
            standing: Where it has asked to stand for the settling time, (N,), bool.
            running: Which trials count, (N,), bool.
        """
        contact, wide = foot_force > self._force_n, running[:, None]
        self._moving_steps += running & moving
        self._contacts += contact & (running & moving)[:, None]
        self._standing_steps += running & standing
        self._standing_contacts += contact.sum(axis=1) * (running & standing)
        stays = contact & self._contact & wide
        self._slip += np.where(stays, sole_speed, 0.0).sum(axis=1)
        self._slip_steps += stays.sum(axis=1)

        landed = contact & (self._air_steps >= self._min_swing_steps) & self._swing_counts & wide  # (N, num_feet)
        self._swings += landed
        self._swing_steps += np.where(landed, self._air_steps, 0.0)
        self._clearance += np.where(landed, self._peak_height, 0.0)
        self._take_impacts(landed, wide)

        self._peak_height = np.where(contact, _NOT_AIRBORNE, np.maximum(self._peak_height, sole_height))
        self._air_steps = np.where(contact, 0.0, self._air_steps + 1.0)
        self._swing_counts = contact | (self._swing_counts & moving[:, None])
        self._contact = contact

    def _take_impacts(self, landed: np.ndarray, wide: np.ndarray) -> None:
        self._impact_left[landed] = self._impact_steps
        self._impact_force[landed] = 0.0
        looks = self._impact_left > 0
        np.maximum(self._impact_force, self._tick_force, out=self._impact_force, where=looks)
        self._impact_left -= looks
        over = looks & (self._impact_left == 0) & wide
        self._impact += np.where(over, self._impact_force, 0.0).sum(axis=1)
        self._impacts += over.sum(axis=1)
        self._tick_force[:] = 0.0

    def measures(self) -> dict[str, np.ndarray]:
        """Return the measures, (N,) each; not a number where there is nothing to measure."""
        swings, num_feet = self._swings.sum(axis=1), self._contacts.shape[1]
        moving_feet = num_feet * self._moving_steps
        with np.errstate(invalid="ignore", divide="ignore"):
            return {
                "foot_clearance_m": self._clearance.sum(axis=1) / swings,
                "foot_slip_m_s": self._slip / self._slip_steps,
                "foot_impact_weights": self._impact / self._impacts / self._weight_n,
                "air_time_s": self._swing_steps.sum(axis=1) * self._period_s / swings,
                "duty_factor": self._contacts.sum(axis=1) / moving_feet,
                "feet_down_share": self._standing_contacts / (num_feet * self._standing_steps),
                "gait_symmetry": self._symmetry(),
                "stride_hz": swings / (moving_feet * self._period_s),
            }

    def _symmetry(self) -> np.ndarray:
        airborne = self._moving_steps[:, None] - self._contacts  # (N, num_feet)
        left, right = airborne[:, self._pairs[:, 0]], airborne[:, self._pairs[:, 1]]  # (N, num_pairs) each
        lifts = left + right > 0.0
        uneven = np.abs(left - right) / np.where(lifts, left + right, 1.0)
        return 1.0 - uneven.sum(axis=1) / lifts.sum(axis=1)


class PostureMeasures:
    """How N robots hold their base; sums over control steps.

    Args:
        num_trials: N.
        usual_height_m: A height of the base about which sums are taken, for their precision [m].
    """

    def __init__(self, num_trials: int, *, usual_height_m: float) -> None:
        self._usual_height_m = usual_height_m
        self._steps, self._tilt_max = np.zeros(num_trials), np.zeros(num_trials)
        self._height, self._squared_height = np.zeros(num_trials), np.zeros(num_trials)
        self._squared_tilt = np.zeros(num_trials)

    def step(self, height: np.ndarray, tilt: np.ndarray, running: np.ndarray) -> None:
        """Take in a control step.

        Args:
            height: Heights of the base above the ground under it [m], (N,).
            tilt: Angles between the base's and the world's vertical [rad], (N,).
            running: Which trials count, (N,), bool.
        """
        off, counted = np.where(running, height - self._usual_height_m, 0.0), np.where(running, tilt, 0.0)
        self._steps += running
        self._height += off
        self._squared_height += off * off
        self._squared_tilt += counted * counted
        np.maximum(self._tilt_max, counted, out=self._tilt_max)

    def measures(self) -> dict[str, np.ndarray]:
        """Return the measures, (N,) each; not a number where there is nothing to measure."""
        with np.errstate(invalid="ignore", divide="ignore"):
            mean = self._height / self._steps
            spread = np.sqrt(np.maximum(self._squared_height / self._steps - mean * mean, 0.0))
            return {
                "base_height_mean_m": self._usual_height_m + mean,
                "base_height_spread_m": spread,
                "tilt_rms_rad": np.sqrt(self._squared_tilt / self._steps),
                "tilt_max_rad": np.where(self._steps > 0.0, self._tilt_max, np.nan),
            }
