"""Configuration of the velocity command."""

from __future__ import annotations

from isaaclab.envs.mdp import UniformVelocityCommandCfg
from isaaclab.utils import configclass


@configclass
class VelocityCommandCfg(UniformVelocityCommandCfg):
    """Parameters of :class:`~surefoot.envs.mdp.commands.VelocityCommand`."""

    class_type: type | str = "surefoot.envs.mdp.commands:VelocityCommand"

    initial_range_share: float = 1.0
    """Share of the full range that training begins with, in [0, 1]."""

    slow_share: float = 0.0
    """Share of commands that are scaled down, in [0, 1]: few of those drawn from a box are slow in all components."""

    single_share: float = 0.0
    """Share of commands of which one component is kept, in [0, 1]: people seldom ask for more at once."""
