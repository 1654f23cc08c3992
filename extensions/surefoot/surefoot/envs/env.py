"""Surefoot's environment: Isaac Lab's manager-based environment without the work that no term uses."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, cast

import torch
from isaaclab.envs import ManagerBasedRLEnv
from isaaclab.envs.common import VecEnvStepReturn

from surefoot.actuators.drive import make_drive
from surefoot.learning.symmetry import (
    ACTION,
    MirrorMap,
    ObservationSlice,
    build_action_mirror_map,
    build_mirror_map,
)
from surefoot_bridge.errors import unknown_name
from surefoot_robots import RobotSpec, get_robot

from .lean_scene import LeanSceneUpdate
from .locomotion_state import LocomotionState

if TYPE_CHECKING:
    from surefoot.actuators.action import JointTargetAction

    from .env_cfg import SurefootEnvCfg

STANDING_COMMAND = 0.1
"""Norm of a velocity command up to which the robot is asked to stand; below it no gait is better than standing."""


class SurefootEnv(ManagerBasedRLEnv):
    """Legged-robot environment with one shared :class:`~surefoot.envs.locomotion_state.LocomotionState`.

    The order of a step is Isaac Lab's: act, physics, terminations, rewards, resets, commands, events, observations.
    """

    cfg: SurefootEnvCfg

    robot_spec: RobotSpec
    """The robot's specification; Gymnasium keeps ``spec`` for its own."""

    moving: torch.Tensor
    """Whether the command asks for motion, (num_envs,)."""

    def load_managers(self) -> None:
        """Create the shared state, which terms read, before the managers that hold the terms."""
        self.robot_spec = get_robot(self.cfg.robot_name)
        self.robot = self.scene["robot"]
        self.locomotion = LocomotionState(self.robot, self.scene["contacts"], self.robot_spec, self.step_dt)
        self._scene_update = LeanSceneUpdate(self.scene, self.sim.physics_manager)
        self._drive = make_drive(self.robot, self.sim.physics_manager, self.cfg.decimation)
        # Newton's drive moves the whole loop of substeps into the engine's step.
        self._physics_handles_decimation = self.sim.physics_manager.handles_decimation()
        super().load_managers()
        self.mirror_maps = self._make_mirror_maps()

    @property
    def command(self) -> torch.Tensor:
        """Commanded velocity (vx [m/s], vy [m/s], yaw rate [rad/s]) in the base frame, (num_envs, 3)."""
        return self.command_manager.get_command("base_velocity")

    @property
    def joint_target(self) -> JointTargetAction:
        """The action term, with the action history that rate penalties read."""
        return cast("JointTargetAction", self.action_manager.get_term("joint_target"))

    def step(self, action: torch.Tensor) -> VecEnvStepReturn:
        """Advance all environments by one control step.

        Args:
            action: Policy outputs, shape (num_envs, num_joints).

        Returns:
            Observations by group, rewards (num_envs,), terminated (num_envs,), truncated (num_envs,), extras.
        """
        self.action_manager.process_action(action.to(self.device))
        is_rendering = self.sim.is_rendering
        substeps_per_call = self.cfg.decimation if self._physics_handles_decimation else 1
        calls = self.cfg.decimation // substeps_per_call
        for call in range(calls):
            self._sim_step_counter += substeps_per_call
            self._drive.apply()
            self._scene_update.before_substep(is_last=call == calls - 1)
            self.sim.step(render=False)
            self._scene_update.after_substep(self.physics_dt * substeps_per_call)
        self._scene_update.after_step(self.step_dt)
        if is_rendering:
            self.sim.render(skip_app_pumping=not self.render_enabled)

        self.episode_length_buf += 1
        self.common_step_counter += 1
        self.locomotion.update()
        self.moving = self.command.norm(dim=1) > STANDING_COMMAND
        self.reset_buf = self.termination_manager.compute()
        self.reset_terminated = self.termination_manager.terminated
        self.reset_time_outs = self.termination_manager.time_outs
        self.reward_buf = self.reward_manager.compute(dt=self.step_dt)

        reset_env_ids = self.reset_buf.nonzero(as_tuple=False).squeeze(-1).int()
        if len(reset_env_ids) > 0:
            self._reset_idx(reset_env_ids)

        self.command_manager.compute(dt=self.step_dt)
        if "interval" in self.event_manager.active_terms:
            self.event_manager.apply(mode="interval", dt=self.step_dt)
            self.locomotion.base_has_moved()
        self.obs_buf = self.observation_manager.compute(update_history=True)
        return self.obs_buf, self.reward_buf, self.reset_terminated, self.reset_time_outs, self.extras

    def _make_mirror_maps(self) -> dict[str, MirrorMap]:
        """Reflection of each observation group and of the action, on the simulation's device."""
        manager = self.observation_manager
        kinds: dict[str, Any] = self.cfg.mirror_kinds
        maps = {ACTION: build_action_mirror_map(self.robot_spec)}
        for group, names in manager.active_terms.items():
            slices = []
            for name, dims in zip(names, manager.group_obs_term_dim[group], strict=True):
                if name not in kinds:
                    raise unknown_name("mirrored observation term", name, kinds, "Add it to mirror_kinds.")
                term = getattr(getattr(self.cfg.observations, group), name)
                history = max(1, term.history_length)
                slices.append(ObservationSlice(name, kinds[name], math.prod(dims) // history, history))
            maps[group] = build_mirror_map(self.robot_spec, slices)
        return {name: mirror.to(self.device) for name, mirror in maps.items()}

    def _reset_idx(self, env_ids: torch.Tensor | slice) -> None:
        super()._reset_idx(env_ids)
        self.locomotion.reset(env_ids)
