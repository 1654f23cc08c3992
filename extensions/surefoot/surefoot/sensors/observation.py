"""The sensors as one observation term of Isaac Lab."""

from __future__ import annotations

from typing import Protocol

import torch
from isaaclab.managers import ManagerTermBase

from .proprioception import Proprioception


class HasProprioception(Protocol):
    """An environment with sensors."""

    proprioception: Proprioception


class FusedProprioception(ManagerTermBase):
    """What the controller sees of the robot, noised and stacked, as the only term of its group.

    It returns what :meth:`~surefoot.sensors.proprioception.Proprioception.advance` made and changes nothing. Isaac Lab
    gives a term with a keyword-only ``out`` a new tensor each time, which it hands on as the group's observation when
    the group has no other term: nothing is copied, and no tensor is written again after it was handed over.
    """

    def __call__(self, env: HasProprioception, *, out: torch.Tensor | None = None) -> torch.Tensor:
        """Write the observation, (num_envs, dim)."""
        return env.proprioception.observe(out=out)
