"""Configuration of the joint position target action."""

# Isaac Lab marks required fields with dataclasses.MISSING.
# pyright: reportAssignmentType=false

from __future__ import annotations

from dataclasses import MISSING

from isaaclab.managers import ActionTermCfg
from isaaclab.utils import configclass


@configclass
class JointTargetActionCfg(ActionTermCfg):
    """Parameters of :class:`~surefoot.actuators.action.JointTargetAction`."""

    class_type: type | str = "surefoot.actuators.action:JointTargetAction"

    scale: dict[str, float] = MISSING
    """Target offset per unit of action [rad], by joint name, in the policy's joint order."""

    clip_actions: float = 10.0
    """Largest absolute action; far beyond what a trained policy asks, it bounds what a fault can ask."""
