"""``surefoot verify``: hold a bundle against scenarios in several engines, with a report and a gate."""

from __future__ import annotations

import argparse
import signal
import time
from pathlib import Path
from typing import TYPE_CHECKING

from surefoot_bridge.command_line import EXIT_COULD_NOT_RUN, EXIT_HELD, EXIT_INTERRUPTED

if TYPE_CHECKING:
    from surefoot.evaluation.running.verification import Verified, VerifyRequest


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of ``surefoot verify``."""
    parser.epilog = (
        "What is finished is kept in the report's folder: run the same again to go on after Ctrl-C or SIGTERM. Exit "
        "status without a gate: 0 every scenario ran, 2 one could not; with one: 0 passed, 1 not passed, 2 could not "
        "run. 130 interrupted."
    )
    parser.add_argument("bundle", type=Path, metavar="BUNDLE", help="folder of the bundle")
    parser.add_argument(
        "--suite", default="quick", metavar="S", help="quick (default), standard, harsh, a file or a folder of files"
    )
    parser.add_argument("--engines", default="mujoco", metavar="E", help="mujoco (default), physx, newton, with commas")
    parser.add_argument("--gate", metavar="G", help="standard, or a file with thresholds")
    parser.add_argument(
        "--report", type=Path, metavar="DIR", help="folder of the report (default: runs/verify/BUNDLE_IDENTITY_SUITE)"
    )
    parser.add_argument("--device", metavar="D", help="of PhysX and Newton: cpu, cuda or cuda:N")
    parser.add_argument("--trials", type=int, metavar="N", help="trials of each scenario (default: as it says)")
    parser.add_argument(
        "--scenario", action="append", default=[], metavar="NAME", help="only this scenario; may be repeated"
    )
    parser.add_argument("--processes", type=int, metavar="P", help="of each engine on a CPU (default: one a processor)")
    parser.add_argument(
        "--stop-early", action="store_true", help="end a scenario as soon as no further trial could change its verdict"
    )
    parser.add_argument("--no-pages", action="store_true", help="write numbers only, without pictures")
    parser.add_argument(
        "--add-to-bundle", action="store_true", help="put evaluation.json into the bundle, whose identity changes"
    )
    parser.add_argument(
        "--sign", type=Path, metavar="FILE", help="sign the bundle anew with the private key in this file"
    )
    parser.add_argument("--wandb", metavar="PROJECT", help="log tables and report to a project of Weights & Biases")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write figures, rows and provenance")


def run(args: argparse.Namespace) -> int:
    """Verify as asked.

    Returns:
        The exit status.

    Raises:
        SurefootError: If it could not begin, or a file could not be written.
    """
    from surefoot.engines import check_device, default_device
    from surefoot.evaluation.running.live_progress import LiveProgress
    from surefoot.evaluation.running.verification import VerifyRequest, verify

    device = check_device(args.device or default_device())
    request = VerifyRequest(
        bundle=args.bundle,
        suite=args.suite,
        engines=args.engines,
        gate=args.gate,
        folder=args.report or _default_folder(args),
        device=device,
        trials=args.trials,
        scenarios=tuple(args.scenario),
        processes=args.processes,
        stop_early=args.stop_early,
        pages=not args.no_pages,
    )
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # a job that is stopped leaves what Ctrl-C leaves
    began = time.monotonic()
    with LiveProgress() as shown:
        verified = verify(request, progress=shown.show, say=shown.say)
    _print(verified, time.monotonic() - began, gated=args.gate is not None)
    if args.json is not None:
        _write_report(args.json, request, verified, time.monotonic() - began)
    if args.wandb is not None:
        _log_to_wandb(args.wandb, verified)
    if args.add_to_bundle:
        from surefoot.commands.export import read_private_key
        from surefoot.evaluation.results.bundle_evaluation import add_evaluation

        key = None if args.sign is None else read_private_key(args.sign)
        identity = add_evaluation(args.bundle, verified.evaluation, private_key=key)
        print(f"The evaluation is in {args.bundle}, which is bundle {identity} now.")
    return _status(verified, judged=args.gate is not None)


def _log_to_wandb(project: str, verified: Verified) -> None:
    from surefoot.evaluation.report.wandb_tables import log_evaluation
    from surefoot.learning.wandb_logger import WandbLogger

    evaluation = verified.evaluation
    policy = evaluation.policy.model_dump()
    name = f"verify {evaluation.suite.name}"
    logger = WandbLogger(verified.folder, run_name=name, project=project, configuration={"policy": policy})
    log_evaluation(logger.run, evaluation, verified.gate)
    logger.close()
    print(logger.message)


def _default_folder(args: argparse.Namespace) -> Path:
    from surefoot_bridge.bundle import load_bundle

    bundle = load_bundle(args.bundle, runtime="numpy")
    return Path("runs") / "verify" / f"{bundle.contract.training.task}_{bundle.identity}_{Path(args.suite).stem}"


def _status(verified: Verified, *, judged: bool) -> int:
    if verified.evaluation.missing:
        return EXIT_INTERRUPTED
    if judged:
        return verified.gate.exit_code
    return EXIT_HELD if verified.evaluation.complete else EXIT_COULD_NOT_RUN


def _print(verified: Verified, seconds: float, *, gated: bool) -> None:
    from surefoot.evaluation.report.verdict import SYMBOLS, headline, state_of

    for row in verified.gate.rows:
        outcome = verified.evaluation.of(row.scenario, row.engine)
        low, high = row.interval
        ran = "did not run" if outcome is None else f"{outcome.successes} of {outcome.trials}"
        shown = f"[{100 * low:5.1f}, {100 * high:5.1f}] %"
        if row.judgement == "not scored":
            ran, shown = row.judgement, ""
        symbol = SYMBOLS[state_of(row, outcome)]
        print(f"{symbol} {row.engine:14s} {row.scenario:28s} {ran:>12s}  {shown}")
    print(headline(verified.evaluation, verified.gate, gated=gated).sentence)
    tally = verified.tally
    if tally.trials:
        spent = sum(tally.spent_s.values()) or 1.0
        shares = ", ".join(
            f"{name.removesuffix('_s')} {100 * value / spent:.0f} %" for name, value in tally.spent_s.items()
        )
        print(
            f"{tally.trials} trials of {tally.done_s:.0f} s in all, to their end or a fall, took {seconds:.0f} s "
            f"({tally.trials / max(seconds, 1e-9):.1f} trials/s): {shares}"
        )
    print(f"Report: {verified.folder}")


def _write_report(path: Path, request: VerifyRequest, verified: Verified, seconds: float) -> None:
    from surefoot.report import provenance, write_report

    figures: dict[str, float | int | None] = {"seconds": seconds, "trials": verified.tally.trials}
    rows = []
    for row in verified.gate.rows:
        outcome = verified.evaluation.of(row.scenario, row.engine)
        rows.append(
            {
                "scenario": row.scenario,
                "engine": row.engine,
                "judgement": row.judgement,
                "threshold": row.threshold,
                "low": row.interval.low,
                "high": row.interval.high,
                "trials": 0 if outcome is None else outcome.trials,
                "successes": 0 if outcome is None else outcome.successes,
                "sentence": row.sentence,
            }
        )
        if outcome is not None and outcome.trials:
            figures[f"{row.engine}_{row.scenario}_success_rate"] = outcome.successes / outcome.trials
    ok = _status(verified, judged=request.gate is not None) == EXIT_HELD
    engines = ",".join(verified.evaluation.engines)
    origin = provenance(seed=verified.evaluation.suite.seed, engine=engines, device=request.device)
    write_report(path, ok=ok, figures=figures, rows=rows, provenance=origin)
