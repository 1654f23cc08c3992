"""Return and length of episodes, and the terms that the environment logs, gathered without waiting for the device."""

from __future__ import annotations

import math
from collections import defaultdict, deque
from collections.abc import Mapping
from typing import Any

import torch

from surefoot.envs.episode_log import LOG_IS_HELD

WINDOW = 100
"""Number of last episodes in the means, as in rsl_rl."""


class EpisodeStatistics:
    """Means over the episodes that ended last."""

    def __init__(self, num_envs: int, device: str) -> None:
        self._return = torch.zeros(num_envs, device=device)
        self._length = torch.zeros(num_envs, device=device)
        self._ended: list[tuple[torch.Tensor, torch.Tensor, torch.Tensor]] = []
        self._logged: list[tuple[int | None, Mapping[str, Any]]] = []
        self._last_log: Mapping[str, Any] | None = None
        self._returns: deque[float] = deque(maxlen=WINDOW)
        self._lengths: deque[float] = deque(maxlen=WINDOW)

    def add_step(self, rewards: torch.Tensor, dones: torch.Tensor, extras: Mapping[str, Any]) -> None:
        """Take in one environment step.

        Args:
            rewards: Shape (num_envs,).
            dones: Shape (num_envs,), non-zero where an episode ended.
            extras: What the environment logs under ``"log"``; a dictionary that was seen before is the last reset's.
        """
        log = extras.get("log")
        if log and log is not self._last_log:
            self._logged.append((len(self._ended) if extras.get(LOG_IS_HELD) else None, dict(log)))
            self._last_log = log
        self._return = self._return + rewards
        self._length = self._length + 1.0
        ended = dones > 0
        self._ended.append((ended, self._return, self._length))
        self._return = self._return.masked_fill(ended, 0.0)
        self._length = self._length.masked_fill(ended, 0.0)

    def close_iteration(self) -> dict[str, float]:
        """Return the means and clear what was gathered for this iteration.

        Returns:
            ``Train/mean_reward`` and ``Train/mean_episode_length`` once an episode has ended, and the mean of each
            logged term over the resets of the iteration, leaving out values that are not finite.
        """
        with_end: set[int] = set()  # steps
        if self._ended:
            ended, returns, lengths = (
                torch.stack(column) for column in zip(*self._ended, strict=True)
            )  # (steps, num_envs)
            steps, environments = torch.nonzero(ended, as_tuple=True)
            columns = torch.stack((steps.float(), returns[steps, environments], lengths[steps, environments])).tolist()
            with_end.update(map(int, columns[0]))
            self._returns.extend(columns[1])
            self._lengths.extend(columns[2])
            self._ended.clear()
        means = _means([log for step, log in self._logged if step is None or step in with_end])
        self._logged.clear()
        if self._returns:
            means["Train/mean_reward"] = sum(self._returns) / len(self._returns)
            means["Train/mean_episode_length"] = sum(self._lengths) / len(self._lengths)
        return means

    def state_dict(self) -> dict[str, Any]:
        """Return what a resumed run needs, between two iterations."""
        return {
            "return": self._return.cpu(),
            "length": self._length.cpu(),
            "returns": list(self._returns),
            "lengths": list(self._lengths),
        }

    def load_state_dict(self, state: dict[str, Any], extras: Mapping[str, Any]) -> None:
        """Restore a state; ``extras`` are the environment's present ones, whose log was counted before."""
        self._return = state["return"].to(self._return.device)
        self._length = state["length"].to(self._length.device)
        self._returns = deque(state["returns"], maxlen=WINDOW)
        self._lengths = deque(state["lengths"], maxlen=WINDOW)
        self._last_log = extras.get("log")


def _means(logged: list[Mapping[str, Any]]) -> dict[str, float]:
    """Mean of each key over the mappings, with one copy from the device for all of them."""
    found = [(name, value) for log in logged for name, value in log.items()]
    tensors = [value.float() for _, value in found if isinstance(value, torch.Tensor)]
    device = next((tensor.device for tensor in tensors if tensor.is_cuda), "cpu")
    scalars = [(tensor if tensor.ndim == 0 else tensor.mean()).to(device) for tensor in tensors]
    numbers = iter(torch.stack(scalars).tolist() if scalars else ())
    values: defaultdict[str, list[float]] = defaultdict(list)
    for name, value in found:
        values[name].append(next(numbers) if isinstance(value, torch.Tensor) else float(value))
    means = {}
    for name, column in values.items():
        finite = list(filter(math.isfinite, column))
        if finite:
            means[name if "/" in name else f"Episode/{name}"] = sum(finite) / len(finite)
    return means
