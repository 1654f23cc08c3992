"""``surefoot randomization show TASK`` and ``surefoot randomization prove TASK``."""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from surefoot.engines import PHYSICS, check_device, check_physics, default_device, default_physics
from surefoot.files import atomic_write
from surefoot.report import provenance, write_report
from surefoot.task_registry import check_task

if TYPE_CHECKING:
    from surefoot.randomization_checks.prove import Proof


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the two subcommands."""
    commands = parser.add_subparsers(dest="randomization_command", required=True)
    show = commands.add_parser("show", help="print what a task randomizes, with ranges and their sources")
    show.add_argument("task", help="task id, see: surefoot tasks list")
    show.add_argument("--preset", help="ranges of this preset instead of the task's own")
    prove = commands.add_parser("prove", help="prove in a running engine that each parameter acts as declared")
    prove.add_argument("task", help="task id, see: surefoot tasks list")
    prove.add_argument("--markdown", type=Path, metavar="FILE", help="also write the table as a page for the docs")
    for command in (show, prove):
        command.add_argument("--physics", metavar="NAME", help=f"engine: {', '.join(PHYSICS)} (default: by device)")
        command.add_argument("--device", help="cpu or cuda:<index> (default: a GPU where there is one)")
        command.add_argument("--json", type=Path, metavar="FILE", help="also write a report")


def run(args: argparse.Namespace) -> int:
    """Run the subcommand.

    Returns:
        0 if everything held, 1 if a check failed.
    """
    task = check_task(args.task)
    device = check_device(args.device or default_device())
    physics = check_physics(args.physics or default_physics(device), device)
    if args.randomization_command == "show":
        from surefoot.randomization.showing import show

        show(task, physics, preset=args.preset, report=args.json)
        return 0

    from surefoot.randomization_checks.pages import markdown, print_proof
    from surefoot.randomization_checks.prove import SEED, prove

    with tempfile.TemporaryDirectory(prefix="surefoot-prove-") as folder:
        proof = prove(
            task,
            physics,
            device=device,
            log=Path(folder) / "engine.log",
            progress=lambda line: print(line, file=sys.stderr, flush=True),
        )
    print_proof(task, physics, proof)
    ok = proof.proved == proof.declared
    origin = provenance(seed=SEED, engine=physics, device=device)
    if args.json is not None:
        write_report(args.json, ok=ok, figures=_figures(proof), rows=_rows(proof), provenance=origin)
    if args.markdown is not None:
        with atomic_write(args.markdown, "w") as page:
            page.write(markdown(task, physics, proof, origin))
    return 0 if ok else 1


def _figures(proof: Proof) -> dict[str, int]:
    return {
        "parameters_declared": len(proof.declared),
        "parameters_proved": len(proof.proved),
        "checks": len(proof.rows),
        "checks_failed": sum(not row.ok for row in proof.rows),
    }


def _rows(proof: Proof) -> list[dict]:
    exceptions = [
        {"parameter": name, "status": level, "reason": reason} for name, (level, reason) in proof.exceptions.items()
    ]
    proved = set(proof.proved)
    return [
        {"status": "proved" if row.parameter in proved else "failed", **row.record()} for row in proof.rows
    ] + exceptions
