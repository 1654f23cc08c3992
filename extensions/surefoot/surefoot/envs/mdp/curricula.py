"""What gets harder with success; the velocity command's own curriculum is beside it, in ``commands``."""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch

from surefoot.env_mask import EnvIds
from surefoot_bridge.errors import SurefootError

if TYPE_CHECKING:
    from surefoot.envs.env import SurefootEnv


def terrain_levels(env: SurefootEnv, env_ids: EnvIds) -> dict[str, torch.Tensor]:
    """Move environments whose episodes end between levels and phases of the field: :mod:`surefoot.envs.terrain_levels`.

    Args:
        env: The environment, on a field.
        env_ids: Environments that reset.

    Returns:
        What :meth:`~surefoot.envs.terrain_levels.TerrainLevels.figures` says of all environments, for the log.

    Raises:
        SurefootError: If the environment is on no field.
    """
    levels = env.terrain_levels
    if levels is None:
        raise SurefootError("The curriculum of terrain levels needs a field of ground: set the task's `field`.")
    fell = env.termination_manager.terminated
    levels.end_episodes(env_ids, env.robot.data.root_link_pose_w.warp, fell)
    return levels.figures()


terrain_levels.takes_mask = True  # pyright: ignore[reportFunctionMemberAccess]
