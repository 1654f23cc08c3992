"""How a policy gets up in MuJoCo: ``python scripts/judge_recovery.py BUNDLE --trials 100 --json FILE``."""

import argparse
import sys
from pathlib import Path

from rich.console import Console

from surefoot.evaluation.recovery import EPISODE_S, judge_recovery
from surefoot.files import NEW_FILE
from surefoot.playing.acceptance import bounds_of, fell_short, figures_table
from surefoot.playing.recovery import TIME_TO_STAND_S
from surefoot.report import provenance, write_report
from surefoot.task_config import SEED
from surefoot_bridge.arguments import number, whole
from surefoot_bridge.bundle import load_bundle
from surefoot_bridge.command_line import ended


def main() -> int:
    """Judge, print the table, write the figures; 0 when as many got up as must."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("bundle", type=Path, help="bundle of a policy that gets up")
    trials, threads = whole("a number of trials", 1, 100_000), whole("a number of threads", 1, 1024)
    parser.add_argument("--trials", type=trials, default=100, help="robots that are dropped (default: 100)")
    parser.add_argument("--seed", type=SEED, default=1, help="seed of their poses (default: 1)")
    parser.add_argument("--threads", type=threads, default=1, help="threads of the physics (default: 1)")
    length = number("a length in s", TIME_TO_STAND_S, 3600.0)
    parser.add_argument("--seconds", type=length, default=EPISODE_S, help=f"length of a trial (default: {EPISODE_S:g})")
    parser.add_argument("--json", type=NEW_FILE, help="file for figures, one row a trial and provenance")
    args = parser.parse_args()
    bundle = load_bundle(args.bundle, runtime="numpy")
    metrics = judge_recovery(
        bundle, num_trials=args.trials, seed=args.seed, threads=args.threads, episode_s=args.seconds
    )
    figures, bounds = metrics.figures(), bounds_of(must_step=False, randomized=False, gets_up=True)
    missed = fell_short(figures, bounds)
    title = f"{bundle.contract.training.task}: {args.trials} falls in MuJoCo"
    Console().print(figures_table(figures, bounds, title=title))
    if args.json:
        source = provenance(seed=args.seed, engine="mujoco", device="cpu")
        write_report(args.json, ok=not missed, figures=figures, rows=metrics.rows(), provenance=source)
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(ended("judge_recovery.py", main))
