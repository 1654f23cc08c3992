"""What a policy must reach to count as walking, and the table that shows how it did."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.table import Table


@dataclass(frozen=True)
class Bound:
    """A bound on one figure.

    Attributes:
        at_least: Smallest figure that passes, or None.
        at_most: Largest figure that passes, or None.
    """

    at_least: float | None = None
    at_most: float | None = None

    def holds(self, figure: float) -> bool:
        """Return whether a figure passes."""
        low = self.at_least is None or figure >= self.at_least
        return low and (self.at_most is None or figure <= self.at_most)

    def __str__(self) -> str:
        return f">= {self.at_least:g}" if self.at_least is not None else f"<= {self.at_most:g}"


BOUNDS: dict[str, Bound] = {
    "success_rate": Bound(at_least=0.95),
    "rms_lin_vel_error": Bound(at_most=0.25),
    "rms_yaw_rate_error": Bound(at_most=0.25),
    "mean_swing_clearance_m": Bound(at_least=0.03),
}
"""Bounds on a policy that walks: share of episodes without a fall, tracking errors [m/s] and [rad/s], clearance [m]."""

_UNITS = {
    "rms_vx_error": "m/s",
    "rms_vy_error": "m/s",
    "rms_lin_vel_error": "m/s",
    "rms_yaw_rate_error": "rad/s",
    "mean_swing_clearance_m": "m",
    "stride_frequency_hz": "Hz",
    "mean_abs_torque_nm": "N.m",
    "rms_torque_nm": "N.m",
    "median_time_to_stand_s": "s",
    "longest_time_to_stand_s": "s",
}


RANDOMIZED_SUCCESS = Bound(at_least=0.90)
"""Bound on the success rate where each robot is another one: the worst of a preset's robots are hard for any policy."""


def bounds_of(*, must_step: bool, randomized: bool, gets_up: bool = False) -> dict[str, Bound]:
    """Return the bounds by the figure's name.

    Args:
        must_step: Whether any command asked for steps; without, the clearance has no bound.
        randomized: Whether the robots were drawn from a preset.
        gets_up: Whether they began fallen: success alone counts, which then is to stand in time and to stay up.
    """
    names = ("success_rate",) if gets_up else BOUNDS
    bounds = {name: BOUNDS[name] for name in names if must_step or name != "mean_swing_clearance_m"}
    return bounds | ({"success_rate": RANDOMIZED_SUCCESS} if randomized else {})


def fell_short(figures: Mapping[str, float], bounds: Mapping[str, Bound]) -> list[str]:
    """Return the names of the figures that miss their bound; a figure that could not be measured misses it."""
    return [name for name, bound in bounds.items() if name not in figures or not bound.holds(figures[name])]


def figures_table(figures: Mapping[str, float], bounds: Mapping[str, Bound], *, title: str) -> Table:
    """Return the figures as a table for the terminal, with their bounds and which of them were missed."""
    from rich.table import Table

    missed = fell_short(figures, bounds)
    table = Table(title=title, title_justify="left")
    for heading in ("figure", "value", "unit", "bound", ""):
        table.add_column(heading, justify="right" if heading == "value" else "left")
    for name, value in figures.items():
        bound = str(bounds[name]) if name in bounds else ""
        verdict = "" if name not in bounds else "[red]missed[/red]" if name in missed else "[green]held[/green]"
        table.add_row(name, f"{value:.4g}", _UNITS.get(name, ""), bound, verdict)
    return table
