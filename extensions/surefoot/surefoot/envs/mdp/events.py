"""What happens to robots at resets."""

from __future__ import annotations

from typing import TYPE_CHECKING

from surefoot.env_mask import EnvIds

if TYPE_CHECKING:
    from surefoot.envs.env import SurefootEnv


def reset_to_initial_state(env: SurefootEnv, env_ids: EnvIds) -> None:
    """Put base and joints into the state that the table of randomized parameters holds for the new episode.

    Args:
        env: The environment, whose table has been drawn for these episodes.
        env_ids: Environments that reset.
    """
    env.randomization.initial_state.write(env_ids, env.spawn_origins_w)


reset_to_initial_state.takes_mask = True  # pyright: ignore[reportFunctionMemberAccess]


def reset_to_fallen_pose(env: SurefootEnv, env_ids: EnvIds) -> None:
    """Lay robots down, at rest, in poses in which they came to rest after a drop; while they are dropped, lift them.

    Args:
        env: The environment, whose table has been drawn for these episodes.
        env_ids: Environments that reset.
    """
    if env.fallen_poses is None:
        reset_to_initial_state(env, env_ids)
    else:
        table = env.randomization.table
        env.fallen_poses.write(table.mask_of(env_ids), table.episode, env.spawn_origins_w)


reset_to_fallen_pose.takes_mask = True  # pyright: ignore[reportFunctionMemberAccess]
