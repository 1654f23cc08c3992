"""Surefoot's environment: Isaac Lab's manager-based environment without the work that no term uses."""

from __future__ import annotations

import dataclasses
import logging
import math
from functools import cached_property
from typing import TYPE_CHECKING, Any, cast

import torch
import warp as wp
from isaaclab.envs import ManagerBasedRLEnv
from isaaclab.envs.common import VecEnvStepReturn
from isaaclab.managers import CommandManager, CurriculumManager, RecorderManager

from surefoot.actuators.drive import make_drive
from surefoot.engines import Physics, keep_polling_threads_idle
from surefoot.env_mask import EnvIds, EnvMask
from surefoot.randomization.foot_contacts import open_foot_contacts
from surefoot.randomization.randomization import Randomization, make_layout
from surefoot.ranks import Ranks
from surefoot.sensors.layout import ObservationLayout
from surefoot.sensors.observation import FusedProprioception
from surefoot.sensors.proprioception import LATENCIES, Proprioception
from surefoot.symmetry import (
    ACTION,
    MirrorMap,
    ObservationSlice,
    build_action_mirror_map,
    build_mirror_map,
)
from surefoot.terrains.field import TrainingField, make_field
from surefoot.terrains.ground_file import ground_file
from surefoot.terrains.phases import PhasePlan, plan_phases
from surefoot_bridge.errors import SurefootError, unknown_name
from surefoot_robots import RobotSpec, get_robot

from .action_manager import TwoPartActionManager
from .captured_step import CapturedStep
from .command_kernels import mark_moving
from .episode_log import LOG_IS_HELD
from .fallen_poses import FallenPoses
from .fused.faults import Faults
from .fused.observations import FusedObservationManager
from .fused.rewards import FusedRewardManager
from .fused.terminations import FusedTerminationManager
from .height_scan import HeightScan
from .lean_scene import LeanSceneUpdate
from .locomotion_state import LocomotionState
from .masked_reset import MaskedReset, index_takers
from .readings import bind_readings
from .terrain_levels import TerrainLevels

if TYPE_CHECKING:
    from surefoot.actuators.action import JointTargetAction
    from surefoot.actuators.actuator import JointActuator

    from .env_cfg import SurefootEnvCfg
    from .fall_cfg import FallCfg

_LOG = logging.getLogger(__name__)

ENGINES: dict[str, Physics] = {"ovphysx": "ovphysx", "newton": "newton_mjwarp", "physx": "isaacsim_physx"}
"""Engines by Isaac Lab's name of the backend."""

RANDOMIZED = "randomized"
"""Name of the observation term that shows the randomization's draws, one term for each parameter to a mirror."""

TERRAIN_LEVELS = "terrain_levels"
"""Name of the curriculum term by which environments move between the levels of a field."""

VELOCITY_COMMAND, JOINT_TARGET = "base_velocity", "joint_target"
"""Names of the command and of the action that this environment knows; a task has them when its terms read them."""


class SurefootEnv(ManagerBasedRLEnv):
    """Legged-robot environment with one shared :class:`~surefoot.envs.locomotion_state.LocomotionState`.

    The order of a step is Isaac Lab's: act, physics, terminations, rewards, resets, commands, events, observations; the
    randomization's pushes come before resets. In Newton environments reset by a mask, ``_reset_mask``, and the host
    waits for nothing; see :mod:`surefoot.envs.masked_reset`.
    """

    cfg: SurefootEnvCfg

    robot_spec: RobotSpec
    """The robot's specification; Gymnasium keeps ``spec`` for its own."""

    faults: Faults
    """Where values that are not finite are noted; a guard that resets what they come from shares it."""

    random_key: dict[str, int]
    """``seed`` and ``rank``, the key of all draws of this environment."""

    moving: torch.Tensor
    """Whether the velocity command asks for motion, (num_envs,); in a task without one, what the task says."""

    fallen_poses: FallenPoses | None = None
    """Poses in which episodes begin, once the robots have been dropped; None in a task without falls."""

    def __init__(self, cfg: SurefootEnvCfg, render_mode: str | None = None, **kwargs: Any) -> None:
        scene: Any = cfg.scene  # that of every task has a robot, which its base class does not declare
        rank = Ranks.from_environment().rank
        self.field = self._lay_out_field(cfg)
        if self.field is not None:
            self._phase_plan = self._plan_phases(cfg, self.field)
        open_foot_contacts(scene.robot, cfg.randomization, get_robot(cfg.robot_name), rank=rank)
        super().__init__(cfg, render_mode, **kwargs)
        if cfg.fall is not None:
            self.fallen_poses = self._drop_robots(cfg.fall)

    def load_managers(self) -> None:
        """Create the shared state, which terms read, before the managers that hold the terms."""
        self.robot_spec = get_robot(self.cfg.robot_name)
        self.robot = self.scene["robot"]
        grid = self.field.grid if self.field is not None else None
        self.locomotion = LocomotionState(self.robot, self.scene["contacts"], self.robot_spec, self.step_dt, grid)
        self._scene_update = LeanSceneUpdate(self.scene, self.sim.physics_manager)
        (actuator,) = self.robot.actuators.values()
        self.actuator = cast("JointActuator", actuator)
        self.random_key = {"seed": self._seed(), "rank": Ranks.from_environment().rank}
        self.terrain_levels = self._make_terrain_levels()
        layout = make_layout(
            self.cfg.randomization,
            self.robot_spec,
            ENGINES[self.robot.data.__backend_name__],
            initial_state=self.cfg.initial_state,
        )
        self.randomization = Randomization(
            layout,
            self.robot,
            self.robot_spec,
            adaptive=self.cfg.randomization.adaptive,
            step_dt=self.step_dt,
            **self.random_key,
        )
        self._largest_share = self.cfg.randomization.adaptive.largest_share
        self.actuator.cfg.largest_command_delay_s = layout.largest_value("command_delay", share=self._largest_share)
        self.actuator.bind_table(self.randomization.table.warp_values, layout.first_column)
        self._drive = make_drive(self.robot, self.sim.physics_manager, self.cfg.decimation)
        # Newton's drive moves the whole loop of substeps into the engine's step.
        self._substeps_per_call = self.cfg.decimation if self.sim.physics_manager.handles_decimation() else 1
        self._masks = EnvMask(self.num_envs, self.device)
        self.moving = torch.full((self.num_envs,), self.cfg.asks_for_motion, device=self.device)
        self.faults = Faults(self.num_envs, 7 + 6 + 2 * self.robot_spec.num_joints, str(self.device))
        self._make_managers()
        self.mirror_maps = self._make_mirror_maps()
        if str(self.device) == "cpu":  # elsewhere cores are free, and an idle thread would only come late
            keep_polling_threads_idle()

    @property
    def command(self) -> torch.Tensor:
        """Commanded velocity (vx [m/s], vy [m/s], yaw rate [rad/s]) in the base frame, (num_envs, 3).

        Raises:
            SurefootError: If the task commands none.
        """
        _require("command", VELOCITY_COMMAND, self.command_manager.active_terms)
        return self.command_manager.get_command(VELOCITY_COMMAND)

    @property
    def joint_target(self) -> JointTargetAction:
        """The action term, with the action history that rate penalties read.

        Raises:
            SurefootError: If the task's policy sets no joint targets.
        """
        _require("action", JOINT_TARGET, self.action_manager.active_terms)
        return cast("JointTargetAction", self.action_manager.get_term(JOINT_TARGET))

    @property
    def spawn_origins_w(self) -> torch.Tensor:
        """Where each environment's robot starts its next episode [m], (num_envs, 3)."""
        return self.terrain_levels.origins_w if self.terrain_levels is not None else self.scene.env_origins

    @cached_property
    def height_scan(self) -> HeightScan:
        """Heights of the ground around the robot. Made when a term first asks."""
        return HeightScan(self.robot, self.locomotion.ground, self.robot_spec.base_height_m)

    @cached_property
    def proprioception(self) -> Proprioception:
        """What the sensors show. Made when the observation manager first asks, after the managers that it reads.

        A task without an observation of the sensors has none, and spends no time on them.
        """
        randomized, shown = self.randomization.layout, {term.source for term in self.cfg.proprioception}
        readings = bind_readings(
            self.robot,
            self.locomotion,
            last_action=self.joint_target.raw_actions if "last_action" in shown else None,
            command=self.command if "command" in shown else None,
        )
        layout = ObservationLayout(
            self.cfg.proprioception,
            num_joints=self.robot_spec.num_joints,
            num_feet=len(self.robot_spec.foot_bodies),
            command_dim=readings.of["command"].shape[1],
        )
        return Proprioception(
            layout,
            readings,
            self.randomization.table.warp_values,
            randomized.first_column,
            default_joint_pos=self.robot_spec.joint_values("default_joint_pos"),
            step_dt=self.step_dt,
            largest_latency_s=max(randomized.largest_value(name, share=self._largest_share) for name in LATENCIES),
            **self.random_key,
        )

    def reset(self, *args: Any, **kwargs: Any) -> tuple[Any, dict]:
        """Reset environments as Isaac Lab does, and let the sensors take their first reading before it is shown."""
        super().reset(*args, **kwargs)
        self._advance_sensors()
        self.obs_buf = self.observation_manager.compute(update_history=False)
        return self.obs_buf, self.extras

    def step(self, action: torch.Tensor) -> VecEnvStepReturn:
        """Advance all environments by one control step.

        Args:
            action: Policy outputs, shape (num_envs, num_joints).

        Returns:
            Observations by group, rewards (num_envs,), terminated (num_envs,), truncated (num_envs,), extras.
        """
        self.action_manager.take(action.to(self.device))
        self.episode_length_buf += 1
        self.common_step_counter += 1
        # The managers' own tensors, which a restored checkpoint has replaced by others.
        self.reset_buf = self._reset_mask = self.termination_manager.dones
        self.reset_terminated = self.termination_manager.terminated
        self.reset_time_outs = self.termination_manager.time_outs
        self.reward_buf = self.reward_manager.reward
        captured = None if self.sim.is_rendering else self._captured_step
        if captured is None:
            self.advance()
        else:
            captured.run()
        self._hand_out(in_place=captured is not None and captured.wrote_in_place)
        return self.obs_buf, self.reward_buf, self.reset_terminated, self.reset_time_outs, self.extras

    def advance(self) -> None:
        """Advance by a control step with the actions that the action manager holds, as far as it is the device's work.

        What a step returns is written, and not handed out yet.
        """
        self.action_manager.process()
        self._let_pass()
        if self.sim.is_rendering:
            self.sim.render(skip_app_pumping=not self.render_enabled)
        if VELOCITY_COMMAND in self.command_manager.active_terms:
            self._mark_moving()
            if self.terrain_levels is not None:
                self.terrain_levels.add_asked_way(self.command, self.robot.data.root_link_pose_w.warp)
        self.termination_manager.compute()
        self.reward_manager.compute(dt=self.step_dt)

        # Before resets, which put robots elsewhere, so that the engine works out what follows from both at once.
        if self.randomization.advance():
            self.locomotion.base_has_moved()
        self._reset_marked()

        self.command_manager.compute(dt=self.step_dt)
        if "interval" in self.event_manager.active_terms:
            self.event_manager.apply(mode="interval", dt=self.step_dt)
            self.locomotion.base_has_moved()
        self._advance_sensors()
        self._written = self.observation_manager.compute(update_history=True)

    def simulate(self, action: torch.Tensor) -> None:
        """Act and let the physics of one control step pass, with what belongs to the robot and nothing to the task.

        Args:
            action: Policy outputs, shape (num_envs, num_joints).
        """
        self.action_manager.process_action(action.to(self.device))
        self._let_pass()

    def _let_pass(self) -> None:
        """Let the physics of a control step pass with the targets that were pushed."""
        taken = 0
        while taken < self.cfg.decimation:
            taken += self.advance_physics(is_last=taken + self._substeps_per_call == self.cfg.decimation)
        self._scene_update.after_step(self.step_dt)
        self.actuator.advance()
        self.locomotion.update()

    def advance_physics(self, *, is_last: bool) -> int:
        """Let the engine take one call with the commands that were pushed; returns how many physics steps it took.

        Args:
            is_last: Whether it is the last call of a control step.
        """
        steps = self._substeps_per_call
        self._sim_step_counter += steps
        self._drive.apply()
        self.randomization.before_substep()
        self._scene_update.before_substep(is_last=is_last)
        self.sim.step(render=False)
        self._scene_update.after_substep(self.physics_dt * steps)
        return steps

    def count_physics(self) -> None:
        """Advance the host's clocks by a control step that a graph has taken in one call of the engine."""
        self._sim_step_counter += self.cfg.decimation
        self._scene_update.count(self.physics_dt * self.cfg.decimation)

    def observation_terms(self, group: str) -> list[tuple[str, int, int]]:
        """Return name, components of one step, and steps of history of each term of a group, in order."""
        manager = self.observation_manager
        terms = []
        for name, dims in zip(manager.active_terms[group], manager.group_obs_term_dim[group], strict=True):
            term = getattr(getattr(self.cfg.observations, group), name)
            if term.func is FusedProprioception:
                terms += [(item.name, item.dim, item.history) for item in self.proprioception.layout.slices]
            elif name == RANDOMIZED:
                terms += [(f"{name}.{item.name}", len(item.elements), 1) for item in self.randomization.privileged]
            else:
                history = max(1, term.history_length)
                terms.append((name, math.prod(dims) // history, history))
        return terms

    @property
    def _has_sensors(self) -> bool:
        return "proprioception" in vars(self)

    @cached_property
    def _reset_by_mask(self) -> MaskedReset | None:
        """What resets by a mask; None where the engine's setters or the task's terms take indices only."""
        if ENGINES[self.robot.data.__backend_name__] != "newton_mjwarp":
            return None
        takers = index_takers(self)
        if not takers:
            with torch.inference_mode(mode=False):  # its buffers are written outside of that of the steps too
                return MaskedReset(self)
        _LOG.warning(
            "Resets wait for the device in every control step, since %s of the task must be told of environments by "
            "index. A term that takes a mask says so by an attribute `takes_mask`.",
            ", ".join(takers),
        )
        return None

    @cached_property
    def _captured_step(self) -> CapturedStep | None:
        """What takes steps by a graph; None where the task does not want it, or its resets take indices."""
        whole = self._substeps_per_call == self.cfg.decimation  # an actuator network acts between substeps
        if self._reset_by_mask is None or not (whole and self.cfg.capture_step):
            return None
        return CapturedStep(self)

    def _hand_out(self, *, in_place: bool) -> None:
        """Put what a step wrote in place into new tensors: who keeps it keeps that of this step."""
        written = self._written
        self.obs_buf = self.observation_manager.handed_out(written) if in_place else written
        if self._reset_by_mask is not None:
            self.extras["log"] = self._reset_by_mask.log()
            self.extras[LOG_IS_HELD] = True

    def _reset_marked(self) -> None:
        """Reset the environments whose episodes have ended in this step, by :attr:`_reset_mask`."""
        by_mask, succeeded = self._reset_by_mask, self.termination_manager.succeeded
        if by_mask is not None:
            self.randomization.record(self._reset_mask, succeeded)
            by_mask.run(wp.from_torch(self._reset_mask))
            return
        env_ids = self._reset_mask.nonzero().squeeze(1).int()
        if len(env_ids) > 0:
            self.randomization.record(self._reset_mask, succeeded)
            self._reset_idx(env_ids)

    def _mark_moving(self) -> None:
        wp.launch(
            mark_moving,
            dim=self.num_envs,
            inputs=[wp.from_torch(self.command, dtype=wp.vec3f)],
            outputs=[wp.from_torch(self.moving)],
            device=self.device,
        )

    def reset_sensors(self, envs: EnvIds) -> None:
        """Let the sensors of some environments begin a new episode."""
        if self._has_sensors:
            self.proprioception.reset(envs)

    def _advance_sensors(self) -> None:
        if self._has_sensors:
            self.proprioception.advance()

    @staticmethod
    def _lay_out_field(cfg: SurefootEnvCfg) -> TrainingField | None:
        """Make the field of the configuration and put it in the place of the scene's ground."""
        if cfg.field is None:
            return None
        field = make_field(cfg.field, get_robot(cfg.robot_name))
        scene: Any = cfg.scene
        scene.ground.spawn.usd_path = str(ground_file([field.grid]))
        return field

    def _drop_robots(self, cfg: FallCfg) -> FallenPoses:
        """Drop all robots and let them come to rest with joints that yield, as often as is asked."""
        poses = FallenPoses(cfg.drops, self.robot, **self.random_key)
        for drop in range(cfg.drops):
            self._reset_idx(slice(None))
            for _ in range(round(cfg.settle_s / self.step_dt)):
                self.joint_target.aim(self.locomotion.joint_pos)
                self._let_pass()
            poses.keep(drop)
        return poses

    @staticmethod
    def _plan_phases(cfg: SurefootEnvCfg, field: TrainingField) -> PhasePlan:
        """Spread the environments over phases and columns, over all columns where levels do not move."""
        assert cfg.field is not None
        field_cfg = cfg.field if _moves(cfg) else dataclasses.replace(cfg.field, phases={})
        return plan_phases(field_cfg, field.columns, cfg.scene.num_envs)

    def _make_terrain_levels(self) -> TerrainLevels | None:
        if self.field is None:
            return None
        assert self.cfg.field is not None
        return TerrainLevels(
            self.field,
            self._phase_plan,
            first_levels=self.cfg.field.first_levels if _moves(self.cfg) else self.field.num_levels,
            step_dt=self.step_dt,
            episode_steps=self.max_episode_length,
            device=self.device,
            **self.random_key,
        )

    def _make_managers(self) -> None:
        """Do what Isaac Lab's environment does here, in its order, with managers that compute terms in one kernel."""
        self.command_manager = CommandManager(self.cfg.commands, self)
        self.recorder_manager = RecorderManager(self.cfg.recorders, self)
        self.action_manager = TwoPartActionManager(self.cfg.actions, self)
        self.observation_manager = FusedObservationManager(self.cfg.observations, self)
        self.termination_manager = FusedTerminationManager(self.cfg.terminations, self)
        self.reward_manager = FusedRewardManager(self.cfg.rewards, self)
        self.curriculum_manager = CurriculumManager(self.cfg.curriculum, self)
        self._configure_gym_env_spaces()
        if "startup" in self.event_manager.available_modes:
            self.event_manager.apply(mode="startup")

    def _seed(self) -> int:
        """Seed of the draws of this environment; that of torch where the configuration leaves it open."""
        seed = self.cfg.seed
        return torch.initial_seed() % 2**32 if seed is None or seed < 0 else seed

    def _make_mirror_maps(self) -> dict[str, MirrorMap]:
        """Reflection of each observation group and of the action, on the simulation's device."""
        randomized = {f"{RANDOMIZED}.{item.name}": item.mirror for item in self.randomization.privileged}
        kinds: dict[str, Any] = self.cfg.mirror_kinds | randomized
        maps = {ACTION: build_action_mirror_map(self.robot_spec)}
        for group in self.observation_manager.active_terms:
            slices = []
            for name, dim, history in self.observation_terms(group):
                if name not in kinds:
                    raise unknown_name("mirrored observation term", name, kinds, "Add it to mirror_kinds.")
                slices.append(ObservationSlice(name, kinds[name], dim, history))
            maps[group] = build_mirror_map(self.robot_spec, slices)
        return {name: mirror.to(self.device) for name, mirror in maps.items()}

    def _reset_idx(self, env_ids: torch.Tensor | slice) -> None:
        env_mask = self._masks.of(env_ids)
        self.randomization.reset(env_mask)
        super()._reset_idx(env_ids)
        self.locomotion.reset(env_mask)
        self.reset_sensors(env_mask)


def _moves(cfg: SurefootEnvCfg) -> bool:
    """Whether environments move between levels and phases of the field."""
    return getattr(cfg.curriculum, TERRAIN_LEVELS, None) is not None


def _require(kind: str, name: str, declared: list[str]) -> None:
    """Refuse a term that reads what the task does not declare."""
    if name not in declared:
        raise SurefootError(
            f"This task has no {kind} term {name!r}, which one of its terms reads; it has: "
            f"{', '.join(declared) or 'none'}. Declare it in the task's {kind}s, or leave the term out."
        )
