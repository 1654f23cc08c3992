"""Words for a snapshot: three lines for a terminal, one line for a file, and what is said loudly. ASCII throughout."""

import math
from collections import deque
from typing import Deque, List, Mapping, Sequence, Tuple

from .snapshot import Snapshot

_LOSS_S = 3.0  # over which lost reports are counted
_COMPONENTS: Mapping[str, str] = {
    "lin_vel_x_m_s": "forward",
    "lin_vel_y_m_s": "left",
    "ang_vel_z_rad_s": "turn",
}


class Words:
    """Puts snapshots into words.

    Args:
        stage: The stage.
        modes: Names of the modes.
        damped_mode: Code of the damped one.
        rules: Name and description of each rule.
        responses: Names of the responses.
        damp: Code of the response from which on the robot is damped.
        motors: Names of the motors.
        temperature_limit_c: Temperature at which a motor must rest [degrees Celsius].
        command_names: Components of the velocity command.
        report_hz: Rate of reports [Hz].
    """

    def __init__(
        self,
        *,
        stage: str,
        modes: Sequence[str],
        damped_mode: int,
        rules: Sequence[Sequence[str]],
        responses: Sequence[str],
        damp: int,
        motors: Sequence[str],
        temperature_limit_c: float,
        command_names: Sequence[str],
        report_hz: float,
    ) -> None:
        self._stage, self._modes, self._damped_mode, self._rules = stage, modes, damped_mode, rules
        self._responses, self._damp, self._motors = responses, damp, motors
        self._limit_c, self._report_hz = temperature_limit_c, report_hz
        self._components = [_COMPONENTS.get(name, name) for name in command_names]
        self._reports: Deque[Tuple[float, float]] = deque()
        self._lost = 0.0

    def take(self, seen: Snapshot) -> None:
        """Count the reports that were lost: those that the robot's clock says there were, less those that came."""
        reports = self._reports
        if reports and not (seen.robot_time_s >= reports[-1][0] and seen.sequence >= reports[-1][1]):
            reports.clear()  # the robot began anew
        reports.append((seen.robot_time_s, seen.sequence))
        while reports[-1][0] - reports[0][0] > _LOSS_S:
            reports.popleft()
        sent = (reports[-1][0] - reports[0][0]) * self._report_hz
        came = reports[-1][1] - reports[0][1]
        self._lost = min(max(1.0 - came / sent, 0.0), 1.0) if sent >= 1.0 else 0.0

    def damped(self, seen: Snapshot) -> bool:
        """Return whether the robot is damped or switched off for safety."""
        return seen.mode == self._damped_mode or seen.response >= self._damp

    def why(self, seen: Snapshot) -> str:
        """Return why a robot is damped, as one sentence."""
        if not 0 <= seen.rule < len(self._rules):
            return "Somebody asked for it."
        name, description = self._rules[seen.rule]
        return f"{name}: {description}"

    def mode(self, seen: Snapshot) -> str:
        """Return the mode."""
        return _of(self._modes, seen.mode)

    def lines(self, seen: Snapshot) -> List[str]:
        """Return three lines, the one that changes its width last."""
        word = f"*** {self.mode(seen).upper()} ***" if self.damped(seen) else self.mode(seen).upper()
        left = f"{_duration(seen.left_s)} left" if seen.left_s > 0.0 else "its time is over"
        reports = f"reports {_age(seen.report_age_s):>6} old, {self._lost:.1%} lost"
        return [
            f"{word:<12} {_duration(seen.mode_s):>9} | {self._stage}, {left} | battery {_percent(seen.battery_share)}",
            f"asked  {self._command(seen)} | turns {seen.turn_rad_s:+.2f} rad/s",
            f"{reports} | {self._hottest(seen)} | {self._rule(seen)}",
        ]

    def line(self, seen: Snapshot) -> str:
        """Return all of it in one line."""
        return " | ".join(" ".join(line.split()) for line in self.lines(seen))

    def _command(self, seen: Snapshot) -> str:
        return "  ".join(f"{name} {value:+.2f}" for name, value in zip(self._components, seen.command))

    def _rule(self, seen: Snapshot) -> str:
        if not 0 <= seen.rule < len(self._rules):
            return "no rule acts"
        name, _ = self._rules[seen.rule]
        return f"{_of(self._responses, seen.response)}: {name} for {_duration(seen.rule_s)}"

    def _hottest(self, seen: Snapshot) -> str:
        name = _of(self._motors, seen.motor)
        name = name[: -len("_joint")] if name.endswith("_joint") else name
        return f"{name} {seen.temperature_c:.0f} of {self._limit_c:.0f} C"


def _of(names: Sequence[str], code: int) -> str:
    return names[code] if 0 <= code < len(names) else str(code)


def _percent(share: float) -> str:
    return f"{share:.0%}" if math.isfinite(share) else "unknown"


def _age(age_s: float) -> str:
    return f"{1e3 * max(age_s, 0.0):.0f} ms" if age_s < 1.0 else f"{age_s:.1f} s"


def _duration(duration_s: float) -> str:
    if not duration_s >= 0.0:
        return "?"
    if duration_s < 59.95:
        return f"{duration_s:.1f} s"
    minutes, seconds = divmod(int(duration_s), 60)
    return f"{minutes}:{seconds:02d} min"
