"""Families of tasks with one task for each robot and kind: their registration, and how their configurations are found.

A family is a package with ``KINDS`` and ``task_id``, and with a module ``tasks`` in which Gymnasium looks up
``ROBOT_KIND_env_cfg`` and ``ROBOT_KIND_agent_cfg``, the kind in lower case.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from types import ModuleType
from typing import Any

from surefoot_robots import RobotSpec, get_robot, list_robots


def register(family: ModuleType) -> None:
    """Register every robot's tasks of a family; their configurations are built when a task is looked up."""
    import gymnasium

    for robot in list_robots():
        for kind in family.KINDS:
            name = f"{family.__name__}.tasks:{robot}_{kind.lower()}"
            gymnasium.register(
                id=family.task_id(get_robot(robot).label, kind),
                entry_point="surefoot.envs.env:SurefootEnv",
                disable_env_checker=True,
                kwargs={
                    "env_cfg_entry_point": f"{name}_env_cfg",
                    "rsl_rl_cfg_entry_point": f"{name}_agent_cfg",
                    "default_agent": "rsl_rl",
                },
            )


def find_configuration(
    name: str,
    environments: Mapping[str, Callable[[RobotSpec], Any]],
    make_agent_cfg: Callable[[RobotSpec, str], Any],
) -> Callable[[], Any]:
    """Return what builds a configuration by its name, for any robot that is installed.

    Args:
        name: ``ROBOT_KIND_env_cfg`` or ``ROBOT_KIND_agent_cfg``.
        environments: What builds the environment of each kind.
        make_agent_cfg: Builds the agent of a robot and a kind.

    Raises:
        AttributeError: If it is no such name, as a module's ``__getattr__`` must.
    """
    for kind, make_env_cfg in environments.items():
        environment, agent = (f"_{kind.lower()}_{part}_cfg" for part in ("env", "agent"))
        if name.endswith(environment):
            return partial(make_env_cfg, get_robot(name.removesuffix(environment)))
        if name.endswith(agent):
            return partial(make_agent_cfg, get_robot(name.removesuffix(agent)), kind)
    raise AttributeError(name)
