"""Whether robots go where they are told: errors, shares of the command, the way, and recovery from pushes."""

from __future__ import annotations

import numpy as np

from surefoot.evaluation.measure_catalogue import RECOVERED_HOLD_S, RECOVERED_SPEED
from surefoot.evaluation.trials.batch import PushTimes

_TIME_RESOLUTION_S = 1e-6  # sums of steps are that exact, and no step is that short


class TrackingMeasures:
    """How well N robots follow their commands; sums over control steps.

    Tracking is judged once the command has been the same for longer than the settling time and the last push has been
    over for that long.

    Args:
        num_trials: N.
        period_s: Time between two control steps [s].
        settle_s: Settling time [s].

    Attributes:
        judged: Whose tracking was judged in the last control step, (N,), bool.
    """

    def __init__(self, num_trials: int, *, period_s: float, settle_s: float) -> None:
        self._period_s, self._settle_s = period_s, settle_s
        self.judged = np.zeros(num_trials, dtype=bool)
        self._command = np.full((num_trials, 3), np.nan)
        self._same_steps = np.zeros(num_trials)
        self._judged_steps = np.zeros(num_trials)
        self._squared_error = np.zeros((num_trials, 3))
        self._steady_error = np.zeros((num_trials, 3))
        # Since the last change of command
        self._error = np.zeros((num_trials, 3))
        self._error_steps = np.zeros(num_trials)
        self._obeyed = np.zeros((num_trials, 2))
        self._asked = np.zeros((num_trials, 2))

    @property
    def usual_error(self) -> np.ndarray:
        """Mean of command minus velocity since the last change of command, over the judged time; 0 before, (N, 3)."""
        return self._error / np.maximum(self._error_steps, 1.0)[:, None]

    def step(self, command: np.ndarray, velocity_b: np.ndarray, running: np.ndarray, pushed: np.ndarray) -> None:
        """Take in a control step.

        Args:
            command: The command that was in force, (N, 3).
            velocity_b: Forward and sideways velocity [m/s] and yaw rate [rad/s], (N, 3).
            running: Which trials count, (N,), bool.
            pushed: Which robots are being pushed, or were less than the settling time ago, (N,), bool.
        """
        changed = (command != self._command).any(axis=1)
        self._command = np.array(command, dtype=np.float64)
        self._steady_error[changed] += np.abs(self._error[changed])
        self._error[changed] = self._error_steps[changed] = 0.0
        self._same_steps = np.where(changed, 1.0, self._same_steps + 1.0)

        judged = running & ~pushed & (self._same_steps * self._period_s > self._settle_s + _TIME_RESOLUTION_S)
        self.judged = judged
        wide = judged[:, None]
        error = np.where(wide, command - velocity_b, 0.0)
        self._judged_steps += judged
        self._error_steps += judged
        self._error += error
        self._squared_error += error * error
        obeyed, asked = command * np.where(wide, velocity_b, 0.0), np.where(wide, command * command, 0.0)
        self._obeyed += np.stack([obeyed[:, 0] + obeyed[:, 1], obeyed[:, 2]], axis=1)
        self._asked += np.stack([asked[:, 0] + asked[:, 1], asked[:, 2]], axis=1)

    def measures(self) -> dict[str, np.ndarray]:
        """Return the measures, (N,) each; not a number where there is nothing to measure."""
        with np.errstate(invalid="ignore", divide="ignore"):
            rms = np.sqrt(self._squared_error / self._judged_steps[:, None])
            # The mean's absolute value times the time is that of the sum.
            steady = (self._steady_error + np.abs(self._error)) / self._judged_steps[:, None]
            shares = np.where(self._asked > 0.0, self._obeyed / self._asked, np.nan)
        found = {}
        for axis, name in enumerate(("vx", "vy", "yaw_rate")):
            found[f"rms_{name}_error"], found[f"steady_{name}_error"] = rms[:, axis], steady[:, axis]
        return found | {"command_share": shares[:, 0], "turn_share": shares[:, 1]}


class WayMeasures:
    """Where N robots went.

    Args:
        yaw_rad: Headings at the start [rad], (N,).
        ground_m: Height of the ground where they start [m].
        period_s: Time between two control steps [s].
    """

    def __init__(self, yaw_rad: np.ndarray, *, ground_m: float, period_s: float) -> None:
        self._yaw = np.array(yaw_rad, dtype=np.float64)
        self._ground_m, self._period_s = ground_m, period_s
        self._turned, self._path = np.zeros(len(self._yaw)), np.zeros(len(self._yaw))
        self._distance, self._climb = np.zeros(len(self._yaw)), np.zeros(len(self._yaw))

    def step(
        self, pos_w: np.ndarray, yaw_rad: np.ndarray, speed: np.ndarray, ground_m: np.ndarray, running: np.ndarray
    ) -> None:
        """Take in a control step.

        Args:
            pos_w: Positions of the base [m], (N, 3).
            yaw_rad: Headings [rad], (N,).
            speed: Horizontal speeds [m/s], (N,).
            ground_m: Heights of the ground under the base [m], (N,).
            running: Which trials count, (N,), bool.
        """
        turn = np.remainder(yaw_rad - self._yaw + np.pi, 2.0 * np.pi) - np.pi
        self._turned += np.where(running, turn, 0.0)
        self._yaw = np.where(running, yaw_rad, self._yaw)
        self._path += np.where(running, speed * self._period_s, 0.0)
        self._distance = np.where(running, np.hypot(pos_w[:, 0], pos_w[:, 1]), self._distance)
        self._climb = np.where(running, ground_m - self._ground_m, self._climb)

    def measures(self) -> dict[str, np.ndarray]:
        """Return the measures, (N,) each."""
        return {
            "distance_m": self._distance,
            "path_m": self._path,
            "climb_m": self._climb,
            "turned_deg": np.rad2deg(self._turned),
        }


class RecoveryMeasures:
    """How long N robots take to recover from pushes.

    Args:
        pushes: The pushes, in the order of their beginning.
        num_trials: N.
        period_s: Time between two control steps [s].
        settle_s: For how long after a push tracking is not judged [s].
    """

    def __init__(self, pushes: tuple[PushTimes, ...], num_trials: int, *, period_s: float, settle_s: float) -> None:
        self._period_s, self._settle_s = period_s, settle_s
        self._start_s = np.array([push.start_s for push in pushes]).reshape(-1, num_trials)  # (num_pushes, N)
        self._end_s = self._start_s + np.array([push.duration_s for push in pushes]).reshape(-1, num_trials)
        self._hold_steps = round(RECOVERED_HOLD_S / period_s)
        self._begun = np.zeros(num_trials, dtype=np.int64)
        self._usual_error = np.zeros((num_trials, 2))
        # Since the end of the last push that has begun: steps, and how many of the newest were within bounds
        self._steps, self._good_steps = np.zeros(num_trials), np.zeros(num_trials)
        self._recovered = np.ones(num_trials, dtype=bool)
        self._longest_steps = np.zeros(num_trials)

    def pushed(self, time_s: float) -> np.ndarray:
        """Return whom a push touches at a time, or did so less than the settling time ago, (N,), bool."""
        until_s = self._end_s + self._settle_s
        return ((time_s > self._start_s + _TIME_RESOLUTION_S) & (time_s <= until_s + _TIME_RESOLUTION_S)).any(axis=0)

    def step(self, time_s: float, error: np.ndarray, usual_error: np.ndarray, running: np.ndarray) -> None:
        """Take in a control step.

        Args:
            time_s: Time since the start [s].
            error: Command minus velocity in the base's frame, (N, 2 or more).
            usual_error: Mean of that before the step, (N, 2 or more).
            running: Which trials count, (N,), bool.
        """
        if not len(self._start_s):
            return
        begun = (time_s > self._start_s + _TIME_RESOLUTION_S).sum(axis=0)
        new = running & (begun > self._begun)
        self._longest_steps = np.where(new, self._longest(), self._longest_steps)
        self._usual_error[new] = usual_error[new, :2]
        self._steps[new] = self._good_steps[new] = 0.0
        self._recovered[new] = False
        self._begun = np.where(running, begun, self._begun)

        end_s = np.take_along_axis(self._end_s, np.maximum(self._begun - 1, 0)[None], axis=0)[0]
        counts = running & ~self._recovered & (time_s > end_s + _TIME_RESOLUTION_S)
        with np.errstate(invalid="ignore"):
            off = error[:, :2] - self._usual_error
            good = np.hypot(off[:, 0], off[:, 1]) <= RECOVERED_SPEED
        self._steps += counts
        self._good_steps = np.where(counts, np.where(good, self._good_steps + 1.0, 0.0), self._good_steps)
        self._recovered |= counts & (self._good_steps >= self._hold_steps)

    def measures(self) -> dict[str, np.ndarray]:
        """Return the measures, (N,) each; not a number where nobody pushed."""
        return {"recovery_s": np.where(self._begun > 0, self._longest() * self._period_s, np.nan)}

    def _longest(self) -> np.ndarray:
        taken = np.where(self._recovered, self._steps - self._good_steps, self._steps)
        return np.maximum(self._longest_steps, taken)
