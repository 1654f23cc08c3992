"""All rewards of a task in one launch: terms, their weighted sum, and the sums over the episode.

A term of torch stands beside those of Warp: it is called first, and the kernel adds what it gave.
"""

# A kernel is compiled by Warp, whose types do what their Python classes do not declare.
# pyright: reportArgumentType=false, reportIndexIssue=false, reportOperatorIssue=false, reportCallIssue=false
# pyright: reportInvalidTypeForm=false, reportReturnType=false, reportGeneralTypeIssues=false
# pyright: reportAttributeAccessIssue=false

from collections.abc import Sequence
from functools import cache
from types import SimpleNamespace
from typing import Any

import torch
import warp as wp
from isaaclab.managers import RewardManager

from surefoot_rewards import TERMS, check_parameters

from .dispatch import TermTable, make_dispatch
from .inputs import BoundInputs, RobotInputs
from .term import Launch, RobotTerm, Terms, functions_of_terms, with_others

wp.set_module_options({"enable_backward": False})  # no gradients are taken; a CPU is faster without


@cache
def make_reward_kernel(functions: tuple[wp.Function, ...]) -> wp.Kernel:
    """Make the kernel that computes terms by these functions, of which it compiles all."""
    value_of = make_dispatch("reward_of", functions, returns="0.0", write=lambda call: [f"return {call}"])

    @wp.kernel(module="unique", enable_backward=False)
    def compute_rewards(
        inputs: RobotInputs,
        table: TermTable,
        step_dt: float,
        # in and out
        step_reward: wp.array2d(dtype=float),
        episode_sum: wp.array2d(dtype=float),
        # outputs
        reward: wp.array(dtype=float),
    ) -> None:
        """One thread per environment: the weighted terms, their sum over the step, and their sums over the episode.

        A column of ``step_reward`` that belongs to a term of torch holds what it gave, times its weight.
        """
        env = wp.tid()
        total = wp.float32(0.0)
        for term in range(table.kind.shape[0]):
            value = step_reward[env, term]
            if table.kind[term] >= 0:
                value = wp.float32(0.0)
                weight = table.weight[term]
                if weight != 0.0:
                    value = weight * value_of(table.kind[term], inputs, table, env, term)
                step_reward[env, term] = value
            total = total + value
            episode_sum[env, term] = episode_sum[env, term] + step_dt * value
        reward[env] = step_dt * total

    return compute_rewards


_PLACE_OF_DT = 2
"""Of ``step_dt`` among the kernel's arguments."""

LIBRARY = tuple(TERMS.values())

compute_rewards = make_reward_kernel(LIBRARY)
"""The kernel of the terms of :mod:`surefoot_rewards`."""


class FusedRewardManager(RewardManager):
    """Isaac Lab's reward manager, with one launch for all terms that are Warp functions of one robot.

    Weights and parameters of terms may change between steps; they are uploaded then.
    """

    def __init__(self, cfg: object, env: Any) -> None:
        super().__init__(cfg, env)
        of_terms = functions_of_terms(self._term_cfgs)
        self._of_torch = [index for index, function in enumerate(of_terms) if function is None]
        buffers = (self._step_reward, self._episode_sum_buf, self._reward_buf)
        self._dt = env.step_dt
        self._launch = _launch(env, self._term_names, self._term_cfgs, of_terms, self._dt, buffers)

    def upload(self) -> bool:
        """Upload weights and parameters of terms that have changed; returns whether any has."""
        return self._launch.upload()

    @property
    def reward(self) -> torch.Tensor:
        """The reward of the last step, (num_envs,); the same tensor in every step."""
        return self._reward_buf

    def compute(self, dt: float) -> torch.Tensor:
        """Compute the reward of a step.

        Args:
            dt: Control step [s].

        Returns:
            The weighted sum of the terms times ``dt``, (num_envs,).

        Raises:
            SurefootError: If a term reads what the task does not declare, or has a parameter that makes NaN.
        """
        if dt != self._dt:
            self._dt = dt
            self._launch.recorded.set_param_at_index(_PLACE_OF_DT, dt)
        for index in self._of_torch:
            self._compute_of_torch(index)
        self._launch.run()
        return self._reward_buf

    def _compute_of_torch(self, index: int) -> None:
        """Call a term of torch as the base class does."""
        cfg, column = self._term_cfgs[index], self._step_reward[:, index]
        if cfg.weight == 0.0:
            column.zero_()
            return
        value: Any = cfg.func(self._env, **cfg.params)
        if isinstance(value, torch.Tensor) and value.shape == column.shape:
            torch.mul(value, cfg.weight, out=column)
        else:
            column[:] = value * cfg.weight  # a number for all


class RewardTerm(RobotTerm):
    """A reward that is a Warp function of one robot."""

    _alone: tuple[Any, Launch, torch.Tensor] | None = None

    def __call__(self, env: Any, **params: Any) -> torch.Tensor:
        """Compute this term alone, for whoever calls it as a function: its unweighted value, (num_envs,)."""
        if self._alone is None:
            cfg = SimpleNamespace(weight=1.0, params=params)
            buffers = [torch.zeros(env.num_envs, *shape, device=env.device) for shape in ((1,), (1,), ())]
            launch = _launch(env, [self.function.key], [cfg], [self.function], 1.0, buffers)
            self._alone = cfg, launch, buffers[-1]
        cfg, launch, value = self._alone
        cfg.params = params
        launch.run()
        return value.clone()


def _launch(
    env: Any,
    names: Sequence[str],
    cfgs: Sequence[Any],
    of_terms: Sequence[wp.Function | None],
    dt: float,
    buffers: Sequence[torch.Tensor],
) -> Launch:
    """Prepare the launch of some terms of an environment; ``buffers`` are the kernel's last three arguments."""
    functions = with_others(LIBRARY, of_terms)
    inputs = BoundInputs.of(env, [function for function in of_terms if function is not None])
    device = str(env.device)
    terms = Terms(names, cfgs, of_terms, functions, env.robot_spec, device, check=check_parameters)
    arguments = [dt, *map(wp.from_torch, buffers)]
    return Launch(make_reward_kernel(functions), env.num_envs, inputs, terms, arguments, device)
