"""What ends an episode."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import torch

from surefoot.envs.kernels import CONTACT_FORCE_N

if TYPE_CHECKING:
    from surefoot.envs.env import SurefootEnv


def time_out(env: SurefootEnv) -> torch.Tensor:
    """The episode has its full length, (num_envs,)."""
    return torch.ge(env.episode_length_buf, env.max_episode_length)


def fall_contact(env: SurefootEnv) -> torch.Tensor:
    """A body that must not touch the ground does, (num_envs,)."""
    return env.locomotion.fall_force_n > CONTACT_FORCE_N


def tilt(env: SurefootEnv, limit_rad: float) -> torch.Tensor:
    """The base's z axis is further from the vertical than the limit, (num_envs,)."""
    return env.locomotion.projected_gravity_b[:, 2] > -math.cos(limit_rad)
