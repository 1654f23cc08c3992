"""What happens to robots at resets."""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch

if TYPE_CHECKING:
    from surefoot.envs.env import SurefootEnv


def reset_to_initial_state(env: SurefootEnv, env_ids: torch.Tensor) -> None:
    """Put base and joints into the state that the table of randomized parameters holds for the new episode.

    Args:
        env: The environment, whose table has been drawn for these episodes.
        env_ids: Environments that reset, (count,).
    """
    env.randomization.initial_state.write(env_ids.to(torch.int32), env.spawn_origins_w)


def reset_to_fallen_pose(env: SurefootEnv, env_ids: torch.Tensor) -> None:
    """Lay robots down, at rest, in poses in which they came to rest after a drop; while they are dropped, lift them.

    Args:
        env: The environment, whose table has been drawn for these episodes.
        env_ids: Environments that reset, (count,).
    """
    if env.fallen_poses is None:
        reset_to_initial_state(env, env_ids)
    else:
        env.fallen_poses.write(env_ids.to(torch.int32), env.randomization.table.episode, env.spawn_origins_w)
