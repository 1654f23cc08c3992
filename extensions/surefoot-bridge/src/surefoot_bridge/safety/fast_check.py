"""Tells cheaply that a check finds nothing wrong, as almost every check does."""

import math
from typing import Any, Optional, Sequence, Tuple

import numpy as np

from surefoot_bridge.state.batch import every

from .bounds import Bounds
from .measures import FactFinder, Seen
from .rules import Rule

_ROUNDING = 1e-9  # far more than the arithmetic here and that of the rules may differ, as a share


class FastCheck:
    """Tells whether no rule's condition holds and the report can be trusted, for any batch shape.

    Each number must lie in an open interval that no rule of :mod:`~surefoot_bridge.safety.rules` objects to. Angles and
    lengths are compared by their squares, in intervals that are a little narrower than the rules', and a joint must be
    in its range itself. So where it says yes the rules find nothing; where it says no they are asked themselves.

    Args:
        finder: Where the numbers of rules stand.
        bounds: Limits of the robot.
        rules: The rules.
    """

    def __init__(self, finder: FactFinder, bounds: Bounds, rules: Sequence[Rule]) -> None:
        row, n = finder.row, bounds.num_joints
        self._n, self._rate_rad_s, self._period_s = n, bounds.rate_rad_s, bounds.control_period_s
        self._command, self._times = row.at["command"], row.between("time_s", "report.time_s")
        self._squared = row.between("report.imu_quat_wxyz", "report.imu_lin_acc_m_s2")
        size = row.width + 2 * n + 2
        self.low, self.high = np.full(size + 3, -np.inf), np.full(size + 3, np.inf)
        """Open intervals of all numbers: the row, rates of targets, torques, steps of the clocks, attitude."""
        behind_row = {"target_rate_rad_s": 0, "torque_asked_nm": n, "clock_step_s": 2 * n}
        tilt_rad, least_force, tolerance = math.pi, 0.0, bounds.quaternion_tolerance
        for rule in rules:
            low, high = _untripped(rule)
            at = finder.columns[rule.measure]
            if rule.measure in ("report_backwards", "report_repeated", "report_lost"):
                continue  # the report is new and can be trusted
            if rule.measure in ("tilt_rad", "specific_force_m_s2", "quaternion_error"):
                if rule.measure == "tilt_rad":
                    tilt_rad = min(tilt_rad, float(high[0]))
                elif rule.measure == "specific_force_m_s2":
                    least_force = max(least_force, float(low[0]))
                else:
                    tolerance = min(tolerance, float(high[0]))
                continue
            if rule.measure in behind_row:
                at = row.width + behind_row[rule.measure] + np.arange(len(rule.limit))
                if rule.measure == "torque_asked_nm":
                    low = -high  # of either sign here
            elif at[0] >= 2 * row.width:  # how far beyond its range
                at, inside = at - 2 * row.width, (low < 0.0) & (high > 0.0)
                low = np.where(inside, np.nextafter(finder.low[at], -np.inf), np.inf)
                high = np.where(inside, np.nextafter(finder.high[at], np.inf), -np.inf)
            elif at[0] >= row.width:  # its size
                at, low = at - row.width, -high
            self._narrow(at, low, high)
        least = np.nextafter(0.0, 1.0)
        for name in ("wrong_crc", "frozen"):  # nothing but 0 is no
            self._narrow(row.columns(name), -least, least)
        self._narrow(row.columns("report_age_s"), -np.inf, bounds.report_age_s)
        self.attitude, intervals = _attitude(tilt_rad, least_force, tolerance)
        self.low[size:], self.high[size:] = intervals

    def _narrow(self, at: np.ndarray, low: Any, high: Any) -> None:
        self.low[at] = np.maximum(self.low[at], low)
        self.high[at] = np.minimum(self.high[at], high)

    def look(self, seen: Seen, row: np.ndarray, sequence: np.ndarray) -> Optional[Seen]:
        """Return what is left behind for the next check where no robot has anything wrong, and None otherwise.

        The command, which is all right then, counts as told. The caller sees to it that numbers that are not finite
        give no warning.

        Args:
            seen: What the last check left behind.
            row: All that comes in, (..., width).
            sequence: The number of the report, (...,), int64.
        """
        if not every(sequence > seen.sequence):
            return None
        n, now, command = self._n, row[..., self._times], row[..., self._command]
        joints, squared = row[..., : 2 * n], row[..., self._squared]  # positions and velocities
        step = now - seen.time_s
        moved = np.maximum(seen.moved_rad - self._rate_rad_s * step[..., :1], 0.0)
        moved = moved + np.abs(command[..., :n] - seen.command[..., :n])
        torque = command[..., 2 * n : 4 * n] * (command[..., : 2 * n] - joints)  # of stiffness and of damping
        asked = torque[..., :n] + (torque[..., n:] + command[..., 4 * n :])
        attitude = (squared * squared) @ self.attitude
        numbers = np.concatenate((row, moved / self._period_s, asked, step, attitude), axis=-1)
        if not (every(numbers > self.low) and every(numbers < self.high)):  # what is no number is in no interval
            return None
        return Seen(now, sequence, joints[..., :n], joints[..., n:], command, moved)


def _untripped(rule: Rule) -> Tuple[np.ndarray, np.ndarray]:
    """Return the open interval of each number in which a rule does not trip."""
    limit = np.array(rule.limit)
    free = np.full(limit.shape, np.inf)
    if rule.trips in ("from", "above"):
        return -free, np.nextafter(limit, np.inf) if rule.trips == "above" else limit
    return np.nextafter(limit, -np.inf) if rule.trips == "below" else limit, free


def _attitude(tilt_rad: float, least_force: float, tolerance: float) -> Tuple[np.ndarray, np.ndarray]:
    """Return what makes three numbers of the squares of quaternion and specific force, and their open intervals.

    With ``s = sin(tilt / 2)^2`` a quaternion leans less than the tilt where ``x^2 + y^2 < s (w^2 + x^2 + y^2 + z^2)``,
    so where ``(1 - s) (x^2 + y^2) - s (w^2 + z^2) < 0``. The others are its length and the force, squared.

    Args:
        tilt_rad: Tilt from which a rule trips [rad].
        least_force: Specific force down to which one trips [m/s^2].
        tolerance: How far the length may be from 1.

    Returns:
        A matrix (7, 3), and low and high ends (2, 3).
    """
    share = math.sin(tilt_rad / 2.0) ** 2 * (1.0 - _ROUNDING)
    matrix = np.zeros((7, 3))
    matrix[:4, 0] = [-share, 1.0 - share, 1.0 - share, -share]
    matrix[:4, 1] = matrix[4:, 2] = 1.0
    shortest, longest = max(1.0 - tolerance, 0.0) ** 2, (1.0 + tolerance) ** 2
    low = [-np.inf, shortest * (1.0 + _ROUNDING), least_force**2 * (1.0 + _ROUNDING)]
    return matrix, np.array([low, [0.0, longest * (1.0 - _ROUNDING), np.inf]])
