"""`surefoot robots list` and `surefoot robots check NAME`."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

from surefoot.engines import short_name
from surefoot.files import NEW_FILE

if TYPE_CHECKING:
    from surefoot.robot_checks.check import CheckedEngine
    from surefoot.robot_checks.row import CheckRow

SUBCOMMANDS = {"list": "List the robots.", "check": "Check a robot's model in every engine."}


def add_arguments(parser: argparse.ArgumentParser, name: str) -> None:
    """Declare what ``check`` takes."""
    if name == "list":
        return
    parser.add_argument("name", metavar="ROBOT", help="robot, see: surefoot robots list")
    parser.add_argument(
        "--engines",
        "--engine",
        default="mujoco,physx,newton",
        metavar="E",
        help="mujoco, physx, newton and isaacsim, with commas (default: %(default)s)",
    )
    parser.add_argument("--device", default="cpu", metavar="D", help="of PhysX and Newton (default: %(default)s)")
    parser.add_argument(
        "--json", type=NEW_FILE, metavar="FILE", help="also write a report with one row per check and engine"
    )


def run(args: argparse.Namespace) -> int:
    """Run the subcommand.

    Returns:
        0 if everything held, 1 if a check failed.
    """
    if args.subcommand == "list":
        _print_robots()
        return 0
    from surefoot.engines import PHYSICS, check_device, full_name
    from surefoot_robots import get_robot

    spec = get_robot(args.name)
    known: tuple[CheckedEngine, ...] = ("mujoco", *PHYSICS)
    engines: list[CheckedEngine] = [full_name(name.strip(), known) for name in args.engines.split(",")]
    device = check_device(args.device)
    from surefoot.report import provenance, write_report
    from surefoot.robot_checks.check import check_robot

    rows = check_robot(spec, engines, device=device, progress=lambda line: print(line, file=sys.stderr, flush=True))
    ok = all(row.ok for row in rows)
    _print_rows(spec.name, rows)
    if args.json is not None:
        figures = {f"{row.engine}: {row.check}": row.record()["value"] for row in rows}
        write_report(
            args.json,
            ok=ok,
            figures={"num_checks": len(rows), "num_failed": sum(not row.ok for row in rows), **figures},
            rows=[{"robot": spec.name, "revision": spec.revision, **row.record()} for row in rows],
            provenance=provenance(engine=",".join(engines), device=args.device),
        )
    return 0 if ok else 1


def _print_robots() -> None:
    from rich.console import Console
    from rich.markup import escape
    from rich.table import Table

    from surefoot_robots import get_robot, list_robots
    from surefoot_robots.registry import refused_robots

    # Rich reads what is in brackets as a style, and shows nothing of it.
    table = Table("robot", "revision", "kind", "joints", "feet", escape("standing height [m]"))
    for name in list_robots():
        spec = get_robot(name)
        feet = str(len(spec.foot_bodies))
        table.add_row(name, spec.revision, spec.kind, str(spec.num_joints), feet, f"{spec.base_height_m:.3f}")
    Console().print(table)
    for refusal in refused_robots():
        print(refusal, file=sys.stderr)


def _print_rows(robot: str, rows: Sequence[CheckRow]) -> None:
    """Print one line for each check and one column for each engine, then the reasons of what failed."""
    from rich.console import Console
    from rich.table import Table

    engines = list(dict.fromkeys(row.engine for row in rows))
    table = Table("check", "limit", *map(short_name, engines), title=robot, title_justify="left")
    by_check: dict[str, dict[str, CheckRow]] = {}
    for row in rows:
        by_check.setdefault(row.check, {})[row.engine] = row
    for check, found in by_check.items():
        first = min(found.values(), key=lambda row: row.limit)
        limit = f"{first.limit:.3g} {first.unit}" if first.judged else "none"
        cells = [_cell(found[engine]) if engine in found else "" for engine in engines]
        table.add_row(check, limit, *cells)
    console = Console(width=max(Console().width, 120))
    console.print(table)
    for row in rows:
        if not (row.ok and row.judged):
            style, limit = ("bold red", f"limit {row.limit:.4g}") if row.judged else ("bold yellow", "not judged")
            name = short_name(row.engine)
            console.print(f"[{style}]{name}: {row.check}[/]: {row.value:.4g} {row.unit}, {limit}.")
            console.print(f"  {row.reason}")
    judged = [row.ok for row in rows if row.judged]
    console.print(f"{sum(judged)} of {len(judged)} checks held.")


def _cell(row: CheckRow) -> str:
    style, word = ("yellow", " not judged") if not row.judged else ("green", "") if row.ok else ("bold red", " FAILED")
    return f"[{style}]{row.value:.2g}{word}[/]"
