"""The policy network of a checkpoint, without the rest of the learning algorithm."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import torch

from surefoot_bridge.errors import SurefootError

if TYPE_CHECKING:
    from rsl_rl.models import MLPModel
    from tensordict import TensorDict


def load_actor(
    checkpoint: Path, agent_cfg: dict[str, Any], observations: TensorDict, num_actions: int, device: str
) -> MLPModel:
    """Build the actor that an rsl_rl configuration describes and give it a checkpoint's weights and normaliser.

    Args:
        checkpoint: A file saved while training, with the actor's ``state_dict`` under ``actor_state_dict``.
        agent_cfg: The rsl_rl runner's configuration as a mapping.
        observations: Observations of the environment by group, for their sizes.
        num_actions: Number of actions.
        device: Where the actor runs.

    Returns:
        The actor in evaluation mode; called with observations it gives the mean of its actions.

    Raises:
        SurefootError: If the file is no checkpoint, or holds another network than the configuration's.
    """
    from rsl_rl.utils import resolve_class, resolve_obs_groups

    actor_class, actor_cfg = resolve_class(agent_cfg["actor"])
    groups = resolve_obs_groups(observations, agent_cfg["obs_groups"], ["actor"])
    actor = actor_class(observations, groups, "actor", num_actions, **actor_cfg).to(device)
    weights = _read_weights(checkpoint, device)
    try:
        actor.load_state_dict(weights)
    except RuntimeError as error:
        raise SurefootError(
            f"The checkpoint {str(checkpoint)!r} holds another network than its task builds: {error} "
            "Play it with the version and overrides of Surefoot that trained it (see its run.json), or train anew."
        ) from error
    return actor.eval()


def _read_weights(checkpoint: Path, device: str) -> dict[str, torch.Tensor]:
    try:
        content = torch.load(checkpoint, weights_only=True, map_location=device)
    except Exception as error:  # torch raises a dozen kinds for a file that is cut short or is something else
        raise SurefootError(
            f"The checkpoint {str(checkpoint)!r} cannot be read: {str(error).splitlines()[0]} "
            "Take an earlier one of the same run."
        ) from error
    if not isinstance(content, dict) or "actor_state_dict" not in content:
        raise SurefootError(
            f"{str(checkpoint)!r} is no training checkpoint: it has no actor_state_dict. "
            "Name a file model_*.pt in a run's checkpoints folder."
        )
    return content["actor_state_dict"]
