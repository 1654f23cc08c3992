"""Put faults into the control loop of a bundle's emulated robot, and see that it is safe after each in time."""

import argparse
import json
import sys
from pathlib import Path

from surefoot.report import provenance, write_report
from surefoot_bridge.errors import SurefootError
from surefoot_bridge.files import write_whole
from surefoot_devtools.campaign import interruption, kept_beside
from surefoot_devtools.falls.command import falls_command
from surefoot_devtools.falls.walks import WALKS
from surefoot_devtools.fault_injection.campaign import FIGURES, Plan, run_campaign
from surefoot_devtools.fault_injection.catalogue import FAULTS, LIVE_FAULTS
from surefoot_devtools.fault_injection.live import LIVE_FIGURES, LivePlan, run_live
from surefoot_devtools.fault_injection.page import fault_page, live_page, table_lines


def main() -> int:
    """Run the trials and print what they say."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("bundle", type=Path, help="folder of the bundle")
    parser.add_argument("--live", action="store_true", help="each fault once in real time, over DDS on the loopback")
    parser.add_argument("--falls", action="store_true", help="how many walking robots fall when a rule stops them")
    parser.add_argument("--rule", action="append", metavar="NAME", help="of --falls: only this rule; repeatable")
    parser.add_argument("--walk", action="append", choices=WALKS, help="of --falls: only in this walk; repeatable")
    parser.add_argument("--trials", type=int, help="trials on a simulated clock, or of a row (default: 1000, 50)")
    parser.add_argument("--fault", action="append", choices=LIVE_FAULTS, metavar="NAME", help="only this; repeatable")
    parser.add_argument("--seed", type=int, default=0, help="seed of the first trial (default: 0)")
    parser.add_argument("--processes", type=int, help="number of processes (default: one for each processor)")
    parser.add_argument("--no-log", action="store_true", help="neither log the runs nor read the logs back")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the figures to a file")
    parser.add_argument("--markdown", type=Path, metavar="FILE", help="write the table for people to a file")
    parser.add_argument("--live-report", type=Path, metavar="FILE", help="what --live --json wrote, for the same page")
    args = parser.parse_args()
    faults = tuple(args.fault or (LIVE_FAULTS if args.live else FAULTS))
    kept = None if args.live else kept_beside(args.json)
    try:
        live = json.loads(args.live_report.read_text()) if args.live_report else None
        if args.falls:
            return falls_command(args)
        if args.live:
            result = run_live(LivePlan(args.bundle, faults, args.seed), progress=_progress)
        else:
            plan = Plan(args.bundle, args.trials or 1000, faults, args.seed, not args.no_log)
            result = run_campaign(
                plan, kept=kept, processes=args.processes, progress=lambda i, n: _progress(f"{i}/{n} trials")
            )
    except (SurefootError, OSError, ValueError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    figures = {name: result[name] for name in (LIVE_FIGURES if args.live else FIGURES)}
    print("\n", *table_lines(result["by_kind"]), *(f"{name}: {number}" for name, number in figures.items()), sep="\n")
    if not result["complete"]:
        print(interruption(kept))
        return 130
    rows, figures["complete"] = [*result["by_kind"], *result["not_safe"]], 1
    report = {"figures": figures, "rows": rows, "provenance": provenance(seed=args.seed, engine="mujoco", device="cpu")}
    if args.json:
        write_report(args.json, ok=result["ok"], **report)
    if args.markdown:
        page = live_page(report, result["bundle"]) if args.live else fault_page(result, report["provenance"], live)
        write_whole(args.markdown, page.encode())
    return 0 if result["ok"] else 1


def _progress(text: str) -> None:
    print(f"\r{text:79}", end="", file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main())
