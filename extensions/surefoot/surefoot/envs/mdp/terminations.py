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


def left_field(env: SurefootEnv) -> torch.Tensor:
    """The base is no longer above the tiles of the field, (num_envs,)."""
    assert env.field is not None
    low_x, high_x, low_y, high_y = env.field.bounds_w
    x, y = env.robot.data.root_link_pos_w.torch[:, :2].unbind(dim=1)
    return (x < low_x) | (x > high_x) | (y < low_y) | (y > high_y)


def tilt(env: SurefootEnv, limit_rad: float) -> torch.Tensor:
    """The base's z axis is further from the vertical than the limit, (num_envs,)."""
    return env.locomotion.projected_gravity_b[:, 2] > -math.cos(limit_rad)
