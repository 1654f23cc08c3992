"""Put faults into the control loop of a bundle's emulated robot, and see that it is safe after each in time."""

import argparse
import sys
from pathlib import Path

from surefoot.report import provenance, write_report
from surefoot_bridge.errors import SurefootError
from surefoot_bridge.faults.campaign import Plan, run_campaign
from surefoot_bridge.faults.catalogue import FAULTS
from surefoot_bridge.faults.page import fault_page
from surefoot_bridge.manifest import write_whole

FIGURES = ("kinds", "trials", "safe", "commands", "commands_outside_limits", "logs", "logs_readable", "complete")


def main() -> int:
    """Run the trials and print what they say."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("bundle", type=Path, help="folder of the bundle")
    parser.add_argument("--trials", type=int, default=1000, help="number of trials (default: 1000)")
    parser.add_argument("--fault", action="append", choices=FAULTS, metavar="NAME", help="only this fault; repeatable")
    parser.add_argument("--seed", type=int, default=0, help="seed of the first trial (default: 0)")
    parser.add_argument("--processes", type=int, help="number of processes (default: one for each processor)")
    parser.add_argument("--no-log", action="store_true", help="neither log the runs nor read the logs back")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the figures to a file")
    parser.add_argument("--markdown", type=Path, metavar="FILE", help="write the table for people to a file")
    args = parser.parse_args()
    plan = Plan(args.bundle, args.trials, tuple(args.fault or FAULTS), args.seed, not args.no_log)
    try:
        result = run_campaign(plan, processes=args.processes, progress=_progress)
    except SurefootError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    for row in result["by_kind"]:
        slowest = "-" if row["slowest_s"] is None else f"{row['slowest_s']:.3f}"
        safe = f"{row['safe']}/{row['trials']}"
        print(f"{row['name']:24} {row['safe_state']:6} {row['within_s']:6.3f} {slowest:>6} {safe:>9}")
    for name in FIGURES:
        print(f"{name}: {result[name]}")
    good = result["safe"] == result["trials"] and not result["commands_outside_limits"]
    good = good and result["logs"] == result["logs_readable"]
    origin = provenance(seed=args.seed, engine="mujoco", device="cpu")
    if args.json:
        figures = {name: int(result[name]) for name in FIGURES}
        rows = [*result["by_kind"], *result["not_safe"]]
        write_report(args.json, ok=good and result["complete"], figures=figures, rows=rows, provenance=origin)
    if args.markdown:
        where = f"Commit {origin['commit']}, {origin['machine']}, {origin['date'][:10]}."
        write_whole(args.markdown, fault_page(result, where).encode())
    if not result["complete"]:
        return 130
    return 0 if good else 1


def _progress(done: int, trials: int) -> None:
    end = "\n" if done == trials else ""
    print(f"\r{done}/{trials} trials", end=end, file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main())
