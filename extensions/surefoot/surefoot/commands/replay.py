"""``surefoot replay``: run one trial of a verification again, and look at all of it."""

from __future__ import annotations

import argparse
import json
import signal
import tempfile
import time
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

from surefoot.engines import short_name
from surefoot.files import atomic_write, check_replaceable, write_json
from surefoot_bridge.arguments import BUNDLE, OUTPUT_FOLDER, whole
from surefoot_bridge.command_line import EXIT_FELL_SHORT, EXIT_HELD
from surefoot_bridge.errors import SurefootError, unknown_name

if TYPE_CHECKING:
    from surefoot.evaluation.running.plan import Plan
    from surefoot.evaluation.scenarios.scenario import Scenario, Suite
    from surefoot.evaluation.trials.outcome import TrialOutcome

MOTION_FILE, TRIAL_FILE = "motion.npz", "trial.json"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of ``surefoot replay``."""
    parser.epilog = (
        "It runs among the trials that it ran among in surefoot verify, so that it is the same to the last digit in "
        "MuJoCo. Exit status: 0 it succeeded, 1 it failed, 2 it could not run."
    )
    parser.add_argument("bundle", type=BUNDLE, metavar="BUNDLE", help="folder of the bundle")
    parser.add_argument("scenario", metavar="SCENARIO", help="name of a scenario of the suite")
    parser.add_argument(
        "number",
        type=whole("the number of a trial", 0, 10**6),
        metavar="NUMBER",
        help="number of the trial, as the report names it",
    )
    parser.add_argument(
        "--suite", default="quick", metavar="S", help="quick (default), standard, harsh, a file or a folder of files"
    )
    parser.add_argument("--engine", "--engines", default="mujoco", metavar="E", help="mujoco (default), physx, newton")
    parser.add_argument("--device", metavar="D", help="of PhysX and Newton: cpu, cuda or cuda:N")
    parser.add_argument(
        "-o", "--output", type=OUTPUT_FOLDER, metavar="DIR", help="folder for the film, motion and measures"
    )
    parser.add_argument("--replace", action="store_true", help="replace another trial that is there")
    parser.add_argument("--no-video", action="store_true", help="draw no film")


def run(args: argparse.Namespace) -> int:
    """Run the trial.

    Returns:
        The exit status.

    Raises:
        SurefootError: If it could not run, or a file could not be written.
    """
    from surefoot.engines import check_device, default_device
    from surefoot.evaluation.engines.choice import check_engines
    from surefoot.evaluation.named import suite_path

    suite_path(args.suite)
    device = check_device(args.device or default_device())
    if len(engines := check_engines(args.engine, device)) != 1:
        raise SurefootError(f"A trial runs in one engine; --engine {args.engine} names {len(engines)}. Name one.")
    from surefoot.evaluation.running.request import VerifyRequest, suite_asked

    _check_scenario(suite_asked(args.suite, None, (), None), args.scenario)
    from surefoot.evaluation.running.plan import plan_of

    request = VerifyRequest(
        bundle=args.bundle,
        suite=args.suite,
        engines=args.engine,
        gate=None,
        folder=args.output or Path("runs") / "replay" / f"{args.scenario}_{args.engine}_{args.number}",
        device=device,
        processes=1,
    )
    plan = plan_of(request)
    _check_trial(plan, args)
    from surefoot.evaluation.measure_catalogue import MEASURES
    from surefoot.evaluation.trials.recording import Recording

    signal.signal(signal.SIGTERM, signal.default_int_handler)
    outcome = _run_again(plan, args.scenario, args.number)
    write_json(plan.folder / TRIAL_FILE, {"trial": _trial_of(plan, args), **asdict(outcome)})
    print(f"{args.scenario}, trial {outcome.number} (seed {outcome.seed}): {outcome.reason or 'succeeded'}")
    for name, value in outcome.measures.items():
        measure = MEASURES[name]
        unit = "" if measure.unit == "-" else measure.unit
        print(f"  {name:26s} {value:10.4g} {unit:8s} {measure.label}")
    if acted := ", ".join(f"{rule} {count} times" for rule, count in outcome.interventions.items()):
        print(f"Safety rules that stepped in: {acted}")
    if not args.no_video:
        from surefoot.evaluation.report.film import whole_film

        scenario = next(item for item in plan.suite.scenarios if item.name == args.scenario)
        whole_film(Recording.load(plan.folder / MOTION_FILE), scenario, plan.folder / "trial.mp4")
    print(f"Motion, measures{'' if args.no_video else ', film'}: {plan.folder}")
    return EXIT_HELD if outcome.success else EXIT_FELL_SHORT


def _trial(args: argparse.Namespace) -> str:
    return f"trial {args.number} of {args.scenario} in {short_name(args.engine)}"


def _trial_of(plan: Plan, args: argparse.Namespace) -> str:
    return f"{_trial(args)} of the suite {plan.suite.name!r}, bundle {plan.identity}"


def _check_scenario(suite: Suite, name: str) -> Scenario:
    """Return a scenario of a suite; refuse one that is not there or has no trials."""
    known = {scenario.name: scenario for scenario in suite.scenarios}
    if name not in known:
        raise unknown_name(f"scenario of the suite {suite.name!r}", name, known)
    if known[name].is_searched:
        raise SurefootError(
            f"{name} is a search over levels of its ground, without single trials to run again. Name another scenario "
            f"of the suite {suite.name!r}, or write the level as one of your own."
        )
    return known[name]


def _check_trial(plan: Plan, args: argparse.Namespace) -> None:
    """Refuse a trial that there is not, and a place that holds another."""
    if args.number >= (count := plan.asked(_check_scenario(plan.suite, args.scenario))):
        raise SurefootError(f"There is no {_trial(args)}; it has 0 to {count - 1}. The report names those that failed.")

    def holds() -> str:
        try:
            return json.loads((plan.folder / TRIAL_FILE).read_bytes())["trial"]
        except (OSError, ValueError, KeyError, TypeError):
            return "another trial"

    if (plan.folder / TRIAL_FILE).exists():
        check_replaceable(
            plan.folder,
            kind="trial",
            marks=(TRIAL_FILE,),
            ours=_trial_of(plan, args),
            holds=None if args.replace else holds,
        )
    OUTPUT_FOLDER.check("--output", plan.folder)


def _run_again(plan: Plan, name: str, number: int) -> TrialOutcome:
    """Run a trial among those that it ran among, and keep its motion."""
    from surefoot.evaluation.running.live_progress import PLAIN_INTERVAL_S
    from surefoot.evaluation.running.messages import Request
    from surefoot.evaluation.running.trial_runner import scenario_in
    from surefoot.live_line import LiveLine

    (engine,) = plan.engines
    scenario = scenario_in(plan.suite, name, whole_length=True)
    side_by_side = next(numbers for numbers in plan.chunks(scenario, engine) if number in numbers)
    worker = plan.worker(engine, 0)
    what = f"{name} in {engine}, trials {side_by_side[0]} to {side_by_side[-1]}"
    with tempfile.TemporaryDirectory(prefix="surefoot-trial-") as folder:
        with LiveLine(interval_s=PLAIN_INTERVAL_S) as shown:

            def show(share: float) -> None:
                shown.update(f"{100.0 * share:3.0f} %  {what}", now_s=time.monotonic())

            try:
                show(0.0)
                answer = worker.ask(Request(name, side_by_side, folder), show)
            finally:
                worker.finish()
        if answer.error:
            raise SurefootError(answer.error)
        with atomic_write(plan.folder / MOTION_FILE) as file:
            file.write((Path(folder) / f"{number}.npz").read_bytes())
    return next(outcome for outcome in answer.outcomes if outcome.number == number)
