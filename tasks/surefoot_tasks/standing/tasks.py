"""Configurations of the registered tasks, by the names that the registration gives.

Looking one up also installs what this machine needs, so that Isaac Lab's own commands run our tasks too.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from surefoot.engines import install_shims
from surefoot.envs.env_cfg import SurefootEnvCfg
from surefoot_robots import RobotSpec, get_robot
from surefoot_tasks.velocity.agent_cfg import VelocityPpoCfg, make_ppo_cfg

from . import KINDS, task_id
from .env_cfg import make_recovery_env_cfg, make_stand_env_cfg

install_shims()

_ENVIRONMENTS: dict[str, Callable[[RobotSpec], SurefootEnvCfg]] = {
    "Recovery": make_recovery_env_cfg,
    "Stand": make_stand_env_cfg,
}

RECOVERY_ITERATIONS = 1500
"""Of training to get up, which takes as long as a field of many levels: it begins with what never succeeds."""


def make_agent_cfg(spec: RobotSpec, kind: str) -> VelocityPpoCfg:
    """PPO as for velocity tracking, longer for getting up."""
    cfg = make_ppo_cfg(spec, experiment_name=task_id(spec.label, kind))
    if kind == "Recovery":
        cfg.max_iterations = max(cfg.max_iterations, RECOVERY_ITERATIONS)
    return cfg


def __getattr__(name: str) -> Callable[[], SurefootEnvCfg | VelocityPpoCfg]:
    """Return what builds ``ROBOT_KIND_env_cfg`` or ``ROBOT_KIND_agent_cfg``, for any robot that is installed."""
    for kind in KINDS:
        environment, agent = (f"_{kind.lower()}_{part}_cfg" for part in ("env", "agent"))
        if name.endswith(environment):
            return partial(_ENVIRONMENTS[kind], get_robot(name.removesuffix(environment)))
        if name.endswith(agent):
            return partial(make_agent_cfg, get_robot(name.removesuffix(agent)), kind)
    raise AttributeError(name)
