"""``scripts/inject_faults.py BUNDLE --falls``: run the table, print it, write it."""

from __future__ import annotations

import argparse
import sys
import time

from surefoot.report import provenance, write_report
from surefoot_bridge.bundle import load_bundle
from surefoot_bridge.files import write_whole
from surefoot_bridge.safety import Safety
from surefoot_bridge.stages import stage_of
from surefoot_devtools.campaign import interruption, kept_beside

from .campaign import FALL_FIGURES, TRIALS, FallPlan, run_falls
from .page import fall_lines, falls_page
from .walks import STAGE, WALKS


def falls_command(args: argparse.Namespace) -> int:
    """Run the campaign; return the exit status.

    Args:
        args: Arguments of the script: bundle, rule, walk, trials, seed, processes, json, markdown.

    Raises:
        SurefootError: If it cannot be run.
    """
    plan = FallPlan(
        args.bundle, tuple(args.rule or ()), tuple(args.walk or WALKS), args.trials or TRIALS, seed=args.seed
    )
    kept = kept_beside(args.json)
    progress = _Progress()
    result = run_falls(plan, kept=kept, processes=args.processes, progress=progress)
    figures = {name: result[name] for name in FALL_FIGURES}
    print("\n", *fall_lines(result["by_row"]), *(f"{name}: {number}" for name, number in figures.items()), sep="\n")
    for text in result["did_not_act"]:
        print(f"the rule did not act in every robot: {text}")
    if not result["complete"]:
        print(interruption(kept))
    origin = provenance(seed=args.seed, engine="mujoco", device="cpu")
    if args.json and result["complete"]:
        figures["complete"] = int(result["complete"])
        write_report(args.json, ok=result["ok"], figures=figures, rows=result["by_row"], provenance=origin)
    if args.markdown and result["complete"]:
        contract = load_bundle(args.bundle, runtime="numpy").contract
        rules = Safety(contract, stage_of(STAGE).limits(contract)).rules
        write_whole(args.markdown, falls_page(result, origin, rules).encode())
    return 130 if not result["complete"] else 0 if result["ok"] else 1


class _Progress:
    """Tells how many rows are done and how long the rest will take, as fast as those until now."""

    def __init__(self) -> None:
        self._begun_s, self._before = time.monotonic(), 0

    def __call__(self, done: int, planned: int, last: str) -> None:
        self._before = self._before or done - 1
        made = done - self._before
        left_s = (planned - done) * (time.monotonic() - self._begun_s) / max(made, 1)
        print(
            f"\r{f'{done}/{planned} rows, {left_s / 60.0:.1f} min left; {last}':99}",
            end="",
            file=sys.stderr,
            flush=True,
        )
