"""The outcome of one check of one parameter."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

CHECKS = (
    "inside its range",
    "own value in each environment",
    "own values in another process",
    "only the environments that reset",
    "no drift over 100 draws",
    "range of no width changes nothing",
    "zero is not scaled",
    "the engine holds the value",
    "restored from a checkpoint",
    "moves as MuJoCo C does",
    "effect",
)
"""Every check, in the order in which a report shows them."""


@dataclass(frozen=True)
class ProofRow:
    """One check of one parameter in one engine.

    Attributes:
        parameter: Name of the parameter.
        check: One of :data:`CHECKS`.
        ok: Whether it held.
        value: What was measured.
        limit: What it must not exceed.
        statement: What was expected, in a sentence.
    """

    parameter: str
    check: str
    ok: bool
    value: float
    limit: float
    statement: str

    def record(self) -> dict[str, Any]:
        """Return the row for a report; a number that JSON cannot hold becomes None."""
        values = asdict(self)
        return {
            name: None if isinstance(item, float) and not np.isfinite(item) else item for name, item in values.items()
        }


def at_most(parameter: str, check: str, value: float, limit: float, statement: str) -> ProofRow:
    """Make a row that holds when a value is at most a limit; NaN does not hold."""
    return ProofRow(parameter, check, bool(value <= limit), float(value), float(limit), statement)
