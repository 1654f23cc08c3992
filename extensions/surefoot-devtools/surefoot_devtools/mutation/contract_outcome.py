"""What the loader said of a planted fault, and the counts of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from .contract_bundle import Tier
from .contract_mutant import ContractMutant


@dataclass(frozen=True)
class ContractOutcome:
    """What the loader said of a fault.

    Attributes:
        mutant: The fault.
        deviation: How far the joints are told something else; None if the changed parts cannot be run.
        changes: Whether that is more than the tolerance of the replay.
        refusals: For each tier at which it was planted the reason why it was refused; None where it was accepted.
        signed: The same with the key required, for what the forger did about the signature: each of the three things in
            turn.
        crashes: What was raised that is no refusal.
        harmless: Why it may be accepted; empty where it may not.
    """

    mutant: ContractMutant
    deviation: float | None
    changes: bool
    refusals: dict[Tier, str | None]
    signed: dict[str, str | None]
    crashes: tuple[str, ...]
    harmless: str

    @property
    def accepted(self) -> tuple[Tier, ...]:
        """Tiers short of a new trace at which it was loaded without a complaint."""
        return tuple(tier for tier, reason in self.refusals.items() if reason is None and tier != "re-recorded")

    @property
    def ok(self) -> bool:
        """Whether it is refused, or may be accepted, and is refused in any case where a signature is required."""
        tolerable = not self.accepted or (not self.changes and bool(self.harmless))
        return tolerable and not self.crashes and None not in self.signed.values()

    def row(self) -> dict[str, Any]:
        """Return the record for a report."""
        return {
            "kind": self.mutant.kind,
            "title": self.mutant.title,
            "runtime": self.mutant.runtime,
            "deviation": self.deviation,
            "changes_behaviour": self.changes,
            "refused": {tier: reason is not None for tier, reason in self.refusals.items()},
            "reason": self._last_reason(),
            "refused_with_key": {how: reason is not None for how, reason in self.signed.items()},
            "crashes": list(self.crashes),
            "accepted_because": self.harmless if self.accepted else "",
        }

    def _last_reason(self) -> str:
        """Return the first line of what was said where the fault was hidden best and still refused."""
        reasons = [reason for reason in self.refusals.values() if reason is not None]
        return reasons[-1].splitlines()[0][:200] if reasons else ""


def contract_figures(outcomes: Sequence[ContractOutcome]) -> dict[str, int]:
    """Count what was planted and caught.

    ``planted`` and ``caught`` count each fault at each tier short of a new trace; ``signed`` ones are those with the
    key required; ``rerecorded`` ones have a new golden trace and no signature that anybody asks for.
    """
    tiers = [(outcome, tier, reason) for outcome in outcomes for tier, reason in outcome.refusals.items()]
    plain = [(outcome, reason) for outcome, tier, reason in tiers if tier != "re-recorded"]
    again = [reason for _, tier, reason in tiers if tier == "re-recorded"]
    changing = [reason for outcome, reason in plain if outcome.changes]
    signed = [reason for outcome in outcomes for reason in outcome.signed.values()]
    return {
        "faults": len(outcomes),
        "faults_that_change_behaviour": sum(outcome.changes for outcome in outcomes),
        "faults_that_cannot_run": sum(outcome.deviation is None for outcome in outcomes),
        "planted": len(plain),
        "caught": sum(reason is not None for _, reason in plain),
        "behaviour_changing": len(changing),
        "behaviour_changing_caught": sum(reason is not None for reason in changing),
        "accepted_without_reason": sum(bool(outcome.accepted) and not outcome.harmless for outcome in outcomes),
        "crashed": sum(bool(outcome.crashes) for outcome in outcomes),
        "signed_planted": len(signed),
        "signed_caught": sum(reason is not None for reason in signed),
        "rerecorded_unsigned_planted": len(again),
        "rerecorded_unsigned_caught": sum(reason is not None for reason in again),
    }
