"""Mirrored experience: each transition that was simulated gives a second one for free, seen in a mirror.

It also keeps the policy from preferring a side. :func:`mirror_augmentation` is what rsl_rl's
``symmetry_cfg.data_augmentation_func`` names; what a mirror does to observations is in :mod:`surefoot.symmetry`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import torch
from tensordict import TensorDict
from torch import Tensor

from surefoot.symmetry import ACTION, MirrorMap
from surefoot_bridge.errors import SurefootError, unknown_name


@torch.no_grad()
def mirror_augmentation(
    env: Any, obs: TensorDict | None = None, actions: Tensor | None = None
) -> tuple[TensorDict | None, Tensor | None]:
    """Append to a batch of observations and actions their reflections, as rsl_rl's symmetry extension asks for.

    Args:
        env: Environment whose ``unwrapped.mirror_maps`` holds a :class:`MirrorMap` on the training device for each
            observation group, and one for :data:`ACTION`.
        obs: Observations by group, each (batch, dim), or None.
        actions: Actions, (batch, num_actions), or None.

    Returns:
        Observations and actions of twice the batch, originals first; None for what was None.

    Raises:
        SurefootError: If there is no map for a group, or a map is made for another dimension.
    """
    maps: Mapping[str, MirrorMap] = env.unwrapped.mirror_maps
    mirrored_obs = None
    if obs is not None:
        groups = {name: _map_for(maps, name, obs[name]).augment(obs[name]) for name in map(str, obs.keys())}
        mirrored_obs = TensorDict(groups, batch_size=[2 * obs.batch_size[0]], device=obs.device)
    mirrored_actions = None if actions is None else _map_for(maps, ACTION, actions).augment(actions)
    return mirrored_obs, mirrored_actions


def _map_for(maps: Mapping[str, MirrorMap], name: str, vectors: Tensor) -> MirrorMap:
    if name not in maps:
        raise unknown_name("mirrored observation group", name, maps, "Declare how each of its terms is mirrored.")
    if vectors.shape[1:] != (maps[name].dim,):
        raise SurefootError(
            f"Group {name!r} has shape {tuple(vectors.shape)}, but its mirror map is for vectors of {maps[name].dim}; "
            "declare the terms that the group has."
        )
    return maps[name]
