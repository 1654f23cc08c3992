"""Put a trained policy into the package: ``python scripts/ship_policy.py RUN [--play REPORT]``.

What is shipped is the run directory without what only training needs (simulation, optimiser, the machine's paths), and
the bundle that is exported from it.
"""

import argparse
import shutil
import sys
from pathlib import Path

import surefoot_tasks
from surefoot.engines import check_device, check_physics
from surefoot.exporting.export_policy import export_policy
from surefoot.learning.checkpoint import NETWORKS, read_checkpoint, write_checkpoint
from surefoot.learning.run_directory import RunDirectory
from surefoot.playing.run_files import find_policy, find_pretrained
from surefoot_bridge.command_line import ended
from surefoot_bridge.errors import SurefootError

PACKAGE = Path(surefoot_tasks.__file__).parent


def main() -> int:
    """Copy run record, metrics, slim checkpoint and the figures of play, then export the bundle."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("run", type=Path, help="run directory or checkpoint")
    parser.add_argument("--play", type=Path, help="report that surefoot play wrote for it")
    parser.add_argument(
        "--device", default="cpu", metavar="D", help="where the golden trace is recorded (default: cpu)"
    )
    args = parser.parse_args()
    policy = find_policy(args.run)
    device = check_device(args.device)
    physics = check_physics(policy.settings.physics, device)
    source, task = RunDirectory.open(args.run).path.resolve(), policy.settings.task
    target = (PACKAGE / "pretrained" / task).resolve()
    if source == target:
        raise SurefootError(f"{source} is where the policy is shipped to; name the run that it came from.")
    commit = RunDirectory.open(args.run).read_record()["commit"] or "unknown"
    if commit == "unknown" or commit.endswith("-dirty"):
        raise SurefootError(
            f"{args.run} was trained from the commit {commit}, from which nobody could train it again. Commit what "
            "differs, and train it again."
        )
    content = read_checkpoint(policy.checkpoint)
    shutil.rmtree(target, ignore_errors=True)
    (target / "checkpoints").mkdir(parents=True)
    write_checkpoint(target / "checkpoints" / policy.checkpoint.name, {name: content[name] for name in NETWORKS})
    for name in ("run.json", "metrics.jsonl"):
        shutil.copy(source / name, target / name)
    if args.play is not None:
        shutil.copy(args.play, target / "play.json")
    bundle = PACKAGE / "velocity" / "bundles" / task
    exported = export_policy(find_pretrained(task), bundle, physics=physics, device=device)
    print(f"Shipped {policy.checkpoint} as {target}, and as bundle {exported.bundle.identity} in {bundle}")
    return 0


if __name__ == "__main__":
    sys.exit(ended("ship_policy.py", main))
