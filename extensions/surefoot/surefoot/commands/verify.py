"""``surefoot verify``: hold a bundle against scenarios in several engines, with a report and a gate."""

from __future__ import annotations

import argparse
import importlib.util
import shlex
import signal
import time
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

from surefoot.cli import as_called
from surefoot.engines import short_name
from surefoot.files import NEW_FILE, check_replaceable
from surefoot.processes import most_processes
from surefoot_bridge.arguments import BUNDLE, FILE, OUTPUT_FOLDER, whole
from surefoot_bridge.command_line import EXIT_COULD_NOT_RUN, EXIT_HELD, EXIT_INTERRUPTED
from surefoot_bridge.containers import warn_if_lost
from surefoot_bridge.errors import SurefootError

if TYPE_CHECKING:
    from surefoot.evaluation.running.request import VerifyRequest
    from surefoot.evaluation.running.verification import Verified
    from surefoot.evaluation.trials.outcome import ScenarioOutcome


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of ``surefoot verify``."""
    parser.epilog = (
        "What is finished is kept in the report's folder: run the same again to go on after Ctrl-C or SIGTERM. Exit "
        "status without a gate: 0 every scenario ran, 2 one could not; with one: 0 passed, 1 not passed, 2 could not "
        "run. 130 interrupted."
    )
    parser.add_argument("bundle", type=BUNDLE, metavar="BUNDLE", help="folder of the bundle")
    parser.add_argument(
        "--suite",
        default="quick",
        metavar="S",
        help="quick (default), standard, harsh, graded, a file or a folder of files",
    )
    parser.add_argument(
        "--engines", "--engine", default="mujoco", metavar="E", help="mujoco (default), physx, newton, with commas"
    )
    parser.add_argument("--gate", metavar="G", help="standard, one of a task's (flat), or a file with thresholds")
    parser.add_argument(
        "--report",
        type=OUTPUT_FOLDER,
        metavar="DIR",
        help="folder of the report (default: runs/verify/BUNDLE_IDENTITY_SUITE)",
    )
    parser.add_argument("--replace", action="store_true", help="replace the report of another policy that is there")
    parser.add_argument("--device", metavar="D", help="of PhysX and Newton: cpu, cuda or cuda:N")
    parser.add_argument(
        "--trials",
        type=whole("a number of trials", 1, 10**6),
        metavar="N",
        help="trials of each scenario (default: as it says)",
    )
    parser.add_argument(
        "--scenario", action="append", default=[], metavar="NAME", help="only this scenario; may be repeated"
    )
    parser.add_argument(
        "--processes",
        type=whole("a number of processes", 1, most_processes()),
        metavar="P",
        help="of each engine on a CPU (default: one a processor)",
    )
    parser.add_argument(
        "--stop-early", action="store_true", help="end a scenario as soon as no further trial could change its verdict"
    )
    parser.add_argument("--no-pages", action="store_true", help="write numbers only, without pictures")
    parser.add_argument(
        "--add-to-bundle", action="store_true", help="put evaluation.json into the bundle, whose identity changes"
    )
    parser.add_argument("--sign", type=FILE, metavar="FILE", help="sign the bundle anew with this private key")
    parser.add_argument("--wandb", metavar="PROJECT", help="log tables and report to a project of Weights & Biases")
    parser.add_argument("--json", type=NEW_FILE, metavar="FILE", help="write figures, rows and provenance")


def run(args: argparse.Namespace) -> int:
    """Verify as asked.

    Returns:
        The exit status.

    Raises:
        SurefootError: If it could not begin, or a file could not be written.
    """
    from surefoot.commands.export import read_private_key
    from surefoot.engines import check_device, default_device
    from surefoot.evaluation.engines.choice import check_engines
    from surefoot.evaluation.named import gate_path, suite_path

    suite_path(args.suite)
    if args.gate is not None:
        gate_path(args.gate)
    device = check_device(args.device or default_device())
    check_engines(args.engines, device)
    key = None if args.sign is None else read_private_key(args.sign)
    if key is not None and not args.add_to_bundle:
        raise SurefootError(
            "--sign signs the bundle with what is added to it: give --add-to-bundle as well, or neither."
        )
    if args.wandb is not None and importlib.util.find_spec("wandb") is None:
        raise SurefootError("--wandb needs the package wandb: pip install 'surefoot[wandb]'.")
    if args.add_to_bundle:
        OUTPUT_FOLDER.check("--add-to-bundle", args.bundle)
    if args.report is not None:
        _check_report(args.report, args.bundle, replace=args.replace)
    from surefoot.evaluation.running.request import VerifyRequest, suite_asked

    suite_asked(args.suite, args.gate, args.scenario, None)
    from surefoot.evaluation.running.plan import plan_of

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
    plan_of(request)
    if args.report is None:
        _check_report(request.folder, args.bundle, replace=args.replace)
    OUTPUT_FOLDER.check("--report", request.folder)
    warn_if_lost(request.folder)
    from surefoot.evaluation.running.live_progress import LiveProgress  # after all refusals, for it draws by rich
    from surefoot.evaluation.running.verification import verify

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
        from surefoot.evaluation.results.bundle_evaluation import add_evaluation

        identity = add_evaluation(args.bundle, verified.evaluation, private_key=key)
        print(f"The evaluation is in {args.bundle}, which is bundle {identity} now.")
    status = _status(verified, judged=args.gate is not None)
    if step := _next_step(args, verified, status):
        print(as_called(f"Next: {step}"))
    return status


def _next_step(args: argparse.Namespace, verified: Verified, status: int) -> str:
    """Return the command that comes next: where trials failed, a look at one of them."""
    bundle = shlex.quote(str(args.bundle))
    if status == EXIT_HELD and any(outcome.successes for outcome in verified.evaluation.outcomes):
        return f"surefoot-bridge check {bundle}"  # without a gate nothing falls short, but nothing may have succeeded
    if status == EXIT_INTERRUPTED:
        return ""
    trials = {scenario.name: scenario.trials for scenario in verified.evaluation.suite.scenarios}
    for outcome in verified.evaluation.judged.outcomes:
        for trial in outcome.outcomes:
            if not trial.success and trial.number < trials[outcome.scenario]:
                where = f"{outcome.scenario} {trial.number} --engine {short_name(outcome.engine)}"
                return f"surefoot replay {bundle} {where} --suite {shlex.quote(args.suite)}"
    return ""


def _check_report(folder: Path, bundle: Path, *, replace: bool) -> None:
    """Refuse to replace what is no report, and unasked one on a policy of another robot or task."""
    from surefoot.evaluation.results.evaluation_form import FILE_NAME, evaluation_data

    check_replaceable(folder, kind="report", marks=(FILE_NAME, "logs", "outcomes", "recordings"))
    if replace or not (folder / FILE_NAME).is_file():  # there is none yet of what was interrupted
        return
    from surefoot_bridge.bundle import load_bundle

    def holds() -> str:
        try:
            policy = evaluation_data(folder)[1]["policy"]
            return f"a report on {policy['robot']} for {policy['task']}"
        except (SurefootError, KeyError, TypeError):
            return "a report that cannot be read"

    contract = load_bundle(bundle, runtime="numpy").contract
    ours = f"a report on {contract.robot.name} for {contract.training.task}"
    check_replaceable(folder, kind="report", marks=(FILE_NAME,), ours=ours, holds=holds)


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
        if row.judgement == "searched" and outcome is not None:
            ran, shown = _found(outcome), ""
        symbol = SYMBOLS[state_of(row, outcome)]
        print(f"{symbol} {short_name(row.engine):8s} {row.scenario:28s} {ran:>12s}  {shown}")
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


def _search_figures(outcome: ScenarioOutcome) -> dict[str, float | int | None]:
    """Return what a search found, by flat names; what is beyond its levels is null."""
    name = f"{outcome.engine}_{outcome.scenario}"
    if not outcome.grades:
        return {f"{name}_half_at": outcome.half_at}
    figures: dict[str, float | int | None] = {f"{name}_figure": outcome.figure}
    for grade in outcome.grades:
        at = f"{name}_friction_{grade.friction:g}"
        figures |= {f"{at}_figure": grade.figure, f"{at}_quality": grade.quality}
        if grade.level is not None:
            figures[f"{at}_level"] = grade.level
    return figures


def _found(outcome: ScenarioOutcome) -> str:
    """Return what a search found, short."""
    if outcome.figure is not None:
        levels = [str(grade.level) for grade in outcome.grades if grade.level is not None]
        return f"{outcome.figure:.3f}" + (f" (levels {', '.join(levels)})" if levels else "")
    return "beyond its levels" if outcome.half_at is None else f"half at {outcome.half_at:.3g}"


def _write_report(path: Path, request: VerifyRequest, verified: Verified, seconds: float) -> None:
    from statistics import median

    from surefoot.evaluation.report.grades import mean_figure
    from surefoot.evaluation.running.trial_runner import LARGEST_PUSH
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
        if outcome is not None and outcome.is_search:
            figures |= _search_figures(outcome)
            rows += [{"scenario": row.scenario, "engine": row.engine, **asdict(item)} for item in outcome.grades]
            rows += [{"scenario": row.scenario, "engine": row.engine, **asdict(item)} for item in outcome.tried]
        elif outcome is not None and outcome.trials:
            figures[f"{row.engine}_{row.scenario}_success_rate"] = outcome.successes / outcome.trials
            pushes = [item.measures[LARGEST_PUSH] for item in outcome.outcomes if LARGEST_PUSH in item.measures]
            if pushes:
                figures[f"{row.engine}_{row.scenario}_median_n"] = median(pushes)
    for engine in verified.evaluation.engines:
        figures |= {
            f"{engine}_mean_{name}": value
            for name, only in (("figure", False), ("robogauge", True))
            if (value := mean_figure(verified.evaluation, engine, in_robogauge=only)) is not None
        }
    ok = _status(verified, judged=request.gate is not None) == EXIT_HELD
    engines = ",".join(verified.evaluation.engines)
    origin = provenance(seed=verified.evaluation.suite.seed, engine=engines, device=request.device)
    write_report(path, ok=ok, figures=figures, rows=rows, provenance=origin)
