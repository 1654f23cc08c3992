"""What gets harder with success; the velocity command's own curriculum is beside it, in ``commands``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import torch

from surefoot_bridge.errors import SurefootError

if TYPE_CHECKING:
    from surefoot.envs.env import SurefootEnv


def terrain_levels(env: SurefootEnv, env_ids: Sequence[int] | torch.Tensor | slice) -> dict[str, torch.Tensor]:
    """Move environments whose episodes end between levels and phases of the field: :mod:`surefoot.envs.terrain_levels`.

    Args:
        env: The environment, on a field.
        env_ids: Environments that reset, (count,).

    Returns:
        What :meth:`~surefoot.envs.terrain_levels.TerrainLevels.figures` says of all environments, for the log.

    Raises:
        SurefootError: If the environment is on no field.
    """
    levels = env.terrain_levels
    if levels is None:
        raise SurefootError("The curriculum of terrain levels needs a field of ground: set the task's `field`.")
    ends = torch.zeros(env.num_envs, dtype=torch.bool, device=env.device)
    ends[env_ids] = True
    levels.end_episodes(ends, env.robot.data.root_link_pose_w.warp, env.termination_manager.terminated)
    return levels.figures()
