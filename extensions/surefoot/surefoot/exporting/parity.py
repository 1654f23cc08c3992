"""How far the exported formats of a policy are from the actor that they were made from."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import torch

from surefoot_bridge.errors import SurefootError
from surefoot_bridge.policy import RUNTIMES, Network, Policy, load_policy
from surefoot_bridge.policy.forms import policy_files
from surefoot_bridge.policy.weights import describe

if TYPE_CHECKING:
    from rsl_rl.models import MLPModel

LIMIT = 1.0e-5
"""Largest difference of an action that is taken for rounding, without recurrent layers."""

RECURRENT_LIMIT = 1.0e-4
"""The same with recurrent layers, in which rounding adds up over an episode."""

Actor = Callable[[torch.Tensor, torch.Tensor], torch.Tensor]
"""The trained policy: observation (batch, observation_dim) and whether an episode begins (batch,) to the mean of the
action (batch, action_dim)."""


@dataclass(frozen=True)
class Parity:
    """How far each format is from the actor.

    Attributes:
        largest: Largest absolute difference of an action, by name of the policy's file.
        limit: What it had to stay within.
        steps: Number of steps.
        batch: Number of robots.
    """

    largest: dict[str, float]
    limit: float
    steps: int
    batch: int


def rsl_rl_actor(model: MLPModel) -> Actor:
    """Return an rsl_rl actor, which takes its observation by groups and keeps its memory to itself, as a function.

    Args:
        model: The actor, on any device. What it remembers is lost.
    """
    from tensordict import TensorDict

    device = next(model.parameters()).device
    first, *others = model.obs_groups

    def act(observation: torch.Tensor, begins: torch.Tensor) -> torch.Tensor:
        # rsl_rl puts its groups one after another: the first may hold everything when the others are empty.
        groups = {first: observation, **dict.fromkeys(others, observation[:, :0])}
        # Without `begins` the model also forgets for how many robots it remembered.
        model.reset(None if bool(begins.all()) else begins.to(device))
        return model(TensorDict(groups, batch_size=[len(observation)]).to(device)).cpu()

    return act


def measure_parity(network: Network, actor: Actor, observations: torch.Tensor, resets: torch.Tensor) -> Parity:
    """Run every exported format through the bridge, and the actor, over the same observations.

    Args:
        network: The actor's network in plain form.
        actor: The actor itself; see :func:`rsl_rl_actor`.
        observations: What the robots see, (steps, batch, observation_dim), float32.
        resets: Whether an episode begins with a step, (steps, batch), bool; all begin with the first, whatever it says.

    Raises:
        SurefootError: If a format is farther off than :data:`LIMIT`, or :data:`RECURRENT_LIMIT` with recurrent layers:
            which, how far, and at which step. Also if the observations do not fit the network, or no episode of a
            recurrent one begins after the first step, so that forgetting would not be measured.
    """
    _check_inputs(network, observations, resets)
    resets = resets.clone()
    resets[0] = True
    with torch.inference_mode():
        expected = torch.stack([actor(*step) for step in zip(observations, resets, strict=True)]).numpy()
    limit = LIMIT if network.cell is None else RECURRENT_LIMIT
    files, largest = policy_files(network), {}
    for runtime, (file, _, _) in RUNTIMES.items():
        policy = load_policy(runtime, files, describe(network), where="the export")
        found = _actions(policy, observations.numpy(), resets.numpy())  # (steps, batch, action_dim)
        differences = np.abs(found - expected)
        largest[file] = float(differences.max())
        _check_difference(file, differences, limit)
    return Parity(largest, limit, *resets.shape)


def _actions(policy: Policy, observations: np.ndarray, resets: np.ndarray) -> np.ndarray:
    """Return a policy's actions, (steps, batch, action_dim)."""
    memory, actions = policy.initial(resets.shape[1:]), []
    for observation, begins in zip(observations, resets, strict=True):
        action, memory = policy(observation, policy.reset(memory, begins))
        actions.append(action)
    return np.stack(actions)


def _check_difference(file: str, differences: np.ndarray, limit: float) -> None:
    """Raise for a difference above the limit, or one that is not a number, (steps, batch, action_dim)."""
    beyond = np.argwhere(~(differences <= limit))
    if len(beyond):
        step, robot, component = beyond[0]
        raise SurefootError(
            f"{file} differs from the trained actor by {differences[step, robot, component]:.3g} at step {step} (robot "
            f"{robot}, action {component}), and by {differences.max():.3g} at most; {limit:g} is allowed. The "
            "configuration may not be the one that the checkpoint was trained with: export from its own run."
        )


def _check_inputs(network: Network, observations: torch.Tensor, resets: torch.Tensor) -> None:
    kinds = (observations.dtype, resets.dtype) == (torch.float32, torch.bool)
    if not kinds or resets.dim() != 2 or observations.shape != (*resets.shape, network.observation_dim):
        raise SurefootError(
            f"The observations are {observations.dtype} of shape {tuple(observations.shape)} and the resets are "
            f"{resets.dtype} of shape {tuple(resets.shape)}; give float32 of (steps, batch, {network.observation_dim}) "
            "and bool of (steps, batch)."
        )
    if not observations.numel() or not bool(observations.isfinite().all()):
        raise SurefootError("The observations are empty or not all finite; parity is measured on finite ones.")
    if network.cell is not None and not bool(resets[1:].any()):
        raise SurefootError(
            f"No episode begins after step 0, so what the {network.cell} forgets would not be measured; let one begin."
        )
