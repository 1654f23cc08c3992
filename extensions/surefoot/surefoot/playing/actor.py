"""The policy network of a checkpoint, without the rest of the learning algorithm."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from surefoot.learning.checkpoint import read_checkpoint
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
    weights = read_checkpoint(checkpoint, device)["actor_state_dict"]
    try:
        actor.load_state_dict(weights)
    except RuntimeError as error:
        difference = str(error).splitlines()[-1].strip().removesuffix(".")
        raise SurefootError(
            f"The checkpoint {str(checkpoint)!r} holds another network than its task builds: {difference}. "
            "Play it with the version and overrides of Surefoot that trained it (see its run.json), or train anew."
        ) from error
    return actor.eval()
