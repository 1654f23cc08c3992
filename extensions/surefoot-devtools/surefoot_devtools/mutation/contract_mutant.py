"""A fault of a bundle: what is changed in its files, and why it is no matter where it is none."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from copy import deepcopy
from dataclasses import dataclass
from typing import Any, Literal

from surefoot_bridge.contract import Contract
from surefoot_bridge.policy import RuntimeName

from .contract_bundle import TIERS, Files, Tier, contract_data, with_contract

WITHOUT_NEW_TRACE: tuple[Tier, ...] = ("copied", "re-hashed", "re-linked")

Kind = Literal[
    "field changed",
    "field dropped",
    "field added",
    "field mistyped",
    "list permuted",
    "list of another length",
    "text of the contract",
    "joint order",
    "signs",
    "scales and clips",
    "sources and frames",
    "terms and history",
    "pose, gains and action",
    "timing",
    "command",
    "memory",
    "limits",
    "weights and normaliser",
    "outside the trace",
    "malformed numbers",
    "names of joints",
    "files swapped or damaged",
    "golden trace",
    "manifest and folder",
]
"""Classes of faults, in the order in which they are told."""


@dataclass(frozen=True)
class ContractMutant:
    """A fault that can be planted in a bundle.

    Attributes:
        kind: Its class.
        title: What is changed.
        change: From the bundle's files to the changed ones.
        runtime: By what the policy is run when the changed bundle is loaded.
        path: The field of the contract that is changed; empty where it is none.
        tiers: How far the change is hidden.
        harmless: Why it is no matter if nothing refuses it; empty where the field says so, or where it is one.
    """

    kind: Kind
    title: str
    change: Callable[[Files], Files]
    runtime: RuntimeName = "numpy"
    path: str = ""
    tiers: tuple[Tier, ...] = tuple(TIERS)
    harmless: str = ""


def contract_mutant(kind: Kind, title: str, edit: Callable[[Any], object], *, path: str = "") -> ContractMutant:
    """Return a mutant of the contract.

    Args:
        kind: Its class.
        title: What is changed.
        edit: Changes what the JSON of the contract holds, in place.
        path: The field.
    """

    def change(files: Files) -> Files:
        data = deepcopy(contract_data(files))
        edit(data)
        return with_contract(files, data)

    return ContractMutant(kind, title, change, path=path)


def replacing(kind: Kind, title: str, changed: Mapping[str, bytes], **options: Any) -> ContractMutant:
    """Return a mutant that has other files in place of some; the options are those of :class:`ContractMutant`."""
    return ContractMutant(kind, title, lambda files: {**files, **changed}, **options)


_SIGNATURE = "where the forger wrote both hashes anew the signature alone tells"
_UNSEEN_FEET = "the policy does not see the feet"
_LIMIT = f"a limit, not the way from report to joint; {_SIGNATURE}"

_HARMLESS = (
    ("robot.name", "the robot is told as before; one of another name refuses the contract when it is opened"),
    ("robot.revision", "a record for people"),
    ("robot.kind", "a record for people"),
    ("robot.foot_names", _UNSEEN_FEET),
    ("robot.mirror_foot_names", f"pairs of feet, by which gaits are measured; {_SIGNATURE}"),
    ("robot.diagonal_foot_names", f"pairs of feet, by which gaits are measured; {_SIGNATURE}"),
    ("robot.imu", f"where the IMU is, of which the policy's way knows nothing; {_SIGNATURE}"),
    ("handling", f"how the robot is held without the policy; {_SIGNATURE}"),
    ("gains.handover_s", f"how fast the policy takes over, not what it tells the joints; {_SIGNATURE}"),
    ("action.trained_delay_s", "a record of the training"),
    ("timing.low_level_hz", f"how often a command is sent again, not what it says; {_SIGNATURE}"),
    ("observation.foot_contact_force_n", _UNSEEN_FEET),
    ("observation.terms.name", "a label"),
    ("observation.terms.trained_noise", "a record of the training"),
    ("observation.terms.clip_at", "what the term shows never comes there"),
    ("command.trained", _LIMIT),
    ("safety", _LIMIT),
    ("training", "a record of the training"),
    ("scores", "a record of the training"),
)


def why_harmless(mutant: ContractMutant, contract: Contract) -> str:
    """Say why a mutant that was measured to change nothing may be accepted; empty if nothing says so."""
    if mutant.harmless:
        return mutant.harmless
    sees_feet = any(term.source == "foot_contact" for term in contract.observation.terms)
    for prefix, reason in _HARMLESS:
        if mutant.path.startswith(prefix) and not (sees_feet and reason == _UNSEEN_FEET):
            return reason
    return ""
