"""Rewards called as functions of tensors, by their names: the kernel that a task uses, with the tensors for a state."""

from collections.abc import Callable
from types import SimpleNamespace

import torch
import warp as wp

import surefoot_rewards
from surefoot.envs.fused.inputs import NUMBERS, ROBOT, SELECTED_JOINTS, STATE, BoundInputs, arguments_of, parameters_of
from surefoot.envs.fused.rewards import LIBRARY, make_reward_kernel
from surefoot.envs.fused.term import Launch, Terms
from surefoot_rewards import check_parameters


def evaluate(name: str, given: dict) -> torch.Tensor:
    """Compute one reward, (num_envs,).

    Args:
        name: The term.
        given: Its arguments by name: tensors of the state, (num_envs, ...), tensors of the robot, numbers.
    """
    function = surefoot_rewards.TERMS[name]
    read = {argument: value for argument, value in given.items() if argument in {**STATE, **NUMBERS}}
    robot = {argument: value.tolist() for argument, value in given.items() if argument in ROBOT}
    inputs = BoundInputs({argument: lambda value=value: value for argument, value in read.items()}, robot, "cpu")
    num_envs = next(len(value) for argument, value in read.items() if argument in STATE)
    selected = given.get(SELECTED_JOINTS, torch.ones(0, dtype=torch.bool))
    names = [f"joint{index}" for index in range(len(selected))]
    chosen = [joint for joint, is_chosen in zip(names, selected.tolist(), strict=True) if is_chosen]
    spec = SimpleNamespace(num_joints=len(names), joint_names=names, resolve=lambda pattern, count: chosen)
    params = {argument: given[argument] for argument in parameters_of(function)}
    cfg = SimpleNamespace(weight=1.0, params={**params, "joint_pattern": ".*", "num_joints": len(chosen)})
    terms = Terms([name], [cfg], [function], LIBRARY, spec, "cpu", check=check_parameters)
    buffers = [torch.zeros(num_envs, 1), torch.zeros(num_envs, 1), torch.zeros(num_envs)]
    arguments = [1.0, *map(wp.from_torch, buffers)]
    Launch(make_reward_kernel(LIBRARY), num_envs, inputs, terms, arguments, "cpu").run()
    return buffers[-1]


def __getattr__(name: str) -> Callable[..., torch.Tensor]:
    """Return a term as a function of its arguments, of which the first ones may go without a name."""
    if name not in surefoot_rewards.TERMS:
        raise AttributeError(name)
    arguments = list(arguments_of(surefoot_rewards.TERMS[name]))

    def call(*args: torch.Tensor, **kwargs: object) -> torch.Tensor:
        return evaluate(name, dict(zip(arguments, args, strict=False)) | kwargs)

    call.__name__ = name
    return call
