"""A task's resolved configuration: its presets chosen and the command line's overrides applied and checked."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from math import inf, isfinite
from typing import Any, get_args

from surefoot.engines import launched
from surefoot_bridge.arguments import one_of, whole
from surefoot_bridge.errors import SurefootError, reason, unknown_name

_AGENT_ENTRY_POINT = "rsl_rl_cfg_entry_point"
_NEVER_S = 1.0e9


RANGES = {
    "agent.max_iterations": (1, inf),
    "agent.num_steps_per_env": (1, inf),
    "agent.save_interval": (1, inf),
    "agent.algorithm.clip_param": (1e-6, 10.0),
    "agent.algorithm.desired_kl": (1e-6, 10.0),
    "agent.algorithm.entropy_coef": (0.0, 10.0),
    "agent.algorithm.gamma": (0.0, 1.0),
    "agent.algorithm.lam": (0.0, 1.0),
    "agent.algorithm.learning_rate": (1e-8, 1.0),
    "agent.algorithm.max_grad_norm": (1e-6, inf),
    "agent.algorithm.num_learning_epochs": (1, inf),
    "agent.algorithm.num_mini_batches": (1, inf),
    "agent.algorithm.value_loss_coef": (0.0, inf),
    "env.decimation": (1, inf),
    "env.episode_length_s": (0.1, inf),
    "env.sim.dt": (1e-5, 0.1),
}
"""Lowest and highest value of what PPO and an engine take without a word, and make nonsense of."""

_OPTIONS = {
    "agent.device": "--device",
    "agent.seed": "--seed",
    "env.scene.num_envs": "--num-envs",
    "env.seed": "--seed",
    "env.sim.device": "--device",
}
"""What is set by an option, over any override."""


SEED = whole("a seed", 0, 2**31 - 1)
"""Type of an argument that is a seed."""


def adaptive_scheme(text: str) -> str:
    """Return the name of a scheme of adaptive ranges unchanged; the type of an argument."""
    from surefoot.randomization.adaptive.bounds import Scheme

    return one_of("scheme of adaptive ranges", get_args(Scheme))(text)


def randomization_preset(text: str) -> str:
    """Return the name of a preset unchanged; the type of an argument."""
    from surefoot.randomization.presets import PRESETS

    return one_of("randomization preset", PRESETS)(text)


def check_overrides(overrides: Sequence[str]) -> None:
    """Refuse overrides that no task can take, at once: to know a task's fields takes the import of Isaac Lab.

    Raises:
        SurefootError: If one has not the form of an override, or its value is out of its range.
    """
    for override in overrides:
        path, text = _split(override)
        if path in _OPTIONS:
            raise SurefootError(f"{path} is set by an option: leave {override!r} out and give {_OPTIONS[path]}.")
        low, high = RANGES.get(path, (-inf, inf))
        value = _number(text)
        if value is not None and not (low <= value <= high and (path not in RANGES or isfinite(value))):
            valid = f"from {low:g}" + (f" to {high:g}" if isfinite(high) else " up") if path in RANGES else "a number"
            raise SurefootError(f"{path} cannot be {text}; valid: {valid}. Leave it out for the task's own value.")


def _split(override: str) -> tuple[str, str]:
    """Return an override's path and value.

    Raises:
        SurefootError: If it has not the form of an override.
    """
    path, separator, text = override.partition("=")
    section, *steps = path.split(".")
    if not separator or not all(steps) or not steps:
        raise SurefootError(
            f"Unknown argument {override!r}; an override has the form env.PATH=VALUE or agent.PATH=VALUE, "
            "for example env.episode_length_s=10.0."
        )
    if section not in ("env", "agent"):
        raise unknown_name("part of the configuration", section, ("env", "agent"))
    return path, text


def _number(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None


@contextmanager
def opened(task: str, env_cfg: Any, *, device: str) -> Iterator[Any]:
    """Start an engine with a task's environment, reset; both end with the block.

    Yields:
        The environment itself, without Gymnasium's wrappers.
    """
    import gymnasium

    with launched(env_cfg, device=device):
        env = gymnasium.make(task, cfg=env_cfg).unwrapped
        try:
            env.reset()
            yield env
        finally:
            env.close()


def velocity_command(env_cfg: Any) -> Any | None:
    """Return the configuration of a task's velocity command; None where it has none."""
    return getattr(env_cfg.commands, "base_velocity", None)


def leave_to_caller(env_cfg: Any) -> None:
    """Switch off all that would end an episode, change a command or disturb the robot on the environment's side."""
    command = velocity_command(env_cfg)
    if command is not None:
        command.resampling_time_range = (_NEVER_S, _NEVER_S)
        command.rel_standing_envs = -1.0  # a share that no draw from [0, 1) falls below
    take_away(env_cfg.terminations)
    for field in dataclasses.fields(env_cfg.events):
        if getattr(getattr(env_cfg.events, field.name), "mode", None) == "interval":
            setattr(env_cfg.events, field.name, None)


def take_away(terms: Any) -> None:
    """Leave out all terms of a part of an environment's configuration."""
    for field in dataclasses.fields(terms):
        setattr(terms, field.name, None)


def resolve_task(task: str, physics: str, overrides: Sequence[str] = (), *, play_mode: bool = False) -> tuple[Any, Any]:
    """Resolve the environment's and the agent's configuration.

    Args:
        task: Task id.
        physics: Physics engine, a preset of the task.
        overrides: ``env.path=value`` and ``agent.path=value``.
        play_mode: Whether the task is as it is played, not as it is trained.

    Returns:
        Environment and agent configuration.

    Raises:
        SurefootError: If an override names nothing, or its value is of another type than what stands there.
    """
    from isaaclab_tasks.utils import resolve_task_config

    engine = f"physics={physics}"
    plain = resolve_task_config(task, _AGENT_ENTRY_POINT, play_mode=play_mode, overrides=[engine])
    if not overrides:
        return plain
    defaults: dict[str, Any] = dict(zip(("env", "agent"), plain, strict=True))
    for override in overrides:
        _check_override(override, defaults)
    try:
        return resolve_task_config(task, _AGENT_ENTRY_POINT, play_mode=play_mode, overrides=[engine, *overrides])
    except (ValueError, TypeError, AttributeError, KeyError) as error:
        raise SurefootError(
            f"The overrides {' '.join(overrides)} do not fit {task}: {reason(error)}. "
            "Leave them out one by one to find which."
        ) from error


def _check_override(override: str, configurations: Mapping[str, Any]) -> None:
    path, text = _split(override)
    section, *steps = path.split(".")
    place, node = section, configurations[section]
    for step in steps:
        names = _names(node)
        if step not in names:
            raise unknown_name(f"field of {place}", step, sorted(names))
        node = names[step]
        place += f".{step}"
    _check_type(place, node, text)


def _names(node: Any) -> dict[str, Any]:
    if isinstance(node, Mapping):
        return {str(key): value for key, value in node.items()}
    return {name: getattr(node, name) for name in getattr(type(node), "__dataclass_fields__", {})}


def _check_type(place: str, current: Any, text: str) -> None:
    import ast

    try:
        value = {"true": True, "false": False, "null": None, "none": None}.get(text.lower(), ...)
        value = ast.literal_eval(text) if value is ... else value
    except (ValueError, SyntaxError):
        value = text
    kinds = (bool, int | float, str)
    kind = next((kind for kind in kinds if isinstance(current, kind)), None)
    if kind is None or value is None:
        return
    if not isinstance(value, kind) or (kind is not bool and isinstance(value, bool)):
        raise SurefootError(f"{place} is {current!r}; it cannot be set to {text!r}, which is of another type.")
