"""Configuration of the falls that episodes begin with."""

from __future__ import annotations

from isaaclab.utils import configclass


@configclass
class FallCfg:
    """How robots are dropped before the first episode; see :mod:`surefoot.envs.fallen_poses`."""

    drops: int = 4
    """How often all robots are dropped: episodes begin in so many poses for each environment."""

    settle_s: float = 2.0
    """Time in which a dropped robot comes to rest [s]: it falls for less than half a second, and slides and rolls."""
