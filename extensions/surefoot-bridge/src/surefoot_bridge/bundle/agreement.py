"""Holds what runs a policy against NumPy, over all that the policy can be asked to do and beyond.

The golden trace says what the network does where it was recorded. A runtime that is to walk the robot must do what the
plain weights say elsewhere too: under commands from the whole trained range, and for observations that nobody recorded.
"""

import itertools
from typing import Sequence

import numpy as np

from surefoot_bridge.contract import Contract, Interval
from surefoot_bridge.errors import SurefootError
from surefoot_bridge.policy import Network, NumpyPolicy, Observations, Policy
from surefoot_bridge.state import each

from .golden import Golden
from .golden_replay import RECURRENT_TOLERANCE, TOLERANCE

ROWS = 1024
"""Observations under commands of the trained range; as many random ones come besides."""

MEMORY_STEPS = 8
"""Steps that a policy with a memory takes on them."""

_SEED = 1
_MOST_CORNERS = 64


def spread_commands(trained: Sequence[Interval], count: int) -> np.ndarray:
    """Return commands that fill a range: its corners, and then a Latin hypercube with both ends of each component.

    Args:
        trained: Range of each component.
        count: Number of commands; in the hypercube each component has as many values, evenly spaced.

    Returns:
        The commands, (count, num_commands): the same for the same arguments.
    """
    generator = np.random.default_rng(_SEED)
    low = np.array([item.low for item in trained])
    width = np.array([item.high for item in trained]) - low
    corners = list(itertools.islice(itertools.product((0.0, 1.0), repeat=len(trained)), min(_MOST_CORNERS, count // 2)))
    rest = count - len(corners)
    shares = np.stack([generator.permutation(rest) / max(rest - 1, 1) for _ in trained], axis=-1)
    return low + width * np.concatenate([corners, shares])


def check_agreement(
    policy: Policy, network: Network, contract: Contract, observations: Observations, golden: Golden, *, where: str
) -> float:
    """Refuse a runtime whose actions are not those of the plain weights.

    Args:
        policy: What is to run on the robot.
        network: The plain weights.
        contract: The contract.
        observations: Its observation.
        golden: The golden trace, of whose reports observations under other commands are made.
        where: The bundle, for messages.

    Returns:
        Largest difference of an action, absolute up to a value of 1 and relative above.

    Raises:
        SurefootError: If they differ by more than rounding.
    """
    reference = NumpyPolicy(network)
    seen = _seen(network, contract, observations, golden)
    memories = [item.initial((len(seen),)) for item in (policy, reference)]
    largest = 0.0
    tolerance = TOLERANCE if policy.recurrent is None else RECURRENT_TOLERANCE
    for _ in range(1 if policy.recurrent is None else MEMORY_STEPS):
        found, memories[0] = policy(seen, memories[0])
        expected, memories[1] = reference(seen, memories[1])
        off = np.abs(found.astype(np.float64) - expected) / np.maximum(1.0, np.abs(expected))
        beyond = np.argwhere(~(off <= tolerance))  # so that NaN is beyond
        if len(beyond):
            row, joint = beyond[0]
            raise SurefootError(
                f"{where}: {policy.runtime} and the plain weights give joint {contract.robot.joint_names[joint]} the "
                f"actions {found[row, joint]:.8g} and {expected[row, joint]:.8g} for an observation "
                f"{'under a command of the trained range' if row < ROWS else 'at random'} (tolerance {tolerance:g}). "
                f"Take another runtime, or install another version of {policy.runtime}'s package."
            )
        largest = max(largest, float(off.max()))
        seen = np.roll(seen, 1, axis=0)
    return largest


def _seen(network: Network, contract: Contract, observations: Observations, golden: Golden) -> np.ndarray:
    """Return recorded observations under other commands and random ones, (2 ROWS, observation_dim), float32."""
    generator = np.random.default_rng(_SEED)
    steps = generator.integers(golden.num_steps, size=ROWS)
    report = each(golden.report, lambda array: array[steps])
    command = spread_commands(contract.command.trained, ROWS)
    shown, _ = observations(observations.initial((ROWS,)), report, command, golden.action[steps])
    recorded = golden.observation[steps].copy()
    for term in contract.observation.terms:
        if term.source == "command":
            place = observations.term_slices[term.name]
            recorded[:, place] = shown[:, place]
    # As spread as the normaliser has seen them in training.
    noise = generator.standard_normal(recorded.shape, dtype=np.float32)
    return np.concatenate([recorded, network.mean + network.std * noise])
