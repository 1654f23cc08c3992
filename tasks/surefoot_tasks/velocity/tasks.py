"""Configurations of the registered velocity tasks, by the names that the registration gives.

Looking one up also installs what this machine needs, so that Isaac Lab's own commands run our tasks too.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from surefoot.engines import install_shims
from surefoot_robots import RobotSpec
from surefoot_tasks.registration import find_configuration

from . import task_id
from .agent_cfg import VelocityPpoCfg, make_ppo_cfg
from .env_cfg import VelocityEnvCfg, make_velocity_env_cfg
from .rough_env_cfg import make_rough_env_cfg

install_shims()

_ENVIRONMENTS: dict[str, Callable[[RobotSpec], VelocityEnvCfg]] = {
    "Flat": make_velocity_env_cfg,
    "Rough": partial(make_rough_env_cfg, actor_scans=False),
    "RoughScan": partial(make_rough_env_cfg, actor_scans=True),
}


def _make_agent_cfg(spec: RobotSpec, kind: str) -> VelocityPpoCfg:
    return make_ppo_cfg(spec, experiment_name=task_id(spec.label, kind), takes_long=kind != "Flat")


def __getattr__(name: str) -> Callable[[], VelocityEnvCfg | VelocityPpoCfg]:
    """Return what builds ``ROBOT_KIND_env_cfg`` or ``ROBOT_KIND_agent_cfg``, for any robot that is installed."""
    return find_configuration(name, _ENVIRONMENTS, _make_agent_cfg)
