"""Takes the measures of all trials of a batch while they run: sums and peaks only, whatever the length."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from surefoot.evaluation.measure_catalogue import GRAVITY, MOVING_SPEED, MOVING_YAW_RATE
from surefoot.evaluation.trials.batch import TrialBatch
from surefoot.evaluation.trials.engine import Truth
from surefoot.evaluation.trials.outcome import TrialOutcome
from surefoot.evaluation.trials.rotations import into_base
from surefoot_bridge.contract import Contract
from surefoot_bridge.safety import Response, Rule, SafetyVerdict
from surefoot_bridge.state import heading, tilt
from surefoot_robots import RobotSpec, mjcf

from .effort import ActionMeasures, EffortMeasures, JointLoads
from .gait import GaitMeasures, PostureMeasures
from .quality import QualityMeasures
from .success import judged
from .tracking import RecoveryMeasures, TrackingMeasures, WayMeasures

GroundHeight = Callable[[np.ndarray, np.ndarray], np.ndarray]
"""Height of the ground [m] at world x, y [m], arrays of one shape: ``HeightGrid.height``."""

NOT_FINITE = "state not finite"
"""Why a trial ended whose engine returned what is no number; it counts as a fall."""


class TrialMeasures:
    """Measures of N trials of a batch.

    After each tick :meth:`tick`, and after each control period, once its last tick was told, :meth:`step`. Nothing
    counts from a trial's end on, which is its fall or its stop by the safety layer; what an engine returns of it then
    may be anything.

    Args:
        contract: The contract.
        spec: The robot.
        batch: The trials.
        tick_s: Time between two ticks [s].
        rules: Rules of the safety layer, in the order of its verdicts: ``controller.safety.rules``.
        ground_height: Height of the ground; None for flat ground at 0.
        whole_length_s: Length that the motors' heat is extrapolated to where a trial is shorter [s]; None for the
            scenario's.

    Attributes:
        running: Which trials have not ended, (N,), bool.
        quality: Quality by samples; None of a batch that names no full speed.
    """

    def __init__(
        self,
        contract: Contract,
        spec: RobotSpec,
        batch: TrialBatch,
        *,
        tick_s: float,
        rules: Sequence[Rule],
        ground_height: GroundHeight | None = None,
        whole_length_s: float | None = None,
    ) -> None:
        n, period_s, settle_s = batch.num_trials, contract.timing.control_period_s, batch.scenario.settle_s
        weight_n = (mjcf.total_mass(spec.mjcf_path) + batch.variation.payload_kg) * GRAVITY  # (N,)
        self._batch, self._tick_s, self._period_s = batch, tick_s, period_s
        self._whole_length_s = batch.scenario.length_s if whole_length_s is None else whole_length_s
        self._ground_height = ground_height
        # The cosine of the tilt is 1 - 2 (x^2 + y^2) by the quaternion's components.
        self._fallen_xy = np.sin(contract.safety.tilt_limit_rad / 2.0) ** 2
        self._force_n = contract.observation.foot_contact_force_n
        self._rule_names = tuple(rule.name for rule in rules)
        self._stops = np.array([rule.response >= Response.DAMP for rule in rules])

        self.running = np.ones(n, dtype=bool)
        self._ticks, self._steps = 0, 0
        self._fell_s, self._stopped_s = np.full(n, np.nan), np.full(n, np.nan)
        self._ended = np.full(n, "", dtype=object)
        self._interventions = np.zeros((n, len(rules)), dtype=int)

        start = float(self._ground(np.zeros((1, 2)))[0])
        self._tracking = TrackingMeasures(n, period_s=period_s, settle_s=settle_s)
        self._recovery = RecoveryMeasures(batch.pushes, n, period_s=period_s, settle_s=settle_s)
        self._way = WayMeasures(batch.variation.yaw_rad, ground_m=start, period_s=period_s)
        self._effort = EffortMeasures(
            contract, spec, batch.variation.motor_strength, weight_n, tick_s=tick_s, period_s=period_s
        )
        self._actions = ActionMeasures(contract, n)
        self._gait = GaitMeasures(contract, spec, weight_n, period_s=period_s)
        self._posture = PostureMeasures(n, usual_height_m=spec.base_height_m)
        self._arrived_s = np.full(n, np.nan)
        self._has_target = batch.scenario.target is not None
        self.quality = None if batch.full_speed is None else QualityMeasures(contract, spec, batch.full_speed)

    @np.errstate(invalid="ignore", over="ignore")
    def tick(self, truth: Truth, verdict: SafetyVerdict) -> None:
        """Take in a tick.

        Args:
            truth: What is true after it.
            verdict: What the safety layer had said before it.
        """
        self._ticks += 1
        if verdict.tripped.any():
            self._interventions += verdict.tripped & self.running[:, None]
        stopped = self.running & (verdict.response >= Response.DAMP)
        if stopped.any():
            self._stop(stopped, verdict)
        quat = truth.base_quat_wxyz
        fell = quat[:, 1] * quat[:, 1] + quat[:, 2] * quat[:, 2] >= self._fallen_xy
        fell |= truth.body_force_n > self._force_n
        if fell.any():
            self._end(fell & _finite(quat), "fell")
        self._end_where_not_finite(quat, truth.joint_vel_rad_s, truth.motor_torque_nm, truth.foot_force_n)
        self._effort.tick(truth.motor_torque_nm, truth.joint_vel_rad_s, truth.torque_cut, self.running)
        self._gait.tick(truth.foot_force_n)

    @np.errstate(invalid="ignore", over="ignore")
    def step(self, truth: Truth, command: np.ndarray, action: np.ndarray) -> None:
        """Take in a control step, after its last tick.

        Args:
            truth: What is true now.
            command: The velocity command that was in force, (N, 3).
            action: The policy's answer, not clipped, joints in the policy's order, (N, num_joints).
        """
        self._steps += 1
        time_s = self._steps * self._period_s
        base = (truth.base_pos_w, truth.base_lin_vel_w, truth.base_ang_vel_b, truth.joint_pos_rad, truth.motor_heat)
        self._end_where_not_finite(*base, truth.foot_pos_w, truth.foot_vel_w)
        running = self.running
        if self.quality is not None:
            self.quality.step(truth, command, running)
        if not running.any():
            return

        velocity_b = into_base(truth.base_quat_wxyz, truth.base_lin_vel_w)
        velocity_b[:, 2] = truth.base_ang_vel_b[:, 2]  # (N, 3): forward, sideways, yaw rate
        speed, asked_speed = np.hypot(velocity_b[:, 0], velocity_b[:, 1]), np.hypot(command[:, 0], command[:, 1])
        usual_error = self._tracking.usual_error
        self._tracking.step(command, velocity_b, running, self._recovery.pushed(time_s))
        self._recovery.step(time_s, command - velocity_b, usual_error, running)
        self._effort.step(truth.joint_pos_rad, truth.motor_heat, speed, asked_speed, running)
        self._actions.step(action, running)

        points = np.concatenate([truth.base_pos_w[:, None], truth.foot_pos_w], axis=1)  # (N, 1 + num_feet, 3)
        ground = self._ground(np.where(running[:, None, None], points[..., :2], 0.0))
        height = points[..., 2] - ground
        self._way.step(truth.base_pos_w, heading(truth.base_quat_wxyz), speed, ground[:, 0], running)
        self._posture.step(height[:, 0], tilt(truth.base_quat_wxyz), running)
        sole_speed = np.hypot(truth.foot_vel_w[..., 0], truth.foot_vel_w[..., 1])
        moving = (asked_speed > MOVING_SPEED) | (np.abs(command[:, 2]) > MOVING_YAW_RATE)
        standing = self._tracking.judged & (command == 0.0).all(axis=1)
        self._gait.step(truth.foot_force_n, height[:, 1:], sole_speed, moving, standing, running)

    def arrive(self, arrived: np.ndarray | None) -> None:
        """Take in which robots have reached their target, (N,), bool: these trials are over, and nothing went wrong.

        Args:
            arrived: After a control step; None where there is no target.
        """
        if arrived is not None:
            now = arrived & self.running
            self._arrived_s[now] = self._steps * self._period_s
            self.running &= ~now

    def joint_loads(self) -> JointLoads:
        """Return the loads of single joints."""
        return self._effort.loads(self._rest_s())

    def outcomes(self) -> tuple[TrialOutcome, ...]:
        """Return what came of the trials, judged by the scenario's bounds, in the order of the batch."""
        table = {
            "fell": np.isfinite(self._fell_s).astype(float),
            "time_to_fall_s": self._fell_s,
            "stopped_by_safety": np.isfinite(self._stopped_s).astype(float),
            "time_to_stop_s": self._stopped_s,
            "safety_interventions": self._interventions.sum(axis=1).astype(float),
            **self._arrival(),
            **self._tracking.measures(),
            **self._way.measures(),
            **self._effort.measures(self._rest_s()),
            **self._actions.measures(),
            **self._gait.measures(),
            **self._posture.measures(),
            # What a robot that fell would have taken to recover is not known.
            **{name: np.where(self.running, values, np.nan) for name, values in self._recovery.measures().items()},
        }
        rows = np.stack(list(table.values()), axis=1).tolist()
        measured = [{name: value for name, value in zip(table, row, strict=True) if np.isfinite(value)} for row in rows]
        numbers, seeds = self._batch.numbers.tolist(), self._batch.seeds.tolist()
        acted = [
            {name: count for name, count in zip(self._rule_names, counts, strict=True) if count}
            for counts in self._interventions.tolist()
        ]
        return tuple(
            judged(self._batch.scenario, number, seed, measures, ended, interventions)
            for number, seed, measures, ended, interventions in zip(
                numbers, seeds, measured, self._ended.tolist(), acted, strict=True
            )
        )

    def _arrival(self) -> dict[str, np.ndarray]:
        if not self._has_target:
            return {}
        return {"target_reached": np.isfinite(self._arrived_s).astype(float), "time_to_target_s": self._arrived_s}

    def _rest_s(self) -> np.ndarray:
        """For how long each robot would have gone on as it did, (N,): the rest of a length that was cut short."""
        rest_s = self._whole_length_s - self._steps * self._period_s
        return np.where(self.running, rest_s if rest_s >= self._period_s else 0.0, 0.0)

    def _ground(self, xy: np.ndarray) -> np.ndarray:
        if self._ground_height is None:
            return np.zeros(xy.shape[:-1])
        return np.asarray(self._ground_height(xy[..., 0], xy[..., 1]), dtype=np.float64)

    def _end(self, mask: np.ndarray, reason: str) -> None:
        """End trials by a fall that have not ended."""
        now = mask & self.running
        if now.any():
            self.running &= ~now
            self._fell_s[now] = self._ticks * self._tick_s
            self._ended[now] = reason

    def _end_where_not_finite(self, *arrays: np.ndarray) -> None:
        if not np.isfinite(sum(array.sum() for array in arrays)):  # seldom, and then looked at trial by trial
            self._end(~_finite(*arrays), NOT_FINITE)

    def _stop(self, mask: np.ndarray, verdict: SafetyVerdict) -> None:
        self.running &= ~mask
        self._stopped_s[mask] = self._ticks * self._tick_s
        for trial in np.flatnonzero(mask).tolist():  # once in a trial's life
            stopping = np.flatnonzero(verdict.active[trial] & self._stops)
            rule = self._rule_names[stopping[0]] if stopping.size else "latched"
            self._ended[trial] = f"stopped by safety: {rule}"


def _finite(*arrays: np.ndarray) -> np.ndarray:
    """Whether all numbers of each trial are finite, (N,): their sum is, unless one of them is not."""
    return np.isfinite(sum(array.reshape(len(array), -1).sum(axis=1) for array in arrays))
