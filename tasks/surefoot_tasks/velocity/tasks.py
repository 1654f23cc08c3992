"""Configurations of the registered velocity tasks, by the names that the registration gives.

Looking one up also installs what this machine needs, so that Isaac Lab's own commands run our tasks too.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from surefoot.engines import install_shims
from surefoot_robots import RobotSpec, get_robot

from . import GROUNDS, task_id
from .agent_cfg import VelocityPpoCfg, make_ppo_cfg
from .env_cfg import VelocityEnvCfg, make_velocity_env_cfg
from .rough_env_cfg import make_rough_env_cfg

install_shims()

_ENVIRONMENTS: dict[str, Callable[[RobotSpec], VelocityEnvCfg]] = {
    "Flat": make_velocity_env_cfg,
    "Rough": partial(make_rough_env_cfg, actor_scans=False),
    "RoughScan": partial(make_rough_env_cfg, actor_scans=True),
}


def __getattr__(name: str) -> Callable[[], VelocityEnvCfg | VelocityPpoCfg]:
    """Return what builds ``ROBOT_GROUND_env_cfg`` or ``ROBOT_GROUND_agent_cfg``, for any robot that is installed."""
    for ground in GROUNDS:
        environment, agent = (f"_{ground.lower()}_{part}_cfg" for part in ("env", "agent"))
        if name.endswith(environment):
            return partial(_ENVIRONMENTS[ground], get_robot(name.removesuffix(environment)))
        if name.endswith(agent):
            spec = get_robot(name.removesuffix(agent))
            return partial(make_ppo_cfg, spec, experiment_name=task_id(spec.label, ground), rough=ground != "Flat")
    raise AttributeError(name)
