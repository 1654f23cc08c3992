"""A campaign against a bundle as lines in the terminal, and as a page."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, get_args

from surefoot_bridge.commands.report import table

from .contract_behaviour import SPREAD
from .contract_bundle import TIERS
from .contract_mutant import Kind
from .contract_outcome import ContractOutcome, contract_figures

_HEAD = ("class of fault", "faults", "change what joints are told", "cannot run", *TIERS, "with the key")


def contract_table(outcomes: Sequence[ContractOutcome]) -> str:
    """Return a line for each class of faults, refused of planted, and the counts."""
    lines = [table(_HEAD, _rows(outcomes))]
    lines += [f"NOT CAUGHT: {item.mutant.kind}: {item.mutant.title}" for item in outcomes if not item.ok]
    counts = contract_figures(outcomes)
    lines += [
        f"planted {counts['planted']}, caught {counts['caught']}",
        f"behaviour_changing {counts['behaviour_changing']}, "
        f"behaviour_changing_caught {counts['behaviour_changing_caught']}",
        f"with a signature required: planted {counts['signed_planted']}, caught {counts['signed_caught']}",
    ]
    return "\n".join(lines)


def contract_page(bundle: str, outcomes: Sequence[ContractOutcome], origin: dict[str, Any]) -> str:
    """Return the campaign as a Markdown page."""
    counts = contract_figures(outcomes)
    lines = [
        f"# Faults planted in the bundle {bundle}",
        "",
        f"Made by `scripts/mutate_contract.py` on {str(origin['date'])[:10]} from commit {str(origin['commit'])[:12]}. "
        "Each fault is planted in a copy of the bundle, which is then loaded as before a robot moves. What joints are "
        "told is measured: observation, policy and targets run over the reports of the golden trace, and over "
        f"{SPREAD} of them under random commands from the whole trained range, with the changed parts and with the "
        "right ones, by place and by name; a change is one of more than the replay's tolerance. A fault is hidden to "
        "different degrees:",
        "",
        *(f"- **{tier}**: {what}." for tier, what in TIERS.items()),
        "",
        f"{counts['faults']} faults were planted {counts['planted']} times short of a new trace, and "
        f"{counts['caught']} were refused. Of those that change what the joints are told, "
        f"{counts['behaviour_changing_caught']} of {counts['behaviour_changing']} were refused. With the signer's key "
        "required (the old signature left, removed, or replaced by one of another key), "
        f"{counts['signed_caught']} of {counts['signed_planted']} were refused.",
        "",
        "Whoever records a new golden trace with the changed parts makes another bundle, consistent in itself: without "
        f"a signature that is asked for, {counts['rerecorded_unsigned_caught']} of "
        f"{counts['rerecorded_unsigned_planted']} such were refused. Only `require_signature_by` tells them, and only "
        "it tells limits within the hardware's own that somebody raised who wrote both hashes anew. The trace has a "
        "command in every 256th of each component's range: a network that was made to differ between those alone, in "
        "all forms and with both hashes, is told by the signature too.",
        "",
        "Refused of planted:",
        "",
        _line(_HEAD),
        _line(["---"] * len(_HEAD)),
        *map(_line, _rows(outcomes)),
        "",
        "Accepted, and why that changes nothing that the joints are told:",
        "",
        "| fault | accepted when | reason |",
        "|---|---|---|",
    ]
    lines += [
        f"| {item.mutant.title} | {', '.join(item.accepted)} | {item.harmless or '**none**'} |"
        for item in outcomes
        if item.accepted
    ]
    return "\n".join(lines) + "\n"


def _rows(outcomes: Sequence[ContractOutcome]) -> list[list[str]]:
    """Return the cells of each class's line, and of one for all."""
    groups = {kind: [item for item in outcomes if item.mutant.kind == kind] for kind in get_args(Kind)}
    return [_cells(kind, items) for kind, items in [*groups.items(), ("all", list(outcomes))] if items]


def _cells(kind: str, items: list[ContractOutcome]) -> list[str]:
    refused = [_share([item.refusals[tier] for item in items if tier in item.refusals]) for tier in TIERS]
    signed = [reason for item in items for reason in item.signed.values()]
    counts = (len(items), sum(item.changes for item in items), sum(item.deviation is None for item in items))
    return [kind, *map(str, counts), *refused, _share(signed)]


def _share(reasons: list[str | None]) -> str:
    return f"{sum(reason is not None for reason in reasons)} of {len(reasons)}" if reasons else "-"


def _line(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"
