"""Replays a golden trace: what is about to run on the robot must do what was recorded in training, step by step.

Each function is fed with what was recorded before it, so that the first one that deviates is the one that is named: the
observation gets the recorded reports and applied actions, the policy the recorded observations, the targets the
recorded applied actions. Only the memories are their own.
"""

from dataclasses import dataclass, fields
from typing import Callable, Dict, List, NamedTuple

import numpy as np

from surefoot_bridge.contract import Contract
from surefoot_bridge.errors import SurefootError
from surefoot_bridge.policy import Observations, Policy, Targets
from surefoot_bridge.state import JointCommand, each, stack

from .golden import Golden
from .golden_rules import check_trace

TOLERANCE = 1e-5
"""Largest deviation, absolute up to a value of 1 and relative above."""

RECURRENT_TOLERANCE = 1e-4
"""The same for the actions of a recurrent policy, whose rounding errors add up over an episode."""


@dataclass(frozen=True)
class Deviations:
    """Largest deviations that a replay met."""

    observation: float
    action: float
    joint_command: float


class _Comparison(NamedTuple):
    """What was recorded and what was found, (num_steps, dim) each."""

    expected: np.ndarray
    found: np.ndarray
    tolerance: float
    name: Callable[[int], str]  # of a component


def replay(
    golden: Golden,
    contract: Contract,
    policy: Policy,
    observations: Observations,
    targets: Targets,
    *,
    where: str = "golden.npz",
) -> Deviations:
    """Run observation, policy and targets over a trace and refuse the first step at which they deviate.

    Args:
        golden: The trace.
        contract: The contract.
        policy: What is to run on the robot.
        observations: Its observation.
        targets: What makes commands of its actions.
        where: Where the trace came from, for messages.

    Returns:
        How far they were from the trace at most.

    Raises:
        SurefootError: If they deviate, or the trace is of another robot or rate, or was not everywhere. It names the
            step, the term or joint, what was expected and found, and how far they are from each other.
    """
    check_trace(golden, contract, observations, where)
    comparisons = _run(golden, contract, policy, observations, targets)
    _refuse_first(comparisons, where)
    largest = {name: float(np.abs(item.found - item.expected).max(initial=0.0)) for name, item in comparisons.items()}
    return Deviations(
        observation=largest.pop("observation"), action=largest.pop("action"), joint_command=max(largest.values())
    )


def _run(
    golden: Golden, contract: Contract, policy: Policy, observations: Observations, targets: Targets
) -> Dict[str, _Comparison]:
    observer, memory, target = observations.initial(()), policy.initial(()), targets.initial(())
    observed: List[np.ndarray] = []
    acted: List[np.ndarray] = []
    told: List[JointCommand] = []
    begin = np.array(True)
    for step in range(golden.num_steps):
        if golden.begins[step]:
            observer, memory = observations.reset(observer, begin), policy.reset(memory, begin)
            target = targets.reset(target, begin)
        report = each(golden.report, lambda array, step=step: array[step])
        last_action = golden.applied_action[step - 1]  # of no episode at step 0; where one begins it is not read
        observation, observer = observations(observer, report, golden.command[step], last_action)
        action, memory = policy(golden.observation[step], memory)
        command, target = targets(target, golden.applied_action[step])
        observed.append(observation)
        acted.append(action)
        told.append(command)
    commands = stack(tuple(told))
    joints, sdk_joints = contract.robot.joint_names, contract.robot.sdk_joint_names
    comparisons = {
        "observation": _Comparison(
            golden.observation,
            np.stack(observed),
            TOLERANCE,
            lambda i: f"observation term {_component(contract, observations, i)}",
        ),
        "action": _Comparison(
            golden.action,
            np.stack(acted),
            TOLERANCE if policy.recurrent is None else RECURRENT_TOLERANCE,
            lambda i: f"action of joint {joints[i]} by {policy.runtime}",
        ),
    }
    for item in fields(JointCommand):
        comparisons[item.name] = _Comparison(
            getattr(golden.joint_command, item.name),
            getattr(commands, item.name),
            TOLERANCE,
            lambda i, name=item.name: f"{name} that joint {sdk_joints[i]} is told",
        )
    return comparisons


def _refuse_first(comparisons: Dict[str, _Comparison], where: str) -> None:
    """Refuse the earliest step with a deviation beyond its tolerance; in one step, the first that was compared."""
    earliest = None
    for item in comparisons.values():
        off = np.abs(item.found.astype(np.float64) - item.expected)
        bad = ~(off <= item.tolerance * np.maximum(1.0, np.abs(item.expected)))  # so that NaN is bad
        if bad.any():
            step, i = (int(index) for index in np.argwhere(bad)[0])
            if earliest is None or step < earliest[0]:
                earliest = (step, i, off[step, i], item)
    if earliest is None:
        return
    step, i, off, item = earliest
    raise SurefootError(
        f"{where}, step {step}, {item.name(i)}: expected {item.expected[step, i]:.8g}, "
        f"found {item.found[step, i]:.8g}, which is {off:.3g} off (tolerance {item.tolerance:g}, relative above 1). "
        "What is here is not what the trace was recorded with: export the policy again, or install the surefoot-bridge "
        "that it was exported for."
    )


def _component(contract: Contract, observations: Observations, index: int) -> str:
    """Name a component of the observation: its term, what it belongs to, and how old it is."""
    term = next(item for item in contract.observation.terms if index < observations.term_slices[item.name].stop)
    row, column = divmod(index - observations.term_slices[term.name].start, term.dim)
    components = {
        "imu": ("x", "y", "z"),
        "joints": contract.robot.joint_names,
        "policy": contract.robot.joint_names,
        "feet": contract.robot.foot_names,
        "base": contract.command.names,
    }
    age = term.history - 1 - row
    ago = f", {age} step{'s' if age > 1 else ''} ago" if age else ""
    return f"{term.name} ({components[term.frame][column]}{ago})"
