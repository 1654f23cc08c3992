"""Measure Surefoot's speed against Isaac Lab's stock task: ``python scripts/benchmark.py step|train --json FILE``."""

import argparse
import sys

from surefoot.benchmarking.suite import compare, run_worker
from surefoot.benchmarking.worker import Request
from surefoot.engines import check_physics, default_device, default_physics
from surefoot.report import provenance, write_report
from surefoot_bridge.errors import SurefootError


def main() -> int:
    """Measure, print a table, write the figures; 0 when ours is at least as fast as it must be."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("kind", choices=("step", "train"), help="stepping alone, or training with PPO")
    parser.add_argument("--physics", help="engine; default: the fastest of the device")
    parser.add_argument("--device", default=default_device())
    parser.add_argument("--num-envs", type=int, nargs="+", default=[256, 1024, 4096])
    parser.add_argument("--seconds", type=float, default=20.0, help="length of one measurement [s]")
    parser.add_argument("--repeats", type=int, default=2, help="measurements of each kind; the best counts")
    parser.add_argument("--minimum-ratio", type=float, default=1.5, help="ratio at 1024 environments that must be held")
    parser.add_argument("--profile", action="store_true", help="print where the time of our step goes, and stop")
    parser.add_argument("--json", help="file for the figures")
    args = parser.parse_args()
    physics = check_physics(args.physics or default_physics(args.device), args.device)
    if args.profile:
        request = Request("step", "ours", physics, args.device, args.num_envs[0], args.seconds, profile=True)
        print(run_worker(request).profile)
        return 0
    figures, rows = compare(
        args.kind,
        physics=physics,
        device=args.device,
        num_envs=args.num_envs,
        seconds=args.seconds,
        repeats=args.repeats,
        report=print,
    )
    ok = figures.get("ratio_vs_stock_1024", args.minimum_ratio) >= args.minimum_ratio
    if args.json:
        origin = provenance(seed=1, engine=physics, device=args.device)
        write_report(args.json, ok=ok, figures=figures, rows=rows, provenance=origin)
    return 0 if ok else 1


if __name__ == "__main__":
    try:
        sys.exit(main())
    except SurefootError as error:
        print(f"error: {error}", file=sys.stderr)
        sys.exit(2)
