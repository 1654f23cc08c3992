"""What the safety rules look at: numbers of a report, of what is asked and of time, in named columns."""

from typing import Dict, NamedTuple, Tuple

import numpy as np

from surefoot_bridge.contract import Contract
from surefoot_bridge.errors import SurefootError
from surefoot_bridge.robots import ALARMS
from surefoot_bridge.state import joint_torque, target_rate
from surefoot_bridge.state.batch import every, some

from .bounds import Bounds
from .inputs import SafetyInputs
from .row import Row

NO_SEQUENCE = np.iinfo(np.int64).min
"""Number of a report before the first."""


class Seen(NamedTuple):
    """What a check leaves behind for the next.

    Attributes:
        time_s: When the check was made and when its report was measured, on the clocks of loop and robot [s]; not a
            number before the first, (..., 2).
        sequence: Number of its report, :data:`NO_SEQUENCE` before the first, (...,), int64.
        joint_pos_rad: Joint positions of the last report that could be trusted [rad], (..., num_joints).
        joint_vel_rad_s: Its joint velocities [rad/s], (..., num_joints).
        command: What the joints were told, (..., 5 num_joints).
        moved_rad: How far targets have moved of late [rad], (..., num_joints): each move adds to it, and time takes
            from it what the largest rate allows.
    """

    time_s: np.ndarray
    sequence: np.ndarray
    joint_pos_rad: np.ndarray
    joint_vel_rad_s: np.ndarray
    command: np.ndarray
    moved_rad: np.ndarray


class Facts(NamedTuple):
    """What there is to judge.

    Attributes:
        numbers: All numbers that rules may look at, in the columns of :attr:`FactFinder.columns`, (..., num_columns).
        trusted: Whether the report can be trusted, (..., 1), bool.
        current: Whether it says how the robot is now: it can be trusted and is not old, (..., 1), bool.
        seen: What is left behind for the next check, but for the command, which is still that of the last, and without
            its move.
        elapsed_s: Time since the last check [s], 0 for the first, (..., 1).
        wanted: The command that came, with what was told last in place of what is not finite, (..., 5 num_joints).
        previous_rad: Targets from which the command moves them [rad], (..., num_joints).
    """

    numbers: np.ndarray
    trusted: np.ndarray
    current: np.ndarray
    seen: Seen
    elapsed_s: np.ndarray
    wanted: np.ndarray
    previous_rad: np.ndarray


class FactFinder:
    """Finds the numbers that the rules look at, for any batch shape. It holds no state of its own.

    They are the row of all that comes in, the sizes of its numbers, how far those at its start are beyond their ranges,
    and what takes more arithmetic.

    Args:
        contract: The contract.
        bounds: Limits of its robot.
    """

    def __init__(self, contract: Contract, bounds: Bounds) -> None:
        n, row = bounds.num_joints, Row(contract)
        self.row = row
        """Where what comes in stands, which is at the start of all numbers."""
        self._bounds = bounds
        self._ranged = row.between("report.joint_pos_rad", "command")
        free = np.full(n, np.inf)  # joint velocities stand among them, and have no range
        self.low = np.concatenate([bounds.command_low[:n], -free, bounds.velocity_low, bounds.command_low])
        """Least allowed numbers of the row's start."""
        self.high = np.concatenate([bounds.command_high[:n], free, bounds.velocity_high, bounds.command_high])
        """Largest allowed ones."""
        self._times = row.between("time_s", "report.time_s")
        self._squared = row.between("report.imu_quat_wxyz", "report.imu_lin_acc_m_s2")
        self._report = np.concatenate([row.columns(name) for name in row.of_report])
        self.report_components = tuple(
            f"{name[len('report.') :]} {label}".rstrip() for name in row.of_report for label in row.labels[name]
        )
        """What of the report each number of ``report_size`` is."""

        sizes, beyond = row.width, 2 * row.width
        ranged = ("report.joint_pos_rad", "velocity_command", "command")
        self.columns: Dict[str, np.ndarray] = {
            **{name: row.columns(name) for name in row.labels},
            **{f"size of {name}": sizes + row.columns(name) for name in row.labels},
            **{f"excess of {name}": beyond + row.columns(name) for name in ranged},
            "size of action": sizes + row.columns("action")[bounds.policy_place],
            "size of report": sizes + self._report,
            **dict(zip(ALARMS, row.columns("alarms")[:, None])),
        }
        """Where the numbers of each measure stand, one for each component: of every entry of the row its numbers and
        their sizes, how far what has a range is beyond it, and what takes more arithmetic."""
        at = beyond + len(self.low)
        widths = {"target_rate_rad_s": n, "torque_asked_nm": n, "clock_step_s": 2}
        singles = ("tilt_rad", "specific_force_m_s2", "quaternion_error")
        singles += ("report_backwards", "report_repeated", "report_lost")
        for name, width in {**widths, **dict.fromkeys(singles, 1)}.items():
            self.columns[name] = np.arange(at, at + width)
            at += width

    def gather(
        self, batch_shape: Tuple[int, ...], inputs: SafetyInputs, command: np.ndarray
    ) -> Tuple[np.ndarray, np.ndarray]:
        """Return the row of all that comes in, (..., width), and the number of the report, (...,), int64.

        Args:
            batch_shape: Batch shape of the state.
            inputs: What a check is given.
            command: The command that came, flat, (..., 5 num_joints).

        Raises:
            SurefootError: If an array is not of the shape that contract and state demand.
        """
        row = self.row.gather(batch_shape, inputs, command)
        sequence = np.asarray(inputs.report.sequence, dtype=np.int64)
        if sequence.shape != batch_shape:
            raise SurefootError(f"report.sequence has shape {sequence.shape}; the state demands {batch_shape}.")
        return row, sequence

    def find(self, seen: Seen, row: np.ndarray, sequence: np.ndarray) -> Facts:
        """Return what there is to judge. The caller sees to it that numbers that are not finite give no warning.

        A target may move at once by what its rate allows in a control period, as a new action moves it in training;
        what a pause has missed is not made up for. At the first check it may move by what a low-level period allows.

        Args:
            seen: What the last check left behind.
            row: What :meth:`gather` gave.
            sequence: The number of the report.
        """
        bounds, n, at = self._bounds, self._bounds.num_joints, self.row.at
        last_sequence = seen.sequence

        # Can the report be trusted?
        squares = row[..., self._squared] * row[..., self._squared]
        lean = squares[..., 1:2] + squares[..., 2:3]  # sin(tilt / 2)^2 for a quaternion of length 1
        length = lean + (squares[..., :1] + squares[..., 3:4])
        force = squares[..., 4:5] + squares[..., 5:6] + squares[..., 6:]
        roots = np.sqrt(np.concatenate([lean / length, force, length], axis=-1))
        quaternion_error = np.abs(roots[..., 2:] - 1.0)
        backwards, repeated = (sequence < last_sequence)[..., None], (sequence == last_sequence)[..., None]
        finite = np.isfinite(row)
        trusted = np.logical_and.reduce(finite.take(self._report, axis=-1), axis=-1, keepdims=True)
        trusted = trusted & (quaternion_error < bounds.quaternion_tolerance) & ~backwards
        trusted = trusted & (row[..., at["wrong_crc"]] == 0.0)
        # What other sensors measure is judged while one is frozen, but the robot is not to go on with such reports.
        current = trusted & (row[..., at["report_age_s"]] < bounds.report_age_s)
        lost = ~(current & ~repeated & np.logical_and.reduce(row[..., at["frozen"]] == 0.0, axis=-1, keepdims=True))

        # How much time has passed?
        now, last = row[..., self._times], seen.time_s
        step, begins = now - last, np.isnan(last)
        starts = some(begins)
        if starts:
            step = np.where(begins & np.isfinite(now), 0.0, step)
        passed, known = np.fmax(step[..., :1], 0.0), finite[..., self._times][..., :1]
        if not every(known):
            passed = np.where(known, passed, 0.0)
        moved = np.maximum(seen.moved_rad - bounds.rate_rad_s * passed, 0.0)

        # What is left behind, and what is asked?
        q, dq = row[..., :n], row[..., n : 2 * n]
        if starts:
            spare = bounds.control_period_s - bounds.low_level_period_s
            moved = np.where(begins[..., :1], bounds.rate_rad_s * spare, moved)
        left = Seen(now, sequence, q, dq, seen.command, moved)
        valid = np.concatenate([known, trusted], axis=-1)
        if not every(valid):
            left = Seen(
                np.where(valid, now, last),
                np.where(trusted[..., 0], sequence, last_sequence),
                np.where(trusted, q, seen.joint_pos_rad),
                np.where(trusted, dq, seen.joint_vel_rad_s),
                seen.command,
                moved,
            )
        wanted, previous = row[..., at["command"]], seen.command[..., :n]
        asked = finite[..., at["command"]]
        if not every(asked):
            wanted = np.where(asked, wanted, seen.command)
        if starts:
            start = np.minimum(np.maximum(left.joint_pos_rad, bounds.command_low[:n]), bounds.command_high[:n])
            previous = np.where(begins[..., :1], start, previous)
        ranged = row[..., self._ranged]
        numbers = (
            row,
            np.abs(row),
            np.abs(ranged - np.minimum(np.maximum(ranged, self.low), self.high)),
            target_rate(wanted[..., :n], previous, moved, bounds.control_period_s),
            np.abs(joint_torque(wanted, left.joint_pos_rad, left.joint_vel_rad_s)[0]),
            step,
            2.0 * np.arcsin(roots[..., :1]),
            roots[..., 1:2],
            quaternion_error,
            backwards,
            repeated,
            lost,
        )
        return Facts(np.concatenate(numbers, axis=-1), trusted, current, left, passed, wanted, previous)
