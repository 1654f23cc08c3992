"""A proof as a table in the terminal, and as a page."""

from __future__ import annotations

from typing import Any

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from surefoot.engines import short_name

from .prove import Proof
from .row import CHECKS, ProofRow


def print_proof(task: str, physics: str, proof: Proof) -> None:
    """Print a line for each parameter, then what failed and what the engine leaves out."""
    by_parameter = _by_parameter(proof)
    table = Table("parameter", "checks", "effect", title=f"{task} in {short_name(physics)}", title_justify="left")
    for name, rows in by_parameter.items():
        held = sum(row.ok for row in rows)
        colour = "green" if held == len(rows) else "bold red"
        table.add_row(name, f"[{colour}]{held} of {len(rows)}[/]", escape(_effect(rows).statement))
    console = Console(width=max(Console().width, 120))
    console.print(table)
    for row in proof.rows:
        if not row.ok:
            console.print(f"[bold red]{row.parameter}: {row.check}[/]: {row.value:.4g}, limit {row.limit:.4g}.")
            console.print(escape(f"  {row.statement}"))
    for name, (level, reason) in proof.exceptions.items():
        console.print(f"{name}: {level} in {short_name(physics)}: {reason}.")
    console.print(f"{len(proof.proved)} of {len(proof.declared)} parameters proved.")


def markdown(task: str, physics: str, proof: Proof, origin: dict[str, Any]) -> str:
    """Return the proof as a Markdown page."""
    engine = short_name(physics)
    lines = [
        f"# Randomization of {task} in {engine}",
        "",
        f"Made by `surefoot randomization prove {task} --engine {engine}` on {str(origin['date'])[:10]} "
        f"from commit {str(origin['commit'])[:12]}.",
        f"{len(proof.proved)} of {len(proof.declared)} parameters are proved. The checks of a parameter are: "
        f"{', '.join(CHECKS)} (the last but one for what enters the joint-space inertia).",
        "",
        "| parameter | status | checks held | effect that was measured | off by | at most |",
        "|---|---|---|---|---|---|",
    ]
    proved = set(proof.proved)
    for name, rows in _by_parameter(proof).items():
        effect = _effect(rows)
        status = "proved" if name in proved else "**failed**"
        held = f"{sum(row.ok for row in rows)} of {len(rows)}"
        lines.append(f"| `{name}` | {status} | {held} | {effect.statement} | {effect.value:.3g} | {effect.limit:.3g} |")
    lines += [f"| `{name}` | {level} | | {reason} | | |" for name, (level, reason) in proof.exceptions.items()]
    lines += [
        "",
        "Off by 0 at most 0 means that the measure changes in the predicted direction from each environment to the "
        "next, over all of them.",
    ]
    return "\n".join(lines) + "\n"


def _by_parameter(proof: Proof) -> dict[str, list[ProofRow]]:
    return {name: [row for row in proof.rows if row.parameter == name] for name in proof.declared}


def _effect(rows: list[ProofRow]) -> ProofRow:
    (effect,) = [row for row in rows if row.check == "effect"]
    return effect
