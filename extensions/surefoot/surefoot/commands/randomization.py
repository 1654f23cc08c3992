"""``surefoot randomization show TASK`` and ``surefoot randomization prove TASK``."""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from surefoot.engines import full_name
from surefoot.files import NEW_FILE
from surefoot.task_config import randomization_preset

if TYPE_CHECKING:
    from surefoot.randomization_checks.prove import Proof

SUBCOMMANDS = {
    "show": "Print what a task randomizes, with ranges and their sources.",
    "prove": "Prove in a running engine that each parameter acts as declared.",
}


def add_arguments(parser: argparse.ArgumentParser, name: str) -> None:
    """Declare what the two subcommands take."""
    parser.add_argument("task", metavar="TASK", help="task id, see: surefoot tasks list")
    if name == "show":
        parser.add_argument(
            "--randomization",
            "--preset",
            type=randomization_preset,
            metavar="PRESET",
            help="ranges of this preset instead of the task's own",
        )
    else:
        parser.add_argument(
            "--markdown", type=NEW_FILE, metavar="FILE", help="also write the table as a page for the docs"
        )
    parser.add_argument(
        "--engine", "--physics", type=full_name, metavar="E", help="physx, newton or isaacsim (default: by device)"
    )
    parser.add_argument("--device", metavar="D", help="cpu, cuda or cuda:N (default: cuda:0 where there is one)")
    parser.add_argument("--json", type=NEW_FILE, metavar="FILE", help="also write a report")


def run(args: argparse.Namespace) -> int:
    """Run the subcommand.

    Returns:
        0 if everything held, 1 if a check failed.
    """
    from surefoot.engines import check_device, check_physics, default_device, default_physics
    from surefoot.files import atomic_write
    from surefoot.report import provenance, write_report
    from surefoot.task_registry import check_task

    device = check_device(args.device or default_device())
    task = check_task(args.task)
    physics = check_physics(args.engine or default_physics(device), device)
    if args.subcommand == "show":
        from surefoot.engines import install_shims
        from surefoot.randomization.showing import show
        from surefoot.task_config import resolve_task

        install_shims()
        show(task, resolve_task(task, physics)[0], physics, preset=args.randomization, report=args.json)
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
