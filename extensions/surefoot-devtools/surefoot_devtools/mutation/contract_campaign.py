"""Planting of a bundle's faults, one after the other, in copies of it that are loaded as before a robot moves."""

from __future__ import annotations

import shutil
import tempfile
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from surefoot_bridge.bundle import CONTRACT_FILE, GOLDEN_FILE, load_bundle, new_key, read_golden, sign_bundle
from surefoot_bridge.bundle.golden_replay import RECURRENT_TOLERANCE, TOLERANCE
from surefoot_bridge.bundle.manifest import SIGNATURE_FILE
from surefoot_bridge.errors import SurefootError
from surefoot_bridge.policy import RuntimeName

from .contract_behaviour import Behaviour
from .contract_bundle import TIERS, Files, Tier, at_tier, contract_data, read_bundle, write_bundle
from .contract_faults import fault_mutants
from .contract_fields import field_mutants
from .contract_files import file_mutants
from .contract_malformed import malformed_mutants
from .contract_mutant import ContractMutant, why_harmless
from .contract_names import name_mutants
from .contract_networks import network_mutants, other_bundle
from .contract_outcome import ContractOutcome
from .contract_outside import outside_mutants

SIGNATURES = ("the old signature left", "no signature", "signed by another key")
"""What a forger without the key can do about the signature."""

RECORDED_OF_A_KIND = 2
"""Faults of each class that get a new golden trace, which takes a while and shows the same each time."""


@dataclass
class ContractCampaign:
    """The bundle that faults are planted in, and where its copies are.

    Args:
        folder: The bundle; it is only read.
        work: An empty folder.

    Raises:
        SurefootError: If the bundle does not load as it is: what is said of a changed one would then mean nothing.
    """

    folder: Path
    work: Path
    files: dict[str, bytes] = field(init=False)
    other: dict[str, bytes] = field(init=False)

    def __post_init__(self) -> None:
        self.files = read_bundle(self.folder)
        bundle = load_bundle(self.folder, runtime="numpy")
        self.contract = bundle.contract
        self.tolerance = TOLERANCE if bundle.policy.recurrent is None else RECURRENT_TOLERANCE
        self._behaviour = Behaviour(self.files, read_golden(self.files[GOLDEN_FILE], GOLDEN_FILE))
        self.other = other_bundle(self.files)
        self._original = self.work / "original"
        self._planted = 0
        self._recorded: Counter[str] = Counter()
        write_bundle(dict(self.files), self._original, original=self._original, unchanged={})
        private, self._key = new_key()
        sign_bundle(self._original, private)
        self._signature = (self._original / SIGNATURE_FILE).read_bytes()
        self._forger, _ = new_key()

    def mutants(self) -> tuple[ContractMutant, ...]:
        """Return the faults that fit the bundle."""
        data = contract_data(self.files)
        return (
            *field_mutants(data),
            *fault_mutants(data),
            *network_mutants(self.files),
            *outside_mutants(self.files),
            *malformed_mutants(self.files),
            *name_mutants(self.files),
            *file_mutants(self.files, self.other),
        )

    def plant(self, mutant: ContractMutant) -> ContractOutcome | None:
        """Plant a fault at each tier and load what comes of it.

        Returns:
            What was found; None where the fault changes nothing of this bundle.
        """
        changed = mutant.change(dict(self.files))
        if changed == self.files:
            return None
        plain = {name: data for name, data in changed.items() if isinstance(data, bytes)}
        deviation = self._behaviour.deviation(plain, mutant.runtime) if set(plain) >= {CONTRACT_FILE} else None
        changes = deviation is not None and deviation > self.tolerance
        refusals: dict[Tier, str | None] = {}
        crashes: list[str] = []
        strongest = changed
        planted: list[Files] = []
        for tier in TIERS:
            if tier not in mutant.tiers or (tier == "re-recorded" and not self._shall_record(mutant, changes)):
                continue
            files = at_tier(changed, tier, mutant.runtime)
            if files is None or files in planted or files == self.files:
                continue  # it goes no further than the tier before, or the change is gone
            planted.append(files)
            refusals[tier] = self._load(files, mutant.runtime, None, crashes)
            strongest = files
        self._planted += 1
        how = SIGNATURES[self._planted % len(SIGNATURES)]
        signed = {how: self._load_signed(strongest, mutant.runtime, how, crashes)}
        reason = "" if changes else why_harmless(mutant, self.contract)
        return ContractOutcome(mutant, deviation, changes, refusals, signed, tuple(crashes), reason)

    def _shall_record(self, mutant: ContractMutant, changes: bool) -> bool:
        """Tell whether a fault gets a new trace: the first few of each class that change what the robot does."""
        if changes:
            self._recorded[mutant.kind] += 1
        return changes and self._recorded[mutant.kind] <= RECORDED_OF_A_KIND

    def _load(self, files: Files, runtime: RuntimeName, key: str | None, crashes: list[str]) -> str | None:
        """Return why a bundle is refused; None if it is not."""
        folder = self.work / "planted"
        write_bundle(files, folder, original=self._original, unchanged=self.files)
        try:
            load_bundle(folder, runtime=runtime, require_signature_by=key)
        except SurefootError as error:
            return str(error).replace(str(folder), "BUNDLE")
        except Exception as error:  # whatever it is, it is no refusal that a person can read
            crashes.append(f"{type(error).__name__}: {error}")
            return crashes[-1]
        finally:
            shutil.rmtree(folder)
        return None

    def _load_signed(self, files: Files, runtime: RuntimeName, how: str, crashes: list[str]) -> str | None:
        """Return why a bundle is refused where a signature by the original's key is required."""
        if how == "the old signature left":
            files = {**files, SIGNATURE_FILE: self._signature}
        elif how == "signed by another key":
            forged = self.work / "forged"
            write_bundle(files, forged, original=self._original, unchanged=self.files)
            try:
                sign_bundle(forged, self._forger)
                files = {**files, SIGNATURE_FILE: (forged / SIGNATURE_FILE).read_bytes()}
            except SurefootError:
                pass  # nobody can sign files that their manifest does not fit
            finally:
                shutil.rmtree(forged)
        return self._load(files, runtime, self._key, crashes)


def run_contract_campaign(
    folder: Path,
    *,
    say: Callable[[str], None],
    choose: Callable[[Sequence[ContractMutant]], Sequence[ContractMutant]] = lambda mutants: mutants,
) -> list[ContractOutcome]:
    """Plant every fault in copies of a bundle.

    Args:
        folder: The bundle, which is only read.
        say: Takes a line of progress.
        choose: Picks those that are planted out of all that fit the bundle.

    Raises:
        SurefootError: If the bundle does not load as it is.
    """
    with tempfile.TemporaryDirectory(prefix="surefoot_") as work:
        campaign = ContractCampaign(folder, Path(work))
        mutants = choose(campaign.mutants())
        say(f"The bundle {folder} loads. Planting {len(mutants)} faults.")
        outcomes = []
        for number, mutant in enumerate(mutants, 1):
            outcome = campaign.plant(mutant)
            if outcome is not None:
                outcomes.append(outcome)
                if not outcome.ok:
                    say(f"not caught: {mutant.kind}: {mutant.title}")
            if number % 100 == 0:
                say(f"{number}/{len(mutants)}")
    return outcomes
