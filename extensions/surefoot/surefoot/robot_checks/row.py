"""One result of one check."""

import math
from dataclasses import asdict, dataclass
from typing import Any


@dataclass(frozen=True)
class CheckRow:
    """A number that was held against a limit.

    Attributes:
        check: What was checked, a noun phrase.
        engine: Engine in which it was checked; "model" for checks that need none.
        value: What was found.
        limit: The largest value that passes; infinite where the value can be shown only, not judged.
        unit: Unit of both; empty for ratios and counts.
        reason: Why the limit is what it is, or what the value means.
    """

    check: str
    engine: str
    value: float
    limit: float
    unit: str
    reason: str

    @property
    def ok(self) -> bool:
        """Whether the value is within its limit; NaN never is."""
        return bool(self.value <= self.limit)

    @property
    def judged(self) -> bool:
        """Whether it has a limit."""
        return self.limit < math.inf

    def record(self) -> dict[str, Any]:
        """Return the row for a JSON report; a value or limit that is no finite number becomes None."""
        numbers = {"value": self.value, "limit": self.limit}
        finite = {name: float(number) if math.isfinite(number) else None for name, number in numbers.items()}
        return {**asdict(self), **finite, "ok": self.ok}
