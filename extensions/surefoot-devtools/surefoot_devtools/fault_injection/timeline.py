"""When a fault is on."""

from dataclasses import dataclass

from .catalogue import Fault


@dataclass(frozen=True)
class Injection:
    """A fault at a time.

    Attributes:
        fault: The fault.
        start_s: When it begins, on the true clock [s].
        seed: Draws what it leaves open: which joint, which way.
    """

    fault: Fault
    start_s: float
    seed: int

    def on(self, now_s: float) -> bool:
        """Return whether the fault is on at a time [s]."""
        return self.start_s <= now_s < self.start_s + self.fault.duration_s
