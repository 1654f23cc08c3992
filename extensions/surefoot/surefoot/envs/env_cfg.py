"""Configuration class of :class:`~surefoot.envs.env.SurefootEnv`."""

# Isaac Lab marks required fields with dataclasses.MISSING.
# pyright: reportAssignmentType=false

from __future__ import annotations

import dataclasses
from dataclasses import MISSING

from isaaclab.envs import ManagerBasedRLEnvCfg
from isaaclab.utils import configclass

from surefoot.randomization.parameter import Range
from surefoot.randomization.randomization_cfg import RandomizationCfg
from surefoot.sensors.layout import ProprioceptionTerm
from surefoot.terrains.field_cfg import FieldCfg

from .fall_cfg import FallCfg


@configclass
class SurefootEnvCfg(ManagerBasedRLEnvCfg):
    """A manager-based environment that knows which robot it holds."""

    class_type: type | str = "surefoot.envs.env:SurefootEnv"

    robot_name: str = MISSING
    """Name of the robot in :mod:`surefoot_robots`."""

    mirror_kinds: dict[str, str] = MISSING
    """How each observation term changes when left and right are exchanged, by the term's name; the kinds are those of
    :data:`surefoot.symmetry.MirrorKind`."""

    randomization: RandomizationCfg = RandomizationCfg()
    """What differs from environment to environment."""

    initial_state: dict[str, Range] = dataclasses.field(default_factory=dict)
    """Ranges of :data:`surefoot.randomization.initial_state.INITIAL_STATE`; the task's own, whatever the preset."""

    capture_step: bool = True
    """Whether a control step in Newton is launched as one graph; see :mod:`surefoot.envs.captured_step`."""

    field: FieldCfg | None = None
    """Ground of many kinds and levels that takes the place of the scene's ``ground``; None leaves that as it is."""

    fall: FallCfg | None = None
    """Falls, in whose poses episodes begin; None where they begin in what ``initial_state`` says. Robots are dropped
    from there."""

    asks_for_motion: bool = True
    """Whether a robot is asked to move where the task has no velocity command: what its gait terms go by."""

    proprioception: tuple[ProprioceptionTerm, ...] = ()
    """Terms of :class:`~surefoot.sensors.observation.FusedProprioception`, in order; none without such a term."""
