"""A task's resolved configuration: its presets chosen and the command line's overrides applied and checked."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from surefoot.engines import launched
from surefoot_bridge.errors import SurefootError, unknown_name

_AGENT_ENTRY_POINT = "rsl_rl_cfg_entry_point"
_NEVER_S = 1.0e9


@contextmanager
def opened(task: str, env_cfg: Any, *, device: str) -> Iterator[Any]:
    """Start an engine with a task's environment, reset; both end with the block.

    Args:
        task: Task id, checked.
        env_cfg: The environment's configuration, resolved.
        device: The device, checked.

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


def leave_to_caller(env_cfg: Any) -> None:
    """Switch off all that would end an episode, change a command or disturb the robot on the environment's side."""
    command = env_cfg.commands.base_velocity
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
        raise SurefootError(f"The overrides {' '.join(overrides)} do not fit {task}: {error}") from error


def _check_override(override: str, configurations: Mapping[str, Any]) -> None:
    path, separator, text = override.partition("=")
    section, *steps = path.split(".")
    if not separator or not steps:
        raise SurefootError(
            f"Unknown argument {override!r}; an override has the form env.PATH=VALUE or agent.PATH=VALUE, "
            "for example env.episode_length_s=10.0."
        )
    if section not in configurations:
        raise unknown_name("part of the configuration", section, configurations)
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
