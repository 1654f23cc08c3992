"""The checklist: what is about to move, with which limits, and what people confirm before the first torque."""

import sys
from dataclasses import dataclass
from typing import Iterator, List, Optional, Sequence, TextIO, Tuple

import numpy as np

from surefoot_bridge.bundle import Bundle
from surefoot_bridge.contract import Contract
from surefoot_bridge.core import load_core
from surefoot_bridge.errors import SurefootError
from surefoot_bridge.robots import Reading
from surefoot_bridge.safety import StageLimits
from surefoot_bridge.stages import Stage
from surefoot_bridge.words import READY

from .shutdown import describe_end, end_confirmations

_MOST_FIGURES = 5  # of a score, that a person reads; `surefoot-bridge check` shows all


@dataclass(frozen=True)
class Checklist:
    """What is shown and confirmed.

    Attributes:
        title: What is about to happen.
        facts: What was found: name and value.
        confirmations: What people must have seen to.
        on_hardware: Whether a real robot will be moved.
    """

    title: str
    facts: Tuple[Tuple[str, str], ...]
    confirmations: Tuple[str, ...]
    on_hardware: bool


def checklist(
    bundle: Bundle,
    stage: Stage,
    *,
    robot: str,
    on_hardware: bool,
    opened_by: Optional[str] = None,
    reading: Optional[Reading] = None,
    log: Optional[str] = None,
    guardian: bool = False,
    more: Sequence[str] = (),
    notes: Sequence[str] = (),
) -> Checklist:
    """Return the checklist of a run.

    Args:
        bundle: The bundle.
        stage: The stage.
        robot: The robot and where it is, as a person reads it.
        on_hardware: Whether it is a real one.
        opened_by: Log that has opened the stage; None for the first stage, or without a real robot.
        reading: A report of the robot.
        log: Where the log goes; None without one.
        guardian: Whether a guardian damps the robot when the bridge fails.
        more: Further confirmations, those of the robot's network for example.
        notes: What must be known of the robot, one sentence each.
    """
    limits = stage.limits(bundle.contract)
    passive = f"Before the motors go limp it is seen to that {bundle.contract.handling.passive_needs}."
    confirmations = (*more, *stage.confirmations, *end_confirmations(bundle.contract), passive) if on_hardware else ()
    return Checklist(
        title=f"Stage {stage.name}: {robot}" + ("" if on_hardware else " (a rehearsal: no real robot moves)"),
        facts=(
            *_bundle_facts(bundle),
            *_limit_facts(bundle.contract, stage, limits),
            ("opened by", opened_by or ("the first stage is always open" if stage.previous is None else "not needed")),
            *_robot_facts(bundle.contract, reading, limits),
            *(("note", note) for note in notes),
            ("guardian", "watches the bridge" if guardian else "none"),
            ("log", log or "none"),
        ),
        confirmations=confirmations,
        on_hardware=on_hardware,
    )


def describe(listed: Checklist) -> str:
    """Return a checklist as plain text."""
    width = max(len(name) for name, _ in listed.facts)
    lines = [listed.title, ""]
    lines += [f"  {name.ljust(width)}  {value}" for name, value in listed.facts]
    if listed.confirmations:
        lines += ["", "Confirm:", *(f"  [ ] {text}" for text in listed.confirmations)]
    return "\n".join(lines) + "\n"


def acknowledge(
    listed: Checklist,
    *,
    word: Optional[str] = None,
    source: Optional[TextIO] = None,
    output: Optional[TextIO] = None,
) -> None:
    """Show a checklist and have it acknowledged, before the first torque.

    Args:
        listed: The checklist.
        word: The acknowledgement, where it was given beforehand. For a real robot none can be: nobody has seen the
            list yet, nor the robot as it is now.
        source: Where a person types; the standard input by default.
        output: Where it is shown; the standard output by default.

    Raises:
        SurefootError: If it was not acknowledged, or nobody could be asked.
    """
    source, output = source or sys.stdin, output or sys.stdout
    print(describe(listed), file=output, flush=True)
    if word is not None and listed.on_hardware:
        raise SurefootError(
            "The checklist of a real robot is acknowledged by the person who stands beside it, not by --acknowledge. "
            "Leave the option out and run this in a terminal."
        )
    if word is None:
        if source is None or not source.isatty():
            remedy = "Run this in a terminal (ssh -t)" + (
                "." if listed.on_hardware else f", or give --acknowledge {READY}."
            )
            raise SurefootError(f"Nobody can acknowledge the checklist: the standard input is no terminal. {remedy}")
        print(f"Type {READY!r} and Enter if all of this holds: ", end="", file=output, flush=True)
        word = source.readline()
    if word.strip().lower() != READY:
        raise SurefootError(
            f"The checklist was not acknowledged: {word.strip()!r} is not {READY!r}. Nothing was moved."
        )


def misplaced_joints(contract: Contract, reading: Reading, margin_rad: float) -> Tuple[str, ...]:
    """Return what is wrong with where the joints are, one sentence each, joints in the order of the robot's interface.

    Joints in another order than the contract's are often found by this: many cannot be where another one is. It does
    not find joints that change places with their mirror images.

    Args:
        contract: The contract.
        reading: A report.
        margin_rad: How far beyond its range a joint may be measured [rad].
    """
    return tuple(_misplaced(contract, reading, margin_rad))


def _misplaced(contract: Contract, reading: Reading, margin_rad: float) -> Iterator[str]:
    positions = reading.state.joint_pos_rad.tolist()
    for place, name, position in zip(contract.sdk_order, contract.robot.sdk_joint_names, positions):
        limit = contract.safety.joint_pos_limit_rad[place]
        if not limit.low - margin_rad <= position <= limit.high + margin_rad:
            yield f"{name} is at {position:.3f} rad; its range is {limit.low:.3f} to {limit.high:.3f}."


def _bundle_facts(bundle: Bundle) -> Iterator[Tuple[str, str]]:
    training, deviations = bundle.contract.training, bundle.deviations
    signed = f"signed by {bundle.signed_by}" if bundle.signed_by else "no signature was asked for"
    yield "bundle", f"{bundle.folder}, identity {bundle.identity}; {signed}"
    yield "robot", f"{bundle.contract.robot.name}, revision {bundle.contract.robot.revision}"
    yield "runtime", f"{bundle.policy.runtime}; core: {load_core().note}"
    largest = max(deviations.observation, deviations.action, deviations.joint_command)
    yield "golden trace", f"replayed, off by {largest:.1e} at most"
    dirty = " with changes" if training.commit.endswith("-dirty") else ""
    yield "trained", f"{training.task} in {training.engine}, {training.iterations} iterations, seed {training.seed}"
    yield "", f"randomization {training.preset}, commit {training.commit[:12]}{dirty}"
    if not bundle.contract.scores:
        yield "scored", "never measured"
    for score in bundle.contract.scores:
        figures = ", ".join(f"{name} {value:.3g}" for name, value in list(score.figures.items())[:_MOST_FIGURES])
        yield "scored", f"{score.engine}, randomization {score.preset}, {score.episodes} episodes: {figures}"


def _limit_facts(contract: Contract, stage: Stage, limits: StageLimits) -> Iterator[Tuple[str, str]]:
    for name, asked in zip(contract.command.names, stage.command_ranges(contract)):
        yield name, f"{asked.low:g} to {asked.high:g}"
    yield "torque", f"at most {limits.torque_share:.0%} of each joint's limit"
    hot = contract.safety.motor_temperature_limit_c
    yield "motors", f"walking ends at {hot - limits.temperature_margin_c:g}, damped at {hot:g} degrees Celsius"
    yield "duration", f"at most {stage.duration_s:g} s, {describe_end(contract)}"


def _robot_facts(contract: Contract, reading: Optional[Reading], limits: StageLimits) -> List[Tuple[str, str]]:
    if reading is None:
        return [("joints", "no report yet")]
    state = reading.state
    wrong = misplaced_joints(contract, reading, StageLimits((0.0,)).position_margin_rad)
    names, share = contract.robot.sdk_joint_names, float(state.battery_share)
    low = f"; it does not walk from {limits.lowest_battery_share:.0%} down: charge it first"
    return [
        ("battery", f"{share:.0%}{'' if share > limits.lowest_battery_share else low}"),
        ("warmest motor", f"{float(np.max(state.motor_temperature_c)):.0f} degrees Celsius"),
        ("joint order", f"{len(names)} joints by name, {names[0]} first"),
        ("joints", " ".join(wrong) or "each is within its range"),
    ]
