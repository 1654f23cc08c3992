"""The table of falls for people: a page, and lines for a terminal."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from surefoot_bridge.control.transitions import STOP_S, TILTED_STOP_S
from surefoot_bridge.safety import Rule

from .campaign import NO_FAULT, answer_of
from .walks import WALKS

_ANSWERS = (
    "- `clamp`: the command is brought within its limits and obeyed.",
    "- `clamp, then stand`: as `clamp`, but no trained policy goes on asking for that: targets that move too fast and "
    "too much torque are in doubt at once, targets beyond their ranges after the stage's `beyond_range_s`. Where the "
    "doubt lasts for `longest_doubt_s` the policy is obeyed no more: the targets go back to where they were before, "
    "and the robot is caught in a crouch from there and stands.",
    "- `stop`: the policy, which can be trusted, is asked for less and less velocity until the robot has come to rest, "
    f"for {STOP_S:g} s at most, or {TILTED_STOP_S:g} s where it leans as on a slope, after which it is caught in a "
    "crouch; then it stands until it is asked to walk again.",
    "- `hold, then stand`: what makes the robot walk cannot be trusted, which a single report, step or tick often "
    "means: the targets stay where they are. A hold that lasts for longer than the stage's `longest_hold_s` (time "
    "without a hold is counted off ten times slower) ends in a crouch and a stand, which need neither policy nor "
    "reports. A humanoid, which its policy alone keeps up, balances by it where others stand, and is damped where it "
    "cannot be trusted.",
    "- `damp`, `zero`: damping only, or nothing, where the robot is beyond standing or nobody knows whether it stands; "
    "until the operator releases it.",
)


def falls_page(result: Mapping[str, Any], provenance: Mapping[str, Any], rules: Sequence[Rule]) -> str:
    """Return a page of Markdown: each rule with its answer, and how many robots fell.

    Args:
        result: What :func:`~surefoot_devtools.falls.campaign.run_falls` returned.
        provenance: Where it comes from; it has ``commit``, ``machine`` and ``date``.
        rules: All rules of the safety layer.
    """
    rows = result["by_row"]
    walks = list(dict.fromkeys(row["walk"] for row in rows))
    trials = max((row["trials"] for row in rows), default=0)
    lines = [
        f"# What the safety layer answers, and how many robots fall: {result['bundle']}",
        "",
        "Every rule with its answer. A robot that walks is not stopped by freezing its targets, which in the middle of "
        "a step topples it.",
        "",
        *_ANSWERS,
        "",
        "| rule | when | after [s] | answer |",
        "|---|---|---|---|",
        *(f"| `{rule.name}` | {rule.description} | {rule.grace_s:g} | {answer_of(rule)} |" for rule in rules),
        "",
        "## Falls",
        "",
        f"{trials} robots in MuJoCo for each cell, by the bridge's own controller, each in another phase of its gait "
        "when the fault begins. A robot has fallen that touches the ground with anything but its feet, leans beyond "
        f"the contract's limit, or was damped. {result['falls']} of {result['trials']} robots with a fault fell (rate "
        f"at most {result['fall_rate_upper']:.4f}, upper end of Wilson's 95 % interval); at most "
        f"{result['most_falls_in_a_row']} in a cell. Commit {provenance['commit']}, {provenance['machine']}, "
        f"{provenance['date'][:10]}.",
        "",
        f"| rule | answer | fault | lasts [s] | {' | '.join(WALKS[walk].what for walk in walks)} |",
        f"|---|---|---|---|{'---|' * len(walks)}",
    ]
    for name in dict.fromkeys(row["rule"] for row in rows):
        of = {row["walk"]: row for row in rows if row["rule"] == name}
        first = next(iter(of.values()))
        cells = [_cell(of.get(walk)) for walk in walks]
        title = "no fault" if name == NO_FAULT else f"`{name}`"
        lines.append(f"| {title} | {first['answer']} | {first['what']} | {_lasts(first)} | {' | '.join(cells)} |")
    if result["did_not_act"]:
        lines += ["", f"In these the rule did not act in every robot: {'; '.join(result['did_not_act'])}."]
    return "\n".join(lines) + "\n"


def fall_lines(rows: Sequence[Mapping[str, Any]]) -> list[str]:
    """Return the rows as lines for a terminal: rule, walk, answer, falls and trials."""
    return [
        f"{row['rule']:20} {row['walk']:11} {row['answer']:17} {_lasts(row):>14} fell {row['falls']:>3}/{row['trials']}"
        f"  acted {row['acted']:>3}  stood {row['stood']:>3}"
        for row in rows
    ]


def _cell(row: Mapping[str, Any] | None) -> str:
    return "-" if row is None else f"{row['falls']} of {row['trials']}"


def _lasts(row: Mapping[str, Any]) -> str:
    if row["rule"] == NO_FAULT:
        return "-"
    burst = row["burst_s"]
    return f"{row['lasts_s']:g}" if burst is None else f"{row['lasts_s']:g}, {burst:g} each"
