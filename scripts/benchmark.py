"""Measure speed: ``python scripts/benchmark.py KIND --json FILE``; ``--help`` says which kinds there are."""

import argparse
import sys
from pathlib import Path

from surefoot.engines import check_physics, default_device, default_physics
from surefoot.report import provenance, write_report
from surefoot_bridge.command_line import ended
from surefoot_devtools.benchmarking.bridge_suite import measure_bridge
from surefoot_devtools.benchmarking.launches_suite import count_launches_of_tasks, over_budget
from surefoot_devtools.benchmarking.randomization_suite import RandomizationSuite, holds
from surefoot_devtools.benchmarking.start_suite import measure_start
from surefoot_devtools.benchmarking.suite import compare, run_worker
from surefoot_devtools.benchmarking.terrain_suite import holds as terrain_holds
from surefoot_devtools.benchmarking.terrain_suite import measure_terrain
from surefoot_devtools.benchmarking.verify_suite import measure_verify
from surefoot_devtools.benchmarking.worker import Request

KINDS = {
    "step": "stepping alone, against Isaac Lab",
    "train": "training with PPO, against Isaac Lab",
    "terrain": "rough ground with a height scan, against Isaac Lab and against flat ground, and making its tiles",
    "launches": "launches, waits and allocations of a control step and of training, beside Isaac Lab",
    "randomization": "drawing and applying randomized parameters, and a task with them on and off",
    "bridge": "ticks of the control loop on the robot's computer",
    "verify": "scenarios in MuJoCo",
    "start": "until a program shows its help or refuses a mistake",
}
BUNDLES = Path(__file__).resolve().parents[1] / "tasks/surefoot_tasks/velocity/bundles"
NUM_ENVS = {
    "step": [256, 1024, 4096],
    "train": [256, 1024, 4096],
    "terrain": [1024],
    "launches": [64],
    "randomization": [4096],
}


def main() -> int:
    """Measure, print a table, write the figures; 0 when ours is at least as fast as it must be."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("kind", choices=KINDS, help="; ".join(f"{kind}: {text}" for kind, text in KINDS.items()))
    parser.add_argument("--physics", help="engine; default: the fastest of the device")
    parser.add_argument("--device", default=default_device())
    parser.add_argument("--num-envs", type=int, nargs="+", help=f"environments; default: {NUM_ENVS}")
    parser.add_argument("--seconds", type=float, default=20.0, help="length of one measurement of steps [s]")
    parser.add_argument("--repeats", type=int, default=2, help="measurements of each kind; the best counts")
    parser.add_argument("--minimum-ratio", type=float, default=1.5, help="ratio to stock that must be held")
    parser.add_argument("--bundle", type=Path, nargs="+", help="bundles; default: the shipped ones")
    parser.add_argument("--suite", nargs="+", default=["quick"], help="suites to verify (default: quick)")
    parser.add_argument("--minutes", type=float, default=10.0, help="length of the bridge's long run [min]; 0 for none")
    parser.add_argument("--profile", action="store_true", help="print where the time of our step goes, and stop")
    parser.add_argument("--json", help="file for the figures")
    args = parser.parse_args()
    if args.kind in ("bridge", "verify", "start"):
        # The first one makes the bridge's long run and is verified, and must walk: the Go2's.
        bundles = args.bundle or sorted((path for path in BUNDLES.iterdir() if path.is_dir()), reverse=True)
        if args.kind == "bridge":
            figures, rows, ok = measure_bridge(bundles, seconds=args.seconds, minutes=args.minutes, report=print)
        elif args.kind == "start":
            figures, rows, ok = measure_start(report=print)
        else:
            figures, rows, ok = measure_verify(bundles[0], tuple(args.suite), report=print)
        if args.json:
            write_report(args.json, ok=ok, figures=figures, rows=rows, provenance=provenance())
        return 0 if ok else 1
    num_envs = args.num_envs or NUM_ENVS[args.kind]
    if args.kind in ("launches", "randomization") and len(num_envs) > 1:
        parser.error(f"{args.kind} is measured with one number of environments, not {num_envs}")
    # Launches are those of a GPU, whose engine is counted on a CPU too.
    default = "newton_mjwarp" if args.kind == "launches" else default_physics(args.device)
    physics = check_physics(args.physics or default, args.device)
    if args.profile:
        request = Request("step", "ours", physics, args.device, num_envs[0], args.seconds, profile=True)
        print(run_worker(request).profile)
        return 0
    common = {"physics": physics, "device": args.device, "seconds": args.seconds, "repeats": args.repeats}
    if args.kind == "randomization":
        figures, rows = RandomizationSuite(num_envs=num_envs[0], report=print, **common).run()
        ok = holds(figures, args.device)
    elif args.kind == "launches":
        figures, rows = count_launches_of_tasks(physics=physics, device=args.device, num_envs=num_envs[0], report=print)
        exceeded = over_budget(figures)
        print(*exceeded, sep="\n")
        ok = not exceeded
    elif args.kind == "terrain":
        figures, rows = measure_terrain(num_envs=num_envs, report=print, **common)
        ok = terrain_holds(figures, num_envs, args.minimum_ratio)
    else:
        figures, rows = compare(args.kind, num_envs=num_envs, report=print, **common)
        ok = figures.get("ratio_vs_stock_1024", args.minimum_ratio) >= args.minimum_ratio
    if args.json:
        origin = provenance(seed=1, engine=physics, device=args.device)
        write_report(args.json, ok=ok, figures=figures, rows=rows, provenance=origin)
    return 0 if ok else 1


if __name__ == "__main__":
    sys.exit(ended("benchmark.py", main))
