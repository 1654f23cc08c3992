"""``surefoot-bridge check BUNDLE``: checks all of a bundle and says what is in it."""

from dataclasses import asdict
from typing import TYPE_CHECKING, Iterator, Sequence, Tuple

from surefoot_bridge.arguments import BUNDLE, OUTPUT, Parser, one_of, public_key
from surefoot_bridge.words import RUNTIMES

if TYPE_CHECKING:
    from surefoot_bridge.bundle import Bundle


def main(argv: Sequence[str]) -> int:
    """Run ``check``: 0 if the bundle holds."""
    parser = Parser("surefoot-bridge check", "Check all of a bundle and say what is in it.")
    parser.add_argument("bundle", type=BUNDLE, metavar="BUNDLE", help="folder that surefoot export has written")
    parser.add_argument("--public-key", type=public_key, metavar="KEY", help="key that must have signed it")
    parser.add_argument(
        "--runtime",
        type=one_of("runtime", RUNTIMES),
        metavar="RUNTIME",
        help=f"by what to run the policy: {', '.join(RUNTIMES)}; the faster of onnx and numpy by default",
    )
    parser.add_argument("--json", type=OUTPUT, metavar="FILE", help="also write the figures")
    arguments = parser.values(argv)
    from surefoot_bridge.bundle import load_bundle

    from .report import write_report

    bundle = load_bundle(arguments.bundle, require_signature_by=arguments.public_key, runtime=arguments.runtime)
    width = max(len(name) for name, _ in summary(bundle))
    for name, value in summary(bundle):
        print(f"{name.ljust(width)}  {value}")
    if arguments.json is not None:
        figures = {f"{name}_deviation": value for name, value in asdict(bundle.deviations).items()}
        of = {"bundle": bundle.identity, "signed_by": bundle.signed_by, "runtime": bundle.policy.runtime}
        write_report(arguments.json, ok=True, figures=figures, rows=bundle.contract.scores, of=of)
    return 0


def summary(bundle: "Bundle") -> Iterator[Tuple[str, str]]:
    """Yield what a bundle is, as names and values for a person."""
    from surefoot_bridge.core import load_core
    from surefoot_bridge.robots.transports import known_caps, transport_errors

    contract, off = bundle.contract, bundle.deviations
    robot, timing, observation, network = contract.robot, contract.timing, contract.observation, contract.network
    yield "bundle", f"{bundle.folder}, identity {bundle.identity}"
    yield "signature", f"by {bundle.signed_by}" if bundle.signed_by else "not asked for (--public-key KEY)"
    yield "robot", f"{robot.name}, revision {robot.revision}, {len(robot.joint_names)} joints"
    cell = f"{network.recurrent.kind} of {network.recurrent.hidden_dim}" if network.recurrent else "no memory"
    yield (
        "network",
        f"{network.observation_dim} to {network.action_dim} numbers, {cell}, run by {bundle.policy.runtime}",
    )
    yield "core", load_core().note
    terms = ", ".join(f"{term.name} {term.dim}x{term.history}" for term in observation.terms)
    yield "observation", terms
    for name, interval in zip(contract.command.names, contract.command.trained):
        yield name, f"{interval.low:g} to {interval.high:g}"
    yield "timing", f"policy every {timing.control_period_s * 1e3:g} ms, motors at {timing.low_level_hz:g} Hz"
    training = contract.training
    yield "trained", f"{training.task} in {training.engine}, {training.iterations} iterations, commit {training.commit}"
    for score in contract.scores:
        figures = ", ".join(f"{name} {value:.3g}" for name, value in score.figures.items())
        yield "scored", f"{score.engine}, randomization {score.preset}, {score.episodes} episodes: {figures}"
    replayed = f"observation off by {off.observation:.1e}, action by {off.action:.1e}"
    known = known_caps(robot.name) is not None
    yield "hardware", "joints and limits are within the robot's" if known else "nothing is known of this robot's"
    if not known:
        yield from (("transport", error) for error in transport_errors())
    yield "golden trace", f"{replayed}, joint command by {off.joint_command:.1e}"
