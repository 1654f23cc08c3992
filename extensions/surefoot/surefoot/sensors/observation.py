"""The sensors as one observation term of Isaac Lab."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol, cast

import torch
import warp as wp
from isaaclab.managers import ManagerTermBase

from .proprioception import Proprioception, TrueReadings

if TYPE_CHECKING:
    from surefoot.envs.env import SurefootEnv


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


def bind_readings(env: SurefootEnv) -> TrueReadings:
    """Find the arrays that hold the true state of a legged robot.

    Call it when the managers of actions and commands exist, which are made before that of observations.
    """
    robot, locomotion = env.robot, env.locomotion

    def refresh() -> None:
        # Each is read from the engine when it is asked for; events may have written it since the last step.
        _ = locomotion.base_ang_vel_b, robot.data.joint_pos, robot.data.joint_vel

    return TrueReadings(
        base_ang_vel_b=wp.from_torch(locomotion.base_ang_vel_b, dtype=wp.vec3f),
        projected_gravity_b=wp.from_torch(locomotion.projected_gravity_b, dtype=wp.vec3f),
        joint_pos=robot.data.joint_pos.warp,
        joint_vel=robot.data.joint_vel.warp,
        last_action=wp.from_torch(env.joint_target.raw_actions),
        command=wp.from_torch(cast("torch.Tensor", env.command)),
        foot_contact=wp.from_torch(locomotion.foot_contact),
        refresh=refresh,
    )
