"""What a golden trace must be of, and where it must have been, to say anything of a contract.

It is of the contract's robot, columns and rate, and it was where the contract says that things change: at both ends of
every component of the trained command, and beyond every limit at which an action or a measurement is clipped.
"""

import numpy as np

from surefoot_bridge.contract import Contract
from surefoot_bridge.errors import SurefootError
from surefoot_bridge.policy import Observations

from .golden import Golden

PERIOD_TOLERANCE = 1e-3
"""Largest deviation of the time between two steps from the control period, as a share of it."""

_ENDLESS = ("gyro", "joint_pos", "joint_vel")
"""Sources whose measurement has no limit of its own, so that a clip acts on it somewhere."""


def check_trace(golden: Golden, contract: Contract, observations: Observations, where: str) -> None:
    """Refuse a trace of another robot, rate or network, and one that was not everywhere.

    Args:
        golden: The trace.
        contract: The contract.
        observations: Its observation.
        where: Where the trace came from, for messages.

    Raises:
        SurefootError: Naming what is in the trace, and what must be.
    """
    _check_widths(golden, contract, where)
    _check_columns(golden, contract, where)
    _check_clock(golden, contract, where)
    _check_reach(golden, contract, observations, where)
    if contract.network.recurrent is not None and np.count_nonzero(golden.begins) < 2:
        raise SurefootError(
            f"{where} has one episode only; the policy has a memory, and whether it is reset shows in a second one. "
            "Record a trace with a reset in the middle."
        )


def _check_widths(golden: Golden, contract: Contract, where: str) -> None:
    """Refuse a trace of another robot or network."""
    num_feet = golden.report.foot_force_n.shape[1]
    widths = {
        "joints": (golden.report.joint_pos_rad.shape[1], len(contract.robot.joint_names)),
        "feet": (num_feet, len(contract.robot.foot_names) if num_feet else 0),  # a robot may have no sensors in them
        "components of the command": (golden.command.shape[1], len(contract.command.names)),
        "numbers of the observation": (golden.observation.shape[1], contract.network.observation_dim),
    }
    for what, (found, expected) in widths.items():
        if found != expected:
            raise SurefootError(f"{where} has {found} {what}; the contract has {expected}. Export the policy again.")


def _check_columns(golden: Golden, contract: Contract, where: str) -> None:
    """Refuse a trace whose columns are not those that the contract names: numbers alone do not show whose they are."""
    robot, columns = contract.robot, golden.columns
    expected = {
        "joints": (columns.joints, robot.sdk_joint_names),
        "feet": (columns.feet, robot.foot_names if columns.feet else ()),
        "components of the command": (columns.commands, contract.command.names),
    }
    for what, (found, named) in expected.items():
        if found != named:
            raise SurefootError(
                f"{where} was recorded with the {what} {', '.join(found)}; the contract has {', '.join(named)}. "
                "Export the policy again."
            )


def _check_clock(golden: Golden, contract: Contract, where: str) -> None:
    """Refuse time stamps that do not agree with the control period, and sequence numbers that do not count up."""
    period = contract.timing.control_period_s
    time_s, sequence = golden.report.time_s, golden.report.sequence
    elapsed = np.diff(time_s)
    # Between two episodes any time may pass, but the clock goes on.
    off = np.where(golden.begins[1:], elapsed <= 0.0, np.abs(elapsed - period) > PERIOD_TOLERANCE * period)
    if off.any():
        step = int(off.argmax()) + 1
        raise SurefootError(
            f"{where}, step {step}: time_s is {time_s[step]:.9g}, {elapsed[step - 1]:.9g} s after the step before; the "
            f"contract's control period is {period:g} s. Export the policy again."
        )
    if (np.diff(sequence) <= 0).any():
        step = int((np.diff(sequence) <= 0).argmax()) + 1
        raise SurefootError(
            f"{where}, step {step}: sequence is {sequence[step]} after {sequence[step - 1]}; it must count up."
        )


def _check_reach(golden: Golden, contract: Contract, observations: Observations, where: str) -> None:
    """Refuse a trace that was not at both ends of the command and beyond the clips: it would not show what is there."""
    remedy = "Export the policy again."
    for i, (name, trained) in enumerate(zip(contract.command.names, contract.command.trained)):
        low, high = golden.command[:, i].min(), golden.command[:, i].max()
        little = 1e-6 * max(abs(trained.low), abs(trained.high))  # the command is recorded in single precision
        if not (low <= trained.low + little and high >= trained.high - little):
            raise SurefootError(
                f"{where} was recorded with {name} from {low:.6g} to {high:.6g}; the contract's command goes from "
                f"{trained.low:.6g} to {trained.high:.6g}. {remedy}"
            )
    clip = contract.action.clip_at
    for joint, applied in zip(contract.robot.joint_names, golden.applied_action.T):
        if not (applied.min() < -clip and applied.max() > clip):
            raise SurefootError(
                f"{where} applied actions from {applied.min():.6g} to {applied.max():.6g} to joint {joint}; they must "
                f"go beyond the clip of the contract, {clip:g}, to both sides. {remedy}"
            )
    for term in contract.observation.terms:
        shown = golden.observation[:, observations.term_slices[term.name]]
        if term.source in _ENDLESS and term.clip_at is not None and not np.abs(shown).max() >= term.clip_at * 0.999999:
            raise SurefootError(
                f"{where} shows {term.name} up to {np.abs(shown).max():.6g}; it must reach the clip of the contract, "
                f"{term.clip_at:g}. {remedy}"
            )
