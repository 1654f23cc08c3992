"""What ends an episode: the functions of :mod:`surefoot.envs.fused.terminations` as terms of a task.

A term of one's own may be any function of the environment that returns (num_envs,), bool, in torch.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch

from surefoot.envs.fused import terminations
from surefoot.envs.fused.term import make_term
from surefoot.envs.fused.terminations import TerminationTerm

if TYPE_CHECKING:
    from surefoot.envs.env import SurefootEnv

time_out = make_term(TerminationTerm, terminations.time_out, __name__)
fall_contact = make_term(TerminationTerm, terminations.fall_contact, __name__)
tilt = make_term(TerminationTerm, terminations.tilt, __name__)
not_finite = make_term(TerminationTerm, terminations.not_finite, __name__)


def left_field(env: SurefootEnv) -> torch.Tensor:
    """The base is no longer above the tiles of the field, (num_envs,)."""
    assert env.field is not None
    low_x, high_x, low_y, high_y = env.field.bounds_w
    x, y = env.robot.data.root_link_pos_w.torch[:, :2].unbind(dim=1)
    return (x < low_x) | (x > high_x) | (y < low_y) | (y > high_y)
