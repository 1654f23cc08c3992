"""Configurations of the registered tasks, by the names that the registration gives.

Looking one up also installs what this machine needs, so that Isaac Lab's own commands run our tasks too.
"""

from __future__ import annotations

from collections.abc import Callable

from surefoot.engines import install_shims
from surefoot.envs.env_cfg import SurefootEnvCfg
from surefoot_robots import RobotSpec
from surefoot_tasks.registration import find_configuration
from surefoot_tasks.velocity.agent_cfg import VelocityPpoCfg, make_ppo_cfg

from . import task_id
from .env_cfg import make_recovery_env_cfg, make_stand_env_cfg

install_shims()

_ENVIRONMENTS: dict[str, Callable[[RobotSpec], SurefootEnvCfg]] = {
    "Recovery": make_recovery_env_cfg,
    "Stand": make_stand_env_cfg,
}


def _make_agent_cfg(spec: RobotSpec, kind: str) -> VelocityPpoCfg:
    # Getting up takes as long as a field of many levels: it begins with what never succeeds.
    return make_ppo_cfg(spec, experiment_name=task_id(spec.label, kind), takes_long=kind == "Recovery")


def __getattr__(name: str) -> Callable[[], SurefootEnvCfg | VelocityPpoCfg]:
    """Return what builds ``ROBOT_KIND_env_cfg`` or ``ROBOT_KIND_agent_cfg``, for any robot that is installed."""
    return find_configuration(name, _ENVIRONMENTS, _make_agent_cfg)
