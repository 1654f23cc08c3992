"""Joint position targets as the policy's action."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import torch
import warp as wp
from isaaclab.managers import ActionTerm

from surefoot.env_mask import EnvIds, EnvMask

from .actuator import JointActuator
from .state_kernels import ActionArrays, forget_actions, take_actions

if TYPE_CHECKING:
    from isaaclab.assets import Articulation
    from isaaclab.envs import ManagerBasedEnv

    from .action_cfg import JointTargetActionCfg


class JointTargetAction(ActionTerm):
    """Position targets ``default + scale * action`` of every joint, pushed to the actuator model.

    They are pushed once per control step. Isaac Lab's own joint action writes them to the engine at every substep
    through its drive targets, which nothing reads when an explicit actuator model computes the torques. A command also
    has a velocity and a feed-forward effort (:attr:`velocity_targets`, :attr:`effort_targets`), which lag as it does;
    they are zero here. Isaac Lab's buffers of the same names are not read: restoring a scene's state writes to them.

    The two last actions are kept for rate penalties: :attr:`raw_actions`, :attr:`previous_actions` and
    :attr:`second_previous_actions`, each (num_envs, num_joints).
    """

    cfg: JointTargetActionCfg

    takes_mask = True
    """Whether environments may be named by a mask; see :mod:`surefoot.envs.masked_reset`."""

    _asset: Articulation

    def __init__(self, cfg: JointTargetActionCfg, env: ManagerBasedEnv) -> None:
        super().__init__(cfg, env)
        if list(self._asset.joint_names) != list(cfg.scale):
            raise ValueError(
                f"action scale names {list(cfg.scale)} differ from the articulation's joints {self._asset.joint_names}"
            )
        shape = (self.num_envs, len(cfg.scale))
        self._scale = torch.tensor(list(cfg.scale.values()), device=self.device)  # (num_joints,)
        self._offset = self._asset.data.default_joint_pos.torch.clone()  # (num_envs, num_joints)
        self._targets = self._asset.actuators.target_command.position.torch
        self._raw_actions = torch.zeros(shape, device=self.device)
        self.previous_actions = torch.zeros(shape, device=self.device)
        self.second_previous_actions = torch.zeros(shape, device=self.device)
        self.velocity_targets = torch.zeros(shape, device=self.device)
        """Velocity part of the command [rad/s], (num_envs, num_joints)."""
        self.effort_targets = torch.zeros(shape, device=self.device)
        """Feed-forward part of the command [N.m], (num_envs, num_joints)."""
        (actuator,) = self._asset.actuators.values()
        assert isinstance(actuator, JointActuator)
        self._push = actuator.record_push(self._targets, self.velocity_targets, self.effort_targets)
        self._masks = EnvMask(self.num_envs, self.device)
        self._arrays = ActionArrays()
        self._arrays.scale, self._arrays.default_joint_pos = wp.from_torch(self._scale), wp.from_torch(self._offset)
        self._arrays.action, self._arrays.target = wp.from_torch(self._raw_actions), wp.from_torch(self._targets)
        self._arrays.previous_action = wp.from_torch(self.previous_actions)
        self._arrays.second_previous_action = wp.from_torch(self.second_previous_actions)

    @property
    def action_dim(self) -> int:
        """Number of joints."""
        return self._raw_actions.shape[1]

    @property
    def raw_actions(self) -> torch.Tensor:
        """The policy's latest output, without unit, shape (num_envs, num_joints)."""
        return self._raw_actions

    @property
    def processed_actions(self) -> torch.Tensor:
        """Joint position targets [rad], shape (num_envs, num_joints)."""
        return self._targets

    def process_actions(self, actions: torch.Tensor) -> None:
        """Clip the policy's output, shift the history, set the targets and push them."""
        self._launch(take_actions, [wp.from_torch(actions), self.cfg.clip_actions])
        self._push.launch()

    def aim(self, joint_pos: torch.Tensor) -> None:
        """Push other targets than an action's, [rad], (num_envs, num_joints): with their positions, joints yield."""
        self._targets.copy_(joint_pos)
        self._push.launch()

    def apply_actions(self) -> None:
        """Nothing: the actuator model has the command already."""

    def reset(self, env_ids: EnvIds = None) -> None:
        """Clear the action history and aim at the default pose in the given environments."""
        self._launch(forget_actions, [self._masks.of(env_ids)])

    def _launch(self, kernel: Any, inputs: list[Any]) -> None:
        shape, device = self._raw_actions.shape, self.device
        wp.launch(kernel, dim=shape, inputs=inputs, outputs=[self._arrays], device=device)
