"""The reset of a control step by a mask: no list of environments, nothing read by the host, nothing of another size.

It does what :meth:`ManagerBasedRLEnv._reset_idx` does, in its order, for what takes a mask: everything of ours, and of
Isaac Lab's what has a way for one. A term of a user's that is called at resets takes one when it says so, by an
attribute ``takes_mask`` of the function or class: its ``env_ids`` are then a Warp array, (num_envs,), bool. With a term
that does not, an environment resets by indices; see :func:`index_takers`.
"""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from typing import Any

import torch
import warp as wp
from isaaclab.managers import ActionTerm, ManagerTermBase

from .episode_log import EpisodeLog


class MaskedReset:
    """Resets the environments of a mask.

    Args:
        env: A :class:`~surefoot.envs.env.SurefootEnv` with nothing that :func:`index_takers` names.
    """

    def __init__(self, env: Any) -> None:
        self._env, self._log = env, EpisodeLog(env)
        self._curricula: dict[str, Any] = {}

    def run(self, env_mask: wp.array) -> None:
        """Reset the environments of a mask, (num_envs,)."""
        env = self._env
        env.randomization.reset(env_mask)
        curricula = env.curriculum_manager
        for name, cfg in zip(curricula._term_names, curricula._term_cfgs, strict=True):
            self._curricula[name] = cfg.func(env, env_mask, **cfg.params)
        self._reset_scene(env_mask)
        for _, cfg in _events(env, "reset"):
            cfg.func(env, env_mask, **cfg.params)
        for term in env.action_manager._terms.values():
            if _takes_mask(term):
                term.reset(env_mask)
        for term in env.command_manager._terms.values():
            term.begin(env_mask)
        self._log.close(env_mask)
        env.locomotion.reset(env_mask)
        env.reset_sensors(env_mask)

    def log(self) -> dict[str, Any]:
        """Return what is logged of the episodes that ended last, and of curricula, in new tensors."""
        return {**self._log.read(), **self._of_curricula()}

    def _of_curricula(self) -> dict[str, Any]:
        """Return what curricula log, by Isaac Lab's names, in one launch."""
        # A restored checkpoint has replaced what the terms returned, which a graph goes on writing.
        self._env.curriculum_manager._curriculum_state.update(self._curricula)
        values: dict[str, Any] = {}
        for term, state in self._curricula.items():
            of_term = state if isinstance(state, dict) else {"": state}
            values |= {f"Curriculum/{term}/{key}".rstrip("/"): value for key, value in of_term.items()}
        values = {
            name: value.clone() if isinstance(value, torch.Tensor) and value.ndim else value
            for name, value in values.items()
            if value is not None
        }
        tensors = {name: value for name, value in values.items() if isinstance(value, torch.Tensor) and not value.ndim}
        if tensors:
            values |= dict(zip(tensors, torch.stack(list(tensors.values())).unbind(), strict=True))
        return values

    def _reset_scene(self, env_mask: wp.array) -> None:
        robot = self._env.robot
        self._env.actuator.reset(env_mask)
        for composer in (robot.instantaneous_wrench_composer, robot.permanent_wrench_composer):
            composer.reset(env_mask=env_mask)
        for sensor in self._env.scene.sensors.values():
            sensor.reset(env_mask=env_mask)


def index_takers(env: Any) -> list[str]:
    """Return the parts of a task that must be told which environments reset by a list of indices, by name."""
    return list(_index_takers(env))


def _index_takers(env: Any) -> Iterator[str]:
    curricula = env.curriculum_manager
    for name, cfg in zip(curricula._term_names, curricula._term_cfgs, strict=True):
        if not _takes_mask(cfg.func):
            yield name
    for name, cfg in _events(env, "reset"):
        if not _takes_mask(cfg.func) or cfg.min_step_count_between_reset:
            yield name
    for name, cfg in _events(env, "interval"):
        if not cfg.is_global_time:
            yield name
    for manager in (env.reward_manager, env.termination_manager, env.curriculum_manager):
        for cfg in manager._class_term_cfgs:
            if _has_own_reset(cfg.func, ManagerTermBase):
                yield type(cfg.func).__name__
    for modes in env.event_manager._mode_class_term_cfgs.values():
        yield from (type(cfg.func).__name__ for cfg in modes if _has_own_reset(cfg.func, ManagerTermBase))
    for term in env.command_manager._terms.values():
        if not _takes_mask(term):
            yield type(term).__name__
    for term in env.action_manager._terms.values():
        if not _takes_mask(term) and _has_own_reset(term, ActionTerm):
            yield type(term).__name__
    yield from _of_observations(env.observation_manager)
    yield from env.recorder_manager.active_terms
    yield from _of_scene(env.scene)


def _of_observations(manager: Any) -> Iterator[str]:
    for group, cfgs in manager._group_obs_class_term_cfgs.items():
        yield from (f"{group}.{type(cfg.func).__name__}" for cfg in cfgs if _has_own_reset(cfg.func, ManagerTermBase))
        for buffers in (manager._group_obs_term_delay_buffer, manager._group_obs_term_history_buffer):
            yield from (f"{group}.{name}" for name in buffers[group])
    yield from (type(modifier).__name__ for modifier in manager._group_obs_class_instances)


def _of_scene(scene: Any) -> Iterator[str]:
    kinds = ("cable_objects", "deformable_objects", "rigid_objects", "surface_grippers", "rigid_object_collections")
    for kind in kinds:
        yield from getattr(scene, kind)
    yield from (name for name in scene.articulations if name != "robot")
    for name, sensor in scene.sensors.items():
        if "env_mask" not in inspect.signature(sensor.reset).parameters:
            yield name


def _events(env: Any, mode: str) -> Iterator[tuple[str, Any]]:
    """Yield (name, configuration) of the event terms of a mode."""
    events = env.event_manager
    return zip(events._mode_term_names.get(mode, ()), events._mode_term_cfgs.get(mode, ()), strict=True)


def _takes_mask(term: Any) -> bool:
    return getattr(term, "takes_mask", False)


def _has_own_reset(term: Any, base: type) -> bool:
    return type(term).reset is not base.reset
