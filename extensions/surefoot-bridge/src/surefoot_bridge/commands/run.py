"""``surefoot-bridge run BUNDLE --robot ROBOT --stage STAGE``: runs a bundle on a robot."""

from contextlib import suppress
from pathlib import Path
from typing import Sequence

from surefoot_bridge.arguments import BUNDLE, FILE, OUTPUT, OUTPUT_FOLDER, Parser, domain, one_of, public_key
from surefoot_bridge.containers import warn_if_lost
from surefoot_bridge.words import OPERATORS, READY, RUNTIMES, STAGE_NAMES, UNSIGNED, network_robots


def main(argv: Sequence[str]) -> int:
    """Run ``run``: 0 if it ended in order, 1 if the robot was damped, 130 if a signal ended it in order."""
    arguments = _parser().values(argv)
    from surefoot_bridge.robots.choice import parse_place

    place = parse_place(arguments.robot, interface=arguments.interface, domain=arguments.domain)
    from surefoot_bridge.operators.choice import parse_operator
    from surefoot_bridge.run import Run
    from surefoot_bridge.stages import stage_of

    run = Run(
        place=place,
        stage=stage_of(arguments.stage),
        operator=parse_operator(arguments.operator),
        logs=arguments.log,
        stop_file=arguments.stop_file,
        word=arguments.acknowledge,
        simulated_clock=arguments.simulated_clock,
        without_switcher=arguments.without_switcher,
        hand_back=not arguments.no_hand_back,
        seal_key=arguments.seal_key,
        live=True,
    )
    run.check()
    if run.logs is not None:
        warn_if_lost(run.logs)
    from surefoot_bridge.bundle import load_bundle
    from surefoot_bridge.runtime import run_bridge

    from .report import write_report

    bundle = load_bundle(
        arguments.bundle,
        require_signature_by=arguments.public_key,
        runtime=arguments.runtime,
        on_hardware=place.on_hardware,
        unsigned_word=arguments.unsigned,
    )
    outcome = run_bridge(bundle, run)
    with suppress(OSError):  # the terminal may be gone; the log has all of it
        print(outcome.describe(), flush=True)
    if arguments.json is not None:
        of = {"bundle": bundle.identity, "robot": place.describe(bundle.contract.robot.name), "stage": run.stage.name}
        write_report(arguments.json, ok=outcome.status != 1, figures=outcome.figures, rows=outcome.rows, of=of)
    return outcome.status


def _parser() -> Parser:
    parser = Parser("surefoot-bridge run", "Run a bundle on a robot: a real one, an emulated one, or one in MuJoCo.")
    add, robots = parser.add_argument, ", ".join(("mujoco", *network_robots(), "replay:LOG"))
    add("bundle", type=BUNDLE, metavar="BUNDLE", help="folder that surefoot export has written")
    add("--robot", required=True, metavar="ROBOT", help=f"where it runs: {robots}")
    add("--interface", metavar="IF", help="network interface of the robot; lo for an emulated one")
    add(
        "--domain",
        type=domain,
        metavar="N",
        help="which network of that interface: a DDS domain, say; 0 by default",
    )
    add(
        "--stage",
        required=True,
        type=one_of("stage", STAGE_NAMES),
        metavar="STAGE",
        help=f"how far it is trusted: {', '.join(STAGE_NAMES)}",
    )
    add(
        "--operator",
        default="keyboard",
        metavar="WHO",
        help=f"who commands it: {', '.join(OPERATORS)}; keyboard by default",
    )
    add(
        "--log",
        type=OUTPUT_FOLDER,
        metavar="DIR",
        help="folder of all logs: this run's goes there; a real robot needs one",
    )
    add("--seal-key", type=FILE, metavar="FILE", help="key that seals the log of a real robot; your own one by default")
    add("--stop-file", type=Path, metavar="FILE", help="damp the robot when this file appears")
    add(
        "--runtime",
        type=one_of("runtime", RUNTIMES),
        metavar="RUNTIME",
        help=f"by what to run the policy: {', '.join(RUNTIMES)}; the faster of onnx and numpy by default",
    )
    add(
        "--public-key",
        type=public_key,
        metavar="KEY",
        help="key that must have signed the bundle, as surefoot-bridge key new prints it",
    )
    add("--unsigned", metavar="WORD", help=f"move a real robot by a bundle without a signature: {UNSIGNED}")
    add(
        "--without-switcher",
        action="store_true",
        help="the robot's own controller was switched off by hand, and the robot does not say so",
    )
    add(
        "--no-hand-back",
        action="store_true",
        help="leave the robot's own controller off after the run; otherwise one that was on is switched on again",
    )
    add("--acknowledge", metavar="WORD", help=f"acknowledge the checklist of a rehearsal beforehand: {READY}")
    add(
        "--simulated-clock",
        action="store_true",
        help="with a script and no robot on the network: as fast as this computer can, and the same each time",
    )
    add("--json", type=OUTPUT, metavar="FILE", help="also write the figures")
    return parser
