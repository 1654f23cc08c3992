"""What an environment logs of the episodes that ended, without the host knowing which did, or whether one did.

Each value is a mean over the episodes that ended in the last step in which one did: it is held until the next ends.
"""

# A kernel is compiled by Warp, whose types do what their Python classes do not declare.
# pyright: reportArgumentType=false, reportIndexIssue=false, reportOperatorIssue=false, reportCallIssue=false
# pyright: reportInvalidTypeForm=false

from typing import Any

import torch
import warp as wp

wp.set_module_options({"enable_backward": False})  # no gradients are taken; a CPU is faster without

LOG_IS_HELD = "log_is_held"
"""In an environment's extras: its log is a new one in every step, and says again what it said where no episode ended.

Whether one did, only the device knows.
"""


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
def count_terms(
    last_dones: wp.array2d(dtype=bool),
    # outputs
    done: wp.array(dtype=int),
) -> None:
    """One thread per environment: count the terms that ended its last episode."""
    env = wp.tid()
    for term in range(last_dones.shape[1]):
        if last_dones[env, term]:
            wp.atomic_add(done, term, 1)


@wp.kernel
def close_log(
    scale: wp.array(dtype=float),
    num_envs: int,
    # in and out
    log_sum: wp.array(dtype=float),
    ended: wp.array(dtype=int),
    done: wp.array(dtype=int),
    # outputs
    log: wp.array(dtype=float),
) -> None:
    """One thread: the means over the episodes that ended, what was logged last where none did; then those of terms."""
    count = ended[0]
    for index in range(log_sum.shape[0]):
        if count > 0:
            log[index] = scale[index] * log_sum[index] / float(count)
        log_sum[index] = 0.0
    ended[0] = 0
    for term in range(done.shape[0]):
        log[log_sum.shape[0] + term] = float(done[term]) / float(num_envs)
        done[term] = 0


class EpisodeLog:
    """The log of rewards, terminations and of the metrics of commands, which sums over an episode are cleared into.

    Args:
        env: A :class:`~surefoot.envs.env.SurefootEnv` whose commands are drawn by a mask.
    """

    def __init__(self, env: Any) -> None:
        self._env, device = env, env.device
        rewards, terminations = env.reward_manager, env.termination_manager
        names = [f"Episode_Reward/{name}" for name in rewards.active_terms]
        scales = [1.0 / env.max_episode_length_s] * len(names)
        self._commands: list[tuple[Any, int]] = []
        for command, term in env.command_manager._terms.items():
            self._commands.append((term, len(names)))
            names += [f"Metrics/{'' if name == 'success_rate' else f'{command}/'}{name}" for name in term.metrics]
        scales += [1.0] * (len(names) - len(scales))
        self._scale = wp.array(scales, dtype=float, device=device)
        self._sums = wp.zeros(len(names), dtype=float, device=device)
        names += [f"Episode_Termination/{name}" for name in terminations.active_terms]
        self._names = names
        self._log = torch.zeros(len(names), device=device)
        self._log_array = wp.from_torch(self._log)
        self._last_dones = wp.from_torch(terminations._last_episode_dones)
        self._ended = wp.zeros(1, dtype=int, device=device)
        self._done = wp.zeros(len(terminations.active_terms), dtype=int, device=device)
        self._episode_sum = wp.from_torch(rewards._episode_sum_buf)
        self._actions = [wp.from_torch(getattr(env.action_manager, name)) for name in ("_action", "_prev_action")]

    def close(self, env_mask: wp.array) -> None:
        """Take the rewards and metrics of the episodes that ended in a mask, (num_envs,), and begin new ones there."""
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
        wp.launch(count_terms, dim=num_envs, inputs=[self._last_dones], outputs=[self._done], device=device)
        wp.launch(
            close_log,
            dim=1,
            inputs=[self._scale, num_envs],
            outputs=[self._sums, self._ended, self._done, self._log_array],
            device=device,
        )

    def read(self) -> dict[str, Any]:
        """Return what is logged, by name, in new tensors: who keeps it keeps that of this step."""
        return dict(zip(self._names, self._log.clone().unbind(), strict=True))
