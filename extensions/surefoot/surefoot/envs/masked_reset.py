"""The reset of a control step by a mask: no list of environments, nothing read by the host, nothing of another size.

It does what :meth:`ManagerBasedRLEnv._reset_idx` does, in its order, for what takes a mask: everything of ours, and of
Isaac Lab's what has a way for one. A term of a user's that is called at resets takes one when it says so, by an
attribute ``takes_mask`` of the function or class: its ``env_ids`` are then a Warp array, (num_envs,), bool. With a term
that does not, an environment resets by indices; see :func:`index_takers`.

What is logged is the mean over the episodes that ended in the last step in which one did, in device memory.
"""

# A kernel is compiled by Warp, whose types do what their Python classes do not declare.
# pyright: reportArgumentType=false, reportIndexIssue=false, reportOperatorIssue=false, reportCallIssue=false
# pyright: reportInvalidTypeForm=false

from __future__ import annotations

import inspect
from collections.abc import Iterator
from typing import Any

import torch
import warp as wp
from isaaclab.managers import ActionTerm, ManagerTermBase

wp.set_module_options({"enable_backward": False})  # no gradients are taken; a CPU is faster without


@wp.kernel
def end_episodes(
    env_mask: wp.array(dtype=bool),
    # in and out
    episode_sum: wp.array2d(dtype=float),
    episode_steps: wp.array(dtype=wp.int64),
    # outputs
    action: wp.array2d(dtype=float),
    previous_action: wp.array2d(dtype=float),
    log_sum: wp.array(dtype=float),
    ended: wp.array(dtype=int),
) -> None:
    """One thread per environment: take the sums of rewards of the mask's for the log, and begin new episodes there."""
    env = wp.tid()
    if not env_mask[env]:
        return
    wp.atomic_add(ended, 0, 1)
    for term in range(episode_sum.shape[1]):
        wp.atomic_add(log_sum, term, episode_sum[env, term])
        episode_sum[env, term] = 0.0
    for index in range(action.shape[1]):
        action[env, index] = 0.0
        previous_action[env, index] = 0.0
    episode_steps[env] = wp.int64(0)


@wp.kernel
def add_metrics(
    env_mask: wp.array(dtype=bool),
    metrics: wp.array2d(dtype=float),
    first: int,
    # outputs
    log_sum: wp.array(dtype=float),
) -> None:
    """One thread per environment: take the metrics of the mask's for the log."""
    env = wp.tid()
    if env_mask[env]:
        for index in range(metrics.shape[1]):
            wp.atomic_add(log_sum, first + index, metrics[env, index])


@wp.kernel
def close_log(
    scale: wp.array(dtype=float),
    # in and out
    log_sum: wp.array(dtype=float),
    ended: wp.array(dtype=int),
    # outputs
    log: wp.array(dtype=float),
) -> None:
    """One thread: the means over the episodes that ended; what was logged last where none did."""
    count = ended[0]
    for index in range(log_sum.shape[0]):
        if count > 0:
            log[index] = scale[index] * log_sum[index] / float(count)
        log_sum[index] = 0.0
    ended[0] = 0


class MaskedReset:
    """Resets the environments of a mask.

    Args:
        env: A :class:`~surefoot.envs.env.SurefootEnv` with nothing that :func:`index_takers` names.
    """

    def __init__(self, env: Any) -> None:
        self._env, device = env, env.device
        rewards, terminations, self._curricula = env.reward_manager, env.termination_manager, env.curriculum_manager
        names = [f"Episode_Reward/{name}" for name in rewards.active_terms]
        scales = [1.0 / env.max_episode_length_s] * len(names)
        self._commands: list[tuple[Any, int]] = []
        for command, term in env.command_manager._terms.items():
            self._commands.append((term, len(names)))
            names += [f"Metrics/{'' if name == 'success_rate' else f'{command}/'}{name}" for name in term.metrics]
        scales += [1.0] * (len(names) - len(scales))
        self._num_means = len(names)
        names += [f"Episode_Termination/{name}" for name in terminations.active_terms]
        self._names = names
        self._log = torch.zeros(len(names), device=device)
        self._last_dones, self._termination_means = terminations._last_episode_dones, self._log[self._num_means :]
        self._scale = wp.array(scales, dtype=float, device=device)
        self._sums = wp.zeros(self._num_means, dtype=float, device=device)
        self._ended = wp.zeros(1, dtype=int, device=device)
        self._means = wp.from_torch(self._log[: self._num_means])
        self._episode_sum = wp.from_torch(rewards._episode_sum_buf)
        self._actions = [wp.from_torch(getattr(env.action_manager, name)) for name in ("_action", "_prev_action")]

    def run(self, env_mask: wp.array) -> dict[str, Any]:
        """Reset the environments of a mask, (num_envs,); returns what is logged, in new tensors."""
        env = self._env
        env.randomization.reset(env_mask)
        curricula = self._curricula
        for name, cfg in zip(curricula._term_names, curricula._term_cfgs, strict=True):
            curricula._curriculum_state[name] = cfg.func(env, env_mask, **cfg.params)
        self._reset_scene(env_mask)
        for _, cfg in _events(env, "reset"):
            cfg.func(env, env_mask, **cfg.params)
        for term in env.action_manager._terms.values():
            if _takes_mask(term):
                term.reset(env_mask)
        for term, _ in self._commands:
            term.begin(env_mask)
        log = self._close_episodes(env_mask)
        env.locomotion.reset(env_mask)
        env.reset_sensors(env_mask)
        return log

    def _reset_scene(self, env_mask: wp.array) -> None:
        robot = self._env.robot
        self._env.actuator.reset(env_mask)
        for composer in (robot.instantaneous_wrench_composer, robot.permanent_wrench_composer):
            composer.reset(env_mask=env_mask)
        for sensor in self._env.scene.sensors.values():
            sensor.reset(env_mask=env_mask)

    def _close_episodes(self, env_mask: wp.array) -> dict[str, Any]:
        env = self._env
        num_envs, device = env.num_envs, env.device
        for term, first in self._commands:
            inputs = [env_mask, term.metric_columns, first]
            wp.launch(add_metrics, dim=num_envs, inputs=inputs, outputs=[self._sums], device=device)
        wp.launch(
            end_episodes,
            dim=num_envs,
            inputs=[env_mask, self._episode_sum, wp.from_torch(env.episode_length_buf)],
            outputs=[*self._actions, self._sums, self._ended],
            device=device,
        )
        wp.launch(close_log, dim=1, inputs=[self._scale], outputs=[self._sums, self._ended, self._means], device=device)
        torch.mean(self._last_dones, dim=0, dtype=torch.float32, out=self._termination_means)
        return {
            **dict(zip(self._names, self._log.clone().unbind(), strict=True)),  # who keeps it keeps that of this step
            **self._curricula.reset(None),
        }


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
