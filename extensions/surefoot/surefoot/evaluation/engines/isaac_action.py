"""Joint commands as the robot's own interface takes them, in place of a policy's action."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from surefoot.actuators.action import JointTargetAction

if TYPE_CHECKING:
    import torch
    from isaaclab.envs import ManagerBasedEnv

    from surefoot.actuators.action_cfg import JointTargetActionCfg
    from surefoot.envs.env import SurefootEnv

PARTS = ("position", "velocity", "stiffness", "damping", "torque")
"""What each joint is told, in the order in which the parts of an action follow one another."""


class JointCommandAction(JointTargetAction):
    """Position, velocity, gains and feed-forward torque of every joint, pushed to the actuator model as they are.

    An action holds all joints of each of :data:`PARTS` one after the other, in the policy's joint order. The gains are
    written into the environment's table of parameters, where the actuator model reads them. :attr:`raw_actions` stays
    what others write into it: the environment knows of no policy.
    """

    def __init__(self, cfg: JointTargetActionCfg, env: ManagerBasedEnv) -> None:
        super().__init__(cfg, env)
        table = cast("SurefootEnv", env).randomization.table
        self._told = (
            self._targets,
            self.velocity_targets,
            table.view("stiffness"),
            table.view("damping"),
            self.effort_targets,
        )

    @property
    def action_dim(self) -> int:
        """Number of joints times number of :data:`PARTS`."""
        return len(PARTS) * self._raw_actions.shape[1]

    def process_actions(self, actions: torch.Tensor) -> None:
        """Take the commands, (num_envs, action_dim), and push them."""
        for part, values in zip(self._told, actions.split(self._raw_actions.shape[1], dim=1), strict=True):
            part.copy_(values)
        self._push.launch()
