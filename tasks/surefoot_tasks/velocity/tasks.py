"""Configurations of the registered velocity tasks, by the names that the registration gives.

Looking one up also installs what this machine needs, so that Isaac Lab's own commands run our tasks too.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from surefoot.engines import install_shims
from surefoot_robots import get_robot

from . import task_id
from .agent_cfg import VelocityPpoCfg, make_ppo_cfg
from .env_cfg import VelocityEnvCfg, make_velocity_env_cfg

install_shims()

_ENVIRONMENT, _AGENT = "_flat_env_cfg", "_flat_agent_cfg"


def __getattr__(name: str) -> Callable[[], VelocityEnvCfg | VelocityPpoCfg]:
    """Return what builds ``ROBOT_flat_env_cfg`` or ``ROBOT_flat_agent_cfg``, for any robot that is installed."""
    if name.endswith(_ENVIRONMENT):
        return partial(make_velocity_env_cfg, get_robot(name.removesuffix(_ENVIRONMENT)))
    if name.endswith(_AGENT):
        spec = get_robot(name.removesuffix(_AGENT))
        return partial(make_ppo_cfg, spec, experiment_name=task_id(spec.label))
    raise AttributeError(name)
